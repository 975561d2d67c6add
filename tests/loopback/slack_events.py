"""What Slack sends to a bot, built from what the loopback Slack knows; nothing is sent.

The shapes are those of the reference (docs.slack.dev/reference/events and
/reference/interaction-payloads, read in 2026-11).
"""

import time
from typing import Any

from tests.loopback.slack_state import APP, Json, Message, Team, Workspace

_CHANNEL_TYPES = {"channel": "channel", "private": "group", "im": "im"}


def callback(
    workspace: Workspace, team: Team, event: Json, event_id: str | None = None
) -> Json:
    """An event in its outer form; the id is new unless one is given."""
    return {
        "token": "verification",
        "team_id": team.id,
        "context_team_id": team.id,
        "context_enterprise_id": None,
        "api_app_id": APP,
        "type": "event_callback",
        "event_id": event_id or workspace.number("Ev"),
        "event_time": int(time.time()),
        "event_context": workspace.number("context-"),
        "is_ext_shared_channel": False,
        "authorizations": [
            {
                "enterprise_id": None,
                "team_id": team.id,
                "user_id": team.bot_user,
                "is_bot": True,
                "is_enterprise_install": False,
            }
        ],
        "event": event,
    }


def app_mention(message: Message, **more: Any) -> Json:
    """Somebody named the bot."""
    return _message(message) | {"type": "app_mention"} | more


def written(workspace: Workspace, message: Message, **more: Any) -> Json:
    """Somebody wrote where the bot reads along: a channel, a thread, directly."""
    kind = workspace.channels[message.channel].kind
    return _message(message) | {"channel_type": _CHANNEL_TYPES[kind]} | more


def edited(workspace: Workspace, message: Message, before: Json) -> Json:
    """Somebody changed a message."""
    kind = workspace.channels[message.channel].kind
    ts = workspace.ts()
    return {
        "type": "message",
        "subtype": "message_changed",
        "hidden": True,
        "channel": message.channel,
        "channel_type": _CHANNEL_TYPES[kind],
        "ts": ts,
        "event_ts": ts,
        "message": message.json(),
        "previous_message": before,
    }


def deleted(workspace: Workspace, message: Message, before: Json) -> Json:
    """Somebody took a message away; one with replies was changed to a tombstone."""
    if message.subtype == "tombstone":
        return edited(workspace, message, before)
    event = edited(workspace, message, before)
    del event["message"]
    return event | {"subtype": "message_deleted", "deleted_ts": message.ts}


def pane_opened(team: Team, root: Message, user: str, about: str | None) -> Json:
    """Somebody opened the assistant pane, perhaps while looking at a channel."""
    context = {"channel_id": about, "team_id": team.id, "enterprise_id": None}
    return {
        "type": "assistant_thread_started",
        "assistant_thread": {
            "user_id": user,
            "channel_id": root.channel,
            "thread_ts": root.ts,
            "context": context if about else {},
        },
        "event_ts": root.ts,
    }


def home_opened(
    workspace: Workspace, user: str, channel: str, tab: str = "home"
) -> Json:
    """Somebody opened the App Home, or the messages beside it."""
    event: Json = {
        "type": "app_home_opened",
        "user": user,
        "channel": channel,
        "tab": tab,
        "event_ts": workspace.ts(),
    }
    home = workspace.homes.get(user) if tab == "home" else None
    return event | {"view": home} if home else event


def stopped(workspace: Workspace, user: str, channel: str, thread_ts: str) -> Json:
    """Somebody pressed the stop button of an agent's session."""
    return {
        "type": "agent_session_stopped",
        "channel": channel,
        "thread_ts": thread_ts,
        "streaming_message_ts": [],
        "user": user,
        "event_ts": workspace.ts(),
    }


def _message(message: Message) -> Json:
    event = message.json() | {
        "channel": message.channel,
        "event_ts": message.ts,
        "client_msg_id": f"c-{message.ts}",
    }
    if message.bot:
        del event["client_msg_id"]
    return event


# --- what people press and type ---------------------------------------------------


def pressed(
    workspace: Workspace, team: Team, user: str, kind: str, **more: Any
) -> Json:
    """What every interaction begins with."""
    person = workspace.people[user]
    return {
        "type": kind,
        "token": "verification",
        "api_app_id": APP,
        "team": {"id": team.id, "domain": team.id.lower()},
        "enterprise": None,
        "is_enterprise_install": False,
        "user": {
            "id": user,
            "username": person.name,
            "name": person.name,
            "team_id": team.id,
        },
        "trigger_id": workspace.trigger(user),
        **more,
    }


def command(
    workspace: Workspace,
    team: Team,
    user: str,
    channel: str,
    line: str,
    response_url: str,
) -> Json:
    """Somebody typed a slash command; `line` is "/name and what follows"."""
    name, _, text = line.partition(" ")
    return {
        "token": "verification",
        "team_id": team.id,
        "team_domain": team.id.lower(),
        "channel_id": channel,
        "channel_name": workspace.channels[channel].name or "directmessage",
        "user_id": user,
        "user_name": workspace.people[user].name,
        "command": name,
        "text": text,
        "api_app_id": APP,
        "is_enterprise_install": "false",
        "response_url": response_url,
        "trigger_id": workspace.trigger(user),
    }


def place(workspace: Workspace, channel: str) -> Json:
    """A channel as interactions name it."""
    return {"id": channel, "name": workspace.channels[channel].name or "directmessage"}


def found(blocks: list[Json], action_id: str) -> tuple[Json, Json]:
    """The block and the element with this action id.

    Raises:
        LookupError: no element has it.
    """
    for block in blocks:
        inside = [block.get("accessory"), block.get("element")]
        for element in [*block.get("elements", []), *inside]:
            if isinstance(element, dict) and element.get("action_id") == action_id:
                return block, element
    raise LookupError(f"no element {action_id!r} in {blocks}")


def action(block: Json, element: Json, value: str | None, ts: str) -> Json:
    """What an element says when somebody uses it; `value` names what was chosen.

    Raises:
        LookupError: the element does not offer that.
    """
    said: Json = {
        "type": element["type"],
        "action_id": element["action_id"],
        "block_id": block["block_id"],
        "action_ts": ts,
    }
    match element["type"]:
        case "button":
            kept = {
                name: element[name] for name in ("text", "value") if name in element
            }
            return said | kept
        case "feedback_buttons":
            sides = (element["positive_button"], element["negative_button"])
            (side,) = (side for side in sides if side["value"] == value)
            return said | {"value": side["value"], "text": side["text"]}
        case "radio_buttons":
            options = element["options"]
            chosen = [option for option in options if option["value"] == value]
            if not chosen:
                raise LookupError(f"{value!r} is none of {options}")
            return said | {"selected_option": chosen[0]}
        case "plain_text_input":
            return said | {"value": value}
        case kind:
            raise LookupError(f"nobody can use a {kind}")
