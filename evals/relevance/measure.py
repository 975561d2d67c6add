"""Ask a suite through `Engine.ask` and count right, wrong and refused."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from bot.wiring import Application
from engine.model.answer import Answer
from engine.model.outcome import Outcome
from engine.model.question import Question
from engine.policy.pack import Pack
from evals.relevance.cases import Case
from evals.relevance.collect import Texts, keep_letters

THRESHOLDS = (0.5, 0.6, 0.7, 0.75, 0.8, 0.9)
WRONG = 0.03  # aim: at most this share of plain and unanswerable questions
NEAR_MISSES = 1 / 15  # aim: at most this share of near misses answered


@dataclass(frozen=True, slots=True)
class Scored:
    """One case as it was answered.

    `right` is true where one quotation holds each place of an alternative; `said` is
    the relevance of the best passage, answered or not; `pointed` is true where the page
    of the answer is among the first five pointers.
    """

    case: Case
    answered: bool
    right: bool
    said: float
    pointed: bool
    milliseconds: float


async def measure(
    application: Application, pack: Pack, cases: Sequence[Case]
) -> list[Scored]:
    """Ask every case, in order."""
    engine = application.engine(pack)
    texts = Texts(application.ledger, pack.id)
    scored = []
    for case in cases:
        outcome = await engine.ask(
            Question(
                id=str(uuid.uuid4()), session="evals", text=case.question, pack=pack.id
            )
        )
        gold = await texts.gold(case)
        pages = {await texts.page(place.version) for a in case.gold for place in a}
        quoted = [keep_letters(quote) for quote in _list_quotes(outcome)]
        near = [n.document_id for n in outcome.nearest[:5]]
        scored.append(
            Scored(
                case=case,
                answered=outcome.answered,
                right=holds(quoted, gold),
                said=max((n.relevance for n in outcome.nearest), default=0.0),
                pointed=bool(pages & set(near)),
                milliseconds=outcome.milliseconds.get("total", 0.0),
            )
        )
    return scored


def holds(quoted: Sequence[str], gold: Sequence[Sequence[str]]) -> bool:
    """Tell whether quotations hold all places of an alternative, none across a seam."""
    return any(
        all(any(part in quote for quote in quoted) for part in parts) for parts in gold
    )


def _list_quotes(outcome: Outcome) -> list[str]:
    if not isinstance(outcome.result, Answer):
        return []
    return [
        quote.text
        for section in outcome.result.sections
        for claim in section.claims
        for quote in claim.quotes
    ]


def write_table(scored: Sequence[Scored]) -> str:
    """Tabulate the counts by kind of question, and the two shares the aims speak of."""
    lines = [f"{'questions':28}{'asked':>7}{'answered':>10}{'right':>7}{'wrong':>7}"]
    kinds = [
        ("answerable, plain", "plain", None),
        ("answerable, everyday", "everyday", None),
        ("answerable, paraphrased", "paraphrased", None),
        ("near misses", None, "near_miss"),
        ("off the corpus", None, "off_corpus"),
    ]
    for title, wording, kind in kinds:
        part = [
            s
            for s in scored
            if (wording and s.case.wording == wording) or s.case.kind == kind
        ]
        answered = sum(s.answered for s in part)
        right = sum(s.answered and s.right for s in part)
        lines.append(
            f"{title:28}{len(part):7}{answered:10}{right:7}{answered - right:7}"
        )
    return "\n".join([*lines, *_describe_shares(scored), *_tabulate_thresholds(scored)])


def list_missed(scored: Sequence[Scored]) -> list[str]:
    """List the aims that were not met, in words; none where all were."""
    mixed = [s for s in scored if s.case.wording in {"plain", None}]
    near = [s for s in scored if s.case.kind == "near_miss"]
    wrong = sum(s.answered and not s.right for s in mixed)
    answered = sum(s.answered for s in near)
    found = []
    if wrong > WRONG * len(mixed):
        share = _format_share(wrong, len(mixed))
        found.append(f"wrong of plain + unanswerable: {share}, aim {WRONG:.3f}")
    if answered > NEAR_MISSES * len(near):
        share = _format_share(answered, len(near))
        found.append(f"near misses answered: {share}, aim {NEAR_MISSES:.3f}")
    return found


def _tabulate_thresholds(scored: Sequence[Scored]) -> list[str]:
    """Count right and wrong as if relevance were asked to reach each threshold.

    A question that was refused stays refused: thresholds below the pack's own change
    nothing.
    """
    plain = [s for s in scored if s.case.wording == "plain"]
    mixed = [s for s in scored if s.case.wording in {"plain", None}]
    lines = [f"{'threshold':>9}  {'right of plain':18}wrong of plain + unanswerable"]
    for threshold in THRESHOLDS:
        right = sum(s.answered and s.right and s.said >= threshold for s in plain)
        wrong = sum(s.answered and not s.right and s.said >= threshold for s in mixed)
        share = _format_share(right, len(plain))
        lines.append(f"{threshold:9.2f}  {share:18}{_format_share(wrong, len(mixed))}")
    return lines


def _describe_shares(scored: Sequence[Scored]) -> list[str]:
    plain = [s for s in scored if s.case.wording == "plain"]
    mixed = [s for s in scored if s.case.wording in {"plain", None}]
    right = sum(s.answered and s.right for s in plain)
    wrong = sum(s.answered and not s.right for s in mixed)
    refused = [s for s in scored if s.case.answerable and not s.answered]
    pointed = sum(s.pointed for s in refused)
    paraphrased = [s for s in scored if s.case.wording == "paraphrased"]
    reworded = _format_share(
        sum(s.answered and s.right for s in paraphrased), len(paraphrased)
    )
    return [
        f"plain wording answered correctly: {_format_share(right, len(plain))}; "
        f"wrong of plain + unanswerable: {_format_share(wrong, len(mixed))}",
        f"paraphrased answered correctly: {reworded}",
        "right page among five pointers of a wrong refusal: "
        + _format_share(pointed, len(refused)),
    ]


def _format_share(part: int, whole: int) -> str:
    return f"{part}/{whole} = {part / whole:.3f}" if whole else "none asked"
