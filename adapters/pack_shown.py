"""A pack's settings as YAML, each with its meaning and whether the pack says it."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import yaml

from adapters.packs import CONFIG, POLICY
from adapters.strict_yaml import read
from engine.policy.pack import Pack

MEANINGS = CONFIG / "meanings.yaml"
LEFT_OUT = frozenset({"sources", "hash"})
MOST = 400  # characters of a value that is shown
OWN = " [set here]"


def shown(folder: Path, pack: Pack, *, own: bool = False) -> Iterator[str]:
    """The lines of a pack's settings in force; with `own` those alone that it sets.

    They are YAML that pack.yaml takes as it is, but for long values, which are counted.

    Raises:
        PolicyError: pack.yaml cannot be read.
    """
    said = read(folder / POLICY).data
    values = pack.model_dump(mode="json", exclude=set(LEFT_OUT), exclude_none=False)
    yield from _table(values, said, read(MEANINGS).data, "", own=own)


def _table(
    values: Mapping[str, object],
    said: Mapping[str, object],
    meanings: Mapping[str, object],
    at: str,
    *,
    own: bool,
) -> Iterator[str]:
    indent = "  " * at.count(".")
    for name, value in values.items():
        where = f"{at}{name}"
        meaning = meanings.get(where)
        if own and name not in said:
            continue
        if meaning is not None:
            mark = OWN if name in said and not isinstance(said[name], dict) else ""
            yield f"{indent}# {meaning}{mark}"
        below = said.get(name)
        if isinstance(value, dict) and any(m.startswith(f"{where}.") for m in meanings):
            yield f"{indent}{name}:"
            inner = below if isinstance(below, dict) else {}
            yield from _table(value, inner, meanings, f"{where}.", own=own)
        else:
            yield from _value(name, value, indent)


def _value(name: str, value: object, indent: str) -> Iterator[str]:
    written = yaml.safe_dump(
        {name: value}, allow_unicode=True, sort_keys=False, width=1_000_000
    ).rstrip()
    if len(written) > MOST and isinstance(value, list):
        yield f"{indent}# {name}: {len(value)} entries, too long to show"
        return
    for line in written.splitlines():
        yield indent + line
