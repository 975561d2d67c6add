"""What the settings say about conversations, checked against the packs there are."""

from collections.abc import Collection

from adapters.mail import Platform
from bot.messages.steps import Rules
from config import settings as configuration
from config.settings import Settings
from engine.model.errors import UsageError

MILLIONTHS = 1_000_000  # of one unit of `budget.cost`


def read_rules(settings: Settings, installed: Collection[str]) -> Rules:
    """The rules of one process.

    Args:
        settings: the environment's.
        installed: the names of the packs.

    Raises:
        UsageError: a limit names no pack, so that the one that was meant would answer
            everywhere.
    """
    for name in settings.pack_tenants:
        if name not in installed:
            raise UsageError(
                f"{configuration.name('pack_tenants')}: no pack is called {name!r}"
            )
    ceiling = settings.daily_ceiling
    return Rules(
        packs={
            Platform.SLACK: settings.slack_pack,
            Platform.DISCORD: settings.discord_pack,
        },
        admins=frozenset(settings.admins),
        tenants=settings.pack_tenants,
        ceiling=None if ceiling is None else round(ceiling * MILLIONTHS),
        per_person=settings.person_limit,
        per_channel=settings.channel_limit,
        retention_days=settings.retention_days,
    )
