"""The language of a question."""

import pytest

from engine.parse.language import detect
from tests.engine.parse.test_framing import asked


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("fr", "Quels sont les effets secondaires de la chimiothérapie ?"),
        ("de", "Was sind die Nebenwirkungen von Tamoxifen und wie lange dauern sie?"),
        ("es", "¿Cuáles son los efectos secundarios de la quimioterapia?"),
        ("it", "Quali sono gli effetti collaterali della chemioterapia?"),
        ("pt", "Quais são os efeitos da quimioterapia?"),
        ("nl", "Hoe lang duurt de vermoeidheid en wat kan ik eraan doen?"),
        ("hi", "कीमोथेरेपी के दुष्प्रभाव क्या हैं?"),
        ("zh", "化疗的副作用是什么?"),
        ("ja", "抗がん剤の副作用は何ですか"),
        ("ko", "항암 치료의 부작용은 무엇인가요?"),
        ("ar", "ما هي الآثار الجانبية للعلاج الكيميائي؟"),
        ("fa", "عوارض جانبی شیمی‌درمانی چیست؟"),
        ("ru", "Каковы побочные эффекты химиотерапии?"),
        ("uk", "Які побічні ефекти хіміотерапії?"),
        ("de", "Was ist Chemotherapie?"),
        ("de", "Hilft Ingwer gegen Übelkeit?"),
        ("de", "Wie funktioniert Gazebo?"),
        ("fr", "Comment traiter la nausée ?"),
        ("fr", "C'est quoi un topic ?"),
        ("fr", "Combien de temps dure la fatigue ?"),
        ("es", "¿Cuánto dura la fatiga?"),
        ("es", "¿Cómo instalo ROS 2?"),
        ("it", "Che cos'è la chemioterapia?"),
    ],
)
def test_languages_are_recognised_R_U3(language: str, text: str) -> None:
    assert detect(text) == language


@pytest.mark.parametrize(
    "text",
    [
        "What are the side effects of tamoxifen?",
        "tamoxifen",
        "ros2 topic pub --once /chatter std_msgs/msg/String",
        "What does 化疗 mean?",
        "What is de novo AML, and who was Fanconi?",
        "El Niño, what is it?",
        "Hi! max dose imodium?",
        "t.transform.translation.y = msg.y",
        "os.path.join(os.getcwd())",
        "Von Hippel-Lindau disease",
        "carcinoma in situ de novo",
        "",
        "???",
        "12345",
    ],
)
def test_english_wherever_nothing_speaks_against_it_R_U3(text: str) -> None:
    """Commands, drug names and single foreign words are no foreign question."""
    assert detect(text) == "en"


SHORT = {
    "de": "darf ich Alkohol trinken|wann fallen die Haare aus|"
    "was hilft gegen Übelkeit|wie installiere ich Nav2|mein Mann hat Fieber",
    "es": "¿puedo tomar ibuprofeno?|puedo beber vino|cuándo se cae el pelo|"
    "efectos secundarios de tamoxifeno|dolor en el pecho",
    "fr": "puis-je boire du vin|effets secondaires du tamoxifène|"
    "perte de cheveux quand?|pourquoi suis-je fatigué",
    "pt": "posso tomar ibuprofeno?|estou com febre|minha mãe está enjoada",
    "it": "posso prendere ibuprofene?|ho la febbre|quando cadono i capelli",
    "nl": "mag ik wijn drinken|bijwerkingen van tamoxifen|ik heb koorts",
    "pl": "czy mogę pić wino|kiedy wypadają włosy|mam gorączkę",
    "hi": "कीमो कितने दिन चलता है|मुझे बुखार है|बाल कब गिरते हैं",
}


@pytest.mark.parametrize("language", SHORT)
def test_questions_of_a_few_words_are_told_R_U3(language: str) -> None:
    """Of three words with one that English has, only that it is foreign."""
    assert detect("ist grapefruit erlaubt?") != "en"
    questions = SHORT[language].split("|")
    assert [detect(text) for text in questions] == [language] * len(questions)


@pytest.mark.parametrize(
    "text",
    [
        "shld i take ibuprofn",
        "whats mucositis",
        "wat is chemo brain",
        "tamoxifen anastrozole letrozole",
        "loperamide max dose",
        "colcon build --symlink-install",
        "rviz2 fixed frame map",
        "gazebo sdf urdf xacro",
        "a la carte diet",
        "in vitro in vivo",
        "nausia after chemo",
    ],
)
@pytest.mark.parametrize("name", ["oncology", "textbook"])
def test_rare_english_words_are_never_foreign_R_U3(text: str, name: str) -> None:
    """Drugs, identifiers, Latin and typing errors, as a pack knows them or not."""
    assert asked(text, name).language == "en"
