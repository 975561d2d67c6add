"""Whether the answers are those of the baseline, word for word.

A baseline is renewed in the commit that changes what it holds. Else a later change is
compared with answers that nobody has seen for long, and its own are lost among theirs.
"""

from evals.deciding.comparison import RENEW
from evals.deciding.explain import changes
from evals.deciding.finished import Finished
from evals.deciding.sentences import cases as many
from evals.deciding.sentences import named, unique
from evals.deciding.verdict import Check, Status

CHECK = "baseline renewed"
MODEL = "model"  # the manifest's field on what drafted


def unrenewed(run: Finished, baseline: Finished) -> Check:
    """Open where what is served changed and the baseline holds what was served then.

    Answers of another model have other words, so these are compared by what metrics
    say of them alone.
    """
    if run.manifest.get(MODEL) != baseline.manifest.get(MODEL):
        why = "Another model drafts than in the baseline, so words are not compared."
        return Check(check=CHECK, result=Status.PASS, why=why)
    changed = unique(each.case for each in changes(baseline, run))
    if not changed:
        why = f"What is served is what the baseline holds, in {many(run.rows)}."
        return Check(check=CHECK, result=Status.PASS, why=why)
    why = (
        f"{many(changed)} served otherwise than the baseline holds: {named(changed)}. "
    )
    why += "Look at them (python -m evals why RUN CASE). Is the change right? "
    why += f"{RENEW}, and commit it with the change."
    return Check(check=CHECK, result=Status.INCONCLUSIVE, why=why, cases=changed)
