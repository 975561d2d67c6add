"""Documents, sentences, chunks and anchors."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.documents.anchors import is_eligible, measure_coverage, score_anchor
from engine.documents.chunks import estimate_tokens, make_chunks
from engine.documents.corpus import build_document, hash_text
from engine.model.document import Block, BlockKind, Document, Parsed
from engine.model.errors import DocumentError
from engine.model.passage import Chunk
from engine.text.closure import is_selectable
from engine.text.sentences import split_sentences

Row = tuple[BlockKind, str, int, int | None]


def parsed(rows: Sequence[Row], **fields: object) -> Parsed:
    """A loader's result of blocks (kind, text, level, lead-in), a blank line apart."""
    blocks: list[Block] = []
    text = ""
    for kind, content, level, lead_in in rows:
        text += "\n\n" if text else ""
        start, text = len(text), text + content
        blocks.append(
            Block(start=start, end=len(text), kind=kind, level=level, lead_in=lead_in)
        )
    return Parsed.model_validate(
        {"path": "a/b.md", "text": text, "blocks": blocks, "loader": "test/1", **fields}
    )


def heading(text: str, level: int = 1) -> Row:
    return BlockKind.HEADING, text, level, None


def paragraph(text: str) -> Row:
    return BlockKind.PARAGRAPH, text, 0, None


def item(text: str, lead_in: int | None = None) -> Row:
    return BlockKind.LIST_ITEM, text, 1, lead_in


def texts(document: Document) -> list[str]:
    return [sentence.of(document.text) for sentence in document.sentences]


def pieces(text: str) -> list[str]:
    return [span.of(text) for span in split_sentences(text)]


# --- sentences ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "sentence",
    [
        "As in Fig. 2, 5-FU (e.g. 400 mg/m2) was given.",
        "The difference was significant (p < 0.05) in ref. 12 and in Fig. 3.",
        "Take one tablet b.i.d. with food.",
        "See Suppl. Table S1 for all values.",
        "Version 2.1.3 of gz.msgs needs https://example.org/a.html first.",
        "Dr. Smith et al. treated 5 pts. in the U.S. in Sept. 2020.",
        "Open launch.py, e.g. with vim, and run `ros2 run a.b c`.",
        "Smith v. Canada turned on s. 3 and para. 4(1)(a).",
        "1. Open the lid.",
        "(See the last page.)",
    ],
)
def test_abbreviations_numbers_and_names_do_not_end_a_sentence(sentence: str) -> None:
    """Each of these is one sentence, and the one after it another."""
    assert pieces(f"{sentence} Then rest.") == [sentence, "Then rest."]


def test_plain_words_end_a_sentence() -> None:
    """Words that the segmenter's own list takes for abbreviations end sentences."""
    text = "It can fight cancer. A scan shows the chest. The wall. Rest helps."
    assert len(pieces(text)) == 4


def test_reference_numbers_stay_with_the_sentence_before() -> None:
    """A bracket after the full stop neither glues nor begins a sentence."""
    text = "It is seen in most series.[1,2] These tumors are rare.-] Others exist."
    assert pieces(text) == [
        "It is seen in most series.[1,2]",
        "These tumors are rare.-]",
        "Others exist.",
    ]


@given(st.text(alphabet="aB1 .,()[]!?\n-:'", max_size=120))
def test_sentences_lose_nothing(text: str) -> None:
    """Spans rise, do not overlap, and hold all that is not white space."""
    covered = [0] * len(text)
    last = 0
    for span in split_sentences(text):
        assert last <= span.start < span.end
        last = span.end
        for at in range(span.start, span.end):
            covered[at] += 1
    assert all(n == 1 or c.isspace() for n, c in zip(covered, text, strict=True))


# --- documents ----------------------------------------------------------------------


def test_identity_comes_from_the_file_then_its_url_then_its_path_R_R8() -> None:
    """In this order; and the version is the hash of the text."""
    rows = [paragraph("Rest helps.")]
    named = build_document(parsed(rows, id="x", url="https://e.org/"), "nci")
    linked = build_document(parsed(rows, url="https://e.org/"), "nci")
    placed = build_document(parsed(rows), "nci")
    assert (named.id, linked.id, placed.id) == ("x", "https://e.org/", "nci/a/b.md")
    assert named.version == hash_text("Rest helps.")
    assert placed.title == "b"


def test_a_list_item_knows_its_headings_and_what_introduces_it_R_R7() -> None:
    """Section path and lead-in span stand on every sentence of an item."""
    document = build_document(
        parsed(
            [
                heading("Fatigue"),
                heading("Symptoms", 2),
                paragraph("It is common. Symptoms include:"),
                item("no energy. It lasts.", 2),
                heading("Causes", 2),
            ]
        ),
        "nci",
    )
    first, second = document.sentences[4:6]
    assert first.section == ("Fatigue", "Symptoms") == second.section
    assert first.lead_in is not None
    assert first.lead_in.of(document.text) == "Symptoms include:"
    assert document.sentences[-1].section == ("Fatigue",)
    assert texts(document)[4:6] == ["no energy.", "It lasts."]


@pytest.mark.parametrize(
    ("text", "quotable"),
    [
        ("What is cancer fatigue?", True),
        ("Fatigue is common", True),
        ("Lymphoma can be indolent or aggressive.", True),
        ("Key Points", False),
        ("Learn More When a Family Member Has Cancer", False),
        ("Common causes of fatigue", False),
    ],
)
def test_only_a_heading_that_says_something_is_quotable(
    text: str, quotable: bool
) -> None:
    """Sentences and questions may be quoted, titles may not."""
    document = build_document(parsed([heading(text)]), "nci")
    assert document.sentences[0].quotable is quotable


def test_an_endless_sentence_is_evidence_and_not_quotable() -> None:
    """What has no blank cannot be parted, and is too long for a quotation."""
    rows = [(BlockKind.CODE, "x" * 1_801, 0, None), (BlockKind.CODE, "y", 0, None)]
    long, short = build_document(parsed(rows), "nci").sentences
    assert (is_selectable(long), is_selectable(short)) == (False, True)


def test_a_document_without_text_is_refused_by_name() -> None:
    """The message names the file."""
    with pytest.raises(DocumentError, match=r"a/b\.md"):
        build_document(parsed([]), "nci")


# --- chunks -------------------------------------------------------------------------

ROWS = st.lists(
    st.one_of(
        st.builds(
            heading, st.sampled_from(["Use", "Risk", "Is it so?"]), st.integers(1, 3)
        ),
        st.builds(paragraph, st.sampled_from(["Rest helps. It does.", "Take these:"])),
        st.builds(item, st.sampled_from(["water", "A long walk. Then sleep."])),
        st.just((BlockKind.CODE, "ros2 run a b\n  c", 0, None)),
        st.just(paragraph("word " * 90 + "end.")),
    ),
    min_size=1,
    max_size=25,
)


def check_chunks(document: Document, chunks: Sequence[Chunk]) -> None:
    """Whole coverage, exact slices, right lines: for every document."""
    covered = bytearray(len(document.text))
    for ordinal, chunk in enumerate(chunks):
        assert chunk.ordinal == ordinal
        assert chunk.text == document.text[chunk.start : chunk.end]
        assert chunk.line_start == document.text.count("\n", 0, chunk.start) + 1
        last = document.text.count("\n", 0, chunk.end - 1) + 1
        assert chunk.line_of(chunk.end - 1) == last
        assert chunk.sentences[0].start == chunk.start
        assert chunk.sentences[-1].end == chunk.end
        for at in range(chunk.start, chunk.end):
            covered[at] += 1
    for times, character in zip(covered, document.text, strict=True):
        assert times == 1 or (times == 0 and character.isspace())
    joined = [
        s.model_copy(update={"anchor": None}) for c in chunks for s in c.sentences
    ]
    assert joined == list(document.sentences)


@settings(max_examples=150)
@given(ROWS)
def test_chunks_hold_every_sentence_once_R_R8(rows: list[Row]) -> None:
    """No sentence is lost, cut or doubled; sections do not mix."""
    document = build_document(parsed(rows), "nci")
    chunks = make_chunks(document, tokens=60)
    check_chunks(document, chunks)
    assert len({chunk.id for chunk in chunks}) == len(chunks)
    for chunk in chunks:
        body = [s for s in chunk.sentences if s.kind is not BlockKind.HEADING]
        assert {s.section for s in body} <= {chunk.section}
        size = sum(estimate_tokens(s.of(document.text)) for s in chunk.sentences)
        plain = [s for s in body if not s.of(document.text).endswith(":")]
        assert size <= 60 or len(plain) <= 1


def test_a_heading_without_text_joins_what_follows_it() -> None:
    """No chunk is a bare title."""
    rows = [heading("Drug - Site"), heading("Drug"), heading("Use", 2), paragraph("X.")]
    (chunk,) = make_chunks(build_document(parsed(rows), "nci"))
    assert chunk.section == ("Drug", "Use")
    assert chunk.text.startswith("Drug - Site")


def test_a_lead_in_stays_with_its_first_item_R_R7() -> None:
    """What introduces a list never ends a chunk when items follow."""
    rows = [paragraph("word " * 150 + "end."), paragraph("Take these:")]
    rows += [item(f"thing number {n} of the list", 1) for n in range(30)]
    document = build_document(parsed(rows), "nci")
    chunks = make_chunks(document, tokens=200)
    assert len(chunks) > 1
    for chunk in chunks:
        assert not chunk.text.endswith("Take these:")
    check_chunks(document, chunks)


def test_chunk_ids_are_stable_and_name_version_and_place_R_R8() -> None:
    """The same text gives the same ids, another text others."""
    one = make_chunks(build_document(parsed([paragraph("Rest helps.")]), "nci"))
    same = make_chunks(build_document(parsed([paragraph("Rest helps.")]), "nci"))
    other = make_chunks(build_document(parsed([paragraph("Rest helped.")]), "nci"))
    assert one == same
    assert one[0].id != other[0].id


# --- anchors ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("Patients should rest.", 2),
        ("Testing is recommended and required.", 2),
        ("This is category 1 evidence.", 3),
        ("Level II evidence exists.", 3),
        ("More than 80% of them recover within 5 years.", 2),
        ("Of these, 26 patients died.", 2),
        ("The trial NCT04120701 is open.", 3),
        ("The primary endpoint was survival.", 2),
        ("Evidence is insufficient.", 1),
        ("It is not recommended.", 3),
        ("Rest helps.", 0),
        ("The mustard was primarily yellow.", 0),
    ],
)
def test_anchor_scores_R_R7(text: str, score: int) -> None:
    """The list of R-R7, each kind once."""
    assert score_anchor(text) == score


def test_the_best_three_to_five_sentences_are_anchors_R_R7() -> None:
    """Best first, at most five, only over twenty characters; all of a short chunk."""
    plain = [f"Sentence number {n} says nothing." for n in range(6)]
    strong = ["Patients should always rest well.", "In 40% of cases it helped them."]
    rows = [paragraph(" ".join([*plain, *strong, "Too short."]))]
    (chunk,) = make_chunks(build_document(parsed(rows), "nci"))
    anchors = [s for s in chunk.sentences if s.anchor is not None]
    assert {s.of(chunk.text) for s in anchors} >= set(strong)
    assert len(anchors) == 3
    (small,) = make_chunks(build_document(parsed([paragraph(strong[0])]), "nci"))
    assert [s.anchor for s in small.sentences] == [2]


def test_a_guideline_chunk_anchors_a_recommendation_R_R7() -> None:
    """A weaker recommendation displaces the last anchor of a guideline."""
    strong = [f"The NCT0000000{n} trial had 40% survival at 5 years." for n in range(5)]
    rows = [paragraph(" ".join([*strong, "Patients should rest after it."]))]
    document = build_document(parsed(rows), "nci")
    for guideline in (False, True):
        (chunk,) = make_chunks(document, guideline=guideline)
        (advice,) = (s for s in chunk.sentences if "should" in s.of(chunk.text))
        assert (advice.anchor is not None) is guideline


def test_coverage_counts_chunks_that_reach_the_target_R_R7() -> None:
    """A chunk with fewer sentences than the target is covered by all of them."""
    rows = [heading("A"), paragraph("This sentence is long enough."), heading("B")]
    rows += [paragraph("One more sentence of length. " * 6)]
    chunks = make_chunks(build_document(parsed(rows), "nci"))
    report = measure_coverage(chunks, target=3)
    assert (report.items, report.covered, report.share) == (2, 2, 1.0)
    assert report.anchors == sum(
        s.anchor is not None for c in chunks for s in c.sentences
    )
    bare = [
        c.model_copy(
            update={
                "sentences": tuple(
                    s.model_copy(update={"anchor": None}) for s in c.sentences
                )
            }
        )
        for c in chunks
    ]
    assert measure_coverage(bare, target=3).covered == 0
    assert all(any(is_eligible(s) for s in c.sentences) for c in chunks)


def test_an_accent_is_a_part_of_its_letter_in_an_id_R_S8() -> None:
    """Two ids that look alike were two documents."""
    rows = [paragraph("One.")]
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    ids = {build_document(parsed(rows, id=i), "nci").id for i in (composed, decomposed)}
    assert ids == {composed}
