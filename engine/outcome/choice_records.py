"""What a refusal offers to choose from, and what of it was chosen (R-Q5)."""

from engine.documents.records import Frozen


class ChosenSection(Frozen):
    """A section that somebody chose to read: all the evidence there is (R-Q5).

    `section` are its headings, outermost first, joined as in `Nearest`. `near` is where
    the sentence stands that came nearest to what was asked, as an offset into the
    document: it is shown first. Without one the section begins at its beginning.
    """

    document_id: str
    section: str
    near: int | None = None


class Choice(Frozen):
    """What a refusal offers instead: a section, by a stored question or a title (R-Q5).

    `section` are its headings as in `Nearest`. `label` is what a reader sees of either.
    `question_id` names the choice, whichever refusal offers it. `near` is that of
    `ChosenSection`.
    """

    question: str | None = None
    section: str | None = None
    label: str
    document_id: str
    title: str
    question_id: str
    near: int | None = None
