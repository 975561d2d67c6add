"""Before serving: packs that may be used where they are bound, and have documents."""

from collections.abc import Collection

from adapters.mail import Platform
from bot import wording
from bot.console import say
from bot.demo import take_in_demo
from bot.wiring import Application
from engine.errors import UsageError


async def prepare(application: Application, platforms: Collection[Platform]) -> None:
    """Check what channels are bound to (R-C6); packs without documents get demo texts.

    A channel's binding that must not be is said and stands: the channel is told so, and
    an administrator can bind another pack.

    Raises:
        UsageError: a pack that the settings name is gone, wrong, or forbidden where it
            should answer.
        EnvironmentFailed: ledger, index or embedder cannot be opened.
    """
    for platform in platforms:
        name = application.rules.packs.get(platform)
        if name is not None and forbids(application, name, platform):
            raise UsageError(wording.forbidden(application.pack(name).title, platform))
        for binding in await application.mailbox.bindings(platform):
            problem = _problem(application, binding.pack, platform)
            if problem is not None:
                say(f"groundrule: {platform} channel {binding.channel}: {problem}")
    for pack in (await application.packs_in_use()).values():
        folder = application.settings.packs
        await take_in_demo(application.corpus(pack), folder, application.data)


def forbids(application: Application, name: str, platform: Platform) -> bool:
    """Whether a pack must not be used on a platform.

    Raises:
        UsageError: there is no such pack, or it is wrong.
    """
    return platform.value in application.pack(name).platforms_forbidden


def _problem(
    application: Application, name: str | None, platform: Platform
) -> str | None:
    """Why a channel will not be answered."""
    if name is None:
        return None
    try:
        if forbids(application, name, platform):
            return wording.forbidden(application.pack(name).title, platform)
    except UsageError as error:
        return str(error)
    return None
