"""Sends alarms to the harbour office."""

import json
import time
import urllib.request

from tidelog.alarms import Alarm

ATTEMPTS = 4
FIRST_PAUSE_SECONDS = 1.5


class SendError(Exception):
    """The harbour office could not be reached after the last attempt."""


def send(alarm: Alarm, address: str) -> None:
    """Post an alarm as JSON to the address of the harbour office.

    A failed attempt is repeated up to three times. The pause between two attempts
    doubles each time and begins with one and a half seconds.

    Raises:
        SendError: the last attempt failed.
    """
    body = json.dumps({"gauge": alarm.reading.gauge, "above": alarm.above}).encode()
    pause = FIRST_PAUSE_SECONDS
    for attempt in range(1, ATTEMPTS + 1):
        try:
            with urllib.request.urlopen(address, body, timeout=10):
                return
        except OSError as error:
            if attempt == ATTEMPTS:
                raise SendError(address) from error
            time.sleep(pause)
            pause *= 2
