"""How many things are shown of those found, and which stand apart (R-A2, R-R11)."""

import pytest

from engine.conclude.notices import (
    MOST_NAMED,
    _find_one_kind,
    count_things,
    tell_narrowing,
)
from engine.model.answer import Answer, Claim, Quote, Section
from engine.model.document import Thing
from engine.model.evidence import FoundThing, Trace
from engine.model.gate import Open
from engine.model.passage import Chunk
from engine.policy.disagreement import are_apart
from engine.policy.pack import Pack
from engine.policy.things import ThingRule
from tests.engine.conclude.test_settle import answer
from tests.engine.small_pack import chunk, data, evidence, intent, source

COUNT = "Found: {found}; shown: {shown}."
NAMES = ("ONE", "TWO", "THREE")


def pack_of(**rule: object) -> Pack:
    """A pack that knows trials."""
    kind = {"kind": "trial", "apart": True, "found": COUNT, **rule}
    return Pack.model_validate(data(things=[kind]))


def found(*names: str, named: tuple[str, ...] = ()) -> Trace:
    """What a search found: a record each, ten characters long."""
    things = tuple(
        FoundThing(kind="trial", name=n, document_id=n, start=0, end=10) for n in names
    )
    return Trace(query_type="t", things=things, named=named)


def showing(*names: str) -> Answer:
    """An answer with one row of a block for each of these trials."""
    rows = tuple(
        Claim(
            text="Phase: 2",
            citations=(1,),
            quotes=(
                Quote(
                    text="Phase: 2", chunk="c", document=n, version="v", start=1, end=9
                ),
            ),
            row=True,
        )
        for n in names
    )
    bare = answer()
    section = Section(heading="", claims=(*bare.sections[0].claims, *rows))
    return bare.model_copy(update={"sections": (section,)})


@pytest.mark.parametrize(
    ("trace", "shown", "said"),
    [
        (found(*NAMES), ("ONE",), ["Found: 3; shown: 1. Not shown: TWO, THREE."]),
        (found(*NAMES), NAMES, ["Found: 3; shown: 3."]),
        (found(*NAMES, named=NAMES), NAMES, []),
        (
            found(*NAMES, named=NAMES),
            NAMES[:2],
            ["Found: 3; shown: 2. Not shown: THREE."],
        ),
        (found(*NAMES), (), []),
        (None, ("ONE",), []),
    ],
)
def test_the_engine_counts_what_is_shown_R_A2(
    trace: Trace | None, shown: tuple[str, ...], said: list[str]
) -> None:
    """Nothing where all that is named is shown, or no block stands there at all."""
    assert list(count_things(showing(*shown), trace, pack_of())) == said
    assert list(count_things(showing(*shown), trace, pack_of(found=None))) == []


def test_many_that_are_not_shown_are_counted_R_A2() -> None:
    names = [f"T{n}" for n in range(MOST_NAMED + 4)]
    (notice,) = count_things(showing("T0"), found(*names), pack_of())
    assert notice.endswith(f", T{MOST_NAMED}, +3.")


def about(passage: Chunk, *names: str) -> Chunk:
    things = tuple(Thing(start=0, end=5, kind="trial", names=(n,)) for n in names)
    return passage.model_copy(update={"things": things})


def test_two_trials_never_disagree_with_each_other_R_R11() -> None:
    """But with what is about none, and where the pack tells nothing apart."""
    one, two, none = (about(chunk(0.9), *n) for n in (("A",), ("B",), ()))
    rules = [ThingRule(kind="trial", apart=True)]
    assert are_apart(one, two, rules)
    assert not are_apart(one, one, rules)
    assert not are_apart(one, none, rules)
    assert not are_apart(one, two, [ThingRule(kind="trial")])


@pytest.mark.parametrize(
    ("heads", "asked", "kind"),
    [
        (["NCCN: Rectal Cancer"], "NCCN stage II ctDNA", "rectal"),
        (["NCCN: Rectal Cancer"], "NCCN ctDNA rectal", None),
        (["NCCN: Rectal Cancer"], "NCCN ctDNA colon", None),
        (["NCCN: Rectal Cancer", "ASCO: colon"], "NCCN stage II ctDNA", None),
        (["NCCN: Rectal Cancer", "ASCO on ctDNA"], "NCCN stage II ctDNA", None),
        ([], "NCCN stage II ctDNA", None),
    ],
)
def test_that_all_is_about_one_kind_is_told_R_A16(
    heads: list[str], asked: str, kind: str | None
) -> None:
    """Where the question names none, and nothing that is quoted is about another."""
    assert (
        _find_one_kind(heads, asked, (("colon", "crc"), ("rectal", "rectum"))) == kind
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("What does NCCN say?", "About rectal. Also: colon, bladder."),
        ("What does ESMO say?", "About rectal."),
        ("What do guidelines say?", "About rectal. Also: colon."),  # near enough alone
    ],
)
def test_the_other_kinds_that_are_held_are_offered_by_name_R_A16(
    text: str, said: str
) -> None:
    """And no reproach that the question names none."""
    kinds = [["colon", "crc"], ["rectal"], ["bladder"], ["lung"]]
    tables = data(
        answer={**data()["answer"], "kinds": kinds},
        sources=[source("nccn", type="nccn"), source("esmo", type="esmo")],
    )
    tables["wording"] |= {"one_kind": "About {kind}.", "other_kinds": "Also: {kinds}."}
    pack = Pack.model_validate(tables)
    rectal = chunk(0.9, "rectal", source="nccn", title="NCCN: rectal cancer")
    near = chunk(0.6, "colon", source="nccn", title="NCCN: colon cancer")
    far = chunk(0.1, "bladder", source="nccn", title="NCCN: bladder cancer")
    other = chunk(0.1, "lung", source="esmo", title="Marker in the thorax")
    found = evidence((rectal, near), nearest=(far, other))
    gate = Open(
        rule="r", chunks=(rectal,), documents=1, tier_one=True, minimum_citations=1
    )
    result = answer(chunk=rectal.id, document="rectal", source="nccn")
    asked = intent(text=text)
    told = [n for n in tell_narrowing(result, gate, found, asked, pack) if "About" in n]
    assert told == [said]
