"""The findings of a replay: as text, as JSON and as a page."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from adapters.reply import many, one_line
from bot.pages.templates import render
from bot.replay.run import Replayed, Verdict
from engine.model.frozen import Frozen
from engine.text.masking import preview

HIDDEN = "(asked with access tags: name them with --tags)"
HEADINGS: Mapping[Verdict, str] = {
    Verdict.SAME: "as before",
    Verdict.CHANGED: "would change",
    Verdict.NEEDS_MODEL: "open as before, for a model to draft",
    Verdict.NOT_DECIDED: "not decided, then or now",
    Verdict.FORGOTTEN: "forgotten",
}


class Change(Frozen):
    """One outcome that would be another one today."""

    audit_id: str
    asked: str
    question: str
    before: str
    now: str
    why: tuple[str, ...]


class Findings(Frozen):
    """A replay in figures, with every change by name."""

    pack: str
    version: str
    counts: Mapping[str, int]
    seconds: float
    changes: tuple[Change, ...]

    @property
    def asked(self) -> int:
        """How many were asked again."""
        return sum(self.counts.values()) - self.counts[Verdict.FORGOTTEN]

    @property
    def rate(self) -> float:
        """Outcomes a second."""
        return self.asked / max(self.seconds, 0.001)


def summarize(
    pack: str,
    version: str,
    replayed: Sequence[Replayed],
    seconds: float,
    held: frozenset[str],
) -> Findings:
    """Summarize outcomes that were asked again, for who holds these access tags."""
    counts = Counter(one.verdict for one in replayed)
    return Findings(
        pack=pack,
        version=version,
        counts={verdict.value: counts[verdict] for verdict in Verdict},
        seconds=round(seconds, 3),
        changes=tuple(
            _describe_change(one, held)
            for one in replayed
            if one.verdict is Verdict.CHANGED
        ),
    )


def render_text(found: Findings) -> Iterator[str]:
    """Yield a line for each change with its causes below it, and the counts."""
    for change in found.changes:
        yield f"{change.audit_id}\t{one_line(change.question)}"
        yield f"\t{one_line(change.before)} → {one_line(change.now)}"
        yield from (f"\t- {one_line(cause)}" for cause in change.why)
    counts = ", ".join(
        f"{number} {HEADINGS[Verdict(name)]}" for name, number in found.counts.items()
    )
    total = many(sum(found.counts.values()), "stored outcome")
    yield f"{total} of {found.pack} {found.version}: {counts}"


def as_json(found: Findings) -> str:
    """Write the same for other programs."""
    content = found.model_dump(mode="json") | {"per_second": round(found.rate, 1)}
    return json.dumps(content, ensure_ascii=False, indent=2)


def render_page(found: Findings) -> str:
    """Render the same as one page that fetches nothing."""
    counts = [(HEADINGS[Verdict(name)], n) for name, n in found.counts.items()]
    return render("bot/replay/report.html", {"found": found, "counts": counts})


def _describe_change(one: Replayed, held: frozenset[str]) -> Change:
    stored = one.stored
    created = stored.record.created
    seen = stored.tags <= held
    before, now = one.before, one.now
    if now is None:
        raise ValueError("a change without an outcome of today")
    return Change(
        audit_id=stored.audit_id,
        asked=created.date().isoformat() if created else "",
        question=preview(stored.record.question) if seen else HIDDEN,
        before=before.said if seen else _name_result(before.answered),
        now=now.said if seen else _name_result(now.answered),
        why=one.why if seen else (),
    )


def _name_result(answered: bool) -> str:
    return "answered" if answered else "refused"
