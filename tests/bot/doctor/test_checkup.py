"""`doctor` says what is set in one line, or everything."""

from pathlib import Path

from bot.doctor.checkup import settings
from bot.wiring import Application
from config.settings import Settings


def test_only_what_was_set_is_shown_unless_all_is_asked_for_R_S1(
    tmp_path: Path,
) -> None:
    """One line; a secret is masked."""
    given = {"data": tmp_path, "slack_bot_token": "xoxb-secret", "person_limit": 3}
    application = Application(Settings.model_validate(given))
    [line] = settings(application, verbose=False)
    assert line.found == (
        f"GROUNDRULE_DATA={tmp_path}, GROUNDRULE_SLACK_BOT_TOKEN=(set), "
        "GROUNDRULE_PERSON_LIMIT=3; `doctor --verbose` shows all"
    )
    lines = list(settings(application, verbose=True))
    assert len(lines) == len(Settings.model_fields)
    assert all("xoxb-secret" not in each.found for each in lines)
