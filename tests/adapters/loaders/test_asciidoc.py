"""AsciiDoc: the page that it makes, with its boxes, lists, notes and tables."""

from pathlib import Path

import pytest

from engine.model.document import BlockKind, Parsed
from engine.model.errors import DocumentError
from tests.adapters.loaders.office import headed, read


def page(text: str, folder: Path) -> Parsed:
    return read("a.adoc", text.encode(), folder)


def lines(text: str, folder: Path) -> list[str]:
    return [line for line in page(text, folder).text.split("\n") if line]


def test_sections_attributes_and_references_stand_as_words_R_U12(
    tmp_path: Path,
) -> None:
    """Author, comments, ids and other files are no text."""
    parsed = page(
        "= House rules\nAnn Author <a@b.org>\n:fee: 20 euro\n:pool-open:\n\n"
        "// a comment\n[#keys]\n== Keys\n\nA key costs *{fee}* ({unknown}).\n"
        "See <<keys>>, <<keys,the keys>>, xref:other.adoc#x[the other] and\n"
        "https://a.org/b[our page^] or link:c.pdf[].\n\n"
        "include::other.adoc[]\n\n////\nunseen\n////\n"
        "ifdef::pool-open[]\nThe pool is open.\nendif::[]\n"
        "ifdef::winter[Snow.]\nifndef::winter[]\nNo snow.\nendif::[]\n",
        tmp_path,
    )
    assert parsed.text.split("\n\n") == [
        "House rules",
        "Keys",
        "A key costs 20 euro ({unknown}). See Keys, the keys, the other and our page "
        "or c.pdf.",
        "The pool is open. No snow.",
    ]
    assert parsed.title is None and len(parsed.remarks) == 2


def test_boxes_have_their_titles_and_code_stays_R_U12(tmp_path: Path) -> None:
    """A box without a title is its text."""
    text = (
        "NOTE: Mind the step.\n\n.Before you come\n[WARNING]\n====\nCall us.\n\n"
        "* first\n* second\n====\n\n[source,python]\n----\nif a < b: # <1>\n    go()\n"
        "----\n<1> It goes.\n\n....\n  as *it* is\n....\n\n"
        "____\nSaid by somebody.\n____\n"
    )
    parsed = page(text, tmp_path)
    assert [b.of(parsed.text) for b in parsed.blocks] == [
        "Mind the step.",
        "Before you come",
        "Call us.",
        "first",
        "second",
        "if a < b: (1)\n    go()",
        "1. It goes.",
        "  as *it* is",
        "Said by somebody.",
    ]
    assert parsed.blocks[1].unfinished and parsed.blocks[2].lead_in == 1


def test_lists_keep_their_numbers_levels_and_what_is_tied_to_them_R_U12_R_A15(
    tmp_path: Path,
) -> None:
    """Terms, boxes to tick, a list that begins at four."""
    parsed = page(
        "Bring:\n\n* a towel\ngoes on\n** a dry one\n* [x] soap\n+\nNo perfume.\n\n"
        "* shoes\n\nSteps follow.\n\n[start=4]\n. wash\n.. hands\n. dry\n\n"
        "Key:: A key is lent.\nPool::\nThe pool is deep.\n\n* not at night\n",
        tmp_path,
    )
    assert [b.of(parsed.text) for b in parsed.blocks] == [
        "Bring:",
        "a towel goes on",
        "a dry one",
        "\u2611 soap",
        "No perfume.",
        "shoes",
        "Steps follow.",
        "4. wash",
        "a. hands",
        "5. dry",
        "Key",
        "A key is lent.",
        "Pool",
        "The pool is deep.",
        "not at night",
    ]
    assert parsed.blocks[2].level == 2 and parsed.blocks[1].lead_in == 0
    assert parsed.blocks[11].lead_in == 10 and parsed.blocks[13].lead_in == 12


def test_marks_show_what_they_mean_and_notes_stand_at_their_sentence_R_A15(
    tmp_path: Path,
) -> None:
    """10² is not 102; what is struck out stays struck out."""
    assert lines(
        "A 10^2^ m field with H~2~O, `code_here`, __un__constrained and 2 * 3 * 4.\n\n"
        "[line-through]#5# 6 euro.footnote:[Members pay 3.] Use +*this*+ and "
        "\\*that*.\n\n"
        "Press kbd:[Ctrl+C], menu:File[Save]. "
        '"`Quoted`" ((word)) (((gone))) -- done.\n',
        tmp_path,
    ) == [
        "A 10² m field with H₂O, code_here, unconstrained and 2 * 3 * 4.",
        "~~5~~ 6 euro.[note 1] Use *this* and *that*.",
        "[note 1] Members pay 3.",
        "Press Ctrl+C, File > Save. “Quoted” word — done.",
    ]


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (
            "|===\n|Boat |Fee\n\n|Kayak |5\n|Yacht |\n|===",
            ["Boat/Kayak | Fee/5", "Boat/Yacht | Fee/–"],
        ),
        ("|===\n|Ann |Chair\n|Bo |Cook\n|===", ["Ann | Chair", "Bo | Cook"]),
        (
            '[cols="1,1,1",options="header"]\n|===\n|Day\n2+|Open\n\n.2+'
            "|Monday |9 |12\n|14 |18\n|Sunday 2+|closed\n|===",
            [
                "Day/Monday | Open/9 | Open/12",
                "Day/Monday | Open/14 | Open/18",
                "Day/Sunday | Open/closed | Open/closed",
            ],
        ),
        (
            "[%header,cols=2*]\n|===\n|Boat |More\n|Kayak a|\n* one\n* two\n|A \\| B "
            "|data\n|===",
            ["Boat/Kayak | More/• one • two", "Boat/A|B | More/data"],
        ),
        ('[%header]\n,===\nName,Fee\n"Smith, A",5\n,===', ["Name/Smith, A | Fee/5"]),
        ("[%header,cols=2]\n|===\n|a |b\n2*|x\n|===", ["a/x | b/x"]),
    ],
)
def test_cells_of_a_table_stand_under_their_heads_R_U12_R_A15(
    tmp_path: Path, table: str, said: list[str]
) -> None:
    """Spans, blocks in cells, other signs between cells."""
    assert headed(page(table, tmp_path)) == said


def test_a_table_that_lacks_cells_is_refused_R_A15(tmp_path: Path) -> None:
    """Else a value would stand under another head."""
    for table in (
        "[cols=3]\n|===\n|a |b |c\n|d |e\n|===",
        "[cols=2]\n|===\n|a 3+|b\n|===",
    ):
        table = table.replace("cols=3", 'cols="1,1,1"').replace("cols=2", 'cols="1,1"')
        with pytest.raises(DocumentError, match=r"a\.adoc: .*cells|beyond"):
            page(table, tmp_path)


def test_a_table_has_its_title_as_caption_and_deep_blocks_are_refused_R_A15(
    tmp_path: Path,
) -> None:
    """As with tables of HTML."""
    parsed = page(".Fees\n|===\n|Boat |Fee\n\n|Kayak |5\n|===", tmp_path)
    row = next(b for b in parsed.blocks if b.kind is BlockKind.TABLE_ROW)
    assert row.lead_in == 0 and parsed.text.startswith("Fees\n")
    deep = "\n".join("=" * n for n in range(4, 200))
    with pytest.raises(DocumentError, match="nest deeper"):
        page(deep, tmp_path)
