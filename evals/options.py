"""Options that several verbs of `python -m evals` share."""

from pathlib import Path
from typing import Annotated, Literal

import typer

Profile = Literal["small", "precise"]
Fitted = Annotated[Profile, typer.Option(help="Fit relevance for this profile.")]
Compared = Annotated[
    Profile | None,
    typer.Option(
        help="Ask under this profile; its index is made from the ledger first where "
        "it lacks documents.",
        show_default="the pack's",
    ),
]
Data = Annotated[Path | None, typer.Option(help="Data folder with the documents.")]
Packs = Annotated[list[str] | None, typer.Option("--pack", help="Only these packs.")]
