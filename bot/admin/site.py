"""The administrators' site over HTTP: server-rendered, no script, small pages."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from datetime import date

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from adapters.ledger.gaps import GapState
from bot.admin import pages
from bot.admin.acts import VERBS, Acts
from bot.admin.frame import SIZE, Here, Look, Told, render_page
from bot.admin.guard import LOCAL, WHO, Guard, add_headers
from bot.admin.reading import PageReader
from bot.serving.listening import serve_site
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
        reader: reads what is shown.
        guard: says who may.
    """

    def __init__(self, reader: PageReader, guard: Guard) -> None:
        self._reader = reader
        self._guard = guard

    def application(self) -> web.Application:
        """Build the application that a server serves."""
        made = web.Application(
            middlewares=[self._guard.middleware, self._show_errors],
            client_max_size=LARGEST,
        )
        made.on_response_prepare.append(add_headers)
        pack = "/packs/{pack}"
        made.add_routes(
            [
                web.get("/", self._show_overview),
                web.get(f"{pack}/gaps", self._show_gaps),
                web.get(f"{pack}/gaps/{{gap}}", self._show_gap),
                web.post(f"{pack}/gaps/{{gap}}/{{verb}}", self._act),
                web.get(f"{pack}/outcomes", self._show_outcomes),
                web.get(f"{pack}/outcomes/{{audit_id}}", self._show_outcome),
                web.get(f"{pack}/sources", self._show_sources),
                web.get(f"{pack}/reports", self._show_reports),
                web.get(f"{pack}/reports/{{day}}", self._show_report),
            ]
        )
        return made

    @property
    def _show_errors(self) -> Middleware:
        """Turns an error into a page."""

        @web.middleware
        async def failing(request: web.Request, handler: Handler) -> web.StreamResponse:
            try:
                return await handler(request)
            except UsageError as error:
                status, told = 404, str(error)
            except GroundruleError as error:
                status, told = 503, str(error)
            here = self._locate(request, None)
            drawn = render_page(here, "error.html", {"told": told})
            return _respond(drawn, status)

        return failing

    # --- pages ------------------------------------------------------------------------

    async def _show_overview(self, request: web.Request) -> web.Response:
        found, weeks = await self._reader.read_health(), {}
        for name in self._list_packs(request):
            weeks[name] = await self._reader.count_week(
                self._reader.application.pack(name)
            )
        weeks = dict(sorted(weeks.items(), key=lambda week: -week[1].questions))
        return _respond(
            pages.render_overview(self._locate(request, None), found, weeks)
        )

    async def _show_gaps(self, request: web.Request) -> web.Response:
        pack, look = self._find_pack(request), _read_look(request)
        await self._reader.collect(pack)
        named = request.query.get("state", GapState.OPEN.value)
        known = [state for state in GapState if state.value == named]
        state = known[0] if known else None
        states = () if state is None else (state,)
        some = await self._reader.open_board(pack).some(
            states,
            look.first,
            SIZE,
            often=look.by == "asked",
            holds=look.holds if look.words else None,
        )
        here = self._locate(request, pack, "gaps")
        return _respond(pages.render_gaps(here, state, look, some))

    async def _show_gap(self, request: web.Request) -> web.Response:
        return await self._respond_with_gap(request, None)

    async def _respond_with_gap(
        self, request: web.Request, told: Told | None
    ) -> web.Response:
        pack = self._find_pack(request)
        shown = await self._reader.open_board(pack).show(request.match_info["gap"])
        here = self._locate(request, pack, "gaps").model_copy(update={"told": told})
        status = 200 if told is None or told.good else 409
        page = _read_number(request, "page")
        passages = await self._reader.find_passages(pack, shown.line)
        return _respond(pages.render_gap(here, shown, page, passages), status)

    async def _act(self, request: web.Request) -> web.Response:
        """Put an action about a gap on record, then do it."""
        pack, verb = self._find_pack(request), request.match_info["verb"]
        if verb not in VERBS:
            raise web.HTTPNotFound
        gap = await self._reader.open_board(pack).gap(request.match_info["gap"])
        form = await request.post()
        given = {name: str(value) for name, value in form.items()}
        who = request[WHO]
        known = self._reader.application.pseudonyms
        named = LOCAL if who == LOCAL else known.of_login(who)
        async with self._reader.lock:
            await self._reader.operations.administered(named, verb, pack.id, gap.id)
            try:
                told = await Acts(self._reader.application, pack).do(verb, gap, given)
            except UsageError as error:
                told = Told(text=str(error), good=False)
        return await self._respond_with_gap(request, told)

    async def _show_outcomes(self, request: web.Request) -> web.Response:
        pack = self._find_pack(request)
        before = _read_number(request, "before") if "before" in request.query else None
        only = request.query.get("only", "")
        only = only if only in pages.ONLY else ""
        reach = await self._reader.list_outcomes(pack, before, only)
        here = self._locate(request, pack, "outcomes")
        return _respond(pages.render_outcomes(here, reach, only))

    async def _show_outcome(self, request: web.Request) -> web.Response:
        pack = self._find_pack(request)
        stored = await self._reader.read_outcome(pack, request.match_info["audit_id"])
        why, cited = await self._reader.explain(pack, stored)
        here = self._locate(request, pack, "outcomes")
        return _respond(pages.render_outcome(here, stored, why, cited))

    async def _show_sources(self, request: web.Request) -> web.Response:
        pack, look = self._find_pack(request), _read_look(request)
        found, of = await self._reader.list_sources(pack, look)
        here = self._locate(request, pack, "sources")
        return _respond(pages.render_sources(here, found, look, of))

    async def _show_reports(self, request: web.Request) -> web.Response:
        pack = self._find_pack(request)
        here = self._locate(request, pack, "reports")
        return _respond(pages.render_reports(here, self._reader.list_weeks(pack)))

    async def _show_report(self, request: web.Request) -> web.Response:
        pack = self._find_pack(request)
        try:
            until = date.fromisoformat(request.match_info["day"])
        except ValueError:
            raise UsageError("write the day as 2026-11-30") from None
        response = _respond(await self._reader.render_report(pack, until))
        response.headers["Content-Security-Policy"] = REPORT_POLICY
        return response

    # --- parts ------------------------------------------------------------------------

    def _find_pack(self, request: web.Request) -> Pack:
        """Return the pack of a page.

        Raises:
            UsageError: there is none of this name that who asks may see.
        """
        name = request.match_info["pack"]
        if name not in self._list_packs(request):
            raise UsageError("no pack that you may see has this name")
        return self._reader.application.pack(name)

    def _list_packs(self, request: web.Request) -> Sequence[str]:
        """Return the packs that the asker may see."""
        every = self._reader.application.pack_names()
        return [name for name in every if self._guard.owns(request[WHO], name)]

    def _locate(
        self, request: web.Request, pack: Pack | None, part: str | None = None
    ) -> Here:
        return Here(
            packs=tuple(self._list_packs(request)),
            pack=pack and pack.id,
            part=part,
            proof=self._guard.form_token(request[WHO]),
        )


def _respond(drawn: str, status: int = 200) -> web.Response:
    return web.Response(text=drawn, content_type="text/html", status=status)


def _read_look(request: web.Request) -> Look:
    """Read from the address how a list is shown."""
    words = request.query.get("words", "")[:200]
    by = request.query.get("by", "")[:20]
    return Look(page=_read_number(request, "page"), by=by, words=words)


def _read_number(request: web.Request, name: str) -> int:
    """Read a number of the query, 1 where there is none that will do."""
    given = request.query.get(name, "1")
    usable = given.isascii() and given.isdecimal() and len(given) < 16
    return max(1, int(given)) if usable else 1


def serve_admin(
    site: AdminSite, host: str, port: int
) -> AbstractAsyncContextManager[int]:
    """Serve while the context lasts; `serve_site` says what it gives and raises."""
    made = site.application()
    return serve_site(made, host, port, "the administrators' pages", "--admin")
