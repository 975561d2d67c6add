"""The checks of the language model, and the one call that `--model` makes.

That call asks about a lamp that was made up, through the writer that drafts answers: no
question, no document and no gate take part. It is the one call of a model without them.
"""

from collections.abc import AsyncIterator

from bot.doctor.check import Check, State
from bot.models import LanguageModels
from bot.wiring import Application
from engine.model.draft import Offered, Order, Passage, Selected
from engine.model.errors import EnvironmentFailed, GroundruleError, PolicyError
from engine.model.prompt import Failure, Prompt
from engine.policy.pack import Pack

PART = "model"
SECONDS, TOKENS = 60.0, 20_000
LAMP = Order(
    signature="general",
    question="What colour is the lamp on the desk?",
    passages=(
        Passage(
            title="The desk",
            sentences=(
                Offered(
                    number=1,
                    selected=Selected(chunk=1, sentence=0),
                    text="The lamp is green.",
                ),
            ),
        ),
    ),
    seconds=SECONDS,
    tokens=TOKENS,
)
# What to do about each failure.
HELPS = {
    Failure.TIMEOUT: f"it did not answer within {SECONDS:.0f} s: take a faster model",
    Failure.LIMITED: "the provider limits the rate: wait, or ask it for more",
    Failure.KEY: "the key is missing or refused: set GROUNDRULE_MODEL_KEY, or the "
    "provider's own variable (OPENAI_API_KEY, ANTHROPIC_API_KEY, …)",
    Failure.UNPAID: "the account has no credit left",
    Failure.NAME: "the provider knows no model of this name: look at GROUNDRULE_MODEL",
    Failure.REFUSED: "the provider refuses the request: look at the name of the model "
    "in GROUNDRULE_MODEL and at the path of GROUNDRULE_MODEL_URL, which ends with /v1 "
    "on most servers",
    Failure.UNREACHABLE: "nobody answers there: look at the host and port of "
    "GROUNDRULE_MODEL_URL, and at the network",
    Failure.SERVER: "the provider fails at present: try again later",
    Failure.UNREADABLE: "it answers, but names no sentence by its number, so that few "
    "of its drafts will be used: take a larger model",
}


async def check_model(application: Application, *, asked: bool) -> AsyncIterator[Check]:
    """Say what is configured; with `asked`, how one real call went."""
    settings, models = application.settings, application.models
    if not models.configured:
        if settings.judge:
            said = "GROUNDRULE_JUDGE does nothing without GROUNDRULE_MODEL"
            yield Check(State.NOTE, PART, said)
        elif asked:
            said = "none to ask: set GROUNDRULE_MODEL"
            yield Check(State.CONFIGURATION, PART, said)
        else:
            yield Check(State.OK, PART, "none: answers quote their sources")
        return
    drafting = list(_list_drafting(application))
    try:
        for pack in drafting:
            models.of(pack)
        name = models.writer.name
    except GroundruleError as error:
        broken = isinstance(error, EnvironmentFailed)
        state = State.BROKEN if broken else State.CONFIGURATION
        yield Check(state, PART, str(error))
        return
    packs = ", ".join(pack.id for pack in drafting) or "no pack"
    judged = f", judged by {models.judge.name}" if models.judge else ""
    hint = "" if asked else "; `doctor --model` asks it something"
    yield Check(State.OK, PART, f"{name} drafts for {packs}{judged}{hint}")
    if asked and drafting:
        yield _report_call(await _call(models, drafting[0]))


def _list_drafting(application: Application) -> list[Pack]:
    """List the packs that a model may draft for; a wrong one has its own line."""
    packs = []
    for name in application.pack_names():
        try:
            packs.append(application.pack(name))
        except PolicyError:
            continue
    return [pack for pack in packs if pack.answer.mode == "llm"]


async def _call(models: LanguageModels, pack: Pack) -> Prompt:
    writer = models.of(pack).writer
    assert writer is not None
    return (await writer.write(LAMP)).prompt


def _report_call(prompt: Prompt) -> Check:
    usage = prompt.usage
    if prompt.failure is not None:
        found = HELPS.get(prompt.failure, str(prompt.failure))
        state = State.NOTE if prompt.failure is Failure.UNREADABLE else State.BROKEN
        return Check(state, PART, f"{prompt.model}: {found}")
    price = "no price known: set GROUNDRULE_MODEL_PRICES to keep budgets for cost"
    if usage.cost is not None:
        price = f"${usage.cost:.6f}"
    return Check(
        State.OK,
        PART,
        f"{prompt.model} answered in {usage.seconds:.1f} s: {usage.prompt_tokens} "
        f"tokens sent, {usage.answer_tokens} answered, {price}",
    )
