"""The part of the contract of the `Index` port on questions that chunks answer."""

from dataclasses import replace
from datetime import date

import pytest

from adapters.index.upkeep import KeptIndex
from engine.model.ports import Candidate, Entry, Index, StoredQuestion
from tests.contracts.index_entries import PACK, direction, documents, entries, find

CANARY = "heron at midnight"


def asking(entry: Entry, *texts: str) -> Entry:
    """The entry with questions, each with the vector of its text."""
    asked = tuple(StoredQuestion(text, direction(text)) for text in texts)
    return replace(entry, questions=asked)


def many(document: str, question: str, **fields: object) -> list[Entry]:
    """Twenty chunks that no vector is near to; the eighth answers a question."""
    made = entries(document, *(f"filler {document} {n}" for n in range(20)), **fields)
    made[7] = asking(made[7], "something else", question)
    return made


def by_question(found: tuple[Candidate, ...]) -> dict[str, tuple[float, str | None]]:
    """Chunk id -> best cosine and text of the question, where there is one."""
    return {c.chunk.id: (c.question, c.asked) for c in found if c.question is not None}


class QuestionsContract:
    """Stored questions as a third arm; see `IndexContract`."""

    async def test_a_question_brings_its_chunk_R_Q3(self, index: Index):
        """Though neither words nor meaning do; with the best cosine and its text."""
        await index.put(PACK, "a", many("a", CANARY))
        found = await find(index, "unheard", like=CANARY, limit=1)
        assert by_question(found) == {
            "a:v1:7": (pytest.approx(1, abs=1e-5), CANARY),
        }
        other = float(direction("salt") @ direction("something else"))
        mine = float(direction("salt") @ direction(CANARY))
        best, text = by_question(await find(index, "x", like="salt"))["a:v1:7"]
        assert best == pytest.approx(max(other, mine), abs=1e-5)
        assert text == ("something else" if other > mine else CANARY)

    async def test_a_chunk_that_another_arm_found_says_its_question_R_Q3(
        self, index: Index
    ):
        """Every candidate tells how near its questions are; others have none."""
        first, second = entries("a", "fatigue", "fatigue rash")
        await index.put(PACK, "a", [asking(first, "why so tired?"), second])
        found = await find(index, "fatigue", like="fatigue")
        near = float(direction("fatigue") @ direction("why so tired?"))
        assert by_question(found) == {
            "a:v1:0": (pytest.approx(near, abs=1e-5), "why so tired?")
        }
        assert len(found) == 2
        assert next(c for c in found if c.asked).chunk == first.chunk

    async def test_without_questions_nothing_changes_R_Q3(self, index: KeptIndex):
        """The same candidates with the same scores in the same order."""
        await index.put(PACK, "a", entries("a", "fatigue", "rash", "nausea"))
        before = await find(index, "fatigue", like="rash", limit=1)
        assert all((c.question, c.asked) == (None, None) for c in before)
        await index.put(PACK, "b", many("b", CANARY), "team-1")
        assert await find(index, "fatigue", like="rash", limit=1) == before

    async def test_questions_of_hidden_documents_never_come_back_R_S8(
        self, index: KeptIndex
    ):
        """Of other tags, packs, tenants, dates and sources: neither text nor score."""
        old = {"in_force_from": date(2020, 1, 1), "in_force_to": date(2020, 12, 31)}
        await index.put(PACK, "open", entries("open", "fatigue"))
        await index.put(PACK, "ward", many("ward", CANARY, tags=("w",)))
        await index.put(PACK, "law", many("law", CANARY, **old))
        await index.put(PACK, "blog", many("blog", CANARY, source="blog"))
        await index.put("textbook", "node", many("node", CANARY))
        await index.put(PACK, "own", many("own", CANARY), "team-1")
        trusted = {"sources": frozenset({"nci"})}
        seen = {
            "nobody": await find(index, "x", like=CANARY, **trusted),
            "date": await find(
                index, "x", like=CANARY, as_of=date(2019, 1, 1), **trusted
            ),
            "tenant": await find(index, "x", like=CANARY, tenant="team-2", **trusted),
        }
        shown = {name: documents(found) for name, found in seen.items()}
        assert shown["date"] == {"open"}
        for found in seen.values():
            assert {c.chunk.document for c in found if c.asked} <= {"law"}
        only = await find(index, "x", like=CANARY, tenant="team-1", **trusted)
        assert {c.chunk.document for c in only if c.asked} == {"own", "law"}
        held = await find(
            index, "x", like=CANARY, tags=frozenset({"w"}), as_of=date(2019, 1, 1)
        )
        assert {c.chunk.document for c in held if c.asked} == {"ward", "blog"}

    async def test_questions_go_with_their_version_R_Q1(self, index: Index):
        """Replaced by those that are put next, gone when it is withdrawn."""
        await index.put(PACK, "a", many("a", CANARY))
        await index.put(PACK, "b", many("b", "salt"))
        await index.put(PACK, "a", many("a", "what now?"))
        asked = {c.asked for c in await find(index, "x", like=CANARY) if c.asked}
        assert CANARY not in asked
        await index.put(PACK, "b", entries("b", "rash"))
        found = await find(index, "x", like="salt")
        assert {c.chunk.document for c in found if c.asked} == {"a"}
        await index.withdraw(PACK, "a")
        assert not by_question(await find(index, "x", like="what now?"))

    async def test_a_version_of_another_day_keeps_its_questions_R_F5(
        self, index: Index
    ):
        """For days inside its period of force; today has those of the new one."""
        old = {"in_force_from": date(2020, 1, 1), "in_force_to": date(2020, 12, 31)}
        await index.put(PACK, "law", many("law", CANARY, **old))
        await index.put(PACK, "law", many("law", "what now?", version="v2"))
        then = await find(index, "x", like=CANARY, as_of=date(2020, 5, 5))
        asked = {c.chunk.version: c.asked for c in then if c.question and c.asked}
        assert asked["v1"] == CANARY
        now = await find(index, "x", like=CANARY)
        assert {c.chunk.version for c in now if c.asked} == {"v2"}

    async def test_questions_outlast_compaction_R_Q1(self, index: KeptIndex):
        """Those of versions that are gone make room, and no other moves."""
        for number in range(4):
            await index.put(PACK, f"d{number}", many(f"d{number}", f"asked {number}"))
        await index.withdraw(PACK, "d0")
        await index.put(PACK, "d2", many("d2", "asked anew"))
        before = by_question(await find(index, "x", like="asked 3", limit=100))
        await index.compact()
        after = by_question(await find(index, "x", like="asked 3", limit=100))
        assert after == before
        assert {text for _, text in after.values()} <= {
            *("asked 1", "asked anew", "asked 3", "something else")
        }
        await index.put(PACK, "d4", many("d4", "asked last"))
        found = await find(index, "x", like="asked last", limit=1)
        assert by_question(found)["d4:v1:7"] == (pytest.approx(1), "asked last")
