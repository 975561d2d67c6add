"""The errors that a loopback Discord answers with, in the platform's own shape."""

import json
from collections.abc import Sequence

from aiohttp import web

from tests.loopback.discord_records import Json
from tests.platforms.shapes import Problem


class Refused(Exception):
    """A call that the platform refuses.

    Args:
        status: the HTTP status.
        code: Discord's JSON error code.
        text: its message.
        errors: what is wrong with which field.
    """

    def __init__(
        self, status: int, code: int, text: str, errors: Json | None = None
    ) -> None:
        super().__init__(text)
        self.status = status
        self.body: Json = {"message": text, "code": code}
        if errors:
            self.body["errors"] = errors


def answer(
    body: object, status: int = 200, headers: dict[str, str] | None = None
) -> web.Response:
    """A JSON answer; clients decode exactly this content type, without a charset."""
    kind = {"Content-Type": "application/json"}
    text = json.dumps(body).encode()
    return web.Response(body=text, status=status, headers={**(headers or {}), **kind})


def done() -> web.Response:
    """Success with nothing to say."""
    return web.Response(status=204)


def unauthorized() -> Refused:
    """The token is missing or wrong."""
    return Refused(401, 0, "401: Unauthorized")


def unknown(what: str) -> Refused:
    """What is asked for does not exist, or not for this bot."""
    codes = {
        "Application": 10002,
        "Channel": 10003,
        "Guild": 10004,
        "Member": 10007,
        "Message": 10008,
        "User": 10013,
        "Webhook": 10015,
        "Interaction": 10062,
        "application command": 10063,
    }
    return Refused(404, codes[what], f"Unknown {what}")


def invalid(problems: Sequence[Problem]) -> Refused:
    """A body that breaks a documented limit (50035), each problem in its place."""
    if [problem.code for problem in problems] == ["EMPTY"]:
        return Refused(400, 50006, "Cannot send an empty message")
    errors: Json = {}
    for problem in problems:
        place = errors
        for part in problem.path:
            place = place.setdefault(str(part), {})
        found = {"code": problem.code, "message": problem.text}
        place.setdefault("_errors", []).append(found)
    return Refused(400, 50035, "Invalid Form Body", errors)


def wrong(field: str, code: str, text: str) -> Refused:
    """A body with one wrong field."""
    return invalid([Problem(tuple(field.split(".")), code, text)])
