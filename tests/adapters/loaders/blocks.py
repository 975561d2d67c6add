"""What tests of loaders look at: blocks with their text."""

from engine.model.document import Parsed

Seen = tuple[str, int, str]


def blocks_of(parsed: Parsed) -> list[Seen]:
    """(kind, level, text) of every block, after checking what all loaders promise."""
    last = 0
    for index, block in enumerate(parsed.blocks):
        assert last <= block.start < block.end <= len(parsed.text)
        assert not parsed.text[last : block.start].strip()
        assert block.lead_in is None or block.lead_in < index
        last = block.end
    assert not parsed.text[last:].strip()
    assert "\x00" not in parsed.text and "\r" not in parsed.text
    return [(b.kind.value, b.level, b.of(parsed.text)) for b in parsed.blocks]


def lead_ins(parsed: Parsed) -> list[str | None]:
    """The text of every block's lead-in, or None."""
    return [
        None if b.lead_in is None else parsed.blocks[b.lead_in].of(parsed.text)
        for b in parsed.blocks
    ]
