"""The language of a question, by script and function words: enough to refuse in it."""

from collections import Counter
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from engine.patterns import fold

LONGEST = 2_000  # characters looked at

# Scripts that one language, or one first guess, stands for: (first, last, language).
_SCRIPTS = (
    (0x0370, 0x03FF, "el"),
    (0x0400, 0x052F, "ru"),
    (0x0590, 0x05FF, "he"),
    (0x0600, 0x077F, "ar"),
    (0x0900, 0x097F, "hi"),
    (0x0980, 0x09FF, "bn"),
    (0x0A00, 0x0A7F, "pa"),
    (0x0A80, 0x0AFF, "gu"),
    (0x0B80, 0x0BFF, "ta"),
    (0x0C00, 0x0C7F, "te"),
    (0x0D00, 0x0D7F, "ml"),
    (0x0E00, 0x0E7F, "th"),
    (0x3040, 0x30FF, "ja"),
    (0x3400, 0x9FFF, "zh"),
    (0xAC00, 0xD7AF, "ko"),
)
# Letters that tell two languages of one script apart.
_LETTERS = MappingProxyType(
    {"uk": frozenset("іїєґ"), "fa": frozenset("پچژگ"), "ur": frozenset("ٹڈڑںے")}
)

# Function words; those of other languages without the commonest that English shares.
_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "en": """the a an is are was were do does did can could should would will may i
            my me you your it its of to in on at for from with by and or not what which
            who when where why how after before during if this that there have has had
            be been about any""",
        "de": """der das und ist nicht ich mit für auf dem den ein eine einen wie
            warum kann bei nach von zu sich auch oder wird werden welche welcher
            mein meine gibt ihr wir sie mich mir sind haben habe hat wenn gegen wann
            wo durch muss soll über bitte was wer welches darf hilft dauert bedeutet
            funktioniert macht gibt's geht keine während""",
        "fr": """le les des une est je vous que qui quels quelle quelles quel avec
            pas dans pour sur mon ma mes ce cette est-ce qu'est-ce comment pourquoi
            peut peux sont aux après du et ou où quand combien il elle nous puis-je
            dois être la un quoi c'est j'ai qu'un qu'une d'un d'une veux faire
            faut plus""",
        "es": """el los las una es qué que cómo como por para con mi mis del cuáles
            cuál cuándo cuánto dónde puedo puede son está tengo después y o pero si
            se sus hay debo tiene porque la un cuánta cuántos cuántas quiero
            durante cuando hacer ser""",
        "it": """il gli della delle dei di che è cosa come perché posso può sono con
            per mio mia nel dopo quali quale quando quanto dove ho una uno e o anche
            non degli la un cos'è com'è voglio fare durante quanti""",
        "pt": """o os uma é não que como por para com meu minha do da dos das quais
            qual quando quanto onde posso pode são está tenho depois e ou também
            você há um quero durante fazer""",
        "nl": """het een ik niet van voor met wat hoe waarom kan mijn zijn welke wanneer
            waar bij naar ook wordt heb heeft deze dit moet""",
        "sv": """och att det som är jag inte för med hur varför kan min mina vilka när
            var efter har ett vad""",
        "pl": """jest nie czy jak dlaczego mogę może dla przy oraz moje mój po co się
            jakie który która kiedy gdzie mam""",
        "tr": """ve bir bu için ne neden mi mu mü ile var benim sonra hangi
            nedir olan çok""",
    }
)
_SEPARATORS = str.maketrans({c: " " for c in '.,;:!?¿¡()[]{}"«»“”„…/|`<>'})
_LEAST = 2  # different function words that make a language
_SPANISH = "¿¡"  # no other language opens a sentence with them: one function word


def detect(text: str) -> str:
    """The language as an ISO 639 code; "en" wherever nothing speaks against it.

    A foreign script counts when most letters are of it; otherwise a language needs two
    different function words, and more of them than English has. A drug name, a command
    or a line of code is therefore English.
    """
    text = text[:LONGEST]
    return _by_script(text) or _by_words(text)


def _by_script(text: str) -> str | None:
    letters = [c for c in text if c.isalpha()]
    scripts = Counter(_script(ord(c)) for c in letters)
    latin = scripts.pop("", 0)
    if not scripts or sum(scripts.values()) <= latin:
        return None
    if "ja" in scripts:  # kana stand in Japanese only, Han letters in Chinese too
        return "ja"
    language = max(scripts, key=lambda name: scripts[name])
    present = frozenset(letters)
    for near, telling in _LETTERS.items():
        if telling & present and language == ("ru" if near == "uk" else "ar"):
            return near
    return language


def _script(code: int) -> str:
    return next((name for low, high, name in _SCRIPTS if low <= code <= high), "")


def _by_words(text: str) -> str:
    words = set(fold(text).casefold().translate(_SEPARATORS).split())
    counts = {language: len(words & known) for language, known in _known().items()}
    counts["es"] += any(mark in text for mark in _SPANISH)
    english = counts.pop("en")
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] >= _LEAST and counts[best] > english else "en"


@cache
def _known() -> Mapping[str, frozenset[str]]:
    return {language: frozenset(listed.split()) for language, listed in _WORDS.items()}
