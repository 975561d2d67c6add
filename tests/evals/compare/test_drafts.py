"""Stored drafts: judged as they are stored, and no validator can go unnoticed."""

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

from engine.model.answer import Claim, Quote
from engine.model.document import Sentence
from engine.model.draft import Draft, Selected
from engine.model.errors import UsageError
from engine.model.passage import Chunk
from engine.policy.pack import Pack
from engine.policy.rules import Material, Rules, gather_material
from engine.text.answers import AnswerRequirements, Judgement, Verdict
from engine.text.quotable import RenderedQuotation, render_quotation
from engine.verify.check import Rejected, Verified, check
from engine.verify.citations import Passage
from engine.verify.selections import DraftChecker, Part
from evals.compare import drafts as replay
from tests.evals.sensitivity.breaking import instead

STORED = replay.load()
NEVER = re.compile("(?!)")
# As they are, whatever is put in their place.
_ADD, _FIXED, _BY, _PACK = (
    DraftChecker._add,
    DraftChecker.list_fixed_texts,
    AnswerRequirements.from_question,
    replay._load_pack,
)


# --- the validators, each without what it checks ----------------------------------


def opened(**changes: object) -> Callable[..., Material]:
    """The gate opened on less."""
    return lambda *given: Material(**{**vars(gather_material(*given)), **changes})


def in_part(name: str) -> tuple[Pack, Rules]:
    """A pack that answers in part."""
    pack, rules = _PACK(name)
    return pack, replace(rules, partial="say")


def undoubted(draft: Draft, place: Material, *_: object) -> Verified | Rejected:
    """The judge is not asked."""
    return check(draft, place)


def bare(**changes: object) -> Callable[[Chunk, Iterable[int]], RenderedQuotation]:
    """Sentences are shown without a part of their closure."""

    def of(chunk: Chunk, sentences: Iterable[int]) -> RenderedQuotation:
        alone = tuple(s.model_copy(update=changes) for s in chunk.sentences)
        return render_quotation(
            chunk.model_copy(update={"sentences": alone}), sentences
        )

    return of


def unmarked(quotes: Sequence[Quote]) -> str:
    """What is left out is not told."""
    return "\n".join(quote.text for quote in quotes)


def headed(sentence: Sentence) -> bool:
    """A heading may be chosen."""
    return sentence.quotable and sentence.closed


def together(selected: Iterable[Selected]) -> Iterator[tuple[Selected, ...]]:
    """All that a claim selects is taken to be of one passage."""
    if run := tuple(selected):
        yield run


def again(bench: DraftChecker, selected: Sequence[Selected], parts: list[Part]) -> None:
    """What was shown is shown again."""
    bench._told.clear()
    _ADD(bench, selected, parts)


def any_text(_: DraftChecker, draft: Draft) -> tuple[Claim, ...]:
    """Whatever a draft names as a fixed text is shown."""
    return tuple(Claim(text=name, citations=()) for name in draft.texts)


def every_time(bench: DraftChecker, draft: Draft) -> tuple[Claim, ...]:
    """A fixed text stands as often as it is named."""
    alone = (draft.model_copy(update={"texts": (name,)}) for name in draft.texts)
    return tuple(chain.from_iterable(_FIXED(bench, each) for each in alone))


def of_anybody(
    question: str,
    populations: Sequence[Sequence[str]],
    kinds: Sequence[Sequence[str]],
) -> AnswerRequirements:
    """It does not matter whom the question names."""
    return replace(_BY(question, populations, kinds), named=())


def of_any_kind(
    question: str,
    populations: Sequence[Sequence[str]],
    kinds: Sequence[Sequence[str]],
) -> AnswerRequirements:
    """It does not matter which kind the question names."""
    return _BY(question, populations)


def unmerged(
    chunks: Sequence[Chunk], passages: Iterable[Passage]
) -> dict[tuple[str, str], list[tuple[int, int]]]:
    """Passages that overlap stay apart."""
    found: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for passage in sorted(set(passages), key=lambda p: (p.start, p.end)):
        chunk = chunks[passage.number - 1]
        spans = found.setdefault((chunk.document, chunk.version), [])
        spans.append((passage.start, passage.end))
    return found


def closing(place: str, other: object) -> Mapping[str, object]:
    """Documents are closed in another way, so they are read again."""
    anew = cache(replay._make_chunk.__wrapped__)
    return {
        f"engine.text.closure.{place}": other,
        "evals.compare.drafts._make_chunk": anew,
    }


CONTRACT = "engine/policy/contract.py"
V, SHOWN = "engine.verify", "engine.text.quotable"
OFF: Mapping[str, Mapping[str, object]] = {
    # the draft as a whole
    "what can be read": {f"{V}.check._find_unreadable": lambda draft: None},
    "number of claims": {f"{V}.check.MOST_CLAIMS": 10**9},
    "number of sentences": {f"{V}.check.MOST_SENTENCES": 10**9},
    "provenance": {f"{V}.selections.DraftChecker.find_unknown": lambda *_: None},
    "section contract": {"evals.compare.drafts.check_first_section": lambda *_: None},
    "what a section takes": {f"{V}.check.find_section": lambda rules, *_: rules[0]},
    "sections that are missing": {f"{V}.check._find_incomplete": lambda *_: None},
    "what is not said unasked": {f"{V}.selections.matches": lambda *_: False},
    "headings": {f"{V}.check.match_heading": lambda heading, _: heading},
    "how headings are compared": {"engine.policy.contract.normalise": str},
    "merging": {f"{V}.check.merge_citations": lambda parts, *_: parts},
    "trimming": {f"{V}.check._trim": lambda parts, _: parts},
    "counting": {f"{V}.check._find_too_few": lambda *_, **__: None},
    "two citations": {"evals.compare.drafts.gather_material": opened(minimum=1)},
    "two documents": {"evals.compare.drafts.gather_material": opened(documents=1)},
    "overlaps": {f"{V}.citations._merge_spans": unmerged},
    "sensitive sentences": {
        "engine.policy.rules.Rules.sensitive": lambda *_, **__: False
    },
    "exempt sentences": {"engine.policy.rules.Rules.sensitive": lambda *_, **__: True},
    "partial answers": {"evals.compare.drafts._load_pack": in_part},
    "what was not found": {"evals.compare.drafts.gather_material": opened(missing=())},
    "markup": {f"{V}.check.make_inert": str},
    "unknown texts": {f"{V}.selections.DraftChecker.list_fixed_texts": any_text},
    "texts named twice": {f"{V}.selections.DraftChecker.list_fixed_texts": every_time},
    "judge": {"evals.compare.drafts.check": undoubted},
    # selected sentences and their closure
    "closed sentences": {f"{V}.selections.is_selectable": lambda _: True},
    "headings as claims": {f"{V}.selections.is_selectable": headed},
    "what is leant on": {f"{V}.selections.render_quotation": bare(leans_on=())},
    "what is announced": {f"{V}.selections.render_quotation": bare(announces=None)},
    "marks of omission": {f"{SHOWN}.join_quotes": unmarked},
    "what stands together": {f"{SHOWN}._are_touching": lambda *_: False},
    "what stands apart": {f"{SHOWN}._are_touching": lambda *_: True},
    "passages": {f"{V}.selections._group_by_chunk": together},
    "repetitions": {f"{V}.selections.DraftChecker._add": again},
    "questions": closing("_ASKS", NEVER),
    "labels": closing("_is_label", lambda *_: False),
    "lead-ins": closing("_find_item_needs", lambda *_: []),
    "words that point back": closing("_find_antecedent", lambda *_: []),
    "announcements": closing("_find_announced", lambda *_: None),
    "rows of a table": closing("_find_row_needs", lambda *_: []),
    "the line before a table": closing("_Place.enter", lambda *_: None),
    "code": closing("_find_announcing_line", lambda *_: []),
    # whether it answers
    "other populations": {
        "engine.text.answers.AnswerRequirements.judge": lambda *_: Judgement(
            Verdict.SUPPORTED
        )
    },
    "what answers": {f"{V}.selections.DraftChecker.find_lack": lambda *_: None},
    "what the gate opened for": {f"{V}.selections.find_nearest": lambda _: ()},
    "whom was asked about": {
        f"{V}.selections.AnswerRequirements.from_question": of_anybody
    },
    "which kind was asked about": {
        f"{V}.selections.AnswerRequirements.from_question": of_any_kind
    },
    "what was asked for": {"engine.text.answers.find_requirement": lambda _: None},
}


# --- the tests --------------------------------------------------------------------


def codes_of(source: str) -> Iterator[str]:
    """The codes of the findings that a module makes."""
    makers = {"make_finding", "_drop", "_note"}
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        named = getattr(node.func, "attr", getattr(node.func, "id", ""))
        given = node.args[1:2] if named in makers else []
        given += [k.value for k in node.keywords if k.arg == "code"]
        for value in given:
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield value.value


def test_stored_drafts_are_judged_as_they_are_stored_R_E1() -> None:
    """Good and hostile ones, over the demo documents of both packs."""
    assert [fault for one in STORED for fault in replay.find_faults(one)] == []
    assert {draft.pack for draft in STORED} == {"oncology", "textbook"}


@pytest.mark.parametrize("validator", OFF)
def test_no_validator_can_be_left_out_R_E1(validator: str) -> None:
    """Without it at least one stored draft is judged wrong, or makes no answer."""
    with instead(OFF[validator]):
        assert any(fault for one in STORED for fault in replay.find_faults(one))


def test_whatever_validators_object_to_is_stored_R_E1(root: Path) -> None:
    """Every code of a finding in engine/verify comes up in the stored drafts."""
    files = (*(root / "engine" / "verify").glob("*.py"), root / CONTRACT)
    codes = {code for file in files for code in codes_of(file.read_text("utf-8"))}
    judged = map(replay.judge_draft, STORED)
    assert len(codes) >= 15
    assert codes <= {finding.code for found in judged for finding in found.findings}


def test_a_wrong_verdict_is_named_with_what_it_shows() -> None:
    """The draft, the field, both values and why it matters."""
    stored = STORED[0]
    expected = stored.expected.model_copy(update={"shown": ("Else.",)})
    (fault,) = replay.find_faults(stored.model_copy(update={"expected": expected}))
    assert fault.startswith(f"{stored.id}: shown: ")
    assert "Else." in fault
    assert stored.why in fault


def test_a_wrong_file_is_refused_with_its_name(tmp_path: Path) -> None:
    """No draft, one without its fields, and a section that is not there."""
    for text in ("drafts: []", "drafts: [{id: a}]", "draft: []"):
        file = tmp_path / "drafts.yaml"
        file.write_text(text, "utf-8")
        with pytest.raises(UsageError, match=r"drafts\.yaml"):
            replay.load(file)
    lost = STORED[0].passages[0].model_copy(update={"section": "No such section"})
    with pytest.raises(UsageError, match="No such section"):
        replay.judge_draft(STORED[0].model_copy(update={"passages": (lost,)}))
