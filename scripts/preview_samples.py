"""Renew the replies that `preview` draws when it is asked nothing, from the demo texts.

    python -m scripts.preview_samples

Written to bot/preview/samples.json. Every reply but the long one is what the engine
said; that one strings several answers together, as no demo text needs so much room.
"""

import asyncio
import json
from collections.abc import Sequence

from adapters.reply import Block, Heading, Reply, SourceLine
from bot.__main__ import run
from bot.assistant import Asked, Assistant
from bot.preview.page import SAMPLES, Exchange, exchange
from bot.wiring import Application, read_settings

TEXTBOOK, ONCOLOGY, MRD, LAW = "textbook", "oncology", "mrd", "immigration"
# name on the page, title, pack, question
ASKED = (
    ("answer", "An answer", TEXTBOOK, "How do you tune a PID controller?"),
    (
        "more",
        "An answer with more behind a button",
        TEXTBOOK,
        "What does a launch file do?",
    ),
    (
        "code",
        "An answer with code",
        TEXTBOOK,
        "Which command prints the transform between two frames?",
    ),
    ("refusal", "A refusal", TEXTBOOK, "Is ROS 2 better than ROS 1?"),
    (
        "choices",
        "A refusal that asks what was meant",
        TEXTBOOK,
        "my robot overshoots, what now",
    ),
    (
        "long-choices",
        "A refusal that offers what no button has room for",
        TEXTBOOK,
        "how do i make the arm move to a pose",
    ),
    (
        "emergency",
        "An emergency",
        TEXTBOOK,
        "My hand is stuck in the gripper, how do I open it?",
    ),
    (
        "health-answer",
        "An answer about health",
        ONCOLOGY,
        "What temperature counts as a fever during chemotherapy?",
    ),
    (
        "health-refusal",
        "A refusal about health",
        ONCOLOGY,
        "How many mg of ondansetron may a patient take per day?",
    ),
    (
        "trial-answer",
        "An answer about a trial",
        MRD,
        "Why did COBRA stop?",
    ),
    (
        "law-answer",
        "An answer of law, for the day that is asked about",
        LAW,
        "How many hours per week could a student work off campus on 1 March 2024?",
    ),
    (
        "law-fee",
        "An answer from a table that may be out of date",
        LAW,
        "What is the right of permanent residence fee?",
    ),
)
ANSWERED = (True, True, True, *[False] * 4, True, False, True, True, True)
ALONE = frozenset(
    {"code", "choices", "long-choices", "emergency", "long"}
)  # shown without what their buttons bring
CHAPTERS = "What do the chapters on frames, messages, sensors and launching say?"
STRUNG = (
    "Which command prints the transform between two frames?",
    "What are the main QoS policies?",
    "How do you tune a PID controller?",
    "How does a lidar measure distance?",
    "What does a launch file do?",
    "gazebo sim world file",
    "What belongs in the lab report of lab 6?",
)


async def renew() -> int:
    """Ask, and write the file; 0 where everything was answered that should be."""
    async with Application(read_settings()) as application:
        assistant = Assistant(application, frozenset())

        async def asked(pack: str, text: str, *, whole: bool = False) -> Exchange:
            policy = await assistant.pack(pack)
            outcome = await assistant.ask(policy, Asked(text=text))
            return exchange(
                "", policy, text, assistant.word(policy, outcome, whole=whole)
            )

        made = [
            (await asked(pack, text)).model_copy(update={"name": name, "title": title})
            for name, title, pack, text in ASKED
        ]
        parts = [await asked(TEXTBOOK, text, whole=True) for text in STRUNG]
    long = {
        "name": "long",
        "title": "A long answer",
        "question": CHAPTERS,
        "reply": strung([part.reply for part in parts]),
    }
    answered = [each.reply.answered for each in (*made, *parts)]
    made.insert(3, parts[0].model_copy(update=long))
    shown = [_shown(each).model_dump(mode="json") for each in made]
    text = json.dumps(shown, ensure_ascii=False, indent=1)
    SAMPLES.write_text(f"{text}\n", encoding="utf-8")
    return 0 if answered == [*ANSWERED, *(True for _ in parts)] else 1


def _shown(each: Exchange) -> Exchange:
    return (
        each.model_copy(update={"views": ("answer",)}) if each.name in ALONE else each
    )


def strung(replies: Sequence[Reply]) -> Reply:
    """Several answers as one, their sources counted on."""
    body: list[Block] = []
    sources: list[SourceLine] = []
    for reply in replies:
        before = len(sources)
        for block in reply.body:
            if not isinstance(block, Heading):
                numbers = tuple(number + before for number in block.numbers)
                block = block.model_copy(update={"numbers": numbers})
            body.append(block)
        for source in reply.sources:
            number = source.number + before
            sources.append(source.model_copy(update={"number": number}))
    changes = {"body": tuple(body), "sources": tuple(sources), "banners": ()}
    return replies[0].model_copy(update=changes)


if __name__ == "__main__":
    run(lambda: asyncio.run(renew()))
