"""What a Discord holds: people, guilds, channels, messages, interactions, as JSON."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

Json = dict[str, Any]

TEXT, DM, THREAD = 0, 1, 11
SUPPRESS_EMBEDS, EPHEMERAL, LOADING = 1 << 2, 1 << 6, 1 << 7
COMPONENTS_V2 = 1 << 15
EPOCH_MS = 1_420_070_400_000  # the first second of 2015: Discord's ids count from here
ALL_PERMISSIONS = str((1 << 53) - 1)


def moment(snowflake: str) -> str:
    """When an id was given out."""
    ms = (int(snowflake) >> 22) + EPOCH_MS
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat()


@dataclass(eq=False)
class User:
    """A person, or the bot."""

    id: str
    name: str
    bot: bool = False
    closed: bool = False  # takes no direct messages

    @property
    def mention(self) -> str:
        """How a text names this person."""
        return f"<@{self.id}>"

    def json(self) -> Json:
        """The user object."""
        return {
            "id": self.id,
            "username": self.name,
            "discriminator": "0",
            "global_name": self.name.capitalize(),
            "avatar": None,
            "bot": self.bot,
            "flags": 0,
        }


@dataclass(eq=False)
class Role:
    """A role of a guild."""

    id: str
    name: str

    def json(self) -> Json:
        """The role object."""
        none = {"primary_color": 0, "secondary_color": None, "tertiary_color": None}
        return {
            "id": self.id,
            "name": self.name,
            "color": 0,
            "colors": none,
            "hoist": False,
            "position": 0,
            "permissions": ALL_PERMISSIONS,
            "managed": False,
            "mentionable": True,
            "flags": 0,
        }


@dataclass(eq=False)
class Channel:
    """A text channel, a thread or a conversation with one person."""

    id: str
    name: str
    kind: int = TEXT
    guild: "Guild | None" = field(default=None, repr=False)
    parent: "Channel | None" = field(default=None, repr=False)
    recipient: User | None = field(default=None, repr=False)
    owner: str = ""
    readable: bool = True  # the bot may see it, else 50001
    writable: bool = True  # the bot may post in it, else 50013
    typed: int = 0

    def json(self) -> Json:
        """The channel object of its kind."""
        shown: Json = {"id": self.id, "type": self.kind, "last_message_id": None}
        if self.kind == DM:
            assert self.recipient
            return shown | {"recipients": [self.recipient.json()], "flags": 0}
        assert self.guild
        shown |= {
            "name": self.name,
            "guild_id": self.guild.id,
            "parent_id": self.parent.id if self.parent else None,
            "rate_limit_per_user": 0,
            "flags": 0,
        }
        if self.kind == THREAD:
            return shown | self._thread()
        topic = {"topic": None, "nsfw": False, "position": 0}
        return shown | topic | {"permission_overwrites": []}

    def _thread(self) -> Json:
        started = moment(self.id)
        return {
            "owner_id": self.owner,
            "message_count": 0,
            "member_count": 1,
            "total_message_sent": 0,
            "thread_metadata": {
                "archived": False,
                "auto_archive_duration": 1440,
                "archive_timestamp": started,
                "create_timestamp": started,
                "locked": False,
            },
        }


@dataclass(eq=False)
class Guild:
    """A server with its members and the roles each of them has."""

    id: str
    name: str
    owner: User = field(repr=False)
    channels: list[Channel] = field(default_factory=list, repr=False)
    roles: list[Role] = field(default_factory=list, repr=False)
    members: dict[str, tuple[User, list[Role]]] = field(
        default_factory=dict, repr=False
    )
    granted: str = ALL_PERMISSIONS  # to the bot

    def join(self, user: User, *roles: Role) -> None:
        """Make a member of a person, with exactly these roles."""
        self.members[user.id] = (user, list(roles))

    def member(self, user: User, *, full: bool = True) -> Json:
        """The member object; without the user where the message carries it already."""
        roles = self.members.get(user.id, (user, []))[1]
        shown: Json = {
            "roles": [role.id for role in roles],
            "joined_at": moment(self.id),
            "deaf": False,
            "mute": False,
            "flags": 0,
        }
        return shown | {"user": user.json()} if full else shown

    def json(self) -> Json:
        """The guild object."""
        numbers = dict.fromkeys(_LEVELS, 0)
        absent = dict.fromkeys(_ABSENT)
        return {
            "id": self.id,
            "name": self.name,
            "owner_id": self.owner.id,
            "roles": [role.json() for role in self.roles],
            "emojis": [],
            "stickers": [],
            "features": [],
            "preferred_locale": "en-US",
            **numbers,
            **absent,
        }

    def created(self, bot: User) -> Json:
        """What GUILD_CREATE says: without its intent, of the members only the bot."""
        kinds: dict[bool, list[Json]] = {False: [], True: []}
        for channel in self.channels:
            if channel.readable:
                kinds[channel.kind == THREAD].append(channel.json())
        empty: Json = {name: [] for name in _EMPTY}
        return {
            **self.json(),
            **empty,
            "joined_at": moment(self.id),
            "large": False,
            "unavailable": False,
            "member_count": len(self.members),
            "members": [self.member(bot)],
            "channels": kinds[False],
            "threads": kinds[True],
        }


_LEVELS = (
    "verification_level",
    "default_message_notifications",
    "explicit_content_filter",
    "mfa_level",
    "premium_tier",
    "nsfw_level",
    "system_channel_flags",
    "afk_timeout",
)
_ABSENT = (
    "icon",
    "splash",
    "discovery_splash",
    "description",
    "banner",
    "application_id",
    "afk_channel_id",
    "system_channel_id",
    "rules_channel_id",
    "public_updates_channel_id",
    "vanity_url_code",
)
_EMPTY = (
    "voice_states",
    "presences",
    "stage_instances",
    "guild_scheduled_events",
    "soundboard_sounds",
)


@dataclass(eq=False)
class Message:
    """A message as it stands, with every state it had before.

    `mentions` are the people it notified, `everyone` whether it notified all; an
    edit notifies nobody. `reference` is the id replied to, `interaction` the one that
    the message answers. `sent` is the payload that made it.
    """

    id: str
    channel: Channel
    author: User
    content: str = ""
    components: list[Json] = field(default_factory=list, repr=False)
    embeds: list[Json] = field(default_factory=list, repr=False)
    flags: int = 0
    nonce: str | int | None = None
    reference: "Message | None" = field(default=None, repr=False)
    interaction: "Interaction | None" = field(default=None, repr=False)
    forwarded: "Message | None" = field(default=None, repr=False)
    files: list[Json] = field(default_factory=list, repr=False)
    mentions: list[User] = field(default_factory=list)
    roles: list[str] = field(default_factory=list)
    everyone: bool = False
    sent: Json = field(default_factory=dict, repr=False)
    edits: list[Json] = field(default_factory=list, repr=False)
    edited: str | None = None
    deleted: bool = False
    thread: Channel | None = field(default=None, repr=False)

    @property
    def ephemeral(self) -> bool:
        """Whether one person alone sees it."""
        return bool(self.flags & EPHEMERAL)

    @property
    def loading(self) -> bool:
        """Whether it still says only that the bot is thinking."""
        return bool(self.flags & LOADING)

    @property
    def text(self) -> str:
        """All that it says: content and text displays, line by line."""
        said = [self.content] if self.content else []
        displays = (c for c in every(self.components) if c["type"] == 10)
        return "\n".join([*said, *(c["content"] for c in displays)])

    @property
    def buttons(self) -> dict[str, Json]:
        """What can be pressed, by custom id."""
        pressable = (c for c in every(self.components) if c["type"] == 2)
        return {b["custom_id"]: b for b in pressable if "custom_id" in b}

    def line(self) -> Json:
        """The message as the log tells it."""
        return {
            "id": self.id,
            "channel": self.channel.id,
            "author": self.author.id,
            "nonce": self.nonce,
            "reference": self.reference.id if self.reference else None,
            "interaction": self.interaction.id if self.interaction else None,
            "flags": self.flags,
            "text": self.text,
        }

    def shown_to(self, reader: User | None) -> bool:
        """Whether an app without the message content intent gets what it says.

        Args:
            reader: the app's bot; None: whoever has the intent.
        """
        own = reader is None or reader is self.author
        return own or self.channel.kind == DM or reader in self.mentions

    def json(self, reader: User | None = None, *, nested: bool = True) -> Json:
        """The message object, as `reader` gets it."""
        content = self.shown_to(reader)
        shown: Json = {
            "id": self.id,
            "channel_id": self.channel.id,
            "author": self.author.json(),
            "content": self.content if content else "",
            "components": self.components if content else [],
            "embeds": self.embeds if content else [],
            "attachments": self.files if content else [],
            "timestamp": moment(self.id),
            "edited_timestamp": self.edited,
            "tts": False,
            "mention_everyone": self.everyone,
            "mentions": [user.json() for user in self.mentions],
            "mention_roles": self.roles,
            "pinned": False,
            "flags": self.flags,
            "type": 19 if self.reference else 0,
        }
        if self.nonce is not None:
            shown["nonce"] = self.nonce
        if self.thread:
            shown["thread"] = self.thread.json()
        replies = self._replies(reader) if nested else {}
        return shown | self._answers() | replies | self._forwards()

    def _answers(self) -> Json:
        if self.interaction is None:
            return {}
        asked = self.interaction
        return {
            "webhook_id": self.author.id,
            "application_id": self.author.id,
            "type": 20 if asked.kind == COMMAND else 0,
            "interaction_metadata": {
                "id": asked.id,
                "type": asked.kind,
                "user": asked.user.json(),
                "authorizing_integration_owners": {},
            },
        }

    def _forwards(self) -> Json:
        """What is forwarded, as it stood; nothing of who wrote it."""
        if self.forwarded is None:
            return {}
        found = self.forwarded
        copied = ("type", "content", "embeds", "attachments", "timestamp", "flags")
        whole = found.json(nested=False)
        snapshot = {name: whole[name] for name in (*copied, "edited_timestamp")}
        place = {"type": 1, "message_id": found.id, "channel_id": found.channel.id}
        return {
            "message_reference": place,
            "message_snapshots": [{"message": snapshot}],
        }

    def _replies(self, reader: User | None) -> Json:
        if self.reference is None:
            return {}
        found = self.reference
        place: Json = {"type": 0, "message_id": found.id, "channel_id": self.channel.id}
        if self.channel.guild:
            place["guild_id"] = self.channel.guild.id
        shown = None if found.deleted else found.json(reader, nested=False)
        return {"message_reference": place, "referenced_message": shown}


COMMAND, COMPONENT, MODAL_SUBMIT = 2, 3, 5


@dataclass(frozen=True)
class Response:
    """A callback that the server accepted, and how long after the event it came."""

    interaction: "Interaction" = field(repr=False)
    kind: int
    data: Json
    latency: float


@dataclass(eq=False)
class Interaction:
    """Something a person did that the bot must answer, by its token."""

    id: str
    token: str
    kind: int
    user: User
    channel: Channel
    data: Json
    born: float
    message: Message | None = field(
        default=None, repr=False
    )  # the one whose button was pressed
    response: Response | None = field(default=None, repr=False)
    original: Message | None = field(default=None, repr=False)
    followups: list[Message] = field(default_factory=list, repr=False)


def every(components: list[Json]) -> Iterator[Json]:
    """Every component, nested ones too."""
    for component in components:
        yield component
        below = component.get("components", [])
        single = (component.get(name) for name in ("accessory", "component"))
        yield from every([*below, *(c for c in single if c)])
