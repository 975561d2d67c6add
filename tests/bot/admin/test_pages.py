"""The administrators' pages: masked, for who may see them, bounded (R-S6, R-C5)."""

from collections.abc import AsyncIterator
from datetime import date, timedelta
from typing import Any

import aiohttp
import pytest

from adapters.ledger.gaps import Board, GapState
from adapters.ledger.history import Wanted
from adapters.ledger.mail_records import Verdict
from adapters.mail import Action
from bot.admin.beside import serve_beside
from bot.admin.frame import SIZE
from bot.admin.guard import build_guard
from bot.gaps.collecting import collect
from bot.gaps.viewing import FORGOTTEN
from bot.reports.schedule import locate_page
from bot.serving.platforms import Address
from engine.model.errors import EnvironmentFailed
from engine.model.outcome import Nearest
from engine.policy.pack import Pack
from tests.adapters.ledger.samples import answered, document, refused
from tests.bot.admin.boards import fill
from tests.bot.admin.visiting import HOST, Shown, Visitor, free_port, visiting
from tests.bot.chat import ANNA, Chat
from tests.bot.pages import read
from tests.bot.test_gap_telling import QOS, Course
from tests.bot.test_gap_telling import course as course
from tests.fakes import FixedClock

SECRET, CANARY = "heron-4711", "heron@example.org"
EVIL = "<script>window.pwned=1</script><img src=x onerror=alert(1)>"
LONG = 1_000  # test_pages_browser.py has ten times as many
PLACES = ("gaps", "gaps?state=every", "outcomes", "sources", "reports")


@pytest.fixture
async def visitor(chat: Chat) -> AsyncIterator[Visitor]:
    async with visiting(chat.application) as opened:
        yield opened


async def walk(visitor: Visitor, pack: str = "small") -> dict[str, Shown]:
    """Every page that links of the first pages lead to."""
    found, waiting = dict[str, Shown](), ["/"]
    waiting += [f"/packs/{pack}/{place}" for place in PLACES]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found[path] = await visitor.get(path)
        inside = [
            link
            for link in read(found[path].text).links
            if link.startswith(f"/packs/{pack}/")
        ]
        if path.count("/") == 3 or path == "/":
            waiting += inside
    return found


async def test_every_page_is_there_and_hides_who_and_what_R_S6(
    chat: Chat, visitor: Visitor
) -> None:
    """Masked, escaped, without the asker and without what access tags protect."""
    ledger = chat.application.ledger
    await ledger.store_document("small", document())
    board, text = ("board",), f"{document().text} Hidden."
    hidden = document(text, "hidden", tags=board, title=f"{SECRET} plan")
    await ledger.store_document("small", hidden)
    await ledger.record(answered(document(), id="a", pack="small", text=EVIL))
    await ledger.record(refused(id="r", pack="small", text=f"{EVIL} {CANARY}"))
    tagged: dict[str, Any] = {
        "tags": frozenset({"board"}),
        "pack": "small",
        "text": SECRET,
    }
    await ledger.record(refused(id="t", **tagged))
    await ledger.record(answered(hidden, id="u", **tagged))
    pages = await walk(visitor)
    assert sum("/outcomes/" in path for path in pages) == 2
    assert sum("/gaps/" in path for path in pages) == 1
    assert sum("/reports/" in path for path in pages) == 12
    for path, shown in pages.items():
        assert shown.status == 200, path
        assert SECRET not in shown.read, path
        assert CANARY not in shown.read, path
        assert "<script" not in shown.text, path
        assert "<img" not in shown.text, path
        assert "asker" not in shown.read.replace("without the askers", ""), path
    assert "[e-mail]" in pages["/packs/small/gaps"].text
    assert "1 gap not shown to you" in pages["/packs/small/gaps"].text
    assert "2 of this stretch not shown" in pages["/packs/small/outcomes"].text
    held = {"board"}
    async with visiting(chat.application, held) as owner:
        assert SECRET in (await owner.get("/packs/small/gaps")).text
        assert SECRET in (await owner.get("/packs/small/outcomes")).text
        assert SECRET in (await owner.get("/packs/small/sources")).text
    [tagged_id] = [
        stored.audit_id
        async for stored in ledger.outcomes(Wanted())
        if stored.record.question_id == "t"
    ]
    closed = await visitor.get(f"/packs/small/outcomes/{tagged_id}")
    assert closed.status == 404
    assert SECRET not in closed.text
    other = await visitor.get(f"/packs/other/outcomes/{tagged_id}")
    assert other.status == 404


async def test_forget_me_reaches_the_pages_R_S5(chat: Chat, visitor: Visitor) -> None:
    """Board and outcomes show a fixed sentence; the count stays."""
    await chat.says("Where does the kestrel sleep?", person=ANNA)
    for path in ("/packs/small/gaps", "/packs/small/outcomes"):
        assert "kestrel" in (await visitor.get(path)).text
    await chat.says("", action=Action.FORGET, person=ANNA)
    pages = await walk(visitor)
    for path, shown in pages.items():
        assert "kestrel" not in shown.text, path
    assert FORGOTTEN in pages["/packs/small/gaps"].read
    assert FORGOTTEN in pages["/packs/small/outcomes"].read


async def test_an_outcome_says_why_R_D5(chat: Chat, visitor: Visitor) -> None:
    ledger = chat.application.ledger
    await ledger.store_document("small", document())
    good = await ledger.record(answered(document(), id="a", pack="small"))
    bad = await ledger.record(refused(id="r", pack="small"))
    told = await visitor.get(f"/packs/small/outcomes/{good}")
    assert "About rest" in told.text
    assert "answered" in told.text
    assert chat.clock.now().date().isoformat() in told.text
    assert (
        "no: nothing close enough"
        in (await visitor.get(f"/packs/small/outcomes/{bad}")).text
    )


async def test_sources_have_age_citations_and_state_R_U11(
    chat: Chat, visitor: Visitor
) -> None:
    """What an administrator withdrew is said to be withdrawn."""
    ledger = chat.application.ledger
    await ledger.store_document("small", document())
    await ledger.store_document("small", document("Gone.", "gone", title="Old page"))
    for number in range(3):
        await ledger.record(answered(document(), id=f"a{number}", pack="small"))
    await ledger.record(answered(document(), id="other", pack="other"))
    await ledger.withdraw("small", "gone")
    page = (await visitor.get("/packs/small/sources")).text
    rest = page[page.index("About rest") :].partition("</tr>")[0]
    assert 'About rest</td><td class="number">3</td>' in rest
    assert "current" in rest
    old = page[page.index("Old page") :].partition("</tr>")[0]
    assert "withdrawn" in old


async def test_lists_are_looked_through_and_put_in_order_R_U11(
    chat: Chat, visitor: Visitor
) -> None:
    """By words of a title or question, by how often; the way on keeps that."""
    ledger = chat.application.ledger
    for number in range(SIZE + 5):
        title = f"Leaflet {number:02}"
        await ledger.store_document("small", document(title, f"d{number}", title=title))
    page = (await visitor.get("/packs/small/sources?words=LEAFLET+07")).text
    assert "Leaflet 07" in page and "Leaflet 08" not in page
    page = (await visitor.get("/packs/small/sources?words=leaflet&by=cited")).text
    assert "page=2" in page and "words=leaflet" in page
    for number, asked in enumerate(("kite", "kite", "cat")):
        text = "Where is the kite?" if asked == "kite" else "Who feeds the cat?"
        await ledger.record(refused(id=f"q{number}", pack="small", text=text))
    found = (await visitor.get("/packs/small/gaps?words=feeds+CAT")).text
    assert "Who feeds the cat?" in found and "the kite" not in found
    often = (await visitor.get("/packs/small/gaps?by=asked")).text
    assert often.index("the kite") < often.index("the cat")
    evil = (await visitor.get("/packs/small/gaps?words=%3Cscript%3E%22")).text
    assert 'value="&lt;script&gt;&#34;"' in evil and "<script" not in evil


async def test_what_did_not_help_is_listed_R_O3(chat: Chat, visitor: Visitor) -> None:
    """With a week in words and a picture on the first page."""
    ledger = chat.application.ledger
    await ledger.store_document("small", document())
    good = await ledger.record(answered(document(), id="a", pack="small", text="One?"))
    bad = await ledger.record(answered(document(), id="b", pack="small", text="Two?"))
    await ledger.record(refused(id="r", pack="small", text="Three?"))
    await chat.mailbox.feedback(Verdict(audit_id=good, asker="x", helpful=True))
    await chat.mailbox.feedback(Verdict(audit_id=bad, asker="x", helpful=False))
    unhelpful = (await visitor.get("/packs/small/outcomes?only=unhelpful")).text
    assert "Two?" in unhelpful and "One?" not in unhelpful
    refusals = (await visitor.get("/packs/small/outcomes?only=refused")).text
    assert "Three?" in refusals and "Two?" not in refusals
    first = (await visitor.get("/")).text
    assert "3 questions in seven days, 2 answered" in first
    assert "1 found not helpful" in first
    svg = first[first.index("<svg") : first.index("</svg>")]
    assert svg.count('class="bar') == 2
    assert "routing_compliance_rate" not in first


async def test_a_long_board_comes_in_small_pages(chat: Chat, visitor: Visitor) -> None:
    """Each gap on one page, the newest first, and no page grows with the board."""
    clock = chat.clock
    assert isinstance(clock, FixedClock)
    await fill(chat.application, [f"Older question {n}?" for n in range(LONG - 1)])
    clock.moment += timedelta(days=1)
    await fill(chat.application, ["The newest question?"])
    first = await visitor.get("/packs/small/gaps")
    assert f"Page 1 of {LONG // SIZE}, {LONG} in all" in first.text
    assert first.text.index("The newest question?") < first.text.index("Older question")
    last = await visitor.get(f"/packs/small/gaps?page={LONG // SIZE}")
    seen = [
        link
        for shown in (first, last)
        for link in read(shown.text).links
        if link.startswith("/packs/small/gaps/")
    ]
    assert len(seen) == len(set(seen)) == 2 * SIZE
    assert max(len(first.text), len(last.text)) < 60_000
    for odd in ("0", "-1", "x", "9" * 40, str(LONG)):
        assert (await visitor.get(f"/packs/small/gaps?page={odd}")).status == 200


async def test_a_passage_is_attached_on_the_page_R_D6(course: Course) -> None:
    """One that does not answer leaves the gap open, with the reason; another closes it;
    whoever was not content is told once."""
    audit_id = await course.asks()
    press = {"action": Action.NOT_HELPFUL, "audit_id": audit_id, "person": ANNA}
    await course.chat.says("", **press)
    pack: Pack = course.pack
    application = course.chat.application
    await collect(application, pack)
    board = Board(application.ledger)
    [gap] = await board.gaps(pack.id)
    page = f"/packs/{pack.id}/gaps/{gap.id}"
    async with visiting(application) as visitor:
        stays = await visitor.act(page, "close")
        assert stays.status == 409
        assert "It stays open: " in stays.read
        wrong = {"question": QOS, "document": "nowhere", "section": "None"}
        assert (await visitor.act(page, "attach", **wrong)).status == 409
        await course.take_in("ros2-qos.md")
        closed = await visitor.act(page, "close")
        assert "Closed, 1 asker told." in closed.read
    await course.chat.works()
    assert [gap.state for gap in await board.gaps()] == [GapState.CLOSED]
    assert len(course.told) == 1


async def test_it_runs_beside_what_serves(chat: Chat) -> None:
    """On an event loop and parts of its own, and ends with it."""
    await fill(chat.application, ["How is it treated?"])
    where = Address(HOST, free_port())
    asked = build_guard(chat.application.settings, where.host, where.port)
    async with aiohttp.ClientSession() as session:
        async with serve_beside(chat.application, where, asked, dict) as port:
            visitor = Visitor(session, port)
            assert "How is it treated?" in (await visitor.get("/packs/small/gaps")).text
        with pytest.raises(aiohttp.ClientError):
            await visitor.get("/")


async def test_an_address_that_is_taken_is_named(chat: Chat, visitor: Visitor) -> None:
    where = Address(HOST, visitor.port)
    asked = build_guard(chat.application.settings, where.host, where.port)
    with pytest.raises(EnvironmentFailed, match="another address with --admin"):
        async with serve_beside(chat.application, where, asked, dict):
            raise AssertionError("it is served twice")


GUESSES = (
    {"quote": "The chief executive earns 1"},
    {"quote": "The chief executive earns 2"},
    {"section": "Salaries"},
    {"section": "Nothing of the kind"},
    {"quote": "The chief executive earns 1.4", "question": "Who earns 300?"},
)


async def test_a_hidden_document_is_as_none_where_one_attaches_R_C5(
    chat: Chat, visitor: Visitor
) -> None:
    """Right and wrong guesses at its text, headings and figures sound like no document.

    No question is put there, also where a page of it came near before it was closed.
    """
    ledger = chat.application.ledger
    text = "The chief executive earns 1.4 million."
    pay = document(text, "salary", tags=("board",), title=f"{SECRET} salaries")
    await ledger.store_document("small", pay)
    near = Nearest(
        document_id="salary",
        title=f"{SECRET} salaries",
        section="",
        url=None,
        relevance=0.6,
    )
    asked = refused(id="r", pack="small", text="Who earns what?")
    await ledger.record(asked.model_copy(update={"nearest": (near,)}))
    board = (await visitor.get("/packs/small/gaps")).text
    (page,) = {p for p in read(board).links if p.startswith("/packs/small/gaps/")}
    assert SECRET not in (await visitor.get(page)).read
    for guess in GUESSES:
        for name in ("salary", "no such document"):
            form = {"question": "Who earns what?", "document": name, **guess}
            shown = await visitor.act(page, "attach", **form)
            assert shown.status == 409
            assert f"small has no document '{name}'" in shown.read
            assert SECRET not in shown.read
    assert await ledger.questions("small", "salary", pay.version) == ()


async def test_a_kept_report_names_no_document_that_was_closed_R_C5(
    chat: Chat, visitor: Visitor
) -> None:
    """It is counted again."""
    ledger = chat.application.ledger
    await ledger.store_document("small", document())
    (day,) = read((await visitor.get("/packs/small/reports")).text).links[-1:]
    until = date.fromisoformat(day.rpartition("/")[2])
    file = locate_page(chat.application.data, "small", until)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("<p>Most cited: About rest</p>", encoding="utf-8")
    assert "Most cited: About rest" in (await visitor.get(day)).text
    await ledger.store_document("small", document(tags=("board",)))
    assert "About rest" not in (await visitor.get(day)).text
