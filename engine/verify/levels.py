"""What a section has to state of each document that it quotes, where a passage does.

The level of evidence of a recommendation often stands in another sentence of its page.
It is shown behind what is quoted, so that the last line of an answer names as missing
what no passage found states, and nothing else (R-A2, R-A16).
"""

from collections.abc import Iterator

from engine.model.draft import Selected
from engine.policy.mix import FieldRule
from engine.policy.rules import Material
from engine.text.closure import selectable
from engine.text.patterns import fold, matches
from engine.text.quotable import text_of
from engine.verify.leads import SectionParts


def stated(section: SectionParts, material: Material) -> Iterator[tuple[Selected, ...]]:
    """The sentences with the fields that a section lacks, a run for each document."""
    rules = [rule for rule in material.contract if rule.heading == section.heading]
    fields = [field for rule in rules for field in rule.fields]
    for document, shown in _shown(section, material).items():
        for field in fields:
            known = matches(field.patterns, fold(shown))
            found = None if known else next(_stating(document, field, material), None)
            if found is not None:
                yield (found,)


def _shown(section: SectionParts, material: Material) -> dict[str, str]:
    """What is shown of each document that a section quotes, its title with it."""
    shown: dict[str, str] = {}
    for part in section.parts:
        for passage in part.passages:
            document = material.chunks[passage.number - 1].document
            shown[document] = f"{shown.get(document, part.above)} {part.text}"
    return shown


def _stating(document: str, field: FieldRule, material: Material) -> Iterator[Selected]:
    """The sentences of a document that state a field, in the order of the passages."""
    for number, chunk in enumerate(material.chunks, start=1):
        if chunk.document != document:
            continue
        for at, sentence in enumerate(chunk.sentences):
            text = text_of(chunk, sentence)
            if selectable(sentence) and matches(field.patterns, fold(text)):
                yield Selected(chunk=number, sentence=at)
