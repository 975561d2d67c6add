"""The language of a question."""

import pytest

from engine.question.language import detect


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
