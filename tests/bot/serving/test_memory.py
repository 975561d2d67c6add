"""What a process has loaded once and keeps."""

import gc

from bot.serving.rounds import keep_what_is_loaded


def test_what_is_loaded_is_collected_no_more_R_C3() -> None:
    """It stays out of every later collection, which takes its time away from events."""
    gc.unfreeze()
    try:
        keep_what_is_loaded()
        assert gc.get_freeze_count() > 10_000
    finally:
        gc.unfreeze()
