"""What a refusal offers to choose from, and what of it was chosen (R-Q5)."""

from engine.corpus_records import Frozen


class ChosenSection(Frozen):
    """A section that somebody chose to read: all the evidence there is (R-Q5).

    `section` are its headings, outermost first, joined as in `Nearest`.
    """

    document_id: str
    section: str


class Choice(Frozen):
    """What a refusal offers instead: a stored question, else a section (R-Q5).

    `section` are its headings as in `Nearest`; a question has none. `label` is what a
    reader sees of either. `question_id` names the choice, whichever refusal offers it.
    """

    question: str | None = None
    section: str | None = None
    label: str
    document_id: str
    title: str
    question_id: str
