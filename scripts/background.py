"""Make `engine/text/background.txt`: how common stems are in English at large.

python -m scripts.background path/to/spellchecker/resources/en.json.gz

The word counts are those of pyspellchecker (PyPI, MIT), which come from film subtitles.
Needed only where the stemmer or the counts change.
"""

import gzip
import json
import sys
from collections import Counter
from math import exp
from pathlib import Path

from engine.text.background import FILE, PASSAGES
from engine.text.words import stem, words

FEWEST = 60  # counts of a word, below which it is a typing error as likely as a word
LENGTH = 130  # words of a passage

HEADER = """\
# Stems of English and in how many of 10,000 passages of 130 words each is expected.
# Made by scripts/background.py from the word counts of pyspellchecker 0.9.1 (PyPI).
# Its licence: MIT, Copyright (c) 2018-2021 Tyler Barrus; the text of the licence stands
# in engine/english_words.txt.
"""


def main(source: Path) -> None:
    """Count stems, and write those that one passage in 10,000 or more would hold."""
    counted: dict[str, int] = json.loads(gzip.decompress(source.read_bytes()))
    total = sum(counted.values())
    stems: Counter[str] = Counter()
    for word, count in counted.items():
        if count >= FEWEST:
            for part in words(word):
                stems[stem(part)] += count
    lines = []
    for name, count in sorted(stems.items()):
        expected = round(PASSAGES * (1 - exp(-count / total * LENGTH)))
        if expected:
            lines.append(f"{name} {expected}")
    FILE.write_text(HEADER + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
