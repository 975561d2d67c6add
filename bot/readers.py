"""Open the reader that the settings ask for, with what was fitted for it."""

import os
from functools import lru_cache
from pathlib import Path

from adapters.clock import SystemClock
from adapters.reader import (
    KeptScores,
    large_reader_path,
    make_large_reader,
    make_small_reader,
)
from adapters.reader_remote import RemoteReader, RerankServer
from bot.calibrations import load_calibration
from config.settings import Settings, reveal
from engine.model.errors import EmbedderFailed
from engine.model.ports import Embedder, Reader
from engine.rank.reading import Reading


def open_reader(settings: Settings) -> Reader:
    """Open the reader that the settings ask for.

    Raises:
        ReaderFailed: the address of a remote reader is none.
    """
    if settings.reader in {None, "small", "large"}:
        return open_packaged_reader(settings)
    return KeptScores(RemoteReader(_read_server(settings), SystemClock()))


def open_reading(settings: Settings, embedder: Embedder) -> Reading:
    """Open the reader, and the packaged one that serves where a remote one fails.

    Raises:
        EmbedderFailed: nothing was fitted for the embedder and a reader.
        ReaderFailed: the address of a remote reader is none.
    """
    packaged, reader = open_packaged_reader(settings), open_reader(settings)
    own = Reading(packaged, load_calibration(embedder, packaged))
    if reader.name == packaged.name:
        return own
    return Reading(reader, load_calibration(embedder, reader), own)


def find_reading(settings: Settings, embedder: Embedder) -> Reading | None:
    """Open the same; None where nothing was fitted, as for a corpus to fit on."""
    try:
        return open_reading(settings, embedder)
    except EmbedderFailed:
        return None


def open_packaged_reader(settings: Settings) -> Reader:
    """Open `large` where it was built, else `small`; or the one that is named."""
    threads = settings.threads or len(os.sched_getaffinity(0))
    built = large_reader_path(settings.cache).exists()
    large = settings.reader == "large" or (settings.reader != "small" and built)
    return _open_once(settings.cache if large else None, threads)


@lru_cache(maxsize=4)
def _open_once(large: Path | None, threads: int) -> Reader:
    """Open one a process, with its scores:

    `large` from this cache folder, else `small`.
    """
    reader = (
        make_small_reader(threads)
        if large is None
        else make_large_reader(large, threads)
    )
    return KeptScores(reader)


def _read_server(settings: Settings) -> RerankServer:
    return RerankServer(
        url=str(settings.reader),
        model=settings.reader_model,
        dialect=settings.reader_dialect,
        scores=settings.reader_scores,
        key=reveal(settings.reader_key),
        daily=settings.reader_daily,
    )
