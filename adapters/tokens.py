"""A token that a platform refuses: configuration, though only the platform says so."""

from engine.model.errors import EnvironmentFailed, UsageError


class TokenRefused(EnvironmentFailed, UsageError):
    """Nothing helps but another token; the message names its variable."""

    code = "TOKEN"
