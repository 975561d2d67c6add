"""The first line of each report of a run, as a reader meets it."""

import html
import re
from pathlib import Path
from xml.etree import ElementTree

from evals.broken import JUNIT, PAGE, SUMMARY


def firsts(folder: Path) -> set[str]:
    """What the page, the summary and the test results say first; one line if alike."""
    head = (folder / SUMMARY).read_text(encoding="utf-8").splitlines()[0]
    body = (folder / PAGE).read_text(encoding="utf-8").partition("<body>")[2]
    texts = [text.strip() for text in re.findall(r">([^<]+)<", f">{body}")]
    results = ElementTree.fromstring((folder / JUNIT).read_bytes())
    return {
        head.removeprefix("## ").partition(" ")[2].strip("`"),
        html.unescape(next(filter(None, texts))),
        str(results.get("name")),
    }
