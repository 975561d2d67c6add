"""Bulletins from the weather office, taken over as they come.

The texts of bulletins are shown to the harbour office and are never acted upon.
"""

LONGEST = 4_000


def shorten(text: str) -> str:
    """Cut a bulletin that is too long.

    A bulletin longer than four thousand characters is cut at the last full stop before
    that length. A note says that something was cut.
    """
    if len(text) <= LONGEST:
        return text
    return text[: text.rfind(".", 0, LONGEST) + 1] + " [cut]"
