"""What a process has loaded once and keeps."""

import gc


def keep_what_is_loaded() -> None:
    """Take what is loaded by now out of every later collection of garbage.

    Without it Python walks some hundred thousand objects of libraries and packs every
    few seconds, 110 ms long, in which nothing is acknowledged (R-C3).
    """
    gc.collect()
    gc.freeze()
