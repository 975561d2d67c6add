"""Before serving: check that bound packs may be used, and have documents."""

from collections.abc import Collection

from adapters.mail import Platform
from bot.console import say
from bot.documents.demo import take_in_demo
from bot.messages import wording
from bot.wiring import Application
from config import settings as configuration
from engine.model.errors import UsageError


async def prepare(application: Application, platforms: Collection[Platform]) -> None:
    """Check what channels are bound to; packs without documents get demo texts.

    A channel's binding that must not be is said and stays: the channel is told so, and
    an administrator can bind another pack.

    Raises:
        UsageError: a pack that the settings name is gone, wrong, or forbidden where it
            should answer.
        EnvironmentFailed: ledger, index or embedder cannot be opened.
    """
    for platform in platforms:
        problem = find_problem(application, application.rules.packs[platform], platform)
        if problem is not None:
            variable = configuration.name(f"{platform}_pack")
            raise UsageError(f"{variable}: {problem}")
        for binding in await application.mailbox.bindings(platform):
            problem = find_problem(application, binding.pack, platform)
            if problem is not None:
                say(f"groundrule: {platform} channel {binding.channel}: {problem}")
    for pack in (await application.packs_in_use()).values():
        folder = application.settings.packs
        await take_in_demo(application.corpus(pack), folder, application.data)


def find_problem(
    application: Application, name: str | None, platform: Platform
) -> str | None:
    """Say why a channel of this pack would not be answered; None where it would."""
    if name is None:
        return None
    try:
        pack = application.pack(name)
    except UsageError as error:
        return str(error)
    if platform.value in pack.platforms_forbidden:
        return wording.forbidden(pack.title, platform)
    return None
