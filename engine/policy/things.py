"""The rules of a pack on entities that its documents describe: trials, sections of
acts.
"""

from typing import Annotated, Self

from pydantic import Field, field_validator, model_validator

from engine.model.frozen import Frozen
from engine.text.patterns import Pattern, compile_pattern

Words = Annotated[str, Field(min_length=1, max_length=200)]


class NamePattern(Frozen):
    """A pattern of how people write a name, and the name that documents use.

    `name` holds the pattern's named groups in braces ("IRPA {n}"); without one, the
    match is the name. A group `part` holds the labels of the part that is asked for,
    outermost first, each in brackets: of "A34(1)(c)" the "(1)(c)". A `partial` name
    leaves out the act: it means each entity whose name begins with its first word and
    holds the others.
    """

    pattern: Pattern
    name: Words | None = None
    partial: bool = False

    @model_validator(mode="after")
    def _filled(self) -> Self:
        groups = dict.fromkeys(compile_pattern(self.pattern).groupindex, "")
        try:
            (self.name or "").format(**groups)
        except (KeyError, IndexError, ValueError) as error:
            raise ValueError(f"name {self.name!r} names no group: {error}") from error
        return self


class FieldValue(Frozen):
    """A value of a field that entities are asked for by: "recruiting", "phase 3".

    `asked` matches the question, `stated` what a record says for the field.
    """

    asked: Pattern
    stated: Pattern


class ThingField(Frozen):
    """One field of an entity's record card.

    `attributes` are those of its documents that fill it, all of them; `words` ask for
    it. Entities are asked for by its `values`, in whose order the words of a question
    are read, each once ("not recruiting" is not "recruiting").
    """

    label: Words
    attributes: Annotated[tuple[Words, ...], Field(min_length=1)]
    words: tuple[Words, ...] = ()
    values: tuple[FieldValue, ...] = ()


class ThingRule(Frozen):
    """A kind of entity that documents describe one by one.

    `words` are common nouns for one ("trial"), `patterns` the forms of its names: a
    name that matches and that no document has is reported as not found. `asking` are
    words of questions about all of one ("overview"). `fields` are shown on one record
    card for each, in this order; `absent` words the line of a field that the record of
    {name} does not state; `unrecorded` does so where other sentences about the entity
    are shown, which may state it. Where entities are asked for by values of {fields},
    `silent` counts those found whose record states none, `otherwise` those that state
    something else, if all do. At most `most` are shown where the question names none;
    `found` then says how many of how many, with {shown} and {found}, and `left` names
    {others}. Where one is named and they are `apart`, a passage about another is no
    answer. `unknown` says that no document has a name of the question, `unheld` that
    one has it on other {days} than {date}.
    """

    kind: Words
    words: tuple[Words, ...] = ()
    patterns: tuple[NamePattern, ...] = ()
    asking: tuple[Words, ...] = ()
    fields: tuple[ThingField, ...] = ()
    absent: Words = "{label} of {name}: not stated in the source"
    unrecorded: Words = "{label} of {name}: not in its own record"
    silent: Words | None = None
    otherwise: Words | None = None
    most: Annotated[int, Field(ge=1, le=5)] = 3
    found: Words | None = None
    left: Words = "Not shown: {others}."
    apart: bool = False
    unknown: Words | None = None
    unheld: Words | None = None

    @field_validator("patterns", mode="before")
    @classmethod
    def _plain(cls, value: object) -> object:
        if not isinstance(value, list | tuple):
            return value
        return [{"pattern": v} if isinstance(v, str) else v for v in value]

    @field_validator("absent", "unrecorded")
    @classmethod
    def _labelled(cls, value: str) -> str:
        if "{label}" not in value:
            raise ValueError("has to hold {label}")
        return value
