"""The Web API's methods on views, assistant threads and installation."""

from typing import Any

from tests.loopback.slack_chat import joined
from tests.loopback.slack_state import APP, Json, Refused, Status, Team, Workspace
from tests.platforms.slack_limits import check_view

PROMPTS = 4
LOADING_MESSAGES = 10
SESSION = ("active", "processing", "suspended", "closed")


def _checked(view: Any, kind: str) -> Json:
    if not isinstance(view, dict):
        raise Refused("invalid_arguments", "view is no object")
    problems = check_view(view)
    if view.get("type") != kind:
        problems.append(f"type: this call takes a {kind}")
    if problems:
        raise Refused("invalid_arguments", *problems)
    return view


def kept(workspace: Workspace, team: Team, view: Json, user: str, **more: Any) -> Json:
    """Keep a view as Slack does, with its id and hash, and return it so."""
    name = more.pop("id", None) or workspace.number("V")
    stored = {
        "callback_id": "",
        "private_metadata": "",
        "external_id": "",
        "close": None,
        "submit": None,
        **view,
        "id": name,
        "team_id": team.id,
        "app_id": APP,
        "bot_id": team.bot,
        "app_installed_team_id": team.id,
        "hash": workspace.number("h"),
        "state": {"values": {}},
        "root_view_id": name,
        "previous_view_id": None,
        **more,
    }
    stored["blocks"] = [
        {"block_id": workspace.number("b"), **block} for block in view["blocks"]
    ]
    workspace.views[name] = stored | {"user": user}
    workspace.changed("view", id=name, type=view["type"], user=user)
    return stored


def open_view(workspace: Workspace, team: Team, args: Json) -> Json:
    """Open a modal for whoever pressed something a moment ago."""
    view = _checked(args["view"], "modal")
    user = workspace.redeemed(args["trigger_id"]).user
    external = view.get("external_id")
    if external and any(v["external_id"] == external for v in workspace.views.values()):
        raise Refused("duplicate_external_id")
    return {"view": kept(workspace, team, view, user)}


def update_view(workspace: Workspace, team: Team, args: Json) -> Json:
    """Change a view that stands, unless somebody else did."""
    external = args.get("external_id")
    by_name = (v for v in workspace.views.values() if v["external_id"] == external)
    old = workspace.views.get(args.get("view_id", ""))
    old = old or (next(by_name, None) if external else None)
    if old is None or old["team_id"] != team.id:
        raise Refused("not_found")
    if args.get("hash") and args["hash"] != old["hash"]:
        raise Refused("hash_conflict")
    view = _checked(args["view"], old["type"])
    return {"view": kept(workspace, team, view, old["user"], id=old["id"])}


def publish_view(workspace: Workspace, team: Team, args: Json) -> Json:
    """Show a person the App Home."""
    person = workspace.people.get(args["user_id"])
    if person is None or person.team != team.id:
        raise Refused("user_not_found")
    old = workspace.homes.get(person.id)
    if args.get("hash") and old and args["hash"] != old["hash"]:
        raise Refused("hash_conflict")
    view = _checked(args["view"], "home")
    name = old["id"] if old else None
    stored = kept(workspace, team, view, person.id, id=name)
    workspace.homes[person.id] = stored
    return {"view": stored}


# --- assistant.threads.*, agents.sessions.* ---------------------------------------


def _set(workspace: Workspace, team: Team, args: Json, kind: Any, value: Any) -> Json:
    channel = joined(workspace, team, args["channel_id"])
    thread = args.get("thread_ts") or ""
    if thread not in channel.messages:
        raise Refused("invalid_thread_ts")
    return _keep(workspace, Status(kind, channel.id, thread, value, workspace.now()))


def _keep(workspace: Workspace, status: Status) -> Json:
    workspace.statuses.append(status)
    kept = {"thread_ts": status.thread_ts, "value": status.value}
    workspace.changed(status.kind, channel=status.channel, **kept)
    return {}


def set_status(workspace: Workspace, team: Team, args: Json) -> Json:
    """Say what the bot is doing."""
    if len(args.get("loading_messages") or []) > LOADING_MESSAGES:
        raise Refused("invalid_arguments", f"at most {LOADING_MESSAGES} messages")
    return _set(workspace, team, args, "status", args["status"])


def set_title(workspace: Workspace, team: Team, args: Json) -> Json:
    """Name an assistant thread."""
    return _set(workspace, team, args, "title", args["title"])


def set_prompts(workspace: Workspace, team: Team, args: Json) -> Json:
    """Offer questions to begin with."""
    prompts = args["prompts"]
    if not isinstance(prompts, list) or not 1 <= len(prompts) <= PROMPTS:
        raise Refused("invalid_arguments", f"1 to {PROMPTS} prompts")
    if any(not isinstance(p, dict) or set(p) != {"title", "message"} for p in prompts):
        raise Refused("invalid_arguments", "a prompt has title and message")
    if workspace.agent and "thread_ts" in args:
        workspace.problems.append("an agent's prompts for a thread are shown to nobody")
    if "thread_ts" in args:
        return _set(workspace, team, args, "prompts", prompts)
    if not workspace.agent:
        raise Refused("not_agent_app")
    channel = joined(workspace, team, args["channel_id"])
    return _keep(workspace, Status("prompts", channel.id, "", prompts, workspace.now()))


def set_session(workspace: Workspace, team: Team, args: Json) -> Json:
    """Say in which state an agent's session is; no other app has sessions."""
    if not workspace.agent:
        raise Refused("not_authorized")
    if args["status"] not in SESSION:
        raise Refused("invalid_arguments", f"status is one of {SESSION}")
    return _set(workspace, team, args, "session", args["status"])


# --- who is calling, installation -------------------------------------------------


def auth_test(workspace: Workspace, team: Team, args: Json) -> Json:
    """Who is calling."""
    return {
        "url": f"https://{team.id.lower()}.example/",
        "team": team.name,
        "user": "groundrule",
        "team_id": team.id,
        "user_id": team.bot_user,
        "bot_id": team.bot,
        "is_enterprise_install": False,
    }


def access(workspace: Workspace, args: Json) -> Json:
    """Exchange the code that a person brought back from installing the app."""
    if (args.get("client_id"), args.get("client_secret")) != workspace.client:
        raise Refused("invalid_client_id")
    team = workspace.teams.get(workspace.codes.pop(args.get("code") or "", ""))
    if team is None:
        raise Refused("invalid_code")
    return {
        "app_id": APP,
        "access_token": team.token,
        "token_type": "bot",
        "scope": "app_mentions:read,chat:write,commands,im:history",
        "bot_user_id": team.bot_user,
        "team": {"id": team.id, "name": team.name},
        "enterprise": None,
        "is_enterprise_install": False,
        "authed_user": {"id": next(iter(workspace.people), "U1")},
    }
