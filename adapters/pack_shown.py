"""A pack's settings as YAML, each with its meaning and whether the pack sets it."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import yaml

from adapters.packs import CONFIG, POLICY
from adapters.strict_yaml import read
from engine.policy.pack import Pack

MEANINGS = CONFIG / "meanings.yaml"
LEFT_OUT = frozenset({"sources", "hash"})
MOST = 400  # characters of a shown value
OWN = " [set here]"


def list_settings(folder: Path, pack: Pack, *, own: bool = False) -> Iterator[str]:
    """List a pack's settings in force as lines; with `own` only those that it sets.

    They are valid YAML for pack.yaml, except that long lists are only counted.

    Raises:
        PolicyError: pack.yaml cannot be read.
    """
    said = read(folder / POLICY).data
    values = pack.model_dump(mode="json", exclude=set(LEFT_OUT), exclude_none=False)
    yield from _list_table(values, said, read(MEANINGS).data, "", own=own)


def _list_table(
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
            yield from _list_table(value, inner, meanings, f"{where}.", own=own)
        else:
            yield from _list_value(name, value, indent)


def _list_value(name: str, value: object, indent: str) -> Iterator[str]:
    written = yaml.safe_dump(
        {name: value}, allow_unicode=True, sort_keys=False, width=1_000_000
    ).rstrip()
    if len(written) > MOST and isinstance(value, list):
        yield f"{indent}# {name}: {len(value)} entries, too long to show"
        return
    for line in written.splitlines():
        yield indent + line
