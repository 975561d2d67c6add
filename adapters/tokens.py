"""The error for a token that a platform refuses, which is a configuration error."""

from engine.model.errors import EnvironmentFailed, UsageError


class TokenRefused(EnvironmentFailed, UsageError):
    """The token has to be replaced; the message names its variable."""

    code = "TOKEN"
