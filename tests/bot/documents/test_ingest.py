"""Ingestion: incremental, safe to repeat, healed after a crash, open about failures."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from adapters.embedding import MiniLM
from adapters.ledger.database import sqlite_url
from adapters.ledger.store import SqlLedger
from bot.documents.corpus import Corpus
from bot.documents.ingest import look
from engine.model.document import Document, IngestAction, Membership, VersionState
from engine.model.errors import EmbedderFailed, LedgerFailed, UsageError
from engine.model.ports import Encoded, SearchQuery
from engine.model.question import Scope
from tests.adapters.loaders.studies import page_of, study_of
from tests.bot.conftest import Library


def actions(summary: object) -> dict[str, int]:
    """The actions that happened."""
    counted: Counter[IngestAction] = summary.actions  # type: ignore[attr-defined]
    return {action: number for action, number in counted.items() if number}


async def found(corpus: Corpus, *tags: str) -> set[str]:
    """Documents that a search sees for somebody with these tags."""
    vector = np.zeros(384, dtype=np.float32)
    vector[0] = 1.0
    scope = Scope(pack=corpus.pack.id, tags=frozenset(tags))
    query = SearchQuery(terms=("mouth", "rest"), vector=vector, scope=scope)
    return {c.chunk.document for c in await corpus.index.search(query)}


async def test_a_second_run_changes_nothing_R_R8(library: Library) -> None:
    """Every file goes in once; nothing is embedded again."""
    first = await library.ingest()
    assert actions(first) == {"added": 2}
    assert first.chunks == 2
    second = await library.ingest()
    assert actions(second) == {"unchanged": 2}
    assert second.chunks == 0
    assert await library.agrees()


async def test_a_changed_file_replaces_its_version_R_R8(library: Library) -> None:
    """The old version is no longer searched and stays readable for the audit."""
    await library.ingest()
    before = await library.corpus.index.versions("small")
    library.write("notes/salt.md", "# Salt\n\nRinse the mouth with plain water.")
    summary = await library.ingest()
    assert actions(summary) == {"changed": 1, "unchanged": 1}
    assert summary.chunks == 1
    (name,) = [d for d in before if d.endswith("salt.md")]
    members = await library.corpus.documents.memberships("small")
    states = {m.version: m.state for m in members if m.document == name}
    assert states[before[name]] is VersionState.SUPERSEDED
    old = await library.corpus.documents.document(name, before[name], "small")
    assert old is not None
    assert "salt water" in old.text
    assert await library.agrees()


async def test_an_older_copy_does_not_pass_for_a_newer_one_R_R8(
    library: Library,
) -> None:
    """Fetched before the copy that is held, it stays out, unless that is wanted."""
    page = library.write("notes/tea.md", "Rinse with tea.", retrieved="2026-03-31")
    await library.ingest()
    library.write("notes/tea.md", "Rinse with milk.", retrieved="2025-01-31")
    summary = await library.ingest()
    assert actions(summary) == {"skipped": 1, "unchanged": 2}
    (note,) = [n for n in summary.notes if str(page) in n]
    assert "is of 2025-01-31" in note
    assert "held as of 2026-03-31" in note
    assert "--replace" in note
    assert actions(await library.ingest(replace=True))["changed"] == 1
    library.write("notes/tea.md", "Rinse with water.", retrieved="2026-04-30")
    assert actions(await library.ingest())["changed"] == 1


async def test_bad_files_are_named_and_the_rest_goes_in(library: Library) -> None:
    """A corrupt PDF, an unregistered source, an empty file: each with name and fix."""
    library.write("strange.md", "# Strange\n\nNobody registered me.")
    library.write("notes/empty.md", "")
    (library.folder / "notes" / "bad.pdf").write_bytes(b"%PDF-1.7 nonsense")
    summary = await library.ingest()
    assert actions(summary) == {"added": 2, "failed": 3}
    said = "\n".join(summary.failures)
    assert "strange.md" in said
    assert "--source" in said
    assert "empty.md" in said
    assert "bad.pdf" in said
    assert await library.agrees()


async def test_a_bad_line_of_jsonl_costs_that_line(library: Library) -> None:
    """Its number is named; the lines around it are documents."""
    good = json.dumps({"id": "a", "text": "Drink enough water every day."})
    library.write("notes/lines.jsonl", f'{good}\nnonsense\n{{"text": "Sleep well."}}')
    summary = await library.ingest()
    assert actions(summary) == {"added": 4, "failed": 1}
    assert "lines.jsonl#2" in summary.failures[0]


async def test_other_files_are_skipped_and_counted(library: Library) -> None:
    """LICENSE, images and hidden files are no error; each is named with its reason."""
    for name in ("LICENSE", "manifest.json", "notes/a.png", "notes/b.png", ".env"):
        (library.folder / name).write_bytes(b"x")
    library.write(".git/notes/hidden.md", "Not a document.")
    summary = await library.ingest()
    assert actions(summary) == {"added": 2, "skipped": 5}
    said = "\n".join(summary.notes)
    for line in (
        "skipped: notes/a.png, notes/b.png: .png is no text",
        "skipped: .env: hidden; rename it if it is a document",
        "skipped: LICENSE: no extension says what it is; name it",
    ):
        assert line in said


@pytest.mark.parametrize("kind", ["odt", "rtf", "xhtml", "ipynb", "ods", "doc"])
async def test_documents_that_no_loader_reads_are_named_with_a_reason_R_A15(
    library: Library, kind: str
) -> None:
    for number in range(12):
        (library.folder / "notes" / f"a{number:02}.{kind}").write_bytes(b"x")
    summary = await library.ingest()
    assert actions(summary) == {"added": 2, "skipped": 12}
    left = [note for note in summary.notes if f".{kind} is not read" in note]
    assert len(left) == 11 and f"a00.{kind}" in left[0]
    assert left[-1].startswith("skipped: 2 more files: ")


async def test_a_document_of_a_kind_that_is_not_read_is_named(library: Library) -> None:
    """Whoever has files of LibreOffice learns which are left out, and what to do."""
    word = library.folder / "notes" / "rules.odt"
    word.write_bytes(b"PK")
    summary = await library.ingest()
    assert actions(summary) == {"added": 2, "skipped": 1}
    [note] = [note for note in summary.notes if str(word) in note]
    assert note.endswith(".odt is not read; save it as PDF, HTML or text")
    with pytest.raises(UsageError, match="save it as PDF"):
        look(word, {".md"})


def test_a_folder_of_office_files_alone_names_them(tmp_path: Path) -> None:
    """With what to do; they are no reason to look for a fault elsewhere."""
    (tmp_path / "rules.odt").write_bytes(b"PK")
    with pytest.raises(UsageError, match=r"rules\.odt: \.odt is not read; save it as"):
        look(tmp_path, {".md"})


def test_nothing_to_take_in_is_a_usage_error(tmp_path: Path) -> None:
    """The message says what is read."""
    with pytest.raises(UsageError, match="no such file or folder"):
        look(tmp_path / "absent", {".md"})
    with pytest.raises(UsageError, match=r"holds no document; read are \.md"):
        look(tmp_path, {".md"})


async def test_a_file_alone_keeps_the_id_that_its_folder_gave_it(
    library: Library,
) -> None:
    """Taking one file of an ingested folder in again makes no second document."""
    await library.ingest()
    summary = await library.ingest(library.folder / "notes" / "salt.md", source="notes")
    assert actions(summary) == {"unchanged": 1}


async def test_two_files_cannot_have_one_id(library: Library) -> None:
    """The first stays; the second is named with the first."""
    library.write("notes/x.md", "# X\n\nOne text here.", id="same")
    library.write("notes/y.md", "# Y\n\nAnother text here.", id="same")
    summary = await library.ingest()
    assert actions(summary) == {"added": 3, "failed": 1}
    assert "y.md" in summary.failures[0]
    assert "x.md" in summary.failures[0]


async def test_what_is_gone_stays_unless_pruned(
    library: Library, tmp_path: Path
) -> None:
    """--prune withdraws below its folder only, and never what could not be read."""
    other = Library(tmp_path / "other", library.corpus, library._parser)
    far = other.write("notes/far.md", "# Far\n\nFar away from here.")
    library.write("notes/bad.md", "# Bad\n\nSoon unreadable.")
    await other.ingest()
    await library.ingest()
    far.unlink()
    (library.folder / "notes" / "salt.md").unlink()
    library.write("notes/bad.md", "# Bad\n\nSoon unreadable.", published="never")
    kept = await library.ingest()
    assert actions(kept) == {"unchanged": 1, "failed": 1}
    pruned = await library.ingest(prune=True)
    assert actions(pruned) == {"unchanged": 1, "failed": 1, "pruned": 1}
    names = {name.rsplit("/", 1)[-1] for name in await found(library.corpus)}
    assert names == {"rest.md", "bad.md", "far.md"}
    assert await library.agrees()


async def test_a_line_that_is_gone_from_a_file_is_pruned(library: Library) -> None:
    """A JSONL file is read whole, so its missing documents are known."""
    lines = [json.dumps({"id": i, "text": f"Text number {i}."}) for i in ("a", "b")]
    library.write("notes/lines.jsonl", "\n".join(lines))
    await library.ingest()
    library.write("notes/lines.jsonl", lines[0])
    assert actions(await library.ingest(prune=True))["pruned"] == 1
    assert "b" not in await library.corpus.index.versions("small")


async def test_access_tags_come_from_file_source_and_command_R_U1(
    library: Library,
) -> None:
    """Who holds none of a document's tags does not find it."""
    library.write("notes/own.md", "Mouth care at work.", access_tags="[staff]")
    await library.ingest()
    assert len(await found(library.corpus)) == 2
    assert len(await found(library.corpus, "staff")) == 3
    await library.ingest(tags=("ward",))
    assert await found(library.corpus) == set()
    assert len(await found(library.corpus, "ward")) == 3


async def test_topics_of_a_vault_are_told_once_R_S8(library: Library) -> None:
    """They keep nobody out, and whoever meant that learns it."""
    for name in ("a", "b", "c"):
        library.write(f"notes/{name}.md", f"Note {name} on sleep.", tags="[sleep]")
    summary = await library.ingest()
    assert actions(summary) == {"added": 5}
    [told] = summary.summarize_remarks()
    assert told.startswith(f"{library.folder}/notes/a.md and 2 more: ")
    assert "topics and keep nobody out" in told


@pytest.mark.parametrize("way", ["another file", "line", "command", "register", "held"])
async def test_topics_are_refused_where_tags_limit_access_R_S8(
    library: Library, way: str
) -> None:
    """There somebody may have meant them to; the rest goes in."""
    job: dict[str, object] = {}
    if way in ("another file", "held"):
        library.write("notes/z.md", "Pay.", access_tags="[board]")
    if way == "line":
        line = json.dumps({"text": "Pay.", "access_tags": ["board"]})
        library.write("notes/z.jsonl", line)
    if way == "command":
        job["tags"] = ("staff",)
    if way == "register":
        pack = library.corpus.pack
        closed = pack.sources[0].model_copy(update={"tags": ("staff",)})
        changed = pack.model_copy(update={"sources": (closed, *pack.sources[1:])})
        library.corpus = replace(library.corpus, pack=changed)
    if way == "held":
        await library.ingest()
        (library.folder / "notes" / "z.md").unlink()
    library.write("notes/a.md", "Note on sleep.", tags="[board]")
    library.write("notes/b.md", "On rest.", tags="[x]", access_tags="[y]")
    summary = await library.ingest(**job)
    assert actions(summary)["failed"] == 1
    assert "notes/a.md: 'tags' is not read and keeps nobody out" in summary.failures[0]
    assert "access is limited by tags here" in summary.failures[0]
    assert not any(
        "a.md" in name for name in await library.corpus.index.versions("small")
    )


async def test_a_text_that_speaks_of_access_limits_none_R_S8(library: Library) -> None:
    library.write("notes/a.md", "Write `access_tags: [staff]` in it.", tags="[x]")
    assert actions(await library.ingest()) == {"added": 3}


@pytest.mark.parametrize("field", ["published", "retrieved", "date"])
async def test_a_day_to_come_is_refused_by_name_R_R8(
    library: Library, field: str
) -> None:
    """It would pin the page for good; a law may come into force later."""
    today = date(2026, 3, 10)
    library.write("notes/a.md", "Rest well.", **{field: "2099-01-01"})
    library.write("notes/b.md", "Sleep well.", **{field: "2026-03-11"})
    library.write("notes/c.md", "Drink well.", in_force_from="2099-01-01")
    line = json.dumps({"text": "Eat well.", field: "2026-03-12"})
    library.write("notes/d.jsonl", line)
    summary = await library.ingest(today=today)
    assert actions(summary) == {"added": 4, "failed": 2}
    name = "published" if field == "date" else field
    assert f"a.md: {name} is 2099-01-01, which is still to come" in summary.failures[0]
    assert "d.jsonl#1: " in summary.failures[1]


async def test_what_was_pinned_by_a_day_to_come_is_replaced_R_R8(
    library: Library,
) -> None:
    """As it was taken in before such days were refused."""
    library.write("notes/salt.md", "Rinse with salt.", retrieved="2099-01-01")
    await library.ingest(today=date(2099, 1, 2))
    library.write("notes/salt.md", "Rinse with water.", retrieved="2026-03-10")
    summary = await library.ingest(today=date(2026, 3, 10))
    assert actions(summary) == {"changed": 1, "unchanged": 1}


async def test_a_moved_folder_is_not_embedded_again(
    library: Library, tmp_path: Path
) -> None:
    """Documents with ids of their own are known wherever they lie."""
    library.write("notes/own.md", "Mouth care at work.", id="own")
    await library.ingest(library.folder / "notes" / "own.md")
    library.folder.rename(tmp_path / "elsewhere")
    moved = tmp_path / "elsewhere" / "notes" / "own.md"
    summary = await library.ingest(moved)
    assert (actions(summary), summary.chunks) == ({"changed": 1}, 0)
    members = await library.corpus.documents.memberships("small")
    assert [member.path for member in members] == [str(moved)]


async def test_demo_sources_make_demo_documents(library: Library) -> None:
    """A real document keeps the demo ones of its pack out of search."""
    library.write("toy.md", "Mouth care for the demo.", source="toy")
    await library.ingest(library.folder / "toy.md")
    assert len(await found(library.corpus)) == 1
    await library.ingest()
    assert len(await found(library.corpus)) == 2


class Failing(MiniLM):
    """The default embedder, out of order after some calls."""

    def __init__(self, calls: int) -> None:
        super().__init__(1)
        self._calls = calls

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        self._calls -= 1
        if self._calls < 0:
            raise EmbedderFailed("out of order")
        return super().encode(texts)


@pytest.mark.parametrize("calls", [0, 1])
async def test_a_run_that_was_cut_off_is_completed_by_the_next(
    library: Library, calls: int
) -> None:
    """What the ledger has and the index lacks is found and put in."""
    long = "\n\n".join(f"## Part {n}\n\nSentence number {n}." for n in range(40))
    library.write("notes/long.md", long)
    whole = library.corpus
    library.corpus = replace(whole, embedder=Failing(calls))
    with pytest.raises(EmbedderFailed):
        await library.ingest()
    assert not await library.agrees()
    library.corpus = whole
    summary = await library.ingest()
    assert summary.actions["added"] + summary.actions["unchanged"] == 3
    assert await library.agrees()
    assert actions(await library.ingest()) == {"unchanged": 3}


class Unwritable(SqlLedger):
    """A ledger that takes no more documents."""

    async def store_document(self, pack: str, document: Document) -> IngestAction:
        raise LedgerFailed("no more")


async def test_old_access_tags_are_not_searched_for_good_after_a_crash(
    library: Library, tmp_path: Path
) -> None:
    """A new description is in the index before the ledger says so, and is repeated."""
    await library.ingest()
    whole = library.corpus
    broken = Unwritable(sqlite_url(tmp_path / "data" / "ledger.db"))
    library.corpus = replace(whole, documents=broken)
    with pytest.raises(LedgerFailed):
        await library.ingest(tags=("staff",))
    await broken.close()
    library.corpus = whole
    summary = await library.ingest(tags=("staff",))
    assert actions(summary) == {"changed": 2}
    assert await found(library.corpus) == set()


async def test_a_namesake_in_another_folder_is_refused(
    library: Library, tmp_path: Path
) -> None:
    """Both paths and the fix are named; with an id of its own it goes in."""
    await library.ingest()
    other = Library(tmp_path / "other", library.corpus, library._parser)
    other.write("notes/salt.md", "# Salt\n\nAnother text of the same name.")
    summary = await other.ingest()
    assert actions(summary) == {"failed": 1}
    for part in (str(other.folder), str(library.folder), "`id`", "--source"):
        assert part in summary.failures[0]
    assert actions(await library.ingest()) == {"unchanged": 2}
    other.write("notes/salt.md", "# Salt\n\nAnother text.", id="other-salt")
    assert actions(await other.ingest()) == {"added": 1}


GENUINE = "https://example.org/fever"
CANONICAL = f'<link rel="canonical" href="{GENUINE}">'


async def test_a_page_does_not_take_the_place_of_another_R_S7(
    library: Library,
) -> None:
    """Whatever its markup claims, it is a document of its own folder's source."""
    library.write("fever.md", "Call the clinic about a fever.", url=GENUINE)
    await library.ingest()
    library.write("notes/fake.html", f"<head>{CANONICAL}</head><p>Ignore a fever.</p>")
    library.write("stray.html", f"<head>{CANONICAL}</head><p>Ignore any fever.</p>")
    summary = await library.ingest()
    assert actions(summary) == {"added": 1, "unchanged": 3, "failed": 1}
    assert "stray.html" in summary.failures[0]
    members = await library.corpus.documents.memberships("small")
    sources = {m.document: (m.source, m.state) for m in members}
    assert sources[GENUINE] == ("pages", VersionState.CURRENT)
    assert sources["notes/notes/fake.html"] == ("notes", VersionState.CURRENT)
    assert len(sources) == 4
    assert summary.bound == {("pages", "URL"): 1, ("notes", "path"): 3}


async def test_an_id_moves_to_another_file_only_on_demand_R_S7(
    library: Library,
) -> None:
    """Both files are named; what is in force stays, until --replace."""
    first = library.write("notes/a.md", "Rest well.", id="care")
    await library.ingest()
    other = library.write("notes/Z.md", "Never rest.", id="care")
    summary = await library.ingest()
    assert actions(summary) == {"unchanged": 3, "failed": 1}
    for part in (str(first), str(other), "care", "--replace"):
        assert part in summary.failures[0]
    first.unlink()
    for path in (None, other):
        refused = await library.ingest(path, source="notes")
        assert refused.actions["failed"] == 1
    replaced = await library.ingest(replace=True)
    assert actions(replaced) == {"unchanged": 2, "changed": 1}
    assert str(first) in replaced.notes[0]
    assert actions(await library.ingest()) == {"unchanged": 3}


async def test_a_copy_with_other_tags_is_no_mere_move_R_S7_R_S8(
    library: Library,
) -> None:
    """The same text under the same id, and nobody would need a tag any more."""
    first = library.write("notes/a.md", "Rest well.", id="care", access_tags="[staff]")
    await library.ingest()
    first.unlink()
    library.write("notes/b.md", "Rest well.", id="care")
    assert (await library.ingest()).actions["failed"] == 1
    assert "care" not in await found(library.corpus)


async def test_the_command_overrules_front_matter_R_S7(library: Library) -> None:
    """--source binds what a file claims for another source."""
    library.write("notes/a.md", "Rest well.", source="pages")
    summary = await library.ingest(source="notes")
    assert summary.bound == {("notes", "--source"): 3}


async def test_what_was_withdrawn_stays_withdrawn_R_U11(library: Library) -> None:
    """Also in a new version; it is named, and comes back with --again alone."""
    await library.ingest()
    name = "notes/notes/salt.md"
    await library.corpus.index.withdraw("small", name)
    await library.corpus.documents.withdraw("small", name)
    for text in ("# Salt\n\nRinse the mouth with salt water.", "# Salt\n\nRinse."):
        library.write("notes/salt.md", text)
        summary = await library.ingest(prune=True)
        assert actions(summary) == {"unchanged": 1, "skipped": 1}
        [note] = summary.notes
        for part in (str(library.folder / "notes" / "salt.md"), name, "--again"):
            assert part in note
        assert await found(library.corpus) == {"notes/notes/rest.md"}
    assert actions(await library.ingest(again=True)) == {"added": 1, "unchanged": 1}
    assert actions(await library.ingest()) == {"unchanged": 2}
    assert await library.agrees()


async def test_what_was_pruned_comes_back_with_its_file_R_U11(
    library: Library,
) -> None:
    """Nobody withdrew it: it was gone. Withdrawn after that, it stays out."""
    await library.ingest()
    salt = library.folder / "notes" / "salt.md"
    text = salt.read_text(encoding="utf-8")
    salt.unlink()
    assert (await library.ingest(prune=True)).actions["pruned"] == 1
    salt.write_text(text, encoding="utf-8")
    assert actions(await library.ingest()) == {"added": 1, "unchanged": 1}
    salt.unlink()
    await library.ingest(prune=True)
    assert await library.corpus.documents.withdraw("small", "notes/notes/salt.md")
    salt.write_text(text, encoding="utf-8")
    assert actions(await library.ingest()) == {"unchanged": 1, "skipped": 1}


async def test_a_link_to_itself_is_named_and_skipped(
    library: Library, tmp_path: Path
) -> None:
    """As file, as folder, and as two that lead to each other; the rest goes in."""
    notes = library.folder / "notes"
    (notes / "self.md").symlink_to("self.md")
    (notes / "down").symlink_to("down")
    (notes / "one.md").symlink_to("two.md")
    (notes / "two.md").symlink_to("one.md")
    summary = await library.ingest()
    assert actions(summary) == {"added": 2, "skipped": 4}
    for name in ("self.md", "down", "one.md", "two.md"):
        assert any(str(notes / name) in note for note in summary.notes)
    with pytest.raises(UsageError, match="leads back to itself"):
        look(notes / "self.md", {".md"})


async def test_links_that_lead_out_of_the_folder_are_skipped(
    library: Library, tmp_path: Path
) -> None:
    """A link to a file or folder elsewhere is counted and not read."""
    secret = tmp_path / "secret" / "key.md"
    secret.parent.mkdir()
    secret.write_text("The key is under the mat.", encoding="utf-8")
    (library.folder / "notes" / "key.md").symlink_to(secret)
    (library.folder / "notes" / "all").symlink_to(secret.parent)
    assert actions(await library.ingest()) == {"added": 2, "skipped": 2}


async def test_a_page_of_records_goes_in_whole_or_not_at_all_R_R2(
    library: Library,
) -> None:
    """A record that is missing fails its file; what was there stays, others go in."""
    library.write("notes/page.json", json.dumps(page_of(3)))
    assert actions(await library.ingest()) == {"added": 5}
    before = await library.corpus.index.versions("small")
    page = page_of(3)
    studies = page["studies"]
    assert isinstance(studies, list)
    studies[0] = study_of("NCT00000001", "KITE")
    del studies[2]["protocolSection"]["identificationModule"]["nctId"]
    library.write("notes/page.json", json.dumps(page))
    library.write("notes/new.md", "# New\n\nA new page about rest.")
    summary = await library.ingest(prune=True)
    assert actions(summary) == {"added": 1, "failed": 1, "unchanged": 2}
    assert "notes/page.json#3: record without a number" in summary.failures[0]
    after = await library.corpus.index.versions("small")
    assert before.items() <= after.items()
    assert await library.agrees()


async def test_things_are_kept_with_their_version_R_R2(library: Library) -> None:
    """What a document describes comes back from ledger and index as it went in."""
    library.write("notes/page.json", json.dumps(study_of("NCT00000001", "KITE")))
    library.write("notes/other.json", '{"name": "a package"}')
    summary = await library.ingest()
    assert actions(summary) == {"added": 3, "skipped": 1}
    assert "other.json: holds no document" in summary.notes[0]
    corpus, url = library.corpus, "https://clinicaltrials.gov/study/NCT00000001"
    version = (await corpus.index.versions("small"))[url]
    stored = await corpus.documents.document(url, version, "small")
    assert stored is not None
    (thing,) = stored.things
    assert thing.names[-1] == "KITE"
    vector = np.zeros(384, dtype=np.float32)
    vector[0] = 1.0
    query = SearchQuery(terms=("kite",), vector=vector, scope=Scope(pack="small"))
    (found, *_) = await corpus.index.search(query)
    assert found.chunk.things == stored.things
    assert actions(await library.ingest()) == {"unchanged": 3, "skipped": 1}


async def test_what_a_glob_took_is_told_R_S7(library: Library) -> None:
    """Nobody named a source for it."""
    summary = await library.ingest()
    assert summary.globs == {"notes": {"**/notes/**"}}
    assert (await library.ingest(source="pages")).globs == {}


# --- links ------------------------------------------------------------------------

FOREIGN = (
    "https://evil.example/login",
    "https://example.org@evil.example/",
    "https://example.org.evil.example/",
    "http://127.0.0.1:9470/x",
    "https://xn--exmple-cua.org/",
)


@pytest.mark.parametrize("url", FOREIGN)
async def test_an_address_that_the_source_lacks_is_no_link_R_V7(
    library: Library, url: str
) -> None:
    """It goes in without, and is named; `--strict-links` refuses it."""
    library.write("notes/far.md", "# Far\n\nFar away.", url=url, source="pages")
    summary = await library.ingest(strict_links=True)
    (failure,) = summary.failures
    assert url in failure
    summary = await library.ingest()
    assert not summary.failures
    (note,) = [n for n in summary.notes if n.startswith("no link: ")]
    assert url in note
    member = next(m for m in await members(library) if m.title == "Far")
    corpus = library.corpus
    held = await corpus.documents.document(member.document, member.version, "small")
    assert held is not None
    assert held.url is None


async def test_an_address_of_the_source_is_its_link_R_V7(library: Library) -> None:
    """And its publisher is the register's, whatever the file says."""
    library.write(
        "notes/near.md",
        "# Near\n\nNear by.",
        url="https://example.org/near",
        publisher="World Health Organization",
    )
    summary = await library.ingest()
    assert not [n for n in summary.notes if n.startswith("no link: ")]
    (member,) = [m for m in await members(library) if m.title == "Near"]
    corpus = library.corpus
    held = await corpus.documents.document(member.document, member.version, "small")
    assert held is not None
    assert (held.url, held.source) == ("https://example.org/near", "pages")
    assert held.publisher == corpus.pack.register()["pages"].publisher


async def test_an_address_binds_to_no_other_source_R_V7(library: Library) -> None:
    """A page that names another source's address does not take its id."""
    library.write(
        "notes/thief.md",
        "# Thief\n\nA page.",
        url="https://example.org/a",
        source="toy",
    )
    await library.ingest()
    (member,) = [m for m in await members(library) if m.title == "Thief"]
    assert member.document == "toy/notes/thief.md"


async def members(library: Library) -> list[Membership]:
    """The current documents."""
    held = await library.corpus.documents.memberships(library.corpus.shelf)
    return [member for member in held if member.state is VersionState.CURRENT]


async def test_an_id_that_looks_like_another_is_refused_by_name_R_V8(
    library: Library,
) -> None:
    """Whether the file says it or its path does: no two of the list look alike."""
    text = "---\nid: salt\u200b-care\n---\nRinse the mouth."
    library.write("notes/hidden.md", text)
    library.write("notes/s\u0430lt.md", "# Salt\n\nRinse with salt.")
    summary = await library.ingest()
    assert actions(summary) == {"added": 2, "failed": 2}
    said = "\n".join(summary.failures)
    assert "hidden.md: its id 'salt\\u200b-care' holds a character that nobody" in said
    assert "mixes letters of two alphabets that look alike in 's\u0430lt'" in said
