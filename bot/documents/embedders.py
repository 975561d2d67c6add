"""Open the embedder that the settings ask for."""

import os

from adapters.embedding import MiniLM
from adapters.embedding_fastembed import load_fastembed
from adapters.embedding_openai import Endpoint, OpenAIEmbedder
from config.settings import Settings, reveal
from engine.model.errors import UsageError
from engine.model.ports import Embedder


def open_embedder(settings: Settings) -> Embedder:
    """Open the embedder that the settings name.

    Raises:
        UsageError: a setting that it needs is missing.
        EmbedderFailed: a file of its model is missing.
    """
    threads = settings.threads or len(os.sched_getaffinity(0))
    if settings.embedder == "minilm":
        return MiniLM(threads)
    model, dimension = settings.embedding_model, settings.embedding_dimension
    if model is None or dimension is None:
        raise UsageError(
            f"the {settings.embedder} embedder needs GROUNDRULE_EMBEDDING_MODEL and "
            "GROUNDRULE_EMBEDDING_DIMENSION"
        )
    if settings.embedder == "fastembed":
        return load_fastembed(model, dimension, threads)
    if settings.embedding_url is None:
        raise UsageError("the openai embedder needs GROUNDRULE_EMBEDDING_URL")
    key = reveal(settings.embedding_key)
    return OpenAIEmbedder(Endpoint(settings.embedding_url, model, dimension, key))
