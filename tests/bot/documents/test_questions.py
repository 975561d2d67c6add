"""Questions that files say documents answer, taken in with them (R-Q1, R-Q2, R-S8)."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from bot.documents.ingest import Steps
from bot.documents.question_files import Line
from bot.documents.question_upkeep import Upkeep
from bot.documents.reindex import reindex
from engine.model.errors import UsageError
from engine.model.ports import Candidate, CorpusStatistics, SearchQuery
from engine.model.question import Scope
from engine.parse.intent import read
from engine.questions.records import Origin, Questions
from engine.search.search import SearchBackend, find_candidates
from tests.bot.conftest import Library
from tests.demo import PACKS, question, reading_over

CANARY = "Where does the grey heron sleep at night?"


async def asked(library: Library, document: str) -> Questions:
    """The questions of a current document."""
    corpus = library.corpus
    members = await corpus.documents.memberships(corpus.shelf)
    version = next(m.version for m in members if m.document == document)
    return await corpus.documents.questions(corpus.shelf, document, version)


async def found(library: Library, text: str, **scope: object) -> Sequence[Candidate]:
    """What a search for these words brings that has a question."""
    corpus = library.corpus
    vector = corpus.embedder.encode_question(text).vector
    seen = Scope.model_validate(
        {"pack": corpus.pack.id, "tenant": corpus.tenant, **scope}
    )
    every = await corpus.index.search(SearchQuery((), vector, seen))
    return [candidate for candidate in every if candidate.asked is not None]


def write_lines(folder: Path, *lines: object) -> None:
    """A file of questions beside the documents."""
    said = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    (folder / "questions.jsonl").write_text("\n".join(said), encoding="utf-8")


async def test_a_heading_that_asks_is_a_question_R_Q1(library: Library) -> None:
    """Without a question mark it is none; its number is not part of it."""
    library.write(
        "notes/tea.md",
        "# Tea\n\n## 2. May I drink tea?\n\nTea is fine.\n\n## Cups\n\nUse a cup.",
    )
    await library.ingest()
    (question,) = await asked(library, "notes/notes/tea.md")
    assert (question.text, question.origin) == ("May I drink tea?", Origin.HEADING)
    (candidate,) = await found(library, "may i drink tea")
    assert candidate.asked == "May I drink tea?"
    assert "Tea is fine." in candidate.chunk.text


async def test_front_matter_asks_the_best_passage_R_Q1(library: Library) -> None:
    """Nothing else of the document changes, and a second run finds nothing to do."""
    file = library.write("notes/long.md", LONG)
    await library.ingest()
    library.write("notes/long.md", LONG, questions='["My gums hurt, what helps?"]')
    summary = await library.ingest()
    assert summary.actions["changed"] == 1
    (question,) = await asked(library, "notes/notes/long.md")
    assert question.section == ("Care", "Mouth")
    assert question.place == f"notes/{file.name}: front matter[0]"
    again = await library.ingest()
    assert again.actions["changed"] == 0


LONG = (
    "# Care\n\n## Feet\n\nWear soft shoes and dry the feet well.\n\n"
    "## Mouth\n\nSore gums in the mouth get better with salt water.\n\n"
    "## Skin\n\nUse a cream without perfume on dry skin."
)


async def test_a_file_beside_the_documents_asks_R_Q1(library: Library) -> None:
    """By id or by path; by section, or by the first words of the passage."""
    library.write("notes/long.md", LONG)
    write_lines(
        library.folder,
        {
            "document": "notes/notes/long.md",
            "section": "care > mouth",
            "question": "What is good for sore gums?",
        },
        {
            "document": "notes/salt.md",
            "quote": "rinse the  mouth",
            "question": "What do I rinse the mouth with?",
        },
    )
    summary = await library.ingest()
    assert not summary.failures
    (gums,) = await asked(library, "notes/notes/long.md")
    (rinse,) = await asked(library, "notes/notes/salt.md")
    assert (gums.section, gums.place) == (("Care", "Mouth"), "questions.jsonl:1")
    assert rinse.place == "questions.jsonl:2"
    assert rinse.origin is Origin.PERSON


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "is not JSON"),
        ('["a"]', "is no object"),
        ({"question": "Why so?"}, "document: must be a text"),
        ({"document": " ", "question": "Why so?"}, "document: must be a text"),
        ({"document": "notes/notes/salt.md"}, "question: must be a text"),
        (
            {"document": "notes/notes/salt.md", "question": "w" * 400},
            "question: longer",
        ),
        (
            {"document": "notes/notes/salt.md", "question": "Why?", "by": 1},
            "by: unknown",
        ),
        (
            {"document": "notes/notes/salt.md", "question": "Why?", "section": "No"},
            "section: notes/notes/salt.md has none called 'No'",
        ),
        (
            {"document": "notes/notes/salt.md", "question": "Why?", "quote": "Never"},
            "quote: no sentence",
        ),
        (
            {"document": "nowhere", "question": "Why so?"},
            "document: 'nowhere' is in no",
        ),
    ],
)
async def test_a_wrong_line_is_named_by_file_line_and_field_R_Q1(
    library: Library, line: object, said: str
) -> None:
    """Everything else goes in."""
    write_lines(library.folder, "", line)
    summary = await library.ingest()
    (failure,) = summary.failures
    assert failure.startswith("questions.jsonl:2: ")
    assert said in failure
    assert await library.agrees()


async def test_lines_of_a_removed_file_go_R_Q1(library: Library) -> None:
    """A question that no file says any more is searched no more."""
    write_lines(
        library.folder,
        {"document": "notes/notes/salt.md", "question": "How do I rinse the mouth?"},
    )
    await library.ingest()
    assert await asked(library, "notes/notes/salt.md")
    (library.folder / "questions.jsonl").unlink()
    await library.ingest()
    assert await asked(library, "notes/notes/salt.md") == ()
    assert await found(library, "How do I rinse the mouth?") == []


async def test_a_persons_question_is_used_once_the_gate_opens_R_Q2(
    library: Library,
) -> None:
    """One that it stays closed for is kept out of use and named with the reason."""
    fitted = reading_over(library.corpus.embedder)
    library.corpus = replace(library.corpus, reading=fitted)
    library.write("notes/rinse.md", "# Rinse\n\nRinse the mouth with salt water often.")
    place = {"document": "notes/notes/salt.md"}
    write_lines(
        library.folder,
        {**place, "question": "How do I rinse the mouth with salt water?"},
        {**place, "question": "How tall is the town hall of Vienna?"},
        {**place, "question": "May I rinse the mouth 12 times a day?"},
    )
    summary = await library.ingest()
    questions = await asked(library, "notes/notes/salt.md")
    out = {q.text: q.kept_out for q in questions if q.kept_out}
    assert out.keys() == {  # of two documents, as the pack wants it
        "How tall is the town hall of Vienna?",
        "May I rinse the mouth 12 times a day?",
    }
    assert "'12' does not stand there" in str(out.values())
    assert sum(note.startswith("question kept out") for note in summary.notes) == 2
    texts = {c.asked for c in await found(library, "mouth")}
    assert texts == {"How do I rinse the mouth with salt water?"}


async def test_every_trial_of_a_question_is_reported_R_Q2(library: Library) -> None:
    """Before it begins, with its number and how many there are."""
    place = {"document": "notes/notes/salt.md"}
    write_lines(
        library.folder, *({**place, "question": f"Is salt {n}?"} for n in range(3))
    )
    seen: list[tuple[int, int]] = []
    steps = Steps(questions=lambda number, of: seen.append((number, of)))
    await library.ingest(steps=steps)
    assert seen == [(1, 3), (2, 3), (3, 3)]
    assert len(await asked(library, "notes/notes/salt.md")) == 3


async def test_a_hidden_documents_questions_never_come_back_R_S8(
    library: Library,
) -> None:
    """Nor its score: only who holds the tag, and only in its own tenant."""
    library.write(
        "notes/heron.md",
        f"# Birds\n\n## {CANARY}\n\nIn the reeds.",
        access_tags="[staff]",
    )
    await library.ingest()
    assert await found(library, CANARY) == []
    (seen,) = await found(library, CANARY, tags=frozenset({"staff"}))
    assert seen.asked == CANARY
    own = replace(library.corpus, tenant="slack:T1")
    everybody, library.corpus = library.corpus, own
    library.write("notes/heron.md", f"# Birds\n\n## {CANARY}\n\nIn the woods.")
    await library.ingest()
    (mine,) = await found(library, CANARY)
    assert "woods" in mine.chunk.text
    library.corpus = everybody
    assert await found(library, CANARY) == []
    assert await found(library, CANARY, tenant="slack:T2") == []


async def test_a_new_index_gets_the_questions_from_the_ledger_R_Q1(
    library: Library,
) -> None:
    """As it gets everything else."""
    library.write("notes/tea.md", "# Tea\n\n## May I drink tea?\n\nTea is fine.")
    await library.ingest()
    index, pack = library.corpus.index, library.corpus.pack.id
    await index.withdraw(pack, "notes/notes/tea.md")
    assert await found(library, "May I drink tea?") == []
    await reindex(library.corpus, Steps())
    assert [c.asked for c in await found(library, "tea")] == ["May I drink tea?"]


async def test_evidence_names_the_nearest_question_R_Q3(library: Library) -> None:
    """A chunk carries the text of its question after the search, and none else does."""
    library.write("notes/tea.md", "# Tea\n\n## May I drink tea?\n\nTea is fine.")
    await library.ingest()
    corpus = library.corpus
    asks = question(corpus.pack.id, "Am I allowed to drink some tea?")
    statistics = await corpus.index.statistics(Scope(pack=corpus.pack.id))
    intent = read(asks, corpus.pack, statistics, date(2026, 3, 4))
    places = SearchBackend(corpus.index, corpus.embedder)
    seen = await find_candidates(places, asks, intent, corpus.pack, statistics)
    named = {c.chunk.document: c.chunk.question for c in seen.candidates}
    assert named["notes/notes/tea.md"] == "May I drink tea?"
    assert named["notes/notes/salt.md"] is None
    assert next(c for c in seen.candidates if c.asked).question > 0.5


def test_demo_questions_are_well_formed() -> None:
    """Every line of the demo packs' files names a document of the corpus."""
    for pack in ("oncology", "textbook"):
        folder = PACKS / pack / "corpus"
        file = folder / "questions.jsonl"
        names = {f"demo/{path.stem}" for path in folder.glob("*.md")}
        lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        assert {line["document"] for line in lines} <= names
        texts = [line["question"] for line in lines]
        assert len(set(texts)) == len(texts)


async def test_a_hidden_document_is_as_none_for_who_holds_no_tag_R_C5(
    library: Library,
) -> None:
    """No question is put there or listed, and no error tells what it holds."""
    library.write(
        "notes/pay.md", "# Pay\n\nShe earns 1.4 million.", access_tags="[board]"
    )
    await library.ingest()
    corpus, name = library.corpus, "notes/notes/pay.md"
    seen = Upkeep(corpus, frozenset({"staff"}))
    for quote in ("She earns 1", "She earns 2"):
        with pytest.raises(UsageError, match=f"^small has no document '{name}'$"):
            await seen.add(Line(name, "Who earns what?", None, quote, ""), "")
    assert await asked(library, name) == ()
    allowed = Upkeep(corpus, frozenset({"board"}))
    added = await allowed.add(Line(name, "Who earns what?", "Pay", None, ""), "Anna")
    assert await allowed.list_all() == [added]
    assert await seen.list_all() == []


# --- questions that lie about their passage ---------------------------------------

ICE = (
    "# Ice chips\n\n## Comfort\n\nYes, ice chips may be taken at any time, and most "
    "people find them pleasant."
)
LIES = (
    "Is it safe to drive after the anaesthetic?",
    "May I take ibuprofen during my treatment?",
    "May I drink alcohol?",
    "Can I stop my blood thinner before surgery?",
    "Should I fast before the scan?",
)
HONEST = "May I have ice chips?"


async def trying(library: Library) -> None:
    """A library whose questions can be tried, on a gate that one document opens."""
    fitted = reading_over(library.corpus.embedder)
    pack = library.corpus.pack
    gate = pack.gate.model_copy(update={"openings": pack.gate.openings[1:]})
    one = gate.openings[0].model_copy(update={"documents": 1})
    gate = gate.model_copy(update={"openings": (one,)})
    pack = pack.model_copy(update={"gate": gate})
    library.corpus = replace(library.corpus, reading=fitted, pack=pack)
    library.write("notes/ice.md", ICE)


@pytest.mark.parametrize("demo", ["false", "true"])
async def test_a_question_that_lies_about_its_page_is_kept_out_R_Q2(
    library: Library, demo: str
) -> None:
    """In front matter, in a file beside it, added by hand; also in a page "demo"."""
    await trying(library)
    said = json.dumps(list(LIES))
    library.write("notes/ice.md", ICE, questions=said, demo=demo)
    write_lines(
        library.folder,
        *({"document": "notes/notes/ice.md", "question": lie} for lie in LIES),
    )
    await library.ingest()
    upkeep = Upkeep(library.corpus)
    for lie in LIES:
        added = await upkeep.add(
            Line("notes/notes/ice.md", lie, "Comfort", None, ""), "Anna"
        )
        assert added.kept_out is not None, lie
    every = await asked(library, "notes/notes/ice.md")
    assert {q.text for q in every} == set(LIES)
    assert all(q.kept_out for q in every)
    assert await found(library, LIES[0]) == []


async def test_what_a_page_says_of_itself_is_only_offered_R_Q2(
    library: Library,
) -> None:
    """It counts for nothing until somebody reviewed it; then as any other."""
    await trying(library)
    library.write("notes/ice.md", ICE, questions=json.dumps([HONEST]))
    await library.ingest()
    (said,) = await asked(library, "notes/notes/ice.md")
    assert said.kept_out is None
    assert said.only_offered
    corpus = library.corpus
    asking = question(corpus.pack.id, HONEST)
    intent = read(asking, corpus.pack, CorpusStatistics(0, 0, {}), date(2026, 11, 26))
    places = SearchBackend(corpus.index, corpus.embedder)
    statistics = await corpus.index.statistics(Scope(pack=corpus.pack.id))
    for reviewed in (False, True):
        seen = await find_candidates(places, asking, intent, corpus.pack, statistics)
        (one,) = [c for c in seen.candidates if c.chunk.title == "Ice chips"]
        assert one.chunk.question == HONEST
        assert (one.asked == HONEST) is reviewed
        assert (one.question is not None) is reviewed
        assert (one.offered is None) is reviewed
        if not reviewed:
            upkeep = Upkeep(corpus)
            (kept,) = await upkeep.list_unreviewed()
            await upkeep.keep(kept, "Anna")
