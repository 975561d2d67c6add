"""Statutes and regulations of Justice Laws: a section each, with its period of force.

The texts are made up; the elements and attributes are those of the real files.
"""

from datetime import date
from pathlib import Path

import pytest

from adapters.loaders.justice_laws import parse
from adapters.loaders.limits import Limits
from adapters.loaders.sandbox import Parser
from engine.documents.corpus import build_document
from engine.model.document import BlockKind, Parsed
from engine.model.errors import DocumentError, DocumentTooLarge

PLACE = "eng/acts/B-9.xml"
HEAD = """<?xml version="1.0" encoding="utf-8"?>
<Statute lims:pit-date="2026-03-26" lims:current-date="2026-03-31"
 xmlns:lims="http://justice.gc.ca/lims"><Identification>
<LongTitle>An Act respecting beehives</LongTitle>
<ShortTitle status="official">Beehive Act</ShortTitle>
<Chapter><ConsolidatedNumber official="no">B-9</ConsolidatedNumber></Chapter>
</Identification><Body>"""
TAIL = """</Body><Schedule id="NifProvs"><Section><Label>9</Label>
<Text>This is not in force.</Text></Section></Schedule></Statute>"""
BODY = """
<Heading level="1"><Label>PART 1</Label><TitleText>Keeping Bees</TitleText></Heading>
<Heading level="2"><TitleText>Permits</TitleText></Heading>
<Section lims:inforce-start-date="2012-07-04" lims:lastAmendedDate="2019-06-21">
<MarginalNote>Permit required</MarginalNote><Label>3</Label>
<Subsection lims:inforce-start-date="2012-07-04"><Label>(1)</Label>
<Text>A person may keep bees in a <DefinedTermEn>garden</DefinedTermEn> if</Text>
<Paragraph><Label>(a)</Label><Text>they hold a permit; and</Text></Paragraph>
<Paragraph><Label>(b)</Label><Text>the hive stands</Text>
<Subparagraph><Label>(i)</Label>
<Text>three metres from a path, or</Text></Subparagraph>
<Subparagraph><Label>(ii)</Label><Text>behind a hedge.</Text></Subparagraph>
</Paragraph></Subsection>
<Subsection><MarginalNote>Exception</MarginalNote><Label>(2)</Label>
<Text>Despite subsection (1), a school needs no permit.<FootnoteRef>a</FootnoteRef>
</Text>
</Subsection>
<HistoricalNote><HistoricalNoteSubItem>2012, c. 1, s. 3</HistoricalNoteSubItem>
<HistoricalNoteSubItem>2019, c. 29, s. 301</HistoricalNoteSubItem></HistoricalNote>
</Section>
<Heading level="1"><Label>PART 2</Label><TitleText>Offences</TitleText></Heading>
<Section lims:inforce-start-date="2003-01-01"><MarginalNote>Offence</MarginalNote>
<Label>*12.1</Label><Text>Every person who</Text>
<Paragraph><Label>(a)</Label><Text>steals a hive, or</Text></Paragraph>
<Paragraph><Label>(b)</Label><Text>opens one at night</Text></Paragraph>
<ContinuedSectionSubsection>
<Text>is guilty of an offence.</Text></ContinuedSectionSubsection>
</Section>
<Section in-force="no"><Label>13</Label><Text>Never proclaimed.</Text></Section>
"""


def sections(body: str = BODY, path: str = PLACE) -> dict[str, Parsed]:
    """The sections of a statute by the ends of their paths."""
    loaded = parse(HEAD + body + TAIL, path, Limits())
    assert not loaded.problems
    return {one.path.partition("#")[2]: one for one in loaded.documents}


def lines(parsed: Parsed, kind: BlockKind) -> list[str]:
    return [b.of(parsed.text) for b in parsed.blocks if b.kind is kind]


def test_a_section_is_a_document_with_its_own_name_and_address_R_F5() -> None:
    found = sections()
    assert set(found) == {"3", "12.1"}
    permit = found["3"]
    assert permit.title == "Beehive Act, section 3: Permit required"
    assert permit.url == "https://laws-lois.justice.gc.ca/eng/acts/B-9/section-3.html"
    assert permit.retrieved == date(2026, 3, 31)
    assert [t.names for t in permit.things] == [("3 Beehive Act", "3 B-9")]
    assert permit.things[0].kind == "section"


def test_it_holds_since_its_last_amendment_R_F5() -> None:
    """A paragraph that came in later makes the whole text as young as that."""
    found = sections()
    assert found["3"].in_force_from == date(2019, 6, 21)
    assert found["12.1"].in_force_from == date(2003, 1, 1)
    late = BODY.replace(
        "<Subsection><MarginalNote>Exception",
        '<Subsection lims:inforce-start-date="2021-02-03"><MarginalNote>Exception',
    )
    assert sections(late)["3"].in_force_from == date(2021, 2, 3)


def test_headings_notes_and_lists_are_told_apart() -> None:
    """A marginal note stands in brackets; a history is no statement."""
    permit = sections()["3"]
    assert lines(permit, BlockKind.HEADING) == [
        "PART 1 Keeping Bees",
        "Permits",
        "3 Permit required",
    ]
    assert lines(permit, BlockKind.PARAGRAPH) == [
        "(1) A person may keep bees in a garden if",
        "(2) [Exception] Despite subsection (1), a school needs no permit.",
        "History: 2012, c. 1, s. 3; 2019, c. 29, s. 301",
    ]
    assert not permit.blocks[-1].quotable
    items = [b for b in permit.blocks if b.kind is BlockKind.LIST_ITEM]
    assert [b.level for b in items] == [1, 1, 2, 2]
    inner = items[-1]
    assert inner.lead_in is not None
    assert permit.blocks[inner.lead_in].of(permit.text) == "(b) the hive stands"


def test_an_item_is_never_quoted_without_what_introduces_it_R_A14() -> None:
    document = build_document(sections()["3"], "acts")
    hedge = next(s for s in document.sentences if "hedge" in s.of(document.text))
    told = [span.of(document.text) for span in hedge.leans_on]
    assert told == ["(1) A person may keep bees in a garden if", "(b) the hive stands"]


def test_what_a_list_completes_is_never_quoted_without_it_R_A14() -> None:
    """ "A person may keep bees if" says too much, "the hive stands" too little."""
    permit = sections()["3"]
    document = build_document(permit, "acts")
    opened = {
        s.of(document.text)[:12]: s.announces and s.announces.of(document.text)
        for s in document.sentences
    }
    assert opened["(1) A person"] is not None
    assert opened["(1) A person"].endswith("(ii) behind a hedge.")
    assert opened["(b) the hive"] is not None
    assert opened["(b) the hive"].startswith("(i) three metres")
    assert opened["(a) they hol"] is None


def test_a_list_that_has_an_end_is_one_statement_R_A14() -> None:
    """No item says anything without "is guilty of an offence"."""
    offence = sections()["12.1"]
    assert lines(offence, BlockKind.LIST_ITEM) == []
    (whole,) = lines(offence, BlockKind.PARAGRAPH)
    assert whole.startswith("Every person who\n(a) steals a hive, or")
    assert whole.endswith("is guilty of an offence.")


def test_what_is_not_in_force_is_left_out_R_F5() -> None:
    told = "".join(one.text for one in sections().values())
    assert "Never proclaimed" not in told
    assert "not in force" not in told


def test_a_regulation_is_known_by_its_long_title() -> None:
    text = """<Regulation xmlns:lims="http://justice.gc.ca/lims"><Identification>
    <InstrumentNumber>SOR/2002-9</InstrumentNumber><LongTitle>Hive Rules</LongTitle>
    </Identification><Body><Section><Label>1</Label><Text>Hives are blue.</Text>
    </Section></Body></Regulation>"""
    (one,) = parse(text, "rules.xml", Limits()).documents
    assert (one.title, one.url) == ("Hive Rules, section 1", None)
    assert one.in_force_from is None


def test_the_file_name_decides_the_address_never_the_file_R_S7() -> None:
    """Whoever prepares the folder sees the one and not the other."""
    assert sections(path="inbox/B-9.xml")["3"].url is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<html><body>Hello</body></html>", "which nothing reads"),
        ("<Statute><Body>", "is not XML"),
        ("<Statute><Body></Body></Statute>", "lacks a title"),
        (HEAD + "</Body></Statute>", "holds no section"),
        (
            '<!DOCTYPE x [<!ENTITY a "b">]><Statute>&a;</Statute>',
            "declares a document type",
        ),
    ],
)
def test_what_is_no_statute_is_refused_by_name_R_S2(text: str, words: str) -> None:
    with pytest.raises(DocumentError, match=words):
        parse(text, PLACE, Limits())


def test_a_bad_section_costs_itself_alone() -> None:
    bad = '<Section lims:inforce-start-date="soon"><Label>4</Label><Text>x</Text>'
    loaded = parse(HEAD + BODY + bad + "</Section>" + TAIL, PLACE, Limits())
    assert len(loaded.documents) == 2
    (problem,) = loaded.problems
    assert "B-9.xml#4" in problem
    assert "'soon' is no date" in problem


def test_nesting_is_bounded_R_S2() -> None:
    deep = "<Part>" * 200 + "</Part>" * 200
    with pytest.raises(DocumentTooLarge, match="nest deeper"):
        parse(HEAD + deep + TAIL, PLACE, Limits())


def test_the_parser_process_reads_it(tmp_path: Path) -> None:
    file = tmp_path / "B-9.xml"
    file.write_text(HEAD + BODY + TAIL, encoding="utf-8")
    with Parser() as parser:
        found = parser.parse(file, PLACE)
    assert [one.path for one in found] == [f"{PLACE}#3", f"{PLACE}#12.1"]
