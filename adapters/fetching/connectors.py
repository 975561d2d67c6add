"""The connectors by kind of feed."""

from collections.abc import Callable, Mapping

from adapters.fetching.confluence import Confluence
from adapters.fetching.crawl import Links
from adapters.fetching.laws import JusticeLaws
from adapters.fetching.records import Connector
from adapters.fetching.register import TrialRegister
from adapters.fetching.repository import Repository
from adapters.fetching.site import Site
from adapters.fetching.web import Web
from engine.policy.records import Feed

_BY: Mapping[str, Callable[[Feed, Web], Connector]] = {
    "clinicaltrials": TrialRegister,
    "justice_laws": JusticeLaws,
    "sitemap": Site,
    "links": Links,
    "git": Repository,
    "confluence": Confluence,
}


def make_connector(feed: Feed, web: Web) -> Connector:
    """Make the connector that lists and fetches the documents of a feed."""
    return _BY[feed.by](feed, web)
