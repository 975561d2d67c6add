"""What a file says of itself: scalars are their own text, names stand once."""

import json
from collections.abc import Callable
from datetime import date

import pytest

from adapters.loaders import html, jsonl, markdown, rst, text
from adapters.loaders.limits import Limits
from engine.model.document import Parsed
from engine.model.errors import DocumentError

LIMITS = Limits()
BODY = "Rest often and drink enough water.\n"
LOADERS = (markdown.parse, html.parse, rst.parse, text.parse)

Matter = Callable[[str], Parsed]


def yaml(fields: str) -> Parsed:
    return markdown.parse(f"---\n{fields}\n---\n{BODY}", "a.md", LIMITS)


# As YAML would read them: floats, sexagesimals, octals, dates, booleans, nothing.
OWN = (
    *("3.10", "3.20", "1.0", "1e3", "1_000", "+12", "-.inf", ".nan", "12:30:45"),
    *("8:30", "0123", "007", "0o17", "0x1F", "0b11", "2026-03-10", "2026-3-1"),
    *("2026-03-10 10:00:00", "yes", "No", "on", "OFF", "true", "False", "y", "22.04"),
    *("1.10.0", "٣", "1,000", "4.20 LTS"),
)


@pytest.mark.parametrize("written", [*OWN, "null", "~", "Null", "=", "<<"])
def test_a_title_is_what_is_written_R_A15(written: str) -> None:
    """In YAML of every style, whatever a program would make of it."""
    for loader in LOADERS:
        parsed = loader(f"---\ntitle: {written}\n---\n{BODY}", "a.x", LIMITS)
        assert parsed.title == written
    for style in (f'"{written}"', f"'{written}'", f"|\n  {written}", f"{written} # x"):
        assert yaml(f"title: {style}").title == written
    assert yaml(f"{{title: '{written}'}}").title == written


@pytest.mark.parametrize("written", OWN)
def test_so_are_ids_names_tags_and_questions_R_A15(written: str) -> None:
    parsed = yaml(
        f"id: {written}\npublisher: {written}\nnames: [release, '{written}']\n"
        f"access_tags:\n- {written.replace(',', '')}\nquestions:\n- {written} or so\n"
    )
    assert (parsed.id, parsed.publisher) == (written, written)
    assert parsed.tags == (written.replace(",", ""),)
    assert parsed.questions == (f"{written} or so",)
    assert parsed.things[0].names == ("release", written)


@pytest.mark.parametrize(
    "written", ["3.10", "3.20", "1e3", "-0", "1.50E+2", "12345678901234567890.0"]
)
def test_a_number_of_json_is_its_own_text_R_A15(written: str) -> None:
    """Between fences, and in a line of JSON Lines."""
    fields = f'"title": {written}, "id": {written}, "access_tags": [{written}]'
    matter = yaml(f"{{{fields}}}")
    (line,) = jsonl.parse(f'{{{fields}, "text": "x"}}', "a", LIMITS).documents
    for parsed in (matter, line):
        assert (parsed.id, parsed.title, parsed.tags) == (written, written, (written,))


def test_a_field_without_a_value_says_nothing() -> None:
    """What YAML and JSON write for none; a title may be such a word."""
    for none in ("", "~", "null", "NULL"):
        fields = ("id", "source", "url", "publisher", "published", "questions", "names")
        parsed = yaml("\n".join(f"{name}: {none}" for name in (*fields, "demo")))
        assert all(not getattr(parsed, name) for name in fields[:-1])
        assert not parsed.demo
    assert yaml("title:").title is None
    assert yaml('{"title": null, "id": null}').title is None


@pytest.mark.parametrize(
    ("written", "day"),
    [
        ("2026-03-10", date(2026, 3, 10)),
        ('"2026-03-10"', date(2026, 3, 10)),
        ("2026-3-1", date(2026, 3, 1)),
        ("20260310", date(2026, 3, 10)),
        ("2026-03-10 10:00:00", date(2026, 3, 10)),
        ("2026-03-10 23:59:59.5 -5", date(2026, 3, 10)),
        ("2026-03-10t01:59:43.10-05:00", date(2026, 3, 10)),
        ("2026-03-10T10:00:00Z", date(2026, 3, 10)),
        ("2026-03-10T10:00", date(2026, 3, 10)),
    ],
)
def test_a_date_is_read_where_a_date_is_meant(written: str, day: date) -> None:
    for name in ("published", "retrieved", "in_force_from", "in_force_to"):
        assert getattr(yaml(f"{name}: {written}"), name) == day
    assert yaml(f"date: {written}").published == day


@pytest.mark.parametrize("written", ["3.10", "8:30", "yes", "2026-02-30", "March"])
def test_what_is_no_date_is_an_error(written: str) -> None:
    with pytest.raises(DocumentError, match=r"a\.md: published is .* no date"):
        yaml(f"published: {written}")


@pytest.mark.parametrize("written", ["true", "yes", "On", "TRUE", '"true"'])
def test_demo_is_yes_or_no(written: str) -> None:
    assert yaml(f"demo: {written}").demo
    assert not yaml("demo: off").demo
    for wrong in ("1", "maybe", "[true]"):
        with pytest.raises(DocumentError, match="demo must be true or false"):
            yaml(f"demo: {wrong}")


@pytest.mark.parametrize(
    "matter",
    [
        "title: a\ntitle: b",
        "access_tags: [board]\naccess_tags: [public]",
        "title: a\n'title': b",
        "note: {x: 1, x: 2}",
        "- a: 1\n  a: 2",
        "lists:\n- {x: 1, x: 2}",
        '{"access_tags": ["board"], "access_tags": ["public"]}',
        '{"note": {"x": 1, "x": 2}}',
    ],
)
def test_a_name_that_stands_twice_refuses_the_file_R_S8(matter: str) -> None:
    """One of the two would be lost, and it may be the one that keeps people out."""
    with pytest.raises(DocumentError, match=r"a\.md: .* stands twice"):
        yaml(matter)


def test_a_name_that_stands_twice_refuses_a_line_R_S8() -> None:
    line = '{"text": "x", "access_tags": ["board"], "access_tags": ["public"]}'
    inner = '{"text": "x", "about": {"acl": 1, "acl": 2}}'
    loaded = jsonl.parse(f"{line}\n{inner}\n", "a.jsonl", LIMITS)
    assert not loaded.documents
    assert [problem.split(": ")[0] for problem in loaded.problems] == [
        *("a.jsonl#1", "a.jsonl#2")
    ]
    assert all("stands twice" in problem for problem in loaded.problems)


def test_a_title_that_nothing_shows_refuses_the_document_R_A15() -> None:
    for wrong in (r'"5\x96 10"', r'"\uFFFD"', r'"a\0"'):
        with pytest.raises(DocumentError, match="title holds a character that nothing"):
            yaml(f"title: {wrong}")
    line = json.dumps({"text": "x", "id": "\ud83d"})
    assert "id holds" in jsonl.parse(line, "a.jsonl", LIMITS).problems[0]
