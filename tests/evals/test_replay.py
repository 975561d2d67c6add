"""Stored drafts: judged as they are stored, and no validator can go unnoticed."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
import typer
from engine.validate.claims import Judgement, Verdict
from engine.validate.ground import Ground
from engine.validate.grounds import Grounds
from engine.validate.parts import Part

from engine.corpus_records import Span
from engine.errors import UsageError
from engine.records import Chunk, DraftClaim, Quote
from engine.validate.citations import Passage, Statement
from engine.validate.figures import Row
from engine.validate.quotes import Anchored
from engine.validate.text import fold
from evals import replay
from evals.commands import release
from evals.deciding.verdict import Decision
from evals.replay import Expected
from tests.evals.sensitivity.breaking import instead

STORED = replay.load()
_CODE = re.compile(r'"(?:draft|citations|claims|quotes|markup|phrases)", "(\w+)"')
_CONTRACT = re.compile(r'code="(\w+)"')


def quote_of(chunk: Chunk, text: str, start: int, end: int) -> Quote:
    """A quote of a chunk, whatever stands there."""
    return Quote(
        text=text,
        chunk=chunk.id,
        document=chunk.document,
        version=chunk.version,
        start=start,
        end=end,
    )


def anywhere(text: str, chunk: Chunk, *_: object) -> Anchored:
    """A quotation is believed wherever it is said to stand."""
    quote = quote_of(chunk, text.strip(), chunk.start, chunk.end)
    return Anchored(quote, whole=True, sentences=(0, 0))


def believed(claim: Row, lexicon: object, cited: Grounds, *_: object) -> Judgement:
    """A claim is believed without a look at its source."""
    return Judgement(Verdict.SUPPORTED, "", Ground(0, 0, claim), 1.0)


def unread(claim: DraftClaim) -> tuple[Statement, ...]:
    """A claim without its markers being read."""
    return (Statement(claim.text, claim.citations, quotation=claim.quotation),)


def uncited(bench: object, statement: Statement) -> list[Part]:
    """A sentence that cites nothing is let through."""
    return [] if statement.citations else [Part(statement.text)]


def no_neighbours(parts: list[Part], *_: object) -> list[Part]:
    """What is cut or merged stays as it is."""
    return parts


def whole_words(claim: Row, row: Row) -> bool:
    """The words count, their order does not."""
    return sorted(token.key for token in claim) == sorted(token.key for token in row)


def unled(chunk: Chunk, first: int, last: int, told: int | None = None) -> int:
    """A list item needs no lead-in."""
    return first


def cut(chunk: Chunk, span: Span, widened: tuple[int, int]) -> Anchored:
    """A quotation is shown as it was cut."""
    text = chunk.text[span.start - chunk.start : span.end - chunk.start]
    quote = quote_of(chunk, text, span.start, span.end)
    return Anchored(quote, whole=True, sentences=widened)


def unmerged(
    chunks: Sequence[Chunk], passages: Sequence[Passage]
) -> dict[tuple[str, str], list[tuple[int, int]]]:
    """Passages that overlap stay apart."""
    found: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for passage in sorted(set(passages), key=lambda p: (p.start, p.end)):
        chunk = chunks[passage.number - 1]
        spans = found.setdefault((chunk.document, chunk.version), [])
        spans.append((passage.start, passage.end))
    return found


V = "engine.validate"
OFF: Mapping[str, Mapping[str, object]] = {
    "size of a draft": {f"{V}.check._unreadable": lambda draft: None},
    "provenance": {f"{V}.check._unknown": lambda *_: None},
    "headings": {f"{V}.check._stands_above": lambda *_: True},
    "section contract": {"evals.replay.first_section": lambda *_: None},
    "merging": {f"{V}.check._merged": no_neighbours},
    "trimming": {f"{V}.check._trimmed": no_neighbours},
    "counting": {f"{V}.check._too_few": lambda *_, **__: None},
    "overlaps": {f"{V}.citations._merged": unmerged},
    "what was not found": {f"{V}.check._missing": lambda *_: ()},
    "its rare words": {f"{V}.check.not_found": lambda *_: ()},
    "what a draft admits": {f"{V}.check._admitted": lambda *_: False},
    "sensitive sentences": {f"{V}.material.Rules.sensitive": lambda *_, **__: False},
    "uncited sentences": {f"{V}.statements.Bench._fixed": uncited},
    "markers in prose": {f"{V}.check.statements": unread},
    "length of a sentence": {f"{V}.statements.LONGEST_STATEMENT": 10**6},
    "statements": {f"{V}.statements.stating": lambda parts, _: list(parts)},
    "repetitions": {f"{V}.statements.repeats": lambda *_: False},
    "anchoring": {f"{V}.statements.anchor": anywhere},
    "widening": {f"{V}.quotes._anchored": cut},
    "list introductions": {f"{V}.quotes.led_from": unled},
    "what is shown before": {f"{V}.quotes._told_from": lambda *_: 0},
    "unquotable sentences": {f"{V}.quotes.may_quote": lambda *_: True},
    "hidden characters of a quotation": {f"{V}.quotes._HIDDEN": re.compile("(?!)")},
    "quotation marks": {f"{V}.prose.quotations": lambda text: ()},
    "support": {f"{V}.statements.judge": believed},
    "figures and negations": {f"{V}.claims.marks": lambda row: Counter()},
    "order of words": {f"{V}.claims.restates": whole_words},
    "items without a lead-in": {f"{V}.grounds.lead_of": lambda chunk, at: at},
    "what is taken back": {f"{V}.grounds._takes_back": lambda row: False},
    "lists as one": {f"{V}.lists.List._is_one": lambda listed: False},
    "clauses": {f"{V}.ground._may_open": lambda row, at: True},
    "frames": {f"{V}.statements.unframed": lambda text, names: text},
    "leaning": {f"{V}.statements.Bench._dangles": lambda *_: False},
    "signs and code": {f"{V}.statements.differs": lambda *_: ""},
    "invisible characters": {f"{V}.statements.unseen": lambda text: False},
    "addresses": {f"{V}.statements.foreign": lambda text, links: ()},
    "markup": {f"{V}.statements.inert": lambda text, *_: text},
    "prohibited phrases": {f"{V}.phrases.Phrases.found": lambda *_: False},
    "phrases in disguise": {f"{V}.phrases.fold_for_phrases": fold},
}


def test_stored_drafts_are_judged_as_they_are_stored_R_E1() -> None:
    """Good and hostile ones, over the demo documents of both packs."""
    assert list(replay.faults(STORED)) == []
    assert {draft.pack for draft in STORED} == {"oncology", "textbook"}


@pytest.mark.parametrize("validator", OFF)
def test_no_validator_can_be_left_out_R_E1(validator: str) -> None:
    """Without it at least one stored draft is judged wrong, or makes no answer."""
    with instead(OFF[validator]):
        try:
            found = list(replay.faults(STORED))
        except (LookupError, ValueError):
            return
    assert found


def test_whatever_validators_object_to_is_stored_R_E1(root: Path) -> None:
    """Every code of a finding in engine/validate comes up in the stored drafts."""
    source = "".join(
        file.read_text("utf-8") for file in (root / "engine" / "validate").glob("*.py")
    )
    codes = {*_CODE.findall(source), *_CONTRACT.findall(source)}
    judged = map(replay.judged, STORED)
    assert len(codes) >= 15
    assert codes <= {finding.code for found in judged for finding in found.findings}


def test_a_wrong_verdict_is_named_with_what_it_shows() -> None:
    """The draft, the field, both values and why it matters."""
    stored = STORED[0]
    expected = stored.expected.model_copy(update={"shown": ("Else.",)})
    (fault,) = replay.faults([stored.model_copy(update={"expected": expected})])
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
        replay.judged(STORED[0].model_copy(update={"passages": (lost,)}))


def test_a_wrong_verdict_makes_the_release_red_R_P2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever came of the packs; where all are right their exit code stands."""
    released = SimpleNamespace(verdict=SimpleNamespace(decision=Decision.RELEASE))
    monkeypatch.setattr(release, "_one", lambda *_: released)
    wrong = STORED[0].model_copy(update={"expected": Expected(shown=("Else.",))})
    for stored, code, said in (
        (STORED[:2], 0, "2 replayed, 0 wrong"),
        ((wrong, *STORED[1:2]), 1, "2 replayed, 1 wrong"),
    ):
        monkeypatch.setattr("evals.replay.load", lambda stored=stored: stored)
        with pytest.raises(typer.Exit) as ended:
            release.release(pack=["oncology"])
        assert ended.value.exit_code == code
        told = capsys.readouterr()
        assert said in told.out + told.err
