"""The Web API's methods on messages, as strict as Slack: chat.* and conversations.*.

Each method takes the state, the calling workspace and the arguments, and returns what
goes beside `ok: true`. Four traps of the real Slack are kept on purpose: a reply to a
message that is gone is posted into the channel, without any error; a page of a thread
repeats the parent; metadata comes back only when asked for; what one person is shown in
a thread without replies is seen by nobody, and is a problem of the server's.
"""

import base64
import binascii
from typing import Any

from tests.loopback.slack_state import (
    Channel,
    Json,
    Message,
    Private,
    Refused,
    Team,
    Workspace,
)
from tests.platforms.slack_limits import BLOCKS_TOTAL, blocks_length, check_blocks

TEXT = 40_000  # chat.postMessage
EDITED_TEXT = 4_000  # chat.update
METADATA = 16_000  # bytes


def content(args: Json, longest: int = TEXT) -> tuple[str, list[Json]]:
    """The text and the blocks of a message to be shown.

    Raises:
        Refused: Slack would not show it.
    """
    text, blocks = args.get("text") or "", args.get("blocks") or []
    if args.get("markdown_text"):
        if text or blocks:
            raise Refused("markdown_text_conflict")
        blocks = [{"type": "markdown", "text": args["markdown_text"]}]
    if not (text or blocks):
        raise Refused("no_text")
    if len(text) > longest:
        raise Refused("msg_too_long")
    if blocks_length(blocks) > BLOCKS_TOTAL:
        raise Refused("msg_blocks_too_long")
    problems = check_blocks(blocks, "message")
    if problems:
        raise Refused("invalid_blocks", *problems)
    return text, blocks


def named(workspace: Workspace, blocks: list[Json]) -> list[Json]:
    """The blocks, each with an id."""
    return [{"block_id": workspace.number("b"), **block} for block in blocks]


def metadata(args: Json) -> Json | None:
    """The metadata of a message.

    Raises:
        Refused: it has not the two fields that Slack asks for, or is too large.
    """
    given = args.get("metadata")
    if not given:
        return None
    if not isinstance(given, dict) or set(given) != {"event_type", "event_payload"}:
        raise Refused("invalid_metadata_format")
    if not isinstance(given["event_payload"], dict):
        raise Refused("invalid_metadata_schema")
    if len(str(given)) > METADATA:
        raise Refused("metadata_too_large")
    return given


def validate(workspace: Workspace, team: Team, args: Json) -> Json:
    """Say whether blocks or a message would be taken; nothing is shown."""
    given = [name for name in ("blocks", "message") if name in args]
    if len(given) != 1:
        raise Refused("invalid_arguments", "exactly one of blocks and message")
    [name] = given
    shown = args[name]["blocks"] if name == "message" else args[name]
    if problems := check_blocks(shown, "message"):
        raise Refused(f"invalid_{name}", *problems)
    return {}


def joined(workspace: Workspace, team: Team, name: str) -> Channel:
    """The channel that the bot may write to; a person's id means their messages.

    Raises:
        Refused: there is none, or the bot is no member.
    """
    person = workspace.people.get(name)
    if person is not None and person.team == team.id:
        return workspace.direct(team.id, name)
    channel = workspace.visible(team, name)
    if team.bot_user not in channel.members:
        raise Refused("not_in_channel")
    return channel


def parent(channel: Channel, args: Json) -> str | None:
    """The thread a reply goes to; None where the parent is gone, which is no error.

    Raises:
        Refused: the timestamp is that of a reply.
    """
    found = channel.messages.get(args.get("thread_ts") or "")
    if found is None:
        return None
    if found.thread_ts not in (None, found.ts):
        raise Refused("cannot_reply_to_message")
    return found.ts


def _owned(workspace: Workspace, team: Team, args: Json, error: str) -> Message:
    channel = workspace.visible(team, args["channel"])
    message = channel.messages.get(args["ts"])
    if message is None:
        raise Refused("message_not_found")
    if message.bot != team.bot:
        raise Refused(error)
    return message


# --- chat.* -----------------------------------------------------------------------


def post_message(workspace: Workspace, team: Team, args: Json) -> Json:
    """Post to a channel, a thread or a person."""
    channel = joined(workspace, team, args["channel"])
    text, blocks = content(args)
    message = workspace.add(
        Message(
            channel.id,
            workspace.ts(),
            team.bot_user,
            text,
            team.id,
            named(workspace, blocks),
            parent(channel, args),
            metadata(args),
            team.bot,
            sent=args,
        )
    )
    shown = message.json(metadata=True)
    return {"channel": channel.id, "ts": message.ts, "message": shown}


def post_ephemeral(workspace: Workspace, team: Team, args: Json) -> Json:
    """Show something to one member of a channel."""
    channel = joined(workspace, team, args["channel"])
    if args["user"] not in channel.members:
        raise Refused("user_not_in_channel")
    if args.get("thread_ts") and len(channel.thread(args["thread_ts"])) < 2:
        content(args)
        told = f"nobody sees an ephemeral in the thread {args['thread_ts']}: no replies"
        workspace.problems.append(told)
        return {"message_ts": workspace.ts()}
    private = whispered(workspace, channel, args["user"], "chat.postEphemeral", args)
    return {"message_ts": private.ts}


def whispered(
    workspace: Workspace, channel: Channel, user: str, way: Any, args: Json
) -> Private:
    """Show something to one person.

    Raises:
        Refused: Slack would not show it.
    """
    text, blocks = content(args)
    ts, thread = workspace.ts(), args.get("thread_ts")
    shown = tuple(named(workspace, blocks))
    at = workspace.now()
    private = Private(channel.id, user, ts, text, shown, thread, way, at, args)
    workspace.privates.append(private)
    workspace.changed("private", channel=channel.id, user=user, text=text, way=way)
    return private


def update(workspace: Workspace, team: Team, args: Json) -> Json:
    """Change a message of the bot; what is left out stays."""
    message = _owned(workspace, team, args, "cant_update_message")
    text, blocks = content(args, EDITED_TEXT)
    message.text = text
    if "blocks" in args or "markdown_text" in args:
        message.blocks = named(workspace, blocks)
    if "metadata" in args:
        message.metadata = metadata(args)
    message.edited = True
    message.sent = args
    workspace.changed("update", channel=message.channel, ts=message.ts, text=text)
    shown = message.json(metadata=True)
    place = {"channel": message.channel, "ts": message.ts, "text": text}
    return place | {"message": shown}


def delete(workspace: Workspace, team: Team, args: Json) -> Json:
    """Take a message of the bot away."""
    message = _owned(workspace, team, args, "cant_delete_message")
    removed(workspace, message)
    return {"channel": message.channel, "ts": message.ts}


def removed(workspace: Workspace, message: Message) -> None:
    """Take a message away; one with replies leaves a tombstone in its place."""
    channel = workspace.channels[message.channel]
    if len(channel.thread(message.ts)) > 1:
        message.text, message.blocks, message.subtype = "", [], "tombstone"
    else:
        del channel.messages[message.ts]
    message.deleted = True
    workspace.changed("delete", channel=message.channel, ts=message.ts)


# --- conversations.* and users.* --------------------------------------------------


def replies(workspace: Workspace, team: Team, args: Json) -> Json:
    """A thread, a page at a time, the parent first on each page."""
    channel = workspace.visible(team, args["channel"])
    thread = channel.thread(args["ts"])
    if not thread:
        raise Refused("thread_not_found")
    page = _page([m for m in thread[1:] if _between(m, args)], args, 1_000)
    page["messages"].insert(0, thread[0].json(metadata=bool(_wants(args))))
    return page


def history(workspace: Workspace, team: Team, args: Json) -> Json:
    """A channel without the replies, newest first."""
    channel = joined(workspace, team, args["channel"])
    top = [m for m in channel.messages.values() if m.thread_ts in (None, m.ts)]
    newest_first = [m for m in reversed(top) if _between(m, args)]
    return _page(newest_first, args, 100)


def _wants(args: Json) -> bool:
    return bool(args.get("include_all_metadata"))


def _between(message: Message, args: Json) -> bool:
    oldest, latest = args.get("oldest") or "0", args.get("latest") or "9" * 17
    if args.get("inclusive") and message.ts in (oldest, latest):
        return True
    return oldest < message.ts < latest


def _page(messages: list[Message], args: Json, size: int) -> Json:
    """One page of messages, with the cursor of the next one."""
    size = min(args.get("limit") or size, 1_000)
    start = 0
    if args.get("cursor"):
        try:
            start = int(base64.b64decode(args["cursor"], validate=True))
        except (binascii.Error, ValueError):
            raise Refused("invalid_cursor") from None
    shown = [m.json(metadata=_wants(args)) for m in messages[start : start + size]]
    more = start + size < len(messages)
    cursor = base64.b64encode(str(start + size).encode()).decode() if more else ""
    return {
        "messages": shown,
        "has_more": more,
        "response_metadata": {"next_cursor": cursor},
    }


def info(workspace: Workspace, team: Team, args: Json) -> Json:
    """What a channel is."""
    channel = workspace.visible(team, args["channel"])
    return {
        "channel": {
            "id": channel.id,
            "name": channel.name,
            "is_channel": channel.kind != "im",
            "is_im": channel.kind == "im",
            "is_private": channel.kind != "channel",
            "is_member": team.bot_user in channel.members,
            "is_archived": False,
            "num_members": len(channel.members),
        }
    }


def open_direct(workspace: Workspace, team: Team, args: Json) -> Json:
    """The direct messages with a person, opened when need be."""
    if args.get("channel"):
        return {"channel": {"id": workspace.visible(team, args["channel"]).id}}
    person = workspace.people.get(args.get("users") or "")
    if person is None or person.team != team.id:
        raise Refused("user_not_found")
    return {"channel": {"id": workspace.direct(team.id, person.id).id}}


def user_info(workspace: Workspace, team: Team, args: Json) -> Json:
    """Who a person is."""
    person = workspace.people.get(args["user"])
    if person is None or person.team != team.id:
        raise Refused("user_not_found")
    return {
        "user": {
            "id": person.id,
            "team_id": person.team,
            "name": person.name,
            "real_name": person.name,
            "tz": person.zone,
            "is_bot": person.bot,
            "is_restricted": person.guest,
            "is_ultra_restricted": False,
            "deleted": False,
            "profile": {"display_name": person.name, "real_name": person.name},
        }
    }
