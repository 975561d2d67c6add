"""The loaders of today by name and number: what an older one read is read again (R-D7).

A number goes up with every change of what a loader makes of a file; a test holds that.
It stands apart from the parsers, so that whoever asks need not import them.
"""

from engine.model.document import SOURCE_CODE

TODAY = {
    "markdown": 3,
    "html": 3,
    "rst": 3,
    "text": 3,
    "pdf": 4,
    "csv": 1,
    "xlsx": 1,
    "docx": 1,
    "pptx": 1,
    "mdx": 1,
    "epub": 1,
    "asciidoc": 1,
    "jsonl": 2,
    "clinicaltrials": 2,
    "justice-laws": 4,
}


def named(name: str) -> str:
    """A loader with its number, as a document keeps it."""
    return f"{name}/{TODAY[name]}"


CURRENT = frozenset({SOURCE_CODE, *map(named, TODAY)})


def is_older(loader: str) -> bool:
    """Whether a stored text was read by another loader than would read it today."""
    return loader not in CURRENT
