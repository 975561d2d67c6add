"""The safe fallback: fixed words for every reason, and nothing else."""

import re
from datetime import date
from pathlib import Path
from shutil import copytree

import pytest

from adapters.packs import Facts, create_pack, load
from config.settings import PACKS
from engine.conclude.fallback import AUDIT_FAILED_TEXT, MOST_TOPICS, compose, refuse
from engine.model.codes import FEELINGS, FailureState, Reason, RefusalReason
from engine.model.errors import PolicyError
from engine.policy.pack import Pack
from engine.text.patterns import build_word_pattern, fold, matches
from engine.text.talk import Talk
from tests.engine.small_pack import intent, small_pack

KINDS = ["self_harm", "breathing", "bleeding", "collapse", "overdose", "fever", "other"]
FIXED = (
    *("dying", "fear", "lonely", "grief", "second_opinion", "insurance", "caregiver"),
    *("find_doctor", "appointment", "reach"),
)


def packs(root: Path) -> list[Pack]:
    return [load(root / "config" / "packs" / name) for name in ("oncology", "textbook")]


@pytest.mark.parametrize("reason", list(Reason))
def test_every_fallback_is_free_of_sensitive_words_R_I4(
    root: Path, reason: Reason
) -> None:
    """Held by the packs' own lexicon, links left out."""
    for pack in packs(root):
        text = fold(compose(reason, pack, intent(text="aspirin?")))
        for link in pack.wording.links:
            text = text.replace(link.url, "")
        terms = build_word_pattern(pack.sensitive.terms)
        assert not matches(pack.sensitive.patterns, text)
        assert terms is None or not matches([terms], text)
        assert "aspirin" not in text


def test_the_oncology_fallback_R_M5(root: Path) -> None:
    """Plain to people who work with it: what is missing, and where to turn."""
    oncology = packs(root)[0]
    seen = set()
    apart = {Reason.UNSUPPORTED_LANGUAGE, Reason.AUDIT_FAILED, Reason.FIXED_TEXT}
    apart |= {Reason.STOPPED}
    for reason in set(Reason) - apart:
        text = compose(reason, oncology)
        assert "Thank you" not in text
        assert "care team" in text  # also where it asks to ask again
        assert "https://www.cancer.gov" in text
        assert "https://www.who.int/health-topics/cancer" in text
        assert "https://www.cancer.org" in text
        assert oncology.wording.reasons[reason] in text
        seen.add(oncology.wording.reasons[reason])
    assert len(seen) == len(Reason) - len(apart)
    assert "knowledge base holds no answer" in compose(Reason.NO_RESULTS, oncology)
    assert "knowledge base" not in compose(Reason.INTERNAL, oncology)


def test_one_sentence_for_each_reason_R_M5(root: Path) -> None:
    for pack in packs(root):
        for text in pack.wording.reasons.values():
            assert text.count(".") == 1, text
            assert text.endswith(".")


@pytest.mark.parametrize(
    "reason", [Reason.NO_RESULTS, Reason.LOW_SCORE, Reason.OUT_OF_SCOPE]
)
def test_the_textbook_refusal_R_V10(root: Path, reason: Reason) -> None:
    """What it answers from, a few topics nearby, whom to ask."""
    textbook = packs(root)[1]
    near = compose(reason, textbook, intent(text="Which planner does Nav2 use?"))
    assert "I can only answer questions from the textbook content" in near
    assert "mapping and navigation with SLAM and Nav2" in near
    assert "grasping" not in near
    far = compose(reason, textbook, intent(text="Who won?"))
    named = [topic for topic in textbook.topics if topic in far]
    assert named == list(textbook.topics[:MOST_TOPICS])
    for text in (near, far):
        assert "ask the course staff" in text


def test_a_refusal_says_that_pages_came_near_and_names_none_R_M5_R_D5(
    root: Path,
) -> None:
    """Only where the documents were the matter, and where there are such pages."""
    for pack in packs(root)[1:]:
        line = pack.wording.nearby
        assert line is not None
        assert "Why" in line
        assert line in compose(Reason.LOW_SCORE, pack, intent(), near=True)
        assert line not in compose(Reason.LOW_SCORE, pack, intent())
        for reason in (
            Reason.OUT_OF_SCOPE,
            Reason.UNSUPPORTED_LANGUAGE,
            Reason.INTERNAL,
            Reason.AUDIT_FAILED,
        ):
            assert line not in compose(reason, pack, intent(), near=True)


def test_an_emergency_notice_fits_kind_and_reader_R_M6(root: Path) -> None:
    """A crisis line for self-harm alone; a ward goes by its protocol. No drug."""
    for pack in packs(root):
        said = {urgent.kind: urgent.text for urgent in pack.wording.emergencies}
        assert list(said) == KINDS
        ward = pack.reader == "professionals"
        for kind, text in said.items():
            assert "112 or 911" in text
            assert len(text.split()) <= 60
            assert ("crisis line" in text) is (kind == "self_harm")
            assert ("local protocol" in text) is ward
            terms = build_word_pattern(pack.sensitive.terms)
            assert terms is None or not matches([terms], fold(text))
        assert said["self_harm"].startswith("I am glad") is not ward


def test_a_pack_of_either_reader_says_what_it_says_once_R_M6(tmp_path: Path) -> None:
    """The texts come from config/voice.yaml; a pack's own go before them."""
    facts = Facts("Lab", "Lab", "lab@example.org", date(2026, 11, 27))
    folder = create_pack(tmp_path, "lab", facts)
    pack = load(folder)
    assert pack.reader == "public"
    assert [urgent.kind for urgent in pack.wording.emergencies] == KINDS
    file = folder / "pack.yaml"
    text = file.read_text(encoding="utf-8")
    own = "wording:\n  emergencies: {fever: {text: Cool it.}}\n"
    changed = text.replace("domain: general", "domain: general\nreader: professionals")
    file.write_text(re.sub(r"wording:.*\n", own, changed, count=1), encoding="utf-8")
    said = {urgent.kind: urgent.text for urgent in load(folder).wording.emergencies}
    assert said["fever"] == "Cool it."
    assert "local protocol" in said["bleeding"]


@pytest.mark.parametrize("reader", ["public", "professionals"])
def test_what_is_no_medical_question_is_answered_R_M8(root: Path, reader: str) -> None:
    """In fixed words, and no word of what is missing.

    Homepages below what is practical; somebody who grieves needs no list of links.
    """
    oncology = packs(root)[0].model_copy(update={"reader": reader})
    for kind in FIXED:
        text = compose(Reason.LOW_SCORE, oncology, intent(kind=kind))
        assert text.startswith(oncology.wording.fixed[kind])
        assert ("https://www.cancer.gov" in text) is (kind not in FEELINGS)
        assert oncology.wording.lacks not in text
        terms = build_word_pattern(oncology.sensitive.terms)
        assert terms is None or not matches([terms], fold(text))
        urgent = compose(Reason.LOW_SCORE, oncology, intent(kind=kind, urgent=True))
        assert oncology.wording.fixed[kind] not in urgent


@pytest.mark.parametrize("kind", ["thanks", "bye", "small", "bare"])
def test_talk_in_any_wording_is_answered_as_talk_R_U10(root: Path, kind: str) -> None:
    for pack in packs(root):
        text = compose(Reason.LOW_SCORE, pack, intent(kind=kind))
        assert text == pack.wording.answer_to(Talk(kind)).replace("{title}", pack.title)


@pytest.mark.parametrize("reason", list(Reason))
def test_below_an_emergency_a_refusal_speaks_to_somebody_in_distress_R_M5_R_M6(
    root: Path, reason: Reason
) -> None:
    """Acknowledgement and care team in other words; what is lacking is no matter now.

    What has failed is told.
    """
    failed = {"BUDGET_EXCEEDED", "BUSY", "PROVIDER_FAILED", "INTERNAL"}
    apart = {Reason.AUDIT_FAILED, Reason.STOPPED, Reason.UNSUPPORTED_LANGUAGE}
    for pack in packs(root):
        wording, distress = pack.wording, pack.wording.distress
        assert distress is not None
        inside = reason is not Reason.OUT_OF_SCOPE
        read = intent(urgent=True, in_scope=inside)
        text = compose(reason, pack, read, near=True)
        if reason in apart:
            continue
        if reason is not Reason.FIXED_TEXT:
            assert (wording.reasons[reason] in text) is (reason.value in failed)
        assert wording.lacks not in text
        assert text.startswith(distress.acknowledgement)
        if reason is not Reason.INSUFFICIENT_FACTS and reason.value not in AGAIN:
            assert (distress.turn_to or "") in text
        others = (wording.acknowledgement, wording.turn_to, wording.nearby)
        for other in filter(None, others):
            assert other not in text
        assert "for example" not in text
        assert len(text.split("\n\n")[0].split()) <= 30
        assert not any(link.url in text for link in wording.links)


def test_a_refusal_speaks_in_plain_words_R_M5(root: Path) -> None:
    """No code word, no command, no passive shrug; and it is short."""
    for pack in packs(root):
        told = [notice.text for notice in pack.notices.values()]
        told += [compose(r, pack, intent(), near=True) for r in Reason]
        for text in told:
            assert "_" not in text
            assert "`" not in text
            assert "could not be established" not in text
            assert len(text.split()) <= 90


AGAIN = ("BUDGET_EXCEEDED", "BUSY")
EVERY = ("oncology", "textbook", "mrd", "immigration", "code_audit")
# Nobody knows these: that nothing answers, what the nearest page holds, how near it is
# in words. That it is not close enough is what the gate measured.
UNKNOWN = (
    "do not answer",
    "does not answer",
    "does not cover",
    "come close",
    "Thank you",
)


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("reason", [Reason.LOW_SCORE, Reason.LOW_DIVERSITY])
def test_a_refusal_claims_no_more_than_is_known_R_A16(
    root: Path, name: str, reason: Reason
) -> None:
    """The gate found too little: nobody knows that there is nothing, or how near."""
    pack = load(root / "config" / "packs" / name).model_copy(
        update={"reader": "professionals"}
    )
    notice = pack.notices[FailureState.INSUFFICIENT_EVIDENCE].text
    text = compose(reason, pack, intent(), near=True)
    said = text if text.startswith(notice) else f"{notice} {text}"  # said once
    assert not [words for words in UNKNOWN if words in said]
    assert "They " not in said
    assert said.count("clearly enough") == (name != "oncology")


@pytest.mark.parametrize("name", ["oncology", "mrd", "immigration", "code_audit"])
def test_a_refusal_is_a_no_a_reason_and_where_to_turn_R_M5(
    root: Path, name: str
) -> None:
    """Two sentences and whom to ask; a third says what is covered, where pages are not
    near. What took too long is told in one.
    """
    pack = load(root / "config" / "packs" / name)
    notices = pack.notices
    links = {link.url for link in pack.wording.links}
    for reason in (Reason.LOW_SCORE, Reason.LOW_DIVERSITY, Reason.INSUFFICIENT_CONTEXT):
        text = compose(reason, pack, intent(), near=True)
        assert text.startswith(notices[FailureState.INSUFFICIENT_EVIDENCE].text)
        said, turn_to, *rest = text.split("\n\n")
        assert len(re.findall(r"\.(?: |$)", said)) == 2
        assert turn_to == pack.wording.turn_to
        assert all(any(url in part for url in links) for part in rest)
    late = notices[FailureState.BUDGET_EXCEEDED].text
    assert compose(Reason.BUDGET_EXCEEDED, pack).split("\n\n")[0] == late
    assert "please ask again" in late
    assert pack.wording.turn_to not in compose(Reason.BUDGET_EXCEEDED, pack)


@pytest.mark.parametrize("name", EVERY)
def test_only_what_lies_outside_is_said_to_R_A16(root: Path, name: str) -> None:
    """Of words that no document has, nobody knows where they lie."""
    pack = load(root / "config" / "packs" / name)
    outside, nothing = (
        pack.wording.reasons[each] for each in (Reason.OUT_OF_SCOPE, Reason.NO_RESULTS)
    )
    unheard = compose(Reason.OUT_OF_SCOPE, pack, intent(in_scope=True))
    assert nothing in unheard
    assert outside not in unheard
    assert outside in compose(Reason.OUT_OF_SCOPE, pack, intent(in_scope=False))


def test_a_public_medical_pack_acknowledges_the_need_R_M5(tmp_path: Path) -> None:
    """Others need not thank for a question that they refuse."""
    folder = tmp_path / "oncology"
    copytree(PACKS / "oncology", folder, ignore=lambda *_: ["corpus"])
    place = folder / "pack.yaml"
    text = place.read_text(encoding="utf-8")
    silent = re.sub("  acknowledgement: .Thank you .*\n", "", text, count=1)
    assert silent != text
    place.write_text(silent, encoding="utf-8")
    load(folder)
    public = silent.replace("reader: professionals", "reader: public")
    place.write_text(public, encoding="utf-8")
    with pytest.raises(PolicyError, match=r"wording\.acknowledgement"):
        load(folder)


def test_a_refusal_in_the_askers_language_R_U3() -> None:
    """Else in English."""
    pack = small_pack()
    reason = Reason.UNSUPPORTED_LANGUAGE
    assert compose(reason, pack, intent(language="de")).startswith("Nur Englisch.")
    assert compose(reason, pack, intent(language="sw")).startswith("English only.")
    assert compose(reason, pack).startswith("English only.")


def test_missing_facts_are_asked_for_by_name_R_F7() -> None:
    asked = intent(missing_facts=("your province", "the date"))
    text = compose(Reason.INSUFFICIENT_FACTS, small_pack(), asked)
    assert "Please tell me: your province, the date." in text


def test_a_failed_audit_has_one_fixed_text_R_I10() -> None:
    """It holds nothing of the question, the answer or the pack."""
    refusal = refuse(Reason.AUDIT_FAILED, small_pack(), intent())
    assert refusal.fallback == AUDIT_FAILED_TEXT


def test_a_refusal_says_why_in_the_packs_words() -> None:
    refusal = refuse(Reason.LOW_TRUST, small_pack(), numbers={"untrusted": 2})
    assert refusal.explanation == "Because LOW_TRUST."
    assert refusal.shown_reason is RefusalReason.LOW_CONFIDENCE
    assert refusal.numbers == {"untrusted": 2}
    other = refuse(Reason.LOW_TRUST, small_pack(), explanation="Since so.")
    assert other.explanation == "Since so."
