"""The loopback Slack's HTTP side: arguments, tokens, rate limit, faults, response URLs.

Stricter than Slack in one point: an argument that a method does not know is refused,
where Slack would ignore it. As at Slack, methods that read take no JSON body.
"""

import base64
import binascii
import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.loopback import slack_chat, slack_reply, slack_views
from tests.loopback.faults import Fault, Faults, carried_out
from tests.loopback.slack_state import Call, Json, Refused, Team, Workspace

APP_TOKEN = "xapp-1-test"

_INTEGERS = {"limit"}
_SWITCHES = {
    "as_user", "delete_original", "include_all_metadata", "include_locale",
    "include_num_members", "inclusive", "link_names", "mrkdwn", "replace_original",
    "reply_broadcast", "return_im", "unfurl_links", "unfurl_media",
}  # fmt: skip
_STRUCTURES = {"blocks", "loading_messages", "message", "metadata", "prompts", "view"}
_MALFORMED = {
    "blocks": "invalid_blocks_format",
    "metadata": "invalid_metadata_format",
}
_SHOWN = "text blocks markdown_text link_names parse"
_READ = "cursor inclusive include_all_metadata latest limit oldest"
REPLY = (
    f"{_SHOWN} response_type replace_original delete_original thread_ts metadata mrkdwn"
    " unfurl_links unfurl_media"
)


@dataclass(frozen=True)
class Method:
    """One method of the Web API; arguments are named in a line, the required first."""

    run: Callable[[Workspace, Team, Json], Json]
    required: str = ""
    optional: str = ""
    reads: bool = False


METHODS = {
    "auth.test": Method(slack_views.auth_test),
    "chat.postMessage": Method(
        slack_chat.post_message,
        "channel",
        f"{_SHOWN} thread_ts reply_broadcast unfurl_links unfurl_media mrkdwn metadata"
        " client_msg_id",
    ),
    "chat.postEphemeral": Method(
        slack_chat.post_ephemeral, "channel user", f"{_SHOWN} thread_ts"
    ),
    "chat.update": Method(
        slack_chat.update, "channel ts", f"{_SHOWN} metadata reply_broadcast as_user"
    ),
    "chat.delete": Method(slack_chat.delete, "channel ts", "as_user"),
    "blocks.validate": Method(slack_chat.validate, "", "blocks message", True),
    "conversations.replies": Method(slack_chat.replies, "channel ts", _READ, True),
    "conversations.history": Method(slack_chat.history, "channel", _READ, True),
    "conversations.info": Method(
        slack_chat.info, "channel", "include_locale include_num_members", True
    ),
    "conversations.open": Method(
        slack_chat.open_direct, "", "channel users return_im", False
    ),
    "users.info": Method(slack_chat.user_info, "user", "include_locale", True),
    "views.open": Method(slack_views.open_view, "trigger_id view"),
    "views.update": Method(
        slack_views.update_view, "view", "view_id external_id hash"
    ),
    "views.publish": Method(slack_views.publish_view, "user_id view", "hash"),
    "assistant.threads.setStatus": Method(
        slack_views.set_status, "channel_id thread_ts status", "loading_messages"
    ),
    "assistant.threads.setTitle": Method(
        slack_views.set_title, "channel_id thread_ts title"
    ),
    "assistant.threads.setSuggestedPrompts": Method(
        slack_views.set_prompts, "channel_id prompts", "thread_ts title"
    ),
    "agents.sessions.setStatus": Method(
        slack_views.set_session,
        "status",
        "channel_id thread_ts title initiator_user_id",
    ),
}  # fmt: skip


@dataclass
class Rate:
    """Messages a second and channel, after a burst: what chat.postMessage allows."""

    per_second: float = 1.0
    burst: int = 5
    _left: dict[str, tuple[float, float]] = field(default_factory=dict)

    def wait(self, channel: str, now: float) -> float:
        """Count one message; the seconds it comes too early, 0 when it is allowed."""
        left, since = self._left.get(channel, (float(self.burst), now))
        left = min(float(self.burst), left + (now - since) * self.per_second)
        if left < 1.0:
            self._left[channel] = (left, now)
            return (1.0 - left) / self.per_second
        self._left[channel] = (left - 1.0, now)
        return 0.0


class Early(Exception):
    """A message that comes sooner than the rate limit allows."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class WebApi:
    """Answers /api/METHOD and the response URLs."""

    def __init__(
        self, workspace: Workspace, faults: Faults, socket_url: Callable[[], str]
    ) -> None:
        self.workspace = workspace
        self.faults = faults
        self.rate: Rate | None = None
        self._socket_url = socket_url

    def routes(self) -> list[web.AbstractRouteDef]:
        """Where the server answers."""
        return [
            web.route("*", "/api/{name}", self._call),
            web.post("/reply/{name}", self._reply),
            web.get("/files/{name}", self._file),
        ]

    async def _call(self, request: web.Request) -> web.StreamResponse:
        return await self._with_faults(request, request.match_info["name"], self._api)

    async def _reply(self, request: web.Request) -> web.StreamResponse:
        return await self._with_faults(request, "response_url", self._respond)

    async def _file(self, request: web.Request) -> web.Response:
        """A file that somebody shared; without a token Slack leads to its login."""
        if self._team(_token(request, {})) is None:
            raise web.HTTPFound("https://slack.com/signin")
        return web.Response(body=self.workspace.files[request.match_info["name"]])

    async def _with_faults(
        self,
        request: web.Request,
        name: str,
        run: Callable[[web.Request, Json, Fault | None], web.Response],
    ) -> web.StreamResponse:
        given = await _arguments(request)
        fault = self.faults.take(name)
        if fault is not None and not fault.done:
            self._note(name, given, self._team(_token(request, given)), None, fault)

        async def handle() -> web.StreamResponse:
            return run(request, given, fault)

        return await carried_out(fault, request, handle)

    # --- /api/METHOD --------------------------------------------------------------

    def _api(
        self, request: web.Request, given: Json, fault: Fault | None
    ) -> web.Response:
        name, token = request.match_info["name"], _token(request, given)
        status, headers = 200, {}
        try:
            body: Json = {"ok": True} | self._run(name, request, given)
        except Refused as refused:
            body = {"ok": False, "error": refused.error}
            if refused.messages:
                told = [f"[ERROR] {message}" for message in refused.messages]
                body["response_metadata"] = {"messages": told}
        except Early as early:
            body = {"ok": False, "error": "ratelimited"}
            status, headers = 429, {"Retry-After": str(math.ceil(early.seconds))}
        self._note(name, given, self._team(token), body.get("error"), fault)
        return web.json_response(body, status=status, headers=headers)

    def _run(self, name: str, request: web.Request, given: Json) -> Json:
        args = {key: value for key, value in given.items() if key != "token"}
        if name == "oauth.v2.access":
            return slack_views.access(self.workspace, {**_basic(request), **args})
        token = _token(request, given)
        if name == "apps.connections.open":
            self._app(token)
            return {"url": self._socket_url()}
        team = self._bot(token)
        method = METHODS.get(name)
        if method is None:
            raise Refused("unknown_method")
        if method.reads and request.content_type == "application/json":
            args = dict(request.query)
        if args.pop("team_id", team.id) != team.id:  # the SDK sends it with every call
            raise Refused("team_access_not_granted")
        checked = checked_arguments(args, method.required, method.optional)
        if name == "chat.postMessage" and self.rate is not None:
            early = self.rate.wait(checked["channel"], self.workspace.now())
            if early:
                raise Early(early)
        return method.run(self.workspace, team, checked)

    def _app(self, token: str | None) -> None:
        if token is None:
            raise Refused("not_authed")
        if token != APP_TOKEN:
            raise Refused(
                "not_allowed_token_type" if self._team(token) else "invalid_auth"
            )

    def _bot(self, token: str | None) -> Team:
        if token is None:
            raise Refused("not_authed")
        team = self._team(token)
        if team is None:
            wrong_kind = token == APP_TOKEN
            raise Refused("not_allowed_token_type" if wrong_kind else "invalid_auth")
        return team

    def _team(self, token: str | None) -> Team | None:
        teams = self.workspace.teams.values()
        return next((team for team in teams if team.token == token), None)

    def _note(
        self,
        name: str,
        given: Json,
        team: Team | None,
        error: str | None,
        fault: Fault | None,
    ) -> None:
        args = {key: value for key, value in given.items() if key != "token"}
        kind = None if fault is None else fault.kind
        owner = None if team is None else team.id
        now = self.workspace.now()
        self.workspace.calls.append(Call(name, args, owner, error, kind, now))
        self.workspace.changed("call", method=name, error=error, fault=kind)

    # --- /reply/NAME --------------------------------------------------------------

    def _respond(
        self, request: web.Request, given: Json, fault: Fault | None
    ) -> web.Response:
        team, error = None, None
        try:
            url = slack_reply.used(self.workspace, request.match_info["name"])
            team = self.workspace.teams[url.team]
            args = checked_arguments(given, "", REPLY)
            slack_reply.respond(self.workspace, url, args, "response_url")
        except Refused as refused:
            error = refused.error
        self._note("response_url", given, team, error, fault)
        if error is None:
            return web.Response(text="ok")
        status = 404 if error.endswith("_url") else 400
        return web.json_response({"ok": False, "error": error}, status=status)


# --- arguments --------------------------------------------------------------------


async def _arguments(request: web.Request) -> Json:
    """Query and body as one, whatever form the body has."""
    given: Json = dict(request.query)
    if request.content_type == "application/json":
        try:
            body = await request.json()
        except json.JSONDecodeError:
            body = None
        return given | body if isinstance(body, dict) else {"malformed": "body"}
    return given | dict(await request.post())


def checked_arguments(given: Json, required: str, optional: str) -> Json:
    """The arguments in the types that a method works with.

    Raises:
        Refused: one is missing, unknown, or of another type.
    """
    known = {*required.split(), *optional.split()}
    problems = [f"unexpected argument: {name}" for name in given if name not in known]
    missing = [name for name in required.split() if name not in given]
    problems += [f"missing required field: {name}" for name in missing]
    if problems:
        raise Refused("invalid_arguments", *problems)
    return {name: _typed(name, value) for name, value in given.items()}


def _typed(name: str, value: Any) -> Any:
    try:
        if name in _STRUCTURES:
            return json.loads(value) if isinstance(value, str) else value
        if name in _INTEGERS:
            return int(value)
    except ValueError:
        raise Refused(_MALFORMED.get(name, "invalid_arguments"), name) from None
    if name in _SWITCHES:
        return value if isinstance(value, bool) else str(value) in ("1", "true")
    if not isinstance(value, str):
        raise Refused("invalid_arguments", f"{name} is no string")
    return value


def _token(request: web.Request, given: Json) -> str | None:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token if scheme == "Bearer" else given.get("token")


def _basic(request: web.Request) -> Json:
    """The client's id and secret from the header, when they stand there."""
    scheme, _, coded = request.headers.get("Authorization", "").partition(" ")
    if scheme != "Basic":
        return {}
    try:
        name, _, secret = base64.b64decode(coded, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return {}
    return {"client_id": name, "client_secret": secret}
