"""The manifest asks for what the code uses, and for nothing else (R-C1)."""

import json
from pathlib import Path
from typing import Any

import pytest

from adapters.slack import app, names
from adapters.slack.inbound import _ORDERS, _REQUESTS
from adapters.slack.install import SCOPES


@pytest.fixture(scope="module")
def manifest() -> dict[str, Any]:
    """As a person pastes it into Slack."""
    file = Path(app.__file__).with_name("manifest.json")
    read: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return read


def test_scopes_are_those_that_we_can_give_a_reason_for(
    manifest: dict[str, Any],
) -> None:
    """The install page asks for the same."""
    assert manifest["oauth_config"]["scopes"]["bot"] == sorted(SCOPES)
    assert all(len(why) > 10 for why in SCOPES.values())


def test_commands_and_shortcut_are_named_as_we_read_them(
    manifest: dict[str, Any],
) -> None:
    """Pressing them leads somewhere."""
    features = manifest["features"]
    commands = [command["command"] for command in features["slash_commands"]]
    assert commands == [names.COMMAND, names.ADMIN_COMMAND]
    assert [s["callback_id"] for s in features["shortcuts"]] == [names.ASK_ABOUT]


def test_events_have_the_scopes_that_they_need(manifest: dict[str, Any]) -> None:
    """What Slack asks for each (their reference of events)."""
    needed = {
        "app_mention": "app_mentions:read",
        "agent_session_stopped": "assistant:write",
        "message.channels": "channels:history",
        "message.groups": "groups:history",
        "message.im": "im:history",
        "message.mpim": "mpim:history",
    }
    free = {"app_home_opened", "app_uninstalled", "tokens_revoked"}
    events = set(manifest["settings"]["event_subscriptions"]["bot_events"])
    assert events == needed.keys() | free
    assert set(needed.values()) <= SCOPES.keys()


def test_no_text_is_longer_than_slack_takes(manifest: dict[str, Any]) -> None:
    """Limits of the manifest's reference page."""
    shown, features = manifest["display_information"], manifest["features"]
    assert len(shown["name"]) <= 35
    assert len(shown["description"]) <= 140
    assert 174 <= len(shown["long_description"]) <= 4_000
    assert len(features["agent_view"]["agent_description"]) <= 300
    assert all(len(s["name"]) <= 24 for s in features["shortcuts"])
    assert all(len(c["usage_hint"]) <= 1_000 for c in features["slash_commands"])


def test_what_the_admin_command_offers_is_known_R_U5(manifest: dict[str, Any]) -> None:
    """Anything else would ask which pack to bind."""
    commands = {c["command"]: c for c in manifest["features"]["slash_commands"]}
    offered = commands["/ask-admin"]["usage_hint"].split(" | ")
    assert offered[0] == "bind PACK"
    assert set(offered[1:]) == {*_REQUESTS, *_ORDERS} - {"bind"}


def test_new_apps_are_agents_R_C1(manifest: dict[str, Any]) -> None:
    """Slack takes `assistant_view` of no new app, and never both."""
    assert "agent_view" in manifest["features"]
    assert "assistant_view" not in manifest["features"]


def test_tokens_neither_rotate_nor_span_an_organisation(
    manifest: dict[str, Any],
) -> None:
    """What the code does not handle is switched off."""
    settings = manifest["settings"]
    assert settings["token_rotation_enabled"] is False
    assert settings["org_deploy_enabled"] is False


def test_nothing_is_promised_that_a_language_model_makes_untrue(
    manifest: dict[str, Any],
) -> None:
    """The page of the app is the same with one and without: its words hold for both."""
    said = manifest["display_information"]["long_description"]
    assert "sends nothing" not in said
    assert "their own words" not in said
    assert "go to that model" in said
