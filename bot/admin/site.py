"""The administrators' site over HTTP: server-rendered, no script, small pages."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from datetime import date

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from adapters.ledger.gaps import GapState
from bot.admin import gap_pages, outcome_pages, plain_pages
from bot.admin.acts import VERBS, Acts
from bot.admin.desk import Desk
from bot.admin.frame import SIZE, Here, Look, Told, framed
from bot.admin.guard import LOCAL, WHO, Guard, add_headers
from bot.serving.listening import listening
from engine.model.errors import GroundruleError, UsageError
from engine.policy.pack import Pack

LARGEST = 32 * 1024  # bytes that a form may have
REPORT_POLICY = (  # beside the page's own, which names its style
    "script-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)


class AdminSite:
    """Pages and what can be done on them.

    Args:
        desk: reads what is shown.
        guard: says who may.
    """

    def __init__(self, desk: Desk, guard: Guard) -> None:
        self._desk = desk
        self._guard = guard

    def application(self) -> web.Application:
        """What is served, for a server of one's own."""
        made = web.Application(
            middlewares=[self._guard.middleware, self._failing],
            client_max_size=LARGEST,
        )
        made.on_response_prepare.append(add_headers)
        pack = "/packs/{pack}"
        made.add_routes(
            [
                web.get("/", self._overview),
                web.get(f"{pack}/gaps", self._gaps),
                web.get(f"{pack}/gaps/{{gap}}", self._gap),
                web.post(f"{pack}/gaps/{{gap}}/{{verb}}", self._act),
                web.get(f"{pack}/outcomes", self._outcomes),
                web.get(f"{pack}/outcomes/{{audit_id}}", self._outcome),
                web.get(f"{pack}/sources", self._sources),
                web.get(f"{pack}/reports", self._reports),
                web.get(f"{pack}/reports/{{day}}", self._report),
            ]
        )
        return made

    @property
    def _failing(self) -> Middleware:
        """Makes a page of what went wrong."""

        @web.middleware
        async def failing(request: web.Request, handler: Handler) -> web.StreamResponse:
            try:
                return await handler(request)
            except UsageError as error:
                status, told = 404, str(error)
            except GroundruleError as error:
                status, told = 503, str(error)
            here = self._here(request, None)
            return _page(framed(here, "That did not work", told), status)

        return failing

    # --- pages ------------------------------------------------------------------------

    async def _overview(self, request: web.Request) -> web.Response:
        found, weeks = await self._desk.health(), {}
        for name in self._packs(request):
            weeks[name] = await self._desk.week(self._desk.application.pack(name))
        weeks = dict(sorted(weeks.items(), key=lambda week: -week[1].questions))
        return _page(plain_pages.overview(self._here(request, None), found, weeks))

    async def _gaps(self, request: web.Request) -> web.Response:
        pack, look = self._pack(request), _look(request)
        await self._desk.collect(pack)
        named = request.query.get("state", GapState.OPEN.value)
        known = [state for state in GapState if state.value == named]
        state = known[0] if known else None
        states = () if state is None else (state,)
        some = await self._desk.view(pack).some(
            states,
            look.first,
            SIZE,
            often=look.by == "asked",
            holds=look.holds if look.words else None,
        )
        here = self._here(request, pack, "gaps")
        return _page(gap_pages.listed(here, state, look, some))

    async def _gap(self, request: web.Request) -> web.Response:
        return await self._shown(request, None)

    async def _shown(self, request: web.Request, told: Told | None) -> web.Response:
        pack = self._pack(request)
        shown = await self._desk.view(pack).show(request.match_info["gap"])
        here = self._here(request, pack, "gaps").model_copy(update={"told": told})
        status = 200 if told is None or told.good else 409
        page = _number(request, "page")
        passages = await self._desk.passages(pack, shown.line)
        return _page(gap_pages.one(here, shown, page, passages), status)

    async def _act(self, request: web.Request) -> web.Response:
        """Do something about a gap: on record first, then done."""
        pack, verb = self._pack(request), request.match_info["verb"]
        if verb not in VERBS:
            raise web.HTTPNotFound
        gap = await self._desk.view(pack).gap(request.match_info["gap"])
        form = await request.post()
        given = {name: str(value) for name, value in form.items()}
        who = request[WHO]
        known = self._desk.application.pseudonyms
        named = LOCAL if who == LOCAL else known.of_login(who)
        async with self._desk.one:
            await self._desk.operations.administered(named, verb, pack.id, gap.id)
            try:
                told = await Acts(self._desk.application, pack).do(verb, gap, given)
            except UsageError as error:
                told = Told(text=str(error), good=False)
        return await self._shown(request, told)

    async def _outcomes(self, request: web.Request) -> web.Response:
        pack = self._pack(request)
        before = _number(request, "before") if "before" in request.query else None
        only = request.query.get("only", "")
        only = only if only in outcome_pages.ONLY else ""
        reach = await self._desk.outcomes(pack, before, only)
        here = self._here(request, pack, "outcomes")
        return _page(outcome_pages.listed(here, reach, only))

    async def _outcome(self, request: web.Request) -> web.Response:
        pack = self._pack(request)
        stored = await self._desk.outcome(pack, request.match_info["audit_id"])
        why, cited = await self._desk.why(pack, stored)
        here = self._here(request, pack, "outcomes")
        return _page(outcome_pages.one(here, stored, why, cited))

    async def _sources(self, request: web.Request) -> web.Response:
        pack, look = self._pack(request), _look(request)
        found, of = await self._desk.sources(pack, look)
        here = self._here(request, pack, "sources")
        return _page(plain_pages.sources(here, found, look, of))

    async def _reports(self, request: web.Request) -> web.Response:
        pack = self._pack(request)
        here = self._here(request, pack, "reports")
        return _page(plain_pages.reports(here, self._desk.weeks(pack)))

    async def _report(self, request: web.Request) -> web.Response:
        pack = self._pack(request)
        try:
            until = date.fromisoformat(request.match_info["day"])
        except ValueError:
            raise UsageError("write the day as 2026-11-30") from None
        response = _page(await self._desk.report(pack, until))
        response.headers["Content-Security-Policy"] = REPORT_POLICY
        return response

    # --- parts ------------------------------------------------------------------------

    def _pack(self, request: web.Request) -> Pack:
        """The pack of a page.

        Raises:
            UsageError: there is none of this name that who asks may see.
        """
        name = request.match_info["pack"]
        if name not in self._packs(request):
            raise UsageError("no pack that you may see has this name")
        return self._desk.application.pack(name)

    def _packs(self, request: web.Request) -> Sequence[str]:
        """The packs that who asks may see."""
        every = self._desk.application.pack_names()
        return [name for name in every if self._guard.owns(request[WHO], name)]

    def _here(
        self, request: web.Request, pack: Pack | None, part: str | None = None
    ) -> Here:
        return Here(
            packs=tuple(self._packs(request)),
            pack=pack and pack.id,
            part=part,
            proof=self._guard.proof(request[WHO]),
        )


def _page(drawn: str, status: int = 200) -> web.Response:
    return web.Response(text=drawn, content_type="text/html", status=status)


def _look(request: web.Request) -> Look:
    """How a list is looked at, as its address says."""
    words = request.query.get("words", "")[:200]
    by = request.query.get("by", "")[:20]
    return Look(page=_number(request, "page"), by=by, words=words)


def _number(request: web.Request, name: str) -> int:
    """A number of the query, 1 where there is none that will do."""
    given = request.query.get(name, "1")
    usable = given.isascii() and given.isdecimal() and len(given) < 16
    return max(1, int(given)) if usable else 1


def serving(site: AdminSite, host: str, port: int) -> AbstractAsyncContextManager[int]:
    """Serve while the context lasts; `listening` says what it gives and raises."""
    made = site.application()
    return listening(made, host, port, "the administrators' pages", "--admin")
