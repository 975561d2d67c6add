"""The environment as one frozen object."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from config.settings import SettingsError, read, variables
from tests.conftest import ROOT


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests start from an environment that sets nothing."""
    for name in ("GROUNDRULE_DATA", "DEBUG_MODE", "RAG_NO_SILENT_FALLBACK_ENABLED"):
        monkeypatch.delenv(name, raising=False)


def test_nothing_is_written_into_the_checkout_by_default() -> None:
    """The data folder belongs to the user, whatever the working directory is."""
    settings = read()
    assert settings.data.is_absolute()
    assert not settings.data.is_relative_to(ROOT)
    assert not settings.cache.is_relative_to(ROOT)


def test_the_command_line_wins_over_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """--data beats GROUNDRULE_DATA, which beats the default."""
    monkeypatch.setenv("GROUNDRULE_DATA", str(tmp_path / "a"))
    assert read().data == tmp_path / "a"
    assert read(tmp_path / "b").data == tmp_path / "b"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("GROUNDRULE_DATE", "GROUNDRULE_DATA"),
        ("GROUNDRULE_SLACK_BOT_TOKENS", "GROUNDRULE_SLACK_BOT_TOKEN"),
        ("GROUNDRULE_DATABSE_URL", "GROUNDRULE_DATABASE_URL"),
        ("GROUNDRULE_PACK", "GROUNDRULE_PACKS"),
    ],
)
def test_a_misspelt_variable_is_told_with_the_nearest_R_U13(
    monkeypatch: pytest.MonkeyPatch, typed: str, meant: str
) -> None:
    """One name, not all of them."""
    monkeypatch.setenv(typed, "x")
    with pytest.raises(SettingsError) as raised:
        read()
    said = str(raised.value)
    assert f"{typed}: did you mean {meant}?" in said
    assert len(said) < 200


def test_a_variable_like_none_of_ours_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is not passed over, and nothing is guessed."""
    monkeypatch.setenv("GROUNDRULE_XYZZY", "x")
    with pytest.raises(SettingsError, match=r"GROUNDRULE_XYZZY: docs/settings\.md"):
        read()


def test_a_wrong_value_names_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail closed: no default takes the place of a value that does not read."""
    monkeypatch.setenv("RAG_NO_SILENT_FALLBACK_ENABLED", "perhaps")
    with pytest.raises(SettingsError, match="RAG_NO_SILENT_FALLBACK_ENABLED"):
        read()


def test_widening_is_off_unless_the_environment_permits_it_R_F9(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The safe value is the default; only an explicit false changes it."""
    assert read().no_silent_fallback
    monkeypatch.setenv("RAG_NO_SILENT_FALLBACK_ENABLED", "false")
    assert not read().no_silent_fallback


def test_debug_has_its_own_name_R_F8(monkeypatch: pytest.MonkeyPatch) -> None:
    """DEBUG_MODE carries no prefix."""
    assert not read().debug
    monkeypatch.setenv("DEBUG_MODE", "true")
    assert read().debug


def test_a_secret_is_never_shown_R_S1(monkeypatch: pytest.MonkeyPatch) -> None:
    """A password appears neither in a listing nor in a printed Settings."""
    monkeypatch.setenv("GROUNDRULE_DATABASE_URL", "postgresql://a:hunter2@db/x")
    settings = read()
    assert "hunter2" not in repr(settings)
    assert "hunter2" not in repr(variables(settings))


def test_settings_are_frozen() -> None:
    """Nobody changes a setting after the start."""
    with pytest.raises(ValidationError):
        read().debug = True


def test_secrets_may_lie_in_files_R_S1(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A file for each, named as its variable; the environment wins."""
    (tmp_path / "groundrule_slack_bot_token").write_text("xoxb-file\n")
    (tmp_path / "groundrule_discord_token").write_text("file")
    (tmp_path / "another").write_text("not ours")
    monkeypatch.setenv("GROUNDRULE_SECRETS", str(tmp_path))
    monkeypatch.setenv("GROUNDRULE_DISCORD_TOKEN", "environment")
    settings = read()
    assert settings.slack_bot_token and settings.discord_token
    assert settings.slack_bot_token.get_secret_value() == "xoxb-file"
    assert settings.discord_token.get_secret_value() == "environment"
    assert "xoxb" not in repr(settings)
    monkeypatch.setenv("GROUNDRULE_SECRETS", str(tmp_path / "gone"))
    with pytest.raises(SettingsError, match="GROUNDRULE_SECRETS"):
        read()


def test_administrators_stand_with_commas_between_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As an environment variable holds a list."""
    monkeypatch.setenv("GROUNDRULE_ADMINS", "slack:T1:U1, discord:4,")
    assert read().admins == ("slack:T1:U1", "discord:4")


def test_a_list_is_shown_as_it_is_typed_R_U5(monkeypatch: pytest.MonkeyPatch) -> None:
    """What `doctor` shows can be put back into the environment; nothing is nothing."""
    shown = {variable.name: variable.shown for variable in variables(read())}
    assert shown["GROUNDRULE_ADMINS"] == ""
    monkeypatch.setenv("GROUNDRULE_ADMINS", "slack:T1:U1, discord:2")
    shown = {variable.name: variable.shown for variable in variables(read())}
    assert shown["GROUNDRULE_ADMINS"] == "slack:T1:U1,discord:2"


@pytest.mark.parametrize("operator", ["slack:U123", "anna", "discord:anna", "slack:T1"])
def test_an_operator_who_is_nobody_is_refused_with_the_fix_R_C5(
    monkeypatch: pytest.MonkeyPatch, operator: str
) -> None:
    """A Slack id alone would be another person in another workspace."""
    monkeypatch.setenv("GROUNDRULE_ADMINS", f"discord:1,{operator}")
    with pytest.raises(SettingsError, match=r"GROUNDRULE_ADMINS.*slack:TEAM:USER"):
        read()


def test_packs_are_limited_to_workspaces_and_servers_R_C5(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As it is typed, and shown as it was typed."""
    typed = "oncology=slack:T1|slack:T2,textbook=discord:123|discord:dm"
    monkeypatch.setenv("GROUNDRULE_PACK_TENANTS", f" {typed} ,")
    settings = read()
    assert settings.pack_tenants == {
        "oncology": {"slack:T1", "slack:T2"},
        "textbook": {"discord:123", "discord:dm"},
    }
    shown = {variable.name: variable.shown for variable in variables(settings)}
    assert shown["GROUNDRULE_PACK_TENANTS"] == typed


@pytest.mark.parametrize(
    "typed", ["oncology", "oncology=", "=slack:T1", "a=T1", "a=slack:T1,a=slack:T2"]
)
def test_a_limit_that_is_not_understood_is_an_error_R_C5(
    monkeypatch: pytest.MonkeyPatch, typed: str
) -> None:
    """It would not limit what was meant."""
    monkeypatch.setenv("GROUNDRULE_PACK_TENANTS", typed)
    with pytest.raises(SettingsError, match="GROUNDRULE_PACK_TENANTS"):
        read()


def test_what_nobody_set_is_the_usual(monkeypatch: pytest.MonkeyPatch) -> None:
    """`doctor` shows the rest."""
    monkeypatch.delenv("GROUNDRULE_READER")
    monkeypatch.setenv("GROUNDRULE_RETENTION_DAYS", "30")
    monkeypatch.setenv("GROUNDRULE_DISCORD_TOKEN", "secret")
    changed = {v.name for v in variables(read()) if not v.usual}
    assert changed == {"GROUNDRULE_RETENTION_DAYS", "GROUNDRULE_DISCORD_TOKEN"}
