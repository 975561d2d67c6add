"""Answers that reach a reader without the Web API: response URLs, acknowledgements."""

from typing import Literal

from tests.loopback.slack_chat import content, metadata, named, removed, whispered
from tests.loopback.slack_state import Json, Message, Refused, ReplyUrl, Workspace

USES = 5


def new_url(
    workspace: Workspace,
    *,
    team: str,
    channel: str,
    user: str,
    message: Message | None = None,
    private: bool = False,
) -> str:
    """The name of a response URL for what this person pressed or typed."""
    name = workspace.number("R")
    workspace.reply_urls[name] = ReplyUrl(
        team,
        channel,
        user,
        message.ts if message else None,
        message.thread_ts if message else None,
        private,
        workspace.now(),
    )
    return name


def used(workspace: Workspace, name: str) -> ReplyUrl:
    """Count one use of a response URL.

    Raises:
        Refused: there is none, or it was used up, or it is too old.
    """
    url = workspace.reply_urls.get(name)
    if url is None:
        raise Refused("no_such_url")
    if url.uses >= USES:
        raise Refused("used_url")
    if workspace.now() - url.made > workspace.timing.response_url:
        raise Refused("expired_url")
    url.uses += 1
    return url


def respond(
    workspace: Workspace, url: ReplyUrl, args: Json, way: Literal["response_url", "ack"]
) -> None:
    """Show an answer: in place of the message, to everybody, or to one person.

    Raises:
        Refused: Slack would not show it.
    """
    channel = workspace.channels[url.channel]
    original = channel.messages.get(url.ts or "")
    if args.get("delete_original"):
        if original is not None:
            removed(workspace, original)
        _hidden(workspace, url)
        return
    if args.get("replace_original") and original is not None:
        text, blocks = content(args)
        original.text, original.blocks = text, named(workspace, blocks)
        original.edited, original.sent = True, args
        workspace.changed("update", channel=channel.id, ts=original.ts, text=text)
        return
    if args.get("response_type", "ephemeral") == "in_channel":
        _post(workspace, url, args)
    else:
        shown = whispered(workspace, channel, url.user, way, args)
        if args.get("replace_original"):
            _hidden(workspace, url)
        url.shown = url.shown or shown


def _hidden(workspace: Workspace, url: ReplyUrl) -> None:
    """Take away what the person saw first; what comes now stands in its place."""
    if url.shown is not None:
        url.shown.gone = True
        workspace.changed("hidden", channel=url.channel, ts=url.shown.ts)
    url.shown = None


def _post(workspace: Workspace, url: ReplyUrl, args: Json) -> None:
    team = workspace.teams[url.team]
    text, blocks = content(args)
    workspace.add(
        Message(
            url.channel,
            workspace.ts(),
            team.bot_user,
            text,
            team.id,
            named(workspace, blocks),
            args.get("thread_ts"),
            metadata(args),
            team.bot,
            sent=args,
        )
    )
