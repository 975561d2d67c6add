"""Whether what comes is what the baseline holds, row by row.

A baseline is stored in the commit that changes what it holds. Else a later change is
compared with answers that nobody has seen for long, and its own are lost among theirs.
"""

from collections import Counter

from evals.deciding.baseline import Baseline, moved
from evals.deciding.comparison import RENEW
from evals.deciding.finished import Finished
from evals.deciding.sentences import cases as many
from evals.deciding.sentences import named, unique
from evals.deciding.verdict import Check, Status
from evals.kept import Kind

CHECK = "baseline renewed"
MODEL = "model"  # the manifest's field on what drafted


def unrenewed(run: Finished, baseline: Baseline) -> Check:
    """Open where something moved and the baseline holds what was there before.

    Answers of another model have other words, so these are compared by what metrics
    say of them alone.
    """
    if run.manifest.get(MODEL) != baseline.manifest.get(MODEL):
        why = "Another model drafts than in the baseline, so rows are not compared."
        return Check(check=CHECK, result=Status.PASS, why=why)
    found = moved(run, baseline)
    if not found:
        why = f"What comes is what the baseline holds, in {many(run.rows)}."
        return Check(check=CHECK, result=Status.PASS, why=why)
    kinds = Counter(each.kind for held in found.values() for each in held)
    counts = ", ".join(f"{kind} {kinds[kind]}" for kind in Kind if kinds[kind])
    why = f"{many(found)} came otherwise than the baseline holds ({counts}): "
    why += f"{named(found)}. Look at them (python -m evals why RUN CASE). {RENEW}, "
    why += "and say in the commit what moved and why."
    return Check(check=CHECK, result=Status.INCONCLUSIVE, why=why, cases=unique(found))
