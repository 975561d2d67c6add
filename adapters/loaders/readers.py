"""The current versions of the loaders; documents of older versions are read again.

A version increases with every change of a loader's output; a test checks that. This
module is apart from the parsers, so that its users need not import them.
"""

from engine.model.document import SOURCE_CODE

TODAY = {
    "markdown": 3,
    "html": 3,
    "rst": 3,
    "text": 3,
    "pdf": 5,
    "csv": 1,
    "xlsx": 1,
    "docx": 1,
    "pptx": 1,
    "mdx": 1,
    "epub": 1,
    "asciidoc": 1,
    "jsonl": 3,
    "clinicaltrials": 2,
    "justice-laws": 4,
}


def make_loader_name(name: str) -> str:
    """Make the name of a loader with its version, as documents store it."""
    return f"{name}/{TODAY[name]}"


CURRENT = frozenset({SOURCE_CODE, *map(make_loader_name, TODAY)})


def is_older(loader: str) -> bool:
    """Tell whether a loader's name is not one of the current ones."""
    return loader not in CURRENT
