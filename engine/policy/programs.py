"""Prompt programs as data: what a model is told of an intent, with worked examples.

The built-in ones stand in engine/answer/; a pack may bring compiled ones of its own
(`python -m evals optimise`), as JSON and never as anything that runs. Whichever it is,
the rules of every answer (engine/answer/signatures.py) follow the instructions and the
validators judge what comes back.
"""

import json
from collections.abc import Iterable, Mapping
from datetime import date
from hashlib import sha256
from typing import Annotated, Literal, Self

import re2
from pydantic import Field, model_validator

from engine.documents.records import Frozen

LONGEST = 2_000  # characters of a short text
LONGEST_INSTRUCTIONS = 4_000
LONGEST_PASSAGES = 20_000
MOST_DEMONSTRATIONS = 4  # R-A1 wants one or two; every one of them is sent each time
MOST_CASES = 5_000

_NUMBERED = re2.compile(r"(?m)^\[(\d{1,4})\] ")  # where a sentence begins

Short = Annotated[str, Field(max_length=LONGEST)]
Line = Annotated[str, Field(min_length=1, max_length=LONGEST)]
Lines = Annotated[tuple[Short, ...], Field(max_length=50)]
CaseIds = Annotated[tuple[Line, ...], Field(max_length=MOST_CASES)]


class Part(Frozen):
    """Numbers of sentences under one heading."""

    heading: Short = ""
    sentences: Annotated[tuple[int, ...], Field(min_length=1, max_length=50)]


class Demonstration(Frozen):
    """One worked example: the fields of a signature, filled in.

    Attributes:
        reviewed: the day on which a person last read it (R-E10); None: nobody did yet.
    """

    question: Line
    passages: Annotated[str, Field(min_length=1, max_length=LONGEST_PASSAGES)]
    headings: Lines = ()
    fixed_texts: Lines = ()
    feedback: Lines = ()
    sections: Annotated[tuple[Part, ...], Field(max_length=20)] = ()
    texts: Lines = ()
    not_found: Lines = ()
    status: Literal["answered", "insufficient", "not_found"]
    reviewed: date | None

    @model_validator(mode="after")
    def _offered(self) -> Self:
        """An example that selects what is not there teaches just that."""
        shown = {int(number) for number in _NUMBERED.findall(self.passages)}
        for section in self.sections:
            for number in section.sentences:
                if number not in shown:
                    raise ValueError(f"selects [{number}], which is no sentence of it")
        return self


class Origin(Frozen):
    """Where a program came from, and what it was compared with.

    Attributes:
        optimiser: what compiled it.
        model: what drafted meanwhile.
        training: ids of the cases that it was compiled on.
        compared: ids of the cases that it was compared on; none of those above. Empty:
            it was not compared yet.
        against: SHA-256 of the program that it was compared with.
        figures: of that comparison, a sentence a gate metric.
        digest: of the program as it was compared (`Program.digest_for`); empty as
            above. It guards against mistakes: who means to can write another.
    """

    optimiser: Line
    model: Line
    training: CaseIds
    compared: CaseIds
    against: Line
    figures: Mapping[Line, Line]
    digest: Short = ""

    @model_validator(mode="after")
    def _apart(self) -> Self:
        both = set(self.training) & set(self.compared)
        if both:
            raise ValueError(f"{min(both)} is a case of training and of comparison")
        return self


class Program(Frozen):
    """A pack's own program for one signature, which replaces the built-in one.

    Attributes:
        signature: whose it is, as `signature` of the pack's intents names it.
        instructions: the intent's own lines; the rules of all follow them.
        demonstrations: worked examples, one of them with data missing (R-A1).
        reviewed: the day on which a person last read all of it (R-E10); None: nobody
            did yet.
        by: who answers for it.
        origin: where it came from.
    """

    signature: Annotated[str, Field(pattern=r"^[a-z][a-z_]{0,40}$")]
    instructions: Annotated[str, Field(min_length=1, max_length=LONGEST_INSTRUCTIONS)]
    demonstrations: Annotated[
        tuple[Demonstration, ...],
        Field(min_length=1, max_length=MOST_DEMONSTRATIONS),
    ]
    reviewed: date | None
    by: Line
    origin: Origin

    @model_validator(mode="after")
    def _missing(self) -> Self:
        if not any(each.not_found for each in self.demonstrations):
            raise ValueError(
                "demonstrations: none has something in not_found: one has to show how "
                "to say that data are missing (R-A1)"
            )
        return self

    def digest_for(self, pack: str) -> str:
        """SHA-256 of a pack's id and of all that a model is told by the program.

        The days of review are left out.
        """
        told = self.model_dump(
            mode="json",
            include={"signature": True, "instructions": True, "demonstrations": True},
            exclude={"demonstrations": {"__all__": {"reviewed"}}},
        )
        return sha256(json.dumps([pack, told], sort_keys=True).encode()).hexdigest()

    def compared_on(
        self, pack: str, cases: Iterable[str], figures: Mapping[str, str]
    ) -> "Program":
        """The program with its comparison, which holds for it as it is now (R-E10).

        Args:
            pack: the id of the pack that it is compared for.
            cases: ids of those that it is compared on.
            figures: what came of it, a sentence a gate metric.

        Raises:
            ValueError: a case is one of its training, or something is too long.
        """
        origin = {
            **dict(self.origin),
            "compared": tuple(sorted(cases)),
            "figures": {metric: said[:LONGEST] for metric, said in figures.items()},
            "digest": self.digest_for(pack),
        }
        # Built anew, so that every check of a program has seen what is written.
        return Program.model_validate({**dict(self), "origin": origin})
