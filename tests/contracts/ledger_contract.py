"""What every ledger must do; a fake may stand in for one only if it passes."""

from typing import Protocol

from engine.model.document import Document, IngestAction, VersionState
from engine.model.ports import Ledger
from tests.adapters.ledger.samples import answered, document, refused

PACK = "oncology"


class Documents(Ledger, Protocol):
    """The port with what ingestion needs of it."""

    async def store_document(self, pack: str, document: Document) -> IngestAction: ...

    async def withdraw(self, pack: str, document: str) -> object: ...


class LedgerContract:
    """Inherit it and give a fixture `ledger`, empty for every test."""

    async def test_every_outcome_gets_an_id_of_its_own_R_I10(
        self, ledger: Documents
    ) -> None:
        """Answers and refusals are recorded, the same one twice gets two ids."""
        await ledger.store_document(PACK, document())
        outcomes = [answered(document()), refused(), refused()]
        ids = [await ledger.record(outcome) for outcome in outcomes]
        assert len(set(ids)) == 3
        assert all(ids)

    async def test_a_version_comes_back_as_it_was_stored_R_R8(
        self, ledger: Documents
    ) -> None:
        """Text, blocks, sentences and description survive; NUL and emoji too."""
        stored = document("Nul \0, \U0001f600, e\u0301 and \u202e.", tags=("staff",))
        await ledger.store_document(PACK, stored)
        assert await ledger.document(stored.id, stored.version, PACK) == stored

    async def test_each_shelf_has_its_own_description_R_S8(
        self, ledger: Documents
    ) -> None:
        """Of one id and one text; a shelf that never held it is told nothing."""
        ours = document(title="Ours", tags=("staff",), url="https://ours.example")
        theirs = document(title="Theirs", source="other", demo=True)
        for shelf, told in ((PACK, ours), ("textbook", theirs), (PACK, ours)):
            await ledger.store_document(shelf, told)
        assert await ledger.document(ours.id, ours.version, PACK) == ours
        assert await ledger.document(ours.id, ours.version, "textbook") == theirs
        assert await ledger.document(ours.id, ours.version, "nowhere") is None
        assert [m.title for m in await ledger.memberships(PACK)] == ["Ours"]

    async def test_an_unknown_version_is_none(self, ledger: Documents) -> None:
        """Neither an unknown document nor an unknown version is an error."""
        await ledger.store_document(PACK, document())
        assert await ledger.document("rest", "0" * 64, PACK) is None
        assert await ledger.document("other", document().version, PACK) is None

    async def test_storing_again_changes_nothing_R_R8(self, ledger: Documents) -> None:
        """Identical bytes are one version, in every pack that holds them."""
        assert await ledger.store_document(PACK, document()) == "added"
        before = await ledger.memberships(PACK)
        assert await ledger.store_document(PACK, document()) == "unchanged"
        assert await ledger.memberships(PACK) == before
        assert await ledger.store_document("textbook", document()) == "added"

    async def test_a_new_version_supersedes_the_old_R_R8(
        self, ledger: Documents
    ) -> None:
        """The superseded version stays readable, and may become current again."""
        old, new = document(), document("Rest seldom.")
        await ledger.store_document(PACK, old)
        assert await ledger.store_document(PACK, new) == "changed"
        assert await states(ledger) == {
            old.version: VersionState.SUPERSEDED,
            new.version: VersionState.CURRENT,
        }
        assert await ledger.document(old.id, old.version, PACK) == old
        assert await ledger.store_document(PACK, old) == "changed"
        assert (await states(ledger))[old.version] == VersionState.CURRENT

    async def test_a_changed_description_is_a_change_R_U1(
        self, ledger: Documents
    ) -> None:
        """New access tags, dates or titles come into force without a new version."""
        await ledger.store_document(PACK, document())
        tagged = document(tags=("staff",), title="Rest")
        assert await ledger.store_document(PACK, tagged) == "changed"
        assert await ledger.document(tagged.id, tagged.version, PACK) == tagged
        assert [m.title for m in await ledger.memberships(PACK)] == ["Rest"]

    async def test_a_withdrawn_document_stays_readable_R_U1(
        self, ledger: Documents
    ) -> None:
        """It leaves one pack, not another, and can come back."""
        stored = document()
        await ledger.store_document(PACK, stored)
        await ledger.store_document("textbook", stored)
        await ledger.withdraw(PACK, stored.id)
        await ledger.withdraw(PACK, "never stored")
        assert await states(ledger) == {stored.version: VersionState.WITHDRAWN}
        assert await states(ledger, "textbook") == {
            stored.version: VersionState.CURRENT
        }
        assert await ledger.document(stored.id, stored.version, PACK) == stored
        assert await ledger.store_document(PACK, stored) == "added"

    async def test_a_passage_is_found_in_what_is_current_R_A6(
        self, ledger: Documents
    ) -> None:
        """Curly quotes are folded at both ends; withdrawn text is not found."""
        stored = document("Say “rest” often,\nand drink.")
        passage = 'Say "rest" often, and'
        await ledger.store_document(PACK, stored)
        assert await ledger.find_passage(PACK, passage) == (stored.id, stored.version)
        assert await ledger.find_passage("textbook", passage) is None
        assert await ledger.find_passage(PACK, "say rest") is None
        assert await ledger.find_passage(PACK, "") is None
        found = await ledger.find_passages(PACK, passage)
        assert list(found) == [(stored.id, stored.version)]
        await ledger.withdraw(PACK, stored.id)
        assert await ledger.find_passage(PACK, passage) is None
        assert list(await ledger.find_passages(PACK, passage)) == []

    async def test_a_selection_is_kept_and_belongs_to_no_pack_R_A6(
        self, ledger: Documents
    ) -> None:
        """It can be read to verify an answer, and is not found as a passage."""
        selected = document("What my neighbour wrote.", "selection")
        await ledger.store_selection(selected)
        await ledger.store_selection(selected)
        assert await ledger.document(selected.id, selected.version, PACK) == selected
        assert list(await ledger.memberships(PACK)) == []
        assert await ledger.find_passage(PACK, "neighbour") is None


async def states(ledger: Documents, pack: str = PACK) -> dict[str, VersionState]:
    """Version -> state in a pack."""
    return {m.version: m.state for m in await ledger.memberships(pack)}
