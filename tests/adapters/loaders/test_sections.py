"""Sections of laws in JSON Lines: the same documents as from the files of Justice Laws.

The texts are those of the made-up act in the tests of that loader.
"""

import json

import pytest

from adapters.loaders import jsonl
from adapters.loaders.limits import Limits
from engine.documents.corpus import build_document
from engine.model.document import BlockKind, Parsed
from tests.adapters.loaders.test_justice_laws import lines, sections

PERMIT = {
    "title": "Beehive Act",
    "section": "3",
    "marginal_note": "Permit required",
    "headings": ["PART 1 Keeping Bees", "Permits"],
    "text": "  (1) A person may keep bees in a garden if\n"
    "    (a) they hold a permit; and\n"
    "    (b) the hive stands\n"
    "      (i) three metres from a path, or\n"
    "      (ii) behind a hedge.\n"
    "  (2) [Exception] Despite subsection (1), a school needs no permit.",
}
OFFENCE = {
    "title": "Beehive Act",
    "section": "*12.1",
    "heading": "Offence",
    "headings": ["PART 2 Offences"],
    "text": "Every person who\n  (a) steals a hive, or\n  (b) opens one at night\n"
    "  is guilty of an offence.",
}


def read(*records: object) -> tuple[Parsed, ...]:
    loaded = jsonl.parse("\n".join(map(json.dumps, records)), "acts.jsonl", Limits())
    assert not loaded.problems, loaded.problems
    return loaded.documents


@pytest.mark.parametrize(("record", "label"), [(PERMIT, "3"), (OFFENCE, "12.1")])
def test_a_section_reads_alike_from_both_formats_R_R2(
    record: object, label: str
) -> None:
    (found,), held = read(record), sections()[label]
    assert found.title == held.title
    assert found.things[0].names == held.things[0].names[:1]
    assert found.things[0].kind == held.things[0].kind == "section"
    same = [
        [(b.kind, b.level, b.lead_in, b.unfinished, b.of(one.text)) for b in one.blocks]
        for one in (found, held)
    ]
    assert same[0] == [each for each in same[1] if "History" not in each[-1]]


def test_an_item_of_a_line_is_never_quoted_without_what_introduces_it_R_A14() -> None:
    document = build_document(read(PERMIT)[0], "acts")
    hedge = next(s for s in document.sentences if "hedge" in s.of(document.text))
    told = [span.of(document.text) for span in hedge.leans_on]
    assert told == ["(1) A person may keep bees in a garden if", "(b) the hive stands"]


def test_a_definition_stays_whole_with_its_paragraphs() -> None:
    """Below it, and before the next one; it ends no list of the line above."""
    text = (
        "  (1) The definitions apply.\n    hive means\n      (a) a box; or\n"
        "      (b) a skep.\n    queen means a bee.\n  (2) A swarm is no hive."
    )
    (found,) = read({"section": 2, "text": text})
    assert lines(found, BlockKind.PARAGRAPH) == [
        "(1) The definitions apply.",
        "hive means\n(a) a box; or\n(b) a skep.",
        "queen means a bee.",
        "(2) A swarm is no hive.",
    ]
    assert lines(found, BlockKind.HEADING) == ["2"]
    assert found.title is None and not found.things


def test_other_texts_keep_their_lines() -> None:
    """A manual's lines are broken anywhere; without a number it is no section."""
    text = "The hive is opened\nin the morning.\n\nIt is closed at night."
    (manual,) = read({"title": "Manual", "heading": "Opening", "text": text})
    assert lines(manual, BlockKind.PARAGRAPH) == text.split("\n\n")
    assert manual.title == "Manual" and not manual.things
    (numbered,) = read({"title": "Manual", "section": "4.2", "text": text})
    assert lines(numbered, BlockKind.PARAGRAPH) == text.split("\n\n")


def test_fields_that_nothing_reads_are_told_once_a_file() -> None:
    """With how many lines have them; the documents go in."""
    first, second = read(
        {**PERMIT, "citation": "B-9", "kind": "act"}, {**OFFENCE, "kind": 1}
    )
    assert first.remarks == (
        "fields of its file that nothing reads, left out: citation (1 line), "
        "kind (2 lines)",
    )
    assert second.remarks == ()
    assert read({**PERMIT, "tags": ["bees"], "date": "2026-01-02"})[0].remarks == ()


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("section", ["3"], "section must be one line of text"),
        ("marginal_note", {}, "marginal_note must be one line of text"),
        ("section", "3" * 41, "section must have at most 40"),
        ("headings", ["Part"] * 21, "headings must be a list of at most 20"),
        ("headings", [[]], "each of headings must be one line"),
    ],
)
def test_a_wrong_field_of_a_section_is_named(
    field: str, value: object, said: str
) -> None:
    line = json.dumps({**PERMIT, field: value})
    loaded = jsonl.parse(line, "acts.jsonl", Limits())
    assert not loaded.documents
    assert (
        loaded.problems[0].startswith("acts.jsonl#1: ") and said in loaded.problems[0]
    )


@pytest.mark.parametrize(
    "text",
    [
        "  (1) No person who\n    (a) steals hives, or\n    (b) opens them\n"
        "  may keep bees.\n  (2) Others may.",
        "  (1) Nothing permits a person to\n  may keep bees.\n    (a) A list.",
    ],
)
def test_the_end_of_a_sentence_is_not_quoted_without_its_beginning_R_A14(
    text: str,
) -> None:
    """It stands at the indent of the line that began it."""
    (found,) = read({"title": "Act", "section": 4, "text": text})
    assert "may keep bees." not in [b.of(found.text) for b in found.blocks]
    assert any("may keep bees." in b.of(found.text) for b in found.blocks)


def test_a_heading_beside_a_note_and_a_word_for_a_section_are_kept_R_R2() -> None:
    beside = {**PERMIT, "heading": "Care"}
    (first,) = read(beside)
    assert "Care" in lines(first, BlockKind.HEADING)
    assert first.title == "Beehive Act, section 3: Permit required"
    (second,) = read({"title": "Handbook", "section": "Introduction", "text": "Hi."})
    assert second.title == "Handbook"
    assert lines(second, BlockKind.HEADING) == ["Introduction"]
    assert not second.things


def test_provisions_below_each_other_without_end_are_refused() -> None:
    text = "\n".join(f"{' ' * 2 * n}(a) so" for n in range(1, 60))
    loaded = jsonl.parse(
        json.dumps({"title": "Act", "section": "1", "text": text}), "a.jsonl", Limits()
    )
    assert "indented more than" in loaded.problems[0]
