"""Nobody but the owners of a pack sees or touches its gaps in a chat (R-D6, R-C5)."""

from collections.abc import Sequence

import numpy as np
import pytest
from pydantic import HttpUrl

from adapters.gap_board import MOST_GAPS, NearLine
from adapters.ledger.board import Board
from adapters.ledger.gaps import GapState
from adapters.ledger.gaps import Place as Shelf
from adapters.ledger.mail_records import EVERYWHERE
from adapters.mail import OWNERS_ACTIONS, Action, Place, Platform
from bot.gaps.owners import Owners
from bot.messages import wording
from tests.adapters.ledger.samples import document, refused
from tests.bot.chat import ANNA, BEN, HERE, Chat

CANARY = "What does the heron project cost? Write to heron@example.org"
STAFF = frozenset({"staff"})
ELSEWHERE = HERE.model_copy(update={"tenant": "T2"})
ALONE = Place(platform=Platform.SLACK, tenant="T1", channel="C1", private=True)


async def asked(chat: Chat, **changes: object) -> None:
    """The canary is asked, refused and put onto the board."""
    await chat.says(CANARY, **changes)
    await onto_board(chat)


async def onto_board(chat: Chat, axis: int = 0) -> None:
    """What was refused is put onto the board; another axis is another meaning."""
    vector = np.zeros(16, np.float32)
    vector[axis] = 1.0
    board = Board(chat.application.ledger)
    new = await board.uncollected("small")
    for one, stored in zip(
        new, await board.stored([n.audit_id for n in new]), strict=1
    ):
        tags = tuple(sorted(stored.tags))
        shelf = Shelf(pack="small", tenant=stored.tenant, tags=tags)
        await board.put(shelf, [(one, vector)])


async def seen(chat: Chat, person: str, place: Place = HERE, *roles: str) -> str | None:
    """The whole board as somebody sees it; None for who owns nothing there."""
    made = chat.application
    panel = await Owners(made).panel(place, person, roles)
    return None if panel is None else panel.model_dump_json()


async def gaps(chat: Chat) -> Sequence[str]:
    """Their ids."""
    found = await Board(chat.application.ledger).gaps("small")
    return [gap.id for gap in found if gap.state is GapState.OPEN]


async def test_an_owner_sees_it_masked_and_nobody_else_does_R_S6(chat: Chat) -> None:
    """Not who asked, nor whoever is named for another pack, place or platform."""
    await chat.bind("small", owners=(BEN,))
    await asked(chat)
    board = await seen(chat, BEN)
    assert board is not None and "heron project" in board
    assert "heron@example.org" not in board and "[e-mail]" in board
    assert ANNA not in board
    assert await seen(chat, ANNA) is None
    assert await seen(chat, BEN, ELSEWHERE) is None
    discord = {"platform": Platform.DISCORD}
    assert await seen(chat, BEN, HERE.model_copy(update=discord)) is None
    await chat.bind("other", owners=(BEN,))
    board = await seen(chat, BEN)
    assert board is not None and "heron" not in board


async def test_what_was_asked_with_tags_is_for_owners_who_hold_them_R_C5(
    chat: Chat,
) -> None:
    """Of the binding that names them, or by their role there."""
    await chat.bind("small", tags=STAFF)
    await asked(chat)
    await chat.bind("small", tags=STAFF, channel="C2", owners=("U7",))
    await chat.bind("small", channel="C3", owners=("U8",))
    await chat.bind("small", channel="C4", owners=("U9",), role_tags={"R1": STAFF})
    assert "heron" in str(await seen(chat, "U7"))
    assert "heron" not in str(await seen(chat, "U8"))
    assert "heron" not in str(await seen(chat, "U9"))
    assert "heron" in str(await seen(chat, "U9", HERE, "R1"))


async def test_another_tenant_has_a_board_of_its_own_R_C5(chat: Chat) -> None:
    """Also where one person owns the pack in both."""
    await chat.bind("small")
    await chat.bind("small", tenant="T2", channel=EVERYWHERE, owners=(BEN,))
    await asked(chat)
    assert "heron" not in str(await seen(chat, BEN, ELSEWHERE))
    await asked(chat, place=ELSEWHERE)
    assert "heron" in str(await seen(chat, BEN, ELSEWHERE))
    assert await seen(chat, BEN) is None


@pytest.mark.parametrize("action", sorted(OWNERS_ACTIONS))
async def test_every_action_is_refused_to_others_R_C5(
    chat: Chat, action: Action
) -> None:
    """Whatever id they name; a gap of others is as one that is not."""
    await chat.bind("small", tags=STAFF)
    await asked(chat)
    [gap] = await gaps(chat)
    press = {"action": action, "gap": gap, "place": ALONE, "passage": "p"}
    assert await chat.hears("words", **press) == wording.OWNS_NOTHING
    await chat.bind("small", channel="C3", owners=(BEN,))  # without the tag
    if action is not Action.GAPS:
        said = await chat.hears("words", **press, person=BEN)
        assert said == wording.NO_SUCH_GAP
        unknown = {**press, "gap": "0" * 12}
        assert await chat.hears("words", **unknown, person=BEN) == said
    assert await gaps(chat) == [gap]


async def test_an_owner_who_is_named_no_more_does_nothing_R_C5(chat: Chat) -> None:
    """Looked up at the press, not when the button was shown."""
    await chat.bind("small", owners=(BEN,))
    await asked(chat)
    [gap] = await gaps(chat)
    press = {"action": Action.GAP_DISMISS, "gap": gap, "place": ALONE, "person": BEN}
    await chat.bind("small")
    assert await chat.hears("", **press) == wording.OWNS_NOTHING
    assert await gaps(chat) == [gap]
    await chat.bind("small", owners=(BEN,))
    assert await chat.hears("", **press) == wording.DISMISSED
    assert await gaps(chat) == []
    assert await chat.hears("", **press) == wording.GAP_GONE


async def near(chat: Chat) -> NearLine | None:
    """What stands as the nearest passage of the one gap."""
    panel = await Owners(chat.application).panel(HERE, BEN)
    assert panel is not None
    [line] = panel.gaps
    return line.near


async def test_the_nearest_passage_is_shown_as_long_as_all_who_asked_may_see_it_R_C5(
    chat: Chat,
) -> None:
    """Not once it is withdrawn, has a tag that they lacked, or is another tenant's."""
    ledger = chat.application.ledger
    await chat.bind("small", owners=(BEN,))
    await ledger.record(refused(id="q", pack="small", tenant="slack:T1"))
    await onto_board(chat)
    assert await near(chat) is None
    await ledger.store_document("small", document())
    shown = await near(chat)
    assert shown is not None
    assert (shown.title, shown.url) == ("About rest > At home", None)
    await ledger.store_document("small", document(tags=("staff",)))
    assert await near(chat) is None
    await ledger.withdraw("small", "rest")
    assert await near(chat) is None
    await ledger.store_document("small@slack:T2", document())
    assert await near(chat) is None
    await ledger.store_document("small@slack:T1", document())
    assert await near(chat) == shown


async def test_only_that_passage_can_be_attached_to_R_C5(chat: Chat) -> None:
    """A name that no near page has, or no more, leads nowhere."""
    ledger = chat.application.ledger
    await chat.bind("small", owners=(BEN,))
    await ledger.record(refused(id="q", pack="small", tenant="slack:T1"))
    await ledger.store_document("small", document())
    await onto_board(chat)
    [gap] = await gaps(chat)
    shown = await near(chat)
    assert shown is not None
    press = {"action": Action.GAP_ATTACH, "gap": gap, "place": ALONE, "person": BEN}
    words = "May one sleep?"
    said = await chat.hears(words, **press, passage="0" * 16)
    assert said == wording.PASSAGE_GONE
    # The page has no section of that name, so nothing stands there to attach to.
    assert await chat.hears(words, **press, passage=shown.name) == wording.PASSAGE_GONE
    await ledger.withdraw("small", "rest")
    assert await chat.hears(words, **press, passage=shown.name) == wording.PASSAGE_GONE
    assert await gaps(chat) == [gap]


async def test_the_list_is_short_and_says_how_many_more_there_are_R_D6(
    chat: Chat,
) -> None:
    """And where all stand: on the page that is set, else on the command line."""
    ledger, made = chat.application.ledger, chat.application
    await chat.bind("small", owners=(BEN,))
    for number in range(MOST_GAPS + 3):
        await ledger.record(refused(id=f"q{number}", pack="small", tenant="slack:T1"))
        await onto_board(chat, number)
    panel = await Owners(made).panel(HERE, BEN)
    assert panel is not None
    assert (len(panel.gaps), panel.more) == (MOST_GAPS, 3)
    [rest] = panel.rest
    assert rest.url is None
    assert rest.text.endswith("groundrule gaps list small")
    page = {"admin_url": HttpUrl("https://rules.example/a/")}
    made.settings = made.settings.model_copy(update=page)
    panel = await Owners(made).panel(HERE, BEN)
    assert panel is not None
    [rest] = panel.rest
    assert rest.url == "https://rules.example/a/packs/small/gaps"
    assert "python" not in rest.text


async def test_what_was_forgotten_stands_on_no_board_R_S5(chat: Chat) -> None:
    """The count stays."""
    await chat.bind("small", owners=(BEN,))
    await asked(chat)
    await chat.says("", action=Action.FORGET)
    board = await seen(chat, BEN)
    assert board is not None and "heron" not in board
    assert "1 question" in board
