"""Options that several verbs of `python -m evals` share."""

from pathlib import Path
from typing import Annotated

import typer

Data = Annotated[Path | None, typer.Option(help="Data folder with the documents.")]
Packs = Annotated[list[str] | None, typer.Option("--pack", help="Only these packs.")]
Questions = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Your own, for one pack.")
]

# --- verbs that read a run --------------------------------------------------------

RunFolder = Annotated[
    Path,
    typer.Argument(
        metavar="RUN",
        help="Folder of a run, such as build/evals/oncology.",
        show_default=False,
    ),
]
Committed = Annotated[
    Path,
    typer.Option(
        metavar="DIR",
        help="Folder of the packs' baselines.",
        show_default="evals/baselines",
    ),
]
Annotate = Annotated[
    bool,
    typer.Option("--annotate", help="Print annotations of a hosted workflow as well."),
]

# --- verbs that ask ---------------------------------------------------------------

Cached = Annotated[
    Path, typer.Option(metavar="DIR", help="Answers and corpora of earlier runs.")
]
Played = Annotated[
    Path | None,
    typer.Option("--play", metavar="FILE", help="Model calls from a cassette alone."),
]
Taped = Annotated[
    Path | None,
    typer.Option("--tape", metavar="FILE", help="Model calls onto a cassette."),
]
