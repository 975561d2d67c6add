"""Renew the pictures of docs/operations.md: administrators' pages and weekly report.

    python -m scripts.admin_screenshots

Four weeks of questions over the demo texts of the textbook are asked of the real
engine, on days of their own, and the pages drawn of what is then on record. Written to
docs/images/, as scripts/screenshots.py does.
"""

import asyncio
import shutil
import socket
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from adapters.ledger.board import Board
from adapters.ledger.history import Wanted
from adapters.ledger.mail_records import Verdict
from bot.admin.desk import Desk
from bot.admin.guard import guard
from bot.admin.site import AdminSite, serving
from bot.assistant import Asked, Assistant
from bot.gaps.collecting import collect
from bot.wiring import Application
from config.settings import PACKS, Settings
from scripts.browser import Screen, open_browser
from scripts.screenshots import IMAGES, LARGEST, PAGE, picture

PACK = "textbook"
HOST = "127.0.0.1"
TODAY = datetime(2026, 11, 23, 9, tzinfo=UTC)
DAYS = 28
WIDTH = 1000
ANSWERED = (
    "How do you tune a PID controller?",
    "What does a launch file do?",
    "What is integral windup?",
    "Which command prints the transform between two frames?",
)
REFUSED = (
    "Is ROS 2 better than ROS 1?",
    "How much does a quadruped robot cost? Write to kim@example.org.",
    "How do I cook rice?",
    "my robot overshoots, what now?",
)


@dataclass
class Calendar:
    """The Clock port on a day that is set."""

    moment: datetime = TODAY
    passed: float = 0.0

    def now(self) -> datetime:
        return self.moment

    def monotonic(self) -> float:
        self.passed += 0.02
        return self.passed


async def lived(application: Application, calendar: Calendar) -> None:
    """Four weeks of questions, some of them on most days."""
    assistant = Assistant(application, frozenset())
    calendar.moment = TODAY - timedelta(days=DAYS)
    pack = await assistant.pack(PACK)
    for day in range(DAYS):
        calendar.moment = TODAY - timedelta(days=DAYS - day)
        for number in range(1 + (day * 5) % 4):
            asked = ANSWERED if (day + number) % 3 else REFUSED
            text = asked[(day + number) % len(asked)]
            outcome = await assistant.ask(pack, Asked(text=text))
            if number == 1 and outcome.audit_id:
                helpful = day % 4 != 0
                verdict = Verdict(
                    audit_id=outcome.audit_id, asker=f"{day}", helpful=helpful
                )
                await application.mailbox.feedback(verdict)
        await collect(application, pack)
    calendar.moment = TODAY


async def places(application: Application) -> dict[str, tuple[str, bool]]:
    """Name of a picture: the page that it shows, and whether in the dark."""
    gap = (await Board(application.ledger).gaps(PACK))[0].id
    wanted = Wanted(pack=PACK)
    newest = [one.audit_id async for one in application.ledger.outcomes(wanted, 1)]
    home = f"packs/{PACK}"
    return {
        "admin-health": ("", False),
        "admin-gaps": (f"{home}/gaps", False),
        "admin-gap": (f"{home}/gaps/{gap}", True),
        "admin-outcome": (f"{home}/outcomes/{newest[0]}", False),
        "admin-sources": (f"{home}/sources", False),
        "weekly-report": (f"{home}/reports/{TODAY.date().isoformat()}", False),
    }


async def renew(images: Path) -> int:
    """Take every picture; 0 where none is too large."""
    with tempfile.TemporaryDirectory() as folder:
        packs = Path(folder) / "packs"
        shutil.copytree(PACKS / PACK, packs / PACK)
        settings = Settings(data=Path(folder) / "data", packs=packs)
        calendar = Calendar()
        async with Application(settings, clock=calendar) as application:
            await lived(application, calendar)
            return await drawn(application, images)


async def drawn(application: Application, images: Path) -> int:
    """Every picture over what is on record; 0 where none is too large."""
    with socket.socket() as free:
        free.bind((HOST, 0))
        port = int(free.getsockname()[1])
    asked = guard(application.settings, HOST, port)
    site = AdminSite(Desk(application, frozenset()), asked)
    largest = 0
    async with serving(site, HOST, port), open_browser() as browser:
        for name, (place, dark) in (await places(application)).items():
            url = f"http://{HOST}:{port}/{place}"
            screen = Screen(width=WIDTH, dark=dark)
            taken = await picture(browser, url, PAGE, screen)
            (images / f"{name}.png").write_bytes(taken)
            largest = max(largest, len(taken))
    return 0 if largest <= LARGEST else 1


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    raise SystemExit(asyncio.run(renew(IMAGES)))
