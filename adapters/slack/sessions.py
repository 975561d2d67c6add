"""Show in a thread that the bot is looking: agent sessions, or what was before them.

An app whose manifest says `agent_view` has a session for each thread. While that is
"processing", people see that the bot works and can stop it; the app itself has to end
that. An app of before says `assistant_view`, which Slack takes until February 2027: it
sets a text instead, which a post into the thread takes away. No call says which of them
an app is, but Slack refuses sessions to the older one, and that is kept in mind.
"""

from contextlib import suppress

from adapters.slack.calls import CallFailed, call
from adapters.slack.workspaces import Bot, Clients

PROCESSING, ACTIVE = "processing", "active"
SHOWING = 5.0  # seconds for a call; later it is of no use
# How Slack refuses what only an agent may do; any other refusal is of this one call.
NO_AGENT = frozenset(
    {"feature_disabled", "not_agent_app", "not_authorized", "unknown_method"}
)


class Sessions:
    """The sessions of each workspace.

    Args:
        clients: of the workspaces.
    """

    def __init__(self, clients: Clients) -> None:
        self._clients = clients
        self._agents: dict[str, bool] = {}

    def is_agent(self, bot: Bot) -> bool | None:
        """Tell whether the app is an agent in a workspace; None where not known."""
        return self._agents.get(bot.team)

    def learn(self, bot: Bot, failed: CallFailed | None = None) -> None:
        """Keep in mind what a call says that only an agent may make."""
        if failed is None or failed.error in NO_AGENT:
            self._agents[bot.team] = failed is None

    async def set(
        self, bot: Bot, channel: str, thread: str, status: str, within: float = SHOWING
    ) -> bool:
        """Set the status of a thread's session; False where it has none.

        A failure is ignored: it changes nothing but what people see meanwhile.
        """
        if self.is_agent(bot) is False:
            return False
        setting = self._clients.of(bot).agents_sessions_setStatus(
            channel_id=channel, thread_ts=thread, status=status
        )
        try:
            await call(setting, within)
        except CallFailed as failed:
            self.learn(bot, failed)
            return False
        self.learn(bot)
        return True

    async def end(self, bot: Bot, channel: str, thread: str, *, seen: bool) -> None:
        """Say that the bot is looking no more; `seen`: its post said so already."""
        if await self.set(bot, channel, thread, ACTIVE) or seen:
            return
        ending = self._clients.of(bot).assistant_threads_setStatus(
            channel_id=channel, thread_ts=thread, status=""
        )
        with suppress(CallFailed):  # Slack takes it away after two minutes
            await call(ending, SHOWING)
