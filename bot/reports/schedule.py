"""The weekly report on a schedule: posted once a week, whoever serves.

A report is noted in the audit chain, in one transaction with the posts. So one of
several processes reports, and one that was not there at the hour does it later.
"""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import get_args

from adapters.ledger.operations import Operations
from adapters.owner import FOLDER
from bot.gaps.collecting import collect
from bot.pages.templates import write_page
from bot.reports.page import render_page, write_post
from bot.reports.posting import make_letter, parse_channel
from bot.reports.weekly import WEEK, count_week
from bot.wiring import Application
from config import settings as configuration
from config.forms import Day
from config.settings import Settings
from engine.model.errors import EnvironmentFailed, UsageError
from engine.parse.dates import to_local

PAGES = "reports"  # folder of the pages, in the data folder
DAYS = get_args(Day)


def find_last_due(settings: Settings, time_zone: str, now: datetime) -> date:
    """Return the day of the last report that is due by now;

    it tells of the week before.
    """
    here = to_local(time_zone, now)
    since = (here.weekday() - DAYS.index(settings.weekly_day)) % WEEK
    if since == 0 and here.hour < settings.weekly_hour:
        since = WEEK
    return here.date() - timedelta(days=since)


def read_channels(application: Application) -> Mapping[str, frozenset[str]]:
    """Return the channels of each pack whose week is posted.

    Raises:
        UsageError: a pack is not there, or may not answer in such a place.
    """
    settings, variable = application.settings, configuration.name("weekly")
    for pack, channels in settings.weekly.items():
        if pack not in application.pack_names():
            raise UsageError(f"{variable}: no pack is called {pack!r}")
        limits = settings.pack_tenants.get(pack)
        for named in sorted(channels):
            home = named.rpartition(":")[0]
            if limits is not None and home not in limits:
                raise UsageError(f"{variable}: {pack} may not answer in {home}")
    return settings.weekly


def locate_page(data: Path, pack: str, until: date) -> Path:
    """Return the file of a report's page."""
    return data / PAGES / f"{pack}-{until.isoformat()}.html"


async def report_due(application: Application) -> tuple[str, ...]:
    """Post what is due and was not posted; return the packs whose week that is.

    Raises:
        UsageError: a pack is wrong.
        EnvironmentFailed: the record cannot be read, or the page not be written.
    """
    operations, done = Operations(application.ledger), []
    for name, channels in read_channels(application).items():
        pack = application.pack(name)
        now = application.clock.now()
        until = find_last_due(application.settings, pack.time_zone, now)
        if await operations.reported(name, until):
            continue
        await collect(application, pack)
        week = await count_week(application, pack, until)
        _keep(render_page(week), locate_page(application.data, name, until))
        event = f"report:{name}:{until.isoformat()}"
        posts = [
            make_letter(
                application, parse_channel(each), write_post(week), f"{event}:{each}"
            )
            for each in sorted(channels)
        ]
        if await operations.report(name, until, posts):
            done.append(name)
    return tuple(done)


def _keep(drawn: str, file: Path) -> None:
    """Write a page that is there whole or not at all, for its owner alone."""
    try:
        file.parent.mkdir(mode=FOLDER, exist_ok=True)
        draft = file.with_suffix(".draft")
        write_page(drawn, draft)
        draft.replace(file)
    except OSError as error:
        raise EnvironmentFailed(f"cannot write {file} ({error.strerror})") from error
