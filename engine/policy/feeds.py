"""Where the documents of a source are fetched from by `sources sync` (R-R10)."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from engine.model.frozen import Frozen

Word = Annotated[str, Field(min_length=1, max_length=500)]
WebAddress = Annotated[str, Field(pattern=r"^https?://[^\s/@]+(/\S*)?$")]

# What each way of fetching has to be told, and may be told beside that.
_NEEDED = {
    "clinicaltrials": (),
    "justice_laws": ("ids",),
    "sitemap": (),
    "links": (),
    "git": (),
}
_ALLOWED = {
    "clinicaltrials": {"ids", "condition", "term"},
    "justice_laws": {"ids"},
    "sitemap": {"below"},
    "links": {"below"},
    "git": {"below", "branch"},
}


class Feed(Frozen):
    """One place to fetch from, and what of it.

    `by` names the connector; `url` is the studies of a trial register, the list of all
    acts and regulations, a sitemap, the page whose links are followed, or a repository.
    `ids` are numbers of records or acts, `condition` and `term` searches of a register;
    `below` are paths of a site or folders of a repository. More than `most` documents
    are refused: then the feed is wider than was meant.
    """

    by: Literal["clinicaltrials", "justice_laws", "sitemap", "links", "git"]
    url: WebAddress
    ids: tuple[Word, ...] = ()
    condition: Word | None = None
    term: Word | None = None
    below: tuple[Word, ...] = ()
    branch: Annotated[str, Field(pattern=r"^[A-Za-z0-9][\w./-]{0,100}$")] | None = None
    most: Annotated[int, Field(ge=1, le=50_000)] = 500

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        told = {
            n
            for n in ("ids", "condition", "term", "below", "branch")
            if getattr(self, n)
        }
        for name in sorted(told - _ALLOWED[self.by]):
            raise ValueError(f"{name} says nothing to {self.by}: remove it")
        for name in _NEEDED[self.by]:
            if name not in told:
                raise ValueError(f"{self.by} needs {name}")
        if self.by == "clinicaltrials" and not told:
            raise ValueError("clinicaltrials needs ids, a condition or a term")
        return self
