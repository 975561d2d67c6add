"""Is a request from Slack? Decided before anything else reads it (R-S1).

slack_sdk checks the signature. What it would break on is refused first: headers that
are missing, not a number or not ASCII, and a body that is not UTF-8. Nothing here logs.
"""

from collections.abc import Mapping

from slack_sdk.signature import Clock, SignatureVerifier

TIMESTAMP = "X-Slack-Request-Timestamp"
SIGNATURE = "X-Slack-Signature"
LONGEST_TIMESTAMP = 12  # digits; today's have ten


class Signatures:
    """Signatures with one signing secret, at most five minutes old or early.

    Args:
        secret: the app's signing secret.
        clock: tells the time in seconds since 1970.
    """

    def __init__(self, secret: str, clock: Clock | None = None) -> None:
        self._verifier = SignatureVerifier(secret, clock or Clock())

    def proven(self, body: bytes, headers: Mapping[str, str]) -> str | None:
        """The text of a request that Slack signed; None for any other, never an error.

        Args:
            body: as it came.
            headers: their names in any case, as a CIMultiDict looks them up.
        """
        timestamp, signature = headers.get(TIMESTAMP, ""), headers.get(SIGNATURE, "")
        if not (timestamp.isascii() and timestamp.isdigit() and signature.isascii()):
            return None
        if len(timestamp) > LONGEST_TIMESTAMP:
            return None
        try:
            text = body.decode("utf-8")
        except UnicodeDecodeError:
            return None
        valid = self._verifier.is_valid(body, timestamp, signature)
        return text if valid else None
