"""What a signature is asked with."""

import json
from dataclasses import replace

import pytest

from adapters.language_model import Choice, LanguageModel
from engine.pipeline.drafting import Models
from engine.policy.pack import Pack
from engine.prompting import demonstrations
from engine.prompting.asking import make_example, make_program
from engine.prompting.demonstrations import DEMONSTRATIONS, Demonstration
from engine.prompting.modules import ModelWriter, StrictJSONAdapter, hash_program
from engine.prompting.signatures import SELECTING, SIGNATURES, Grounded
from tests.demo import Room
from tests.engine.pipeline.test_drafting import FEVER, WINDUP, allowing, first_sentences
from tests.loopback.model import Said, provider


def test_a_demonstration_has_the_fields_of_every_signature_R_A1() -> None:
    """All of them, and the day on which somebody read it."""
    fields = set(Grounded.fields)
    assert set(Demonstration.model_fields) == fields | {"reviewed"}
    for examples in DEMONSTRATIONS.values():
        for each in examples:
            assert set(make_example(each).keys()) == fields


@pytest.mark.parametrize("name", SIGNATURES)
async def test_every_signature_is_sent_the_rules_and_fixed_texts_R_A10(
    name: str, room: Room
) -> None:
    """Those of the pack that is asked; an example shows how to say no."""
    assert any(example.not_found for example in make_program(name).demos)
    async with provider(lambda body: Said(first_sentences(body))) as served:
        model = LanguageModel(Choice("openai/test", url=served.url, key="k"))
        models = Models(writer=ModelWriter(model, SIGNATURES))
        for pack, text in (("textbook", WINDUP), ("oncology", FEVER)):
            asked = naming(room.packs[pack], name)
            asking = Room({pack: asked}, replace(room.ports, models=models))
            await asking.ask(pack, text)
            system, *_, last = served.asked[-1]["messages"]
            for line in SELECTING.strip().splitlines():
                assert line.strip() in system["content"]
            for name, text in asked.sensitive.by_id.items():
                shown = json.dumps(f"{name}: {text}", ensure_ascii=False)
                assert shown in last["content"]
    assert len(served.asked) == 2


def naming(pack: Pack, signature: str) -> Pack:
    """The pack, with a model, and one signature for all of its intents."""
    rules = [r.model_copy(update={"signature": signature}) for r in pack.intents]
    return allowing(pack).model_copy(update={"intents": tuple(rules)})


def test_the_version_changes_with_what_is_rendered_R_D1(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A field's type and the adapter's own words are in it; the same gives the same."""
    first = hash_program(make_program("general"))
    assert first == hash_program(make_program("general"))
    typed = make_program("general")
    typed.signature = typed.signature.with_updated_fields("question", type_=list[str])
    assert hash_program(typed) != first
    own = StrictJSONAdapter.format_field_structure
    monkeypatch.setattr(
        StrictJSONAdapter,
        "format_field_structure",
        lambda self, signature: f"{own(self, signature)} Now.",
    )
    assert hash_program(make_program("general")) != first


async def test_the_record_tells_which_prompt_it_was_R_E10_R_D1(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its hash changes with an example, and with nothing else: two can be compared."""
    pack = allowing(room.packs["textbook"])
    signatures = {rule.signature for rule in pack.intents}
    versions = []
    async with provider(lambda body: Said(first_sentences(body))) as served:
        model = LanguageModel(Choice("openai/test", url=served.url, key="k"))
        for examples in (None, None, dict.fromkeys(DEMONSTRATIONS, ())):
            if examples is not None:
                monkeypatch.setattr(demonstrations, "DEMONSTRATIONS", examples)
            writer = ModelWriter(model, set(SIGNATURES))
            ports = replace(room.ports, models=Models(writer=writer))
            outcome = await Room({"textbook": pack}, ports).ask("textbook", WINDUP)
            assert outcome.answered
            assert outcome.prompts[0].module in signatures
            versions.append(outcome.prompt_version)
    assert versions[0] == versions[1] != versions[2]
