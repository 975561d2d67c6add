"""Keep secrets and what people say out of the log of discord.py.

It logs payloads as they come at DEBUG, and with a rate limit the address of the call,
which holds the token of an interaction.
"""

import logging
import traceback
from pathlib import Path

import re2

_LIBRARY = "discord"
_TALKATIVE = ("discord.http", "discord.webhook.async_", "discord.client")
_TOKEN = re2.compile(r"(/(?:webhooks|interactions)/\d+/)[^\s/]+")


class Masking(logging.Filter):
    """Takes tokens out of addresses."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Keep the record, masked."""
        record.msg = _TOKEN.sub(r"\1…", record.getMessage())
        record.args = None
        return True


def describe_error(error: BaseException | None) -> str:
    """Name kind and place of an error; its message may hold what a person said."""
    frames = traceback.extract_tb(error.__traceback__) if error else ()
    kind = type(error).__name__
    if not frames:
        return kind
    last = frames[-1]
    return f"{kind} in {last.name}, {Path(last.filename).name}:{last.lineno}"


def install() -> None:
    """Let the library log nothing below WARNING, and no token; may be called again."""
    logger = logging.getLogger(_LIBRARY)
    logger.setLevel(max(logger.level, logging.WARNING))
    for name in _TALKATIVE:
        filters = logging.getLogger(name).filters
        if not any(isinstance(known, Masking) for known in filters):
            logging.getLogger(name).addFilter(Masking())
