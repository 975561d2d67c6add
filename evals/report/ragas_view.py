"""What ragas made of a run: a table for the page, and one for the summary."""

from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element

from adapters.inert import inert
from bot.pages.elements import element
from evals.forms import Json

TITLE = "By ragas"
MOST = 20  # differences that are listed


def headline(held: Json) -> str:
    """Whether ragas and the decision agree, with the denominator."""
    differing = len(held["differing"])
    judge = f", judged by {held['judge']}" if held["judge"] else ", no judge configured"
    word = f"{differing} differ" if differing else "all agree"
    return (
        f"{held['ours']} scores of deciding metrics through ragas {held['ragas']}: "
        f"{word}. Below, metrics of ragas itself; they advise{judge}."
    )


def lines(held: Json) -> Iterator[tuple[str, str, str, str]]:
    """Name, mean, judged of rows, and errors of each metric of ragas."""
    for one in held["theirs"]:
        mean = "\u2013" if one["mean"] is None else f"{one['mean']:.3f}"
        judged = f"{one['judged']} of {one['rows']}"
        yield one["metric"], mean, judged, str(one["errors"])


HEAD: Sequence[str] = ("Metric", "Mean", "Judged", "Errors")


def section(held: Json | None) -> Element:
    """A section of the page; also where ragas has not seen the run."""
    title = element("h2", "", TITLE)
    if held is None:
        none = element("p", "", "ragas has not scored these answers: make ragas.")
        return element("section", "", title, none)
    head = element("tr", "", *(element("th", "", word) for word in HEAD))
    rows = [
        element("tr", "", *(element("td", "", cell) for cell in line))
        for line in lines(held)
    ]
    differing = [element("li", "", inert(why)) for why in held["differing"][:MOST]]
    listed = [element("ul", "checks", *differing)] if differing else []
    said = element("p", "", inert(headline(held)))
    return element(
        "section", "", title, said, *listed, element("table", "", head, *rows)
    )


def markdown(held: Json | None) -> str:
    """A part of the summary; empty where ragas has not seen the run.

    Its names and numbers are ours: no text of an answer stands in it.
    """
    if held is None:
        return ""
    rows = [HEAD, ("---",) * len(HEAD), *lines(held)]
    table = "\n".join("| " + " | ".join(row) + " |" for row in rows)
    return f"\n**{TITLE}.** {headline(held)}\n\n{table}\n"
