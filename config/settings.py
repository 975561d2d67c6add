"""The settings of one process: the environment, read once, as one frozen object."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Literal

from platformdirs import user_cache_path, user_data_path
from pydantic import (
    AliasChoices,
    Field,
    HttpUrl,
    SecretStr,
    ValidationError,
    field_validator,
)
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from config import forms
from config.forms import Day

PREFIX = "GROUNDRULE_"
SECRETS = PREFIX + "SECRETS"  # names the folder that the other settings are read with
PACKS = Path(__file__).resolve().parent / "packs"
CALIBRATIONS = Path(__file__).resolve().parent / "calibration"

Price = Annotated[float, Field(ge=0, le=10_000, allow_inf_nan=False)]


class SettingsError(ValueError):
    """An environment variable is unknown or wrong; the message names it."""


class Settings(BaseSettings):
    """The settings from outside. Secrets have no default.

    Paths that are not given lie below the user's own folders, never below the checkout.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, frozen=True, extra="forbid", env_ignore_empty=True
    )

    data: Path = Field(
        default_factory=lambda: user_data_path("groundrule"),
        description="folder of ledger, index and events",
    )
    cache: Path = Field(
        default_factory=lambda: user_cache_path("groundrule"),
        description="folder of built servers and models",
    )
    packs: Path = Field(
        default=PACKS, description="folder that holds a folder for each policy pack"
    )
    database_url: SecretStr | None = Field(
        default=None,
        description="ledger on PostgreSQL (postgresql+psycopg://…) instead of SQLite",
    )
    index: Literal["embedded", "weaviate"] = Field(
        default="embedded",
        description="index in the data folder, or on a Weaviate server",
    )
    weaviate_url: HttpUrl | None = Field(
        default=None,
        validation_alias=AliasChoices("WEAVIATE_URL"),
        description="address of that server, http://127.0.0.1:8080; https for TLS",
    )
    weaviate_grpc: Annotated[str, Field(pattern=r"^([^:/\s]+:)?\d{1,5}$")] = Field(
        default="50051",
        description="its gRPC port, or host:port where that is another host",
    )
    weaviate_key: SecretStr | None = Field(
        default=None, description="API key for that server"
    )
    weaviate_name: str = Field(
        default="", description="tells the bots that share a server apart"
    )
    weaviate_quantizer: Literal["none", "rq", "sq"] = Field(
        default="rq", description="compression of vectors in the server's memory"
    )
    weaviate_deadline: Annotated[float, Field(gt=0, le=60)] = Field(
        default=3.0, description="seconds that each need of a question may take there"
    )
    threads: Annotated[int, Field(ge=0, le=64)] = Field(
        default=0, description="threads of the embedder; 0 uses every core"
    )
    embedder: Literal["minilm", "fastembed", "openai"] = Field(
        default="minilm", description="embedder of questions and passages"
    )
    embedding_model: str | None = Field(
        default=None, description="model of the fastembed or openai embedder"
    )
    embedding_dimension: Annotated[int, Field(gt=0, le=8192)] | None = Field(
        default=None, description="dimension of that model's vectors"
    )
    embedding_url: str | None = Field(
        default=None, description="OpenAI-compatible endpoint, https://host/v1"
    )
    embedding_key: SecretStr | None = Field(
        default=None, description="bearer token of that endpoint"
    )
    reader: str | None = Field(
        default=None,
        pattern=r"^(small|large|https?://\S+)$",
        description="who reads passages: small, large, or the address of a rerank "
        "server; large where it was built, else small",
    )
    reader_model: str = Field(default="", description="model of that server")
    reader_dialect: Literal["rerank", "tei"] = Field(
        default="rerank", description="its form: tei for Text Embeddings Inference"
    )
    reader_scores: Literal["probabilities", "log_odds"] = Field(
        default="probabilities", description="what its scores are"
    )
    reader_key: SecretStr | None = Field(
        default=None, description="bearer token of that server"
    )
    reader_daily: Annotated[int, Field(ge=0)] = Field(
        default=0, description="passages that it may read a day; 0 sets no limit"
    )
    model: str | None = Field(
        default=None,
        description="language model that drafts answers, such as openai/gpt-5-mini",
    )
    model_url: str | None = Field(
        default=None, description="OpenAI-compatible server of it, http://host/v1"
    )
    model_key: SecretStr | None = Field(
        default=None, description="its key; else the provider's own variable"
    )
    model_prices: Annotated[tuple[Price, Price] | None, NoDecode] = Field(
        default=None,
        description="US dollars a million tokens, sent/answered: 0.15/0.6",
    )
    model_at_once: Annotated[int, Field(ge=1, le=256)] = Field(
        default=8, description="calls of the model at the same time, of each process"
    )
    judge: str | None = Field(
        default=None,
        description="model that may object to what is drafted; `same` for the same one",
    )
    secrets: Path | None = Field(
        default=None,
        description="folder with a file for each secret, named as its variable",
    )
    slack_bot_token: SecretStr | None = Field(
        default=None, description="Slack: bot token, xoxb-…"
    )
    slack_app_token: SecretStr | None = Field(
        default=None, description="Slack: app-level token of Socket Mode, xapp-…"
    )
    slack_signing_secret: SecretStr | None = Field(
        default=None, description="Slack: signing secret, for HTTP instead of sockets"
    )
    slack_client_id: str | None = Field(
        default=None, description="Slack: client id, for installs in many workspaces"
    )
    slack_client_secret: SecretStr | None = Field(
        default=None, description="Slack: client secret, for the same"
    )
    discord_token: SecretStr | None = Field(
        default=None, description="Discord: bot token"
    )
    slack_pack: str | None = Field(
        default=None, description="pack of a Slack channel that is bound to none"
    )
    discord_pack: str | None = Field(
        default=None, description="pack of a Discord channel that is bound to none"
    )
    slack_api: str = Field(
        default="https://slack.com/api/", description="address of Slack's Web API"
    )
    sync_private_hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="hosts that `sources sync` may reach at private addresses, a,b",
    )
    confluence_key: SecretStr | None = Field(
        default=None,
        description="of Confluence: E-MAIL:API-TOKEN in Cloud, else an access token",
    )
    admins: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="who may administer everything: slack:TEAM:USER,discord:USER",
    )
    pack_tenants: Annotated[Mapping[str, frozenset[str]], NoDecode] = Field(
        default_factory=dict,
        description="where alone a pack may answer: oncology=slack:T1|discord:123,…",
    )
    daily_ceiling: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = Field(
        default=None,
        description="what a pack may spend on models a day in chat, in US dollars",
    )
    metrics: str | None = Field(
        default=None,
        description="HOST:PORT where `serve` shows Prometheus metrics, at /metrics",
    )
    health: str | None = Field(
        default=None,
        description="HOST:PORT where `serve` shows /health and /metrics",
    )
    admin_token: Annotated[SecretStr, Field(min_length=20)] | None = Field(
        default=None,
        description="password of the administrators' pages (`serve --admin`)",
    )
    admin_login: Annotated[str, Field(pattern=r"^[A-Za-z0-9-]{1,64}$")] | None = Field(
        default=None,
        description="header in which your proxy says who logged in to those pages",
    )
    admin_hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="names under which browsers reach those pages, host:port,…",
    )
    admin_tags: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(), description="access tags of who looks at those pages, a,b"
    )
    admin_owners: Annotated[Mapping[str, frozenset[str]], NoDecode] = Field(
        default_factory=dict,
        description="logins that see a pack there, * for all: oncology=anna|ben,*=eve",
    )
    weekly: Annotated[Mapping[str, frozenset[str]], NoDecode] = Field(
        default_factory=dict,
        description="where `serve` posts a week of a pack: oncology=slack:T1:C1,…",
    )
    weekly_day: Day = Field(
        default="monday", description="day on which it does, in the pack's time zone"
    )
    weekly_hour: Annotated[int, Field(ge=0, le=23)] = Field(
        default=8, description="hour from which it does on that day"
    )
    traces: HttpUrl | None = Field(
        default=None,
        description="OpenTelemetry collector (OTLP over HTTP), http://localhost:4318",
    )
    waiting_limit: Annotated[int, Field(ge=1, le=100_000)] = Field(
        default=200, description="questions that may wait; more are told to come back"
    )
    person_limit: Annotated[int, Field(ge=1, le=1_000)] = Field(
        default=10, description="questions of one person a minute"
    )
    channel_limit: Annotated[int, Field(ge=1, le=10_000)] = Field(
        default=60, description="questions of one channel a minute"
    )
    retention_days: Annotated[int, Field(ge=1, le=3_650)] = Field(
        default=90, description="days after which what people asked is deleted"
    )
    no_silent_fallback: bool = Field(
        default=True,
        validation_alias=AliasChoices("RAG_NO_SILENT_FALLBACK_ENABLED"),
        description="false permits visible widening where the pack allows it (R-F9)",
    )
    debug: bool = Field(
        default=False,
        validation_alias=AliasChoices("DEBUG_MODE"),
        description="print the debug contract (R-F8) in the terminal and in JSON",
    )

    @field_validator("weaviate_url")
    @classmethod
    def _check_server(cls, value: HttpUrl | None) -> HttpUrl | None:
        """Refuse what the client leaves out, and what must not be shown."""
        if value and (value.username or value.password or value.query):
            raise ValueError(
                "no name, password or query: a key is a setting of its own"
            )
        if value and value.path not in (None, "/"):
            raise ValueError("no path: the server is asked at the root of its host")
        return value

    @field_validator(
        "admins", "sync_private_hosts", "admin_hosts", "admin_tags", mode="before"
    )
    @classmethod
    def _split_names(cls, value: object) -> object:
        """Split names with commas between them, as an environment variable holds
        them."""
        if not isinstance(value, str):
            return value
        return forms.split(value, ",")

    @field_validator("admins")
    @classmethod
    def _check_operators(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return forms.check_operators(value)

    @field_validator("pack_tenants", mode="before")
    @classmethod
    def _read_tenants(cls, value: object) -> object:
        """Read the workspaces and servers that each pack is limited to."""
        example = "oncology=slack:T1|slack:T2 or textbook=discord:123|discord:dm"
        return forms.read_by_pack(value, forms.TENANT, example)

    @field_validator("admin_owners", mode="before")
    @classmethod
    def _read_owners(cls, value: object) -> object:
        """Read the logins of each pack's owners."""
        return forms.read_by_pack(value, forms.LOGIN, "oncology=anna@example.org|ben")

    @field_validator("weekly", mode="before")
    @classmethod
    def _read_channels(cls, value: object) -> object:
        """Read the channels in which each pack's week is posted."""
        example = "oncology=slack:T1:C1|discord:123:456"
        return forms.read_by_pack(value, forms.CHANNEL, example)

    @field_validator("model_prices", mode="before")
    @classmethod
    def _split_prices(cls, value: object) -> object:
        """Split two prices at the stroke between them."""
        if not isinstance(value, str):
            return value
        sent, stroke, answered = value.partition("/")
        if not stroke:
            raise ValueError("write two prices, of sent and answered: 0.15/0.6")
        return sent.strip(), answered.strip()

    @field_validator("model_key")
    @classmethod
    def _check_key(cls, value: SecretStr | None) -> SecretStr | None:
        """Refuse a key that no header can carry; strip the line end of its file."""
        if value is None:
            return None
        key = value.get_secret_value().strip()
        if not key.isascii() or not key.isprintable() or " " in key:
            raise ValueError("a key is one word of ASCII letters, digits and signs")
        return SecretStr(key)

    @field_validator("model_url")
    @classmethod
    def _check_url(cls, value: str | None) -> str | None:
        """Refuse an address that may not be shown and stored, as it names a user or
        key."""
        return None if value is None else forms.check_address(value)


@dataclass(frozen=True, slots=True)
class Variable:
    """One environment variable as `doctor` shows it; a secret's value is masked.

    `usual` is true where the value is the default.
    """

    name: str
    shown: str
    description: str
    usual: bool


def read(data: Path | None = None) -> Settings:
    """Read the environment; `data`, from the command line, wins over GROUNDRULE_DATA.

    Raises:
        SettingsError: a GROUNDRULE_* name is unknown, or a value has the wrong form.
    """
    _refuse_unknown(os.environ)
    secrets = os.environ.get(SECRETS) or None
    if secrets is not None and not Path(secrets).is_dir():
        raise SettingsError(f"environment variable {SECRETS}: {secrets} is no folder")
    try:
        settings = Settings(_secrets_dir=secrets)
    except ValidationError as error:
        raise SettingsError(_describe(error)) from error
    folder = (data or settings.data).expanduser().absolute()
    return settings.model_copy(update={"data": folder})


def variables(settings: Settings) -> list[Variable]:
    """List every variable with the value in force."""
    rows = []
    for field, info in Settings.model_fields.items():
        shown = _write_value(getattr(settings, field))
        usual = shown == _write_value(info.get_default(call_default_factory=True))
        rows.append(Variable(name(field), shown, info.description or "", usual))
    return rows


def _write_value(value: object) -> str:
    """Write a setting as it is typed into the environment; nothing of a secret."""
    match value:
        case None:
            return ""
        case SecretStr():
            return "(set)"
        case (float() as sent, float() as answered):
            return f"{sent:g}/{answered:g}"
        case tuple():
            return ",".join(map(str, value))
        case Mapping():
            limits = (f"{key}={'|'.join(sorted(value[key]))}" for key in value)
            return ",".join(limits)
        case _:
            return str(value)


def reveal(secret: SecretStr | None) -> str | None:
    """Return the text of a secret; None where it is not set."""
    return secret.get_secret_value() if secret else None


def name(field: str) -> str:
    """Return the environment variable that sets a field."""
    alias = Settings.model_fields[field].validation_alias
    if isinstance(alias, AliasChoices):
        return str(alias.choices[0])
    return PREFIX + field.upper()


def _refuse_unknown(environment: Mapping[str, str]) -> None:
    known = {name(field) for field in Settings.model_fields}
    unknown = sorted(n for n in environment if n.startswith(PREFIX) and n not in known)
    if unknown:
        named = unknown[0].removeprefix(PREFIX)  # what all share says nothing
        near = get_close_matches(named, [n.removeprefix(PREFIX) for n in known], n=1)
        meant = f"did you mean {PREFIX}{near[0]}? " if near else ""
        raise SettingsError(
            f"unknown environment variable {unknown[0]}: {meant}"
            f"docs/settings.md lists all; `unset {unknown[0]}` takes it away"
        )


def _describe(error: ValidationError) -> str:
    """Describe the first problem in a sentence; the value itself may be a secret."""
    first = error.errors(include_input=False, include_url=False)[0]
    field = str(first["loc"][0])
    variable = name(field) if field in Settings.model_fields else field
    return f"environment variable {variable}: {first['msg']}"
