"""The people of the loopback Slack: each method is something a person does there.

Every one returns the delivery that this caused, already on its way; what the person
wrote stands in the channel as at Slack.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.loopback import slack_events as events
from tests.loopback import slack_reply, slack_views
from tests.loopback.slack_chat import removed
from tests.loopback.slack_delivery import Courier, Delivery
from tests.loopback.slack_state import Json, Message, Private, Refused, Team, Workspace
from tests.loopback.slack_web import REPLY, checked_arguments
from tests.platforms.slack_limits import check_view


@dataclass
class People:
    """Everybody in the workspaces; `address` gives the URL of a path of the server."""

    workspace: Workspace
    courier: Courier
    address: Callable[[str], str]

    def _team(self, channel: str) -> Team:
        return self.workspace.teams[self.workspace.channels[channel].team]

    def _event(self, channel: str, event: Json, event_id: str | None) -> Delivery:
        team = self._team(channel)
        payload = events.callback(self.workspace, team, event, event_id)
        return self.courier.send("events_api", payload)

    # --- writing ------------------------------------------------------------------

    def mention(
        self,
        channel: str,
        user: str,
        text: str,
        *,
        thread_ts: str | None = None,
        event_id: str | None = None,
        twin: bool = False,
        **more: Any,
    ) -> Delivery:
        """Name the bot; with `twin` Slack also tells of the message as a message."""
        said = f"<@{self._team(channel).bot_user}> {text}"
        message = self.workspace.said(user, channel, said, thread_ts=thread_ts)
        if twin:
            self._event(channel, events.written(self.workspace, message), None)
        return self._event(channel, events.app_mention(message, **more), event_id)

    def write(
        self,
        channel: str,
        user: str,
        text: str,
        *,
        thread_ts: str | None = None,
        event_id: str | None = None,
        **more: Any,
    ) -> Delivery:
        """Write where the bot reads along; `more` goes into the event as it is."""
        message = self.workspace.said(user, channel, text, thread_ts=thread_ts)
        event = events.written(self.workspace, message, **more)
        return self._event(channel, event, event_id)

    def file(self, name: str, content: bytes) -> Json:
        """Share a file; as an event names it."""
        self.workspace.files[name] = content
        return {
            "id": self.workspace.number("F"),
            "name": name,
            "size": len(content),
            "mode": "hosted",
            "url_private": self.address(f"/files/{name}"),
        }

    def tell(self, user: str, text: str, **more: Any) -> Delivery:
        """Write to the bot directly."""
        team = self.workspace.people[user].team
        return self.write(self.workspace.direct(team, user).id, user, text, **more)

    def echo(self, post: Message) -> Delivery:
        """Let the bot hear of its own message, as an app that reads channels does."""
        return self._event(post.channel, events.written(self.workspace, post), None)

    def edit(self, channel: str, ts: str, text: str) -> Delivery:
        """Change a message."""
        message = self.workspace.channels[channel].messages[ts]
        before = message.json()
        message.text, message.edited = text, True
        return self._event(
            channel, events.edited(self.workspace, message, before), None
        )

    def delete(self, channel: str, ts: str) -> Delivery:
        """Take a message away."""
        message = self.workspace.channels[channel].messages[ts]
        before = message.json()
        removed(self.workspace, message)
        event = events.deleted(self.workspace, message, before)
        return self._event(channel, event, None)

    # --- opening ------------------------------------------------------------------

    def open_pane(self, user: str, about: str | None = None) -> Delivery:
        """Open the assistant pane; the thread's root is in the delivery's payload."""
        team = self.workspace.teams[self.workspace.people[user].team]
        channel = self.workspace.direct(team.id, user).id
        root = self.workspace.said(
            team.bot_user, channel, "New thread", subtype="assistant_app_thread"
        )
        return self._event(channel, events.pane_opened(team, root, user, about), None)

    def open_home(self, user: str, tab: str = "home") -> Delivery:
        """Open the App Home, or the tab with the messages."""
        channel = self.workspace.direct(self.workspace.people[user].team, user).id
        event = events.home_opened(self.workspace, user, channel, tab)
        return self._event(channel, event, None)

    def stop(self, channel: str, user: str, thread_ts: str) -> Delivery:
        """Press the stop button of an agent's session."""
        event = events.stopped(self.workspace, user, channel, thread_ts)
        return self._event(channel, event, None)

    # --- pressing -----------------------------------------------------------------

    def command(self, channel: str, user: str, line: str) -> Delivery:
        """Type a slash command: `line` is "/ask and the question"."""
        team = self._team(channel)
        url = self._reply_url(team, channel, user)
        payload = events.command(self.workspace, team, user, channel, line, url)
        return self.courier.send("slash_commands", payload)

    def shortcut(self, channel: str, user: str, ts: str, callback: str) -> Delivery:
        """Choose a shortcut in the menu of a message."""
        message = self.workspace.channels[channel].messages[ts]
        return self._press(
            self._team(channel),
            user,
            "message_action",
            callback_id=callback,
            action_ts=self.workspace.ts(),
            message_ts=ts,
            message=message.json(),
            channel=events.place(self.workspace, channel),
            response_url=self._reply_url(self._team(channel), channel, user, message),
        )

    def click(
        self, user: str, shown: Message | Private, action: str, value: str | None = None
    ) -> Delivery:
        """Use an element of a message; `value` says what of several was chosen.

        Raises:
            LookupError: the message has no such element.
        """
        team = self._team(shown.channel)
        block, element = events.found(list(shown.blocks), action)
        public = shown if isinstance(shown, Message) else None
        container = {
            "type": "message",
            "message_ts": shown.ts,
            "channel_id": shown.channel,
            "is_ephemeral": public is None,
        }
        if shown.thread_ts:
            container["thread_ts"] = shown.thread_ts
        more = {"message": public.json()} if public else {}
        return self._press(
            team,
            user,
            "block_actions",
            container=container,
            channel=events.place(self.workspace, shown.channel),
            state={"values": {}},
            response_url=self._reply_url(team, shown.channel, user, public),
            actions=[events.action(block, element, value, self.workspace.ts())],
            **more,
        )

    def click_view(self, view: str, action: str, value: str | None = None) -> Delivery:
        """Use an element of a modal or of the App Home."""
        shown = self.workspace.views[view]
        block, element = events.found(shown["blocks"], action)
        return self._press(
            self.workspace.teams[shown["team_id"]],
            shown["user"],
            "block_actions",
            container={"type": "view", "view_id": view},
            view=_public(shown),
            actions=[events.action(block, element, value, self.workspace.ts())],
        )

    def submit(self, view: str, values: dict[str, str] | None = None) -> Delivery:
        """Send a modal off; `values` are by the action id of the input."""
        shown = self.workspace.views[view]
        state: Json = {}
        for name, value in (values or {}).items():
            block, element = events.found(shown["blocks"], name)
            said = events.action(block, element, value, self.workspace.ts())
            kept = {k: v for k, v in said.items() if k not in _NOT_STATE}
            state.setdefault(block["block_id"], {})[name] = kept
        return self._press(
            self.workspace.teams[shown["team_id"]],
            shown["user"],
            "view_submission",
            view=_public(shown) | {"state": {"values": state}},
            response_urls=[],
        )

    def _press(self, team: Team, user: str, kind: str, **more: Any) -> Delivery:
        payload = events.pressed(self.workspace, team, user, kind, **more)
        return self.courier.send("interactive", payload)

    def _reply_url(
        self, team: Team, channel: str, user: str, message: Message | None = None
    ) -> str:
        name = slack_reply.new_url(
            self.workspace, team=team.id, channel=channel, user=user, message=message
        )
        return self.address(f"/reply/{name}")


_NOT_STATE = ("action_id", "block_id", "action_ts")


def _public(view: Json) -> Json:
    return {name: value for name, value in view.items() if name != "user"}


# --- what the bot answers with its acknowledgement --------------------------------


def answered(workspace: Workspace, delivery: Delivery, answer: Json) -> None:
    """Do what an acknowledgement asks for; what Slack would swallow is a problem."""
    try:
        if delivery.kind == "slash_commands":
            _answer_command(workspace, delivery.payload, answer)
        elif delivery.payload.get("type") == "view_submission":
            _answer_view(workspace, delivery.payload["view"], answer)
        else:
            raise Refused("no_answer_expected", str(answer)[:200])
    except Refused as refused:
        told = f"{refused.error} {' '.join(refused.messages)}".strip()
        workspace.problems.append(f"acknowledgement of {delivery}: {told}")


def _answer_command(workspace: Workspace, payload: Json, answer: Json) -> None:
    url = workspace.reply_urls[payload["response_url"].rsplit("/", 1)[1]]
    args = checked_arguments(answer, "", REPLY)
    slack_reply.respond(workspace, url, args, "ack")


def _answer_view(workspace: Workspace, view: Json, answer: Json) -> None:
    match answer.get("response_action"):
        case "errors":
            known = {block["block_id"] for block in view["blocks"]}
            if not answer.get("errors") or not set(answer["errors"]) <= known:
                raise Refused("invalid_errors", str(answer)[:200])
        case "update" | "push" as way:
            problems = check_view(answer.get("view") or {})
            if problems:
                raise Refused("invalid_view", *problems)
            team = workspace.teams[view["team_id"]]
            user = workspace.views[view["id"]]["user"]
            name = view["id"] if way == "update" else None
            slack_views.kept(workspace, team, answer["view"], user, id=name)
        case "clear":
            pass
        case other:
            raise Refused("invalid_response_action", str(other))
