"""What a claim may not leave out or put in: what the rest depends on (R-V4)."""

import pytest

from engine.validate.claims import Verdict, judge, unframed
from engine.validate.figures import tokens
from engine.validate.grounds import grounds
from engine.validate.material import plain
from tests.engine.validate.drafts import chunks_of

ATTACKS = [
    ("Take the tablets (20 mg) after meals.", "Take the tablets."),
    ("Fatigue, in older people, lasts for months.", "Fatigue lasts for months."),
    ("Fever, treated early, is harmless.", "Fever is harmless."),
    ("The drug is safe, provided that kidney function is normal.", "The drug is safe."),
    ("The drug is safe, as long as kidney function is normal.", "The drug is safe."),
    ("The drug is safe, assuming normal kidney function.", "The drug is safe."),
    ("The drug is safe, given normal kidney function.", "The drug is safe."),
    ("The drug is safe, in case of normal kidney function.", "The drug is safe."),
    ("The drug is safe, in people without kidney disease.", "The drug is safe."),
    ("The drug is safe, once the fever is gone.", "The drug is safe."),
    ("The drug is safe, depending on the dose.", "The drug is safe."),
    ("The drug is safe, so the myth goes.", "The drug is safe."),
    ("The drug cures cancer, so the advertisement claims.", "The drug cures cancer."),
    ("The drug cures cancer, advertisements claim.", "The drug cures cancer."),
    ("The drug cures cancer, according to advertisements.", "The drug cures cancer."),
    ("The drug cures cancer, but this is a rumour.", "The drug cures cancer."),
    ("The drug cures cancer, and this claim is a lie.", "The drug cures cancer."),
    (
        "People say the drug cures cancer, and the drug lowers pain.",
        "The drug cures cancer and the drug lowers pain.",
    ),
    ("The drug lowers pain while it is taken.", "The drug lowers pain."),
    (
        "The drug helps for as long as it is taken, and it is cheap.",
        "The drug helps, and it is cheap.",
    ),
    ("Aspirin is safe, except for children.", "Aspirin is safe."),
    (
        "Aspirin is safe for adults, excluding pregnant women.",
        "Aspirin is safe for adults.",
    ),
    (
        "Aspirin is safe in adults, excluding pregnant women, and is cheap.",
        "Aspirin is safe in adults and is cheap.",
    ),
    ("Aspirin is allowed, after the doctor has agreed.", "Aspirin is allowed."),
    ("Aspirin is allowed, during the first week, for adults.", "Aspirin is allowed."),
    ("Aspirin is allowed, with the consent of the doctor.", "Aspirin is allowed."),
    ("Aspirin helps in theory, but trials show harm.", "Aspirin helps in theory."),
    ("Aspirin, in theory, helps with pain.", "Aspirin helps with pain."),
    ("Aspirin, the theory goes, helps with pain.", "Aspirin helps with pain."),
    ("Aspirin, critics say, harms the stomach.", "Aspirin harms the stomach."),
    (
        "# Tamoxifen\n\nIt is important to treat cancer.",
        "Tamoxifen is important to treat cancer.",
    ),
    (
        "# Patients with leukemia\n\nIt can spread to bones.",
        "Patients can spread to bones.",
    ),
    (
        "# Cancer of the breast\n\nBreast cancer is common. "
        "It is the most common type in women.",
        "Cancer is the most common type in women.",
    ),
    (
        "# Tamoxifen and warfarin\n\nTamoxifen is old. It lowers estrogen.",
        "Warfarin lowers estrogen.",
    ),
    (
        "# Tamoxifen or letrozole\n\nLetrozole is new. It lowers estrogen.",
        "Tamoxifen lowers estrogen.",
    ),
    ("# Tamoxifen\n\nIt lowers estrogen.", "Tamoxifen tamoxifen lowers estrogen."),
    (
        "# Breast cancer\n\nBreast screening finds tumors. It can miss some.",
        "Breast cancer can miss some.",
    ),
    (
        "# Side effects of tamoxifen\n\nTamoxifen has side effects. "
        "They can last for years.",
        "Tamoxifen can last for years.",
    ),
    ("If a fever occurs, call the clinic.", "Call the clinic."),
    ("After chemotherapy, fatigue can last.", "After chemotherapy."),
    ("Nausea is rare, vomiting is common.", "Nausea is rare, vomiting."),
    ("Nausea, not vomiting, is common.", "Nausea is common, vomiting."),
    ("Take aspirin, and if the pain stays, call a doctor.", "Take aspirin."),
    ("Take aspirin, or call a doctor.", "Take aspirin."),
    ("Take aspirin or, in children, paracetamol.", "Take aspirin."),
    ("Either nausea occurs, or the drug fails.", "Nausea occurs."),
    ("Nausea occurs, or the drug fails.", "Nausea occurs."),
    ("The drug is not used because it is cheap.", "The drug is not used."),
    (
        "Call the doctor when the fever is high, and drink water.",
        "Call the doctor, and drink water.",
    ),
    (
        "Call the doctor after two days, and drink water.",
        "Call the doctor, and drink water.",
    ),
    ("Before surgery, stop warfarin, and drink water.", "Stop warfarin."),
    ("In pregnancy, stop warfarin, and drink water.", "Stop warfarin and drink water."),
    (
        "In pregnancy, warfarin is dangerous, and aspirin is allowed.",
        "Aspirin is allowed.",
    ),
    ("For children, warfarin is dangerous, but aspirin is safe.", "Aspirin is safe."),
    ("The trial showed that aspirin works, and the drug is safe.", "The drug is safe."),
    ("Without treatment the tumor grows, and the patient dies.", "The patient dies."),
    (
        "With surgery the tumor shrinks, and the patient recovers.",
        "The patient recovers.",
    ),
    ("Stop the drug and, after surgery, start it.", "Stop the drug and start it."),
    ("The rash is harmless, though it itches, for adults.", "The rash is harmless."),
    ("Warfarin, unlike aspirin, is safe.", "Aspirin is safe."),
    ("The risk is low, compared with smoking.", "The risk is low."),
    ("The risk is low, relative to smoking.", "The risk is low."),
    ("The risk is highest, among smokers.", "The risk is highest."),
    ("The risk is high, especially among smokers.", "The risk is high."),
    ("Eat fish, at most twice a week.", "Eat fish."),
    ("Eat fish, twice a week.", "Eat fish."),
    ("Do not drive, swim or fly.", "Do not drive."),
    ("Some drugs, such as aspirin, thin the blood.", "Some drugs thin the blood."),
    ("Drugs, like aspirin, thin the blood.", "Drugs thin the blood."),
    (
        "Patients, whose kidneys are weak, must not take aspirin.",
        "Patients must not take aspirin.",
    ),
    (
        "Patients who smoke, drink or inject drugs are at risk.",
        "Patients who smoke are at risk.",
    ),
    ("Patients who smoke, drink or inject drugs are at risk.", "Patients who smoke."),
    ("Smokers, drinkers and users are at risk.", "Smokers are at risk."),
    ("A, B and C together cause harm.", "A, B and C cause harm."),
    ("Aspirin works if, and only if, it is taken.", "Aspirin works."),
    (
        "Adults take 20 mg a day: one tablet, morning and evening.",
        "Adults take 20 mg a day.",
    ),
    ("The dose is 20 mg, halved in older people.", "The dose is 20 mg."),
    ("The dose is 20 mg a day, reduced in older people.", "The dose is 20 mg a day."),
    (
        "The dose is 20 mg a day, to be reduced in older people.",
        "The dose is 20 mg a day.",
    ),
    ("The node publishes data, once started.", "The node publishes data."),
    ("The node publishes data, when asked.", "The node publishes data."),
    (
        "The node publishes data on request, on a topic.",
        "The node publishes data on request.",
    ),
    ("The node waits, blocking the executor.", "The node waits."),
    (
        "In adults, neutropenia means fewer than 1,500 cells. "
        "Severe neutropenia means fewer than 500 cells, and "
        "the risk of infection is then high.",
        "In adults, neutropenia means fewer than 1,500 cells, and "
        "the risk of infection is then high.",
    ),
    (
        "Noise is added. Therefore, the image is blurred.",
        "Noise is added, although therefore, the image is blurred.",
    ),
    (
        "Never play a bag while a robot is listening, because the robot will move.",
        "Never play a bag, because the robot will move.",
    ),
]
HONEST = [
    (
        "Nausea is common and vomiting is rare.",
        "Vomiting is rare and nausea is common.",
    ),
    ("Drug A lowers fever and it raises the pulse.", "Drug A lowers fever."),
    ("Drug A lowers fever, so it raises the pulse.", "Drug A lowers fever."),
    (
        "# Aspirin\n\nAspirin is old. It can harm the stomach.",
        "Aspirin can harm the stomach.",
    ),
]


def supported(source: str, text: str) -> bool:
    for chunk in chunks_of(source):
        ground = grounds(chunk, plain)
        said = tokens(unframed(plain(text), ground.names))
        if judge(said, frozenset(), ground).verdict is Verdict.SUPPORTED:
            return True
    return False


@pytest.mark.parametrize(("source", "text"), ATTACKS)
def test_what_the_rest_depends_on_is_not_left_out_R_V3_R_V4(
    source: str, text: str
) -> None:
    """Conditions in any wording, who says so, whom "it" means, what is denied."""
    assert not supported(source, text)


@pytest.mark.parametrize(("source", "text"), HONEST)
def test_what_stands_alone_may_be_said_alone_R_V4(source: str, text: str) -> None:
    """A clause that is joined, and an "it" that the sentence before it names."""
    assert supported(source, text)
