"""Messages of greeting, information, and the end of a connection."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from scoville_shared.protocol.messages.base import VERBATIM, Index, Name, Params, Password, PublicKey, Reply, ShortText
from scoville_shared.protocol.messages.doors import HostedUser
from scoville_shared.values import Plain

MOST_DESCRIBED = 100
"""Most games whose texts one request can ask for."""

NameRefusal = Literal["taken", "lookalike", "reserved", "characters", "scripts"]


class HelloRequest(Params, frozen=True, kw_only=True):
    """First request of every connection. An empty `name` requests a random one; `token` identifies a known user.

    `server_password` is that of a server which asks newcomers for one. `door` is sent by doors alone: whom they host on
    this connection.
    """

    protocol: Index
    client: ShortText | None = None
    name: Name | None = None
    token: ShortText | None = None
    server_password: Password | None = None
    door: HostedUser | None = None


class GameInfo(Struct, frozen=True, kw_only=True):
    """A game of this server; `options` are all its options with their defaults.

    `levels` are those of its bots, the weakest first. `package` and `package_version` are the distribution that brings
    it, `types` is a digest of its options, moves, View and facts: of another package's game a client needs the same.
    """

    slug: str
    title: str
    seat_range: tuple[int, int]
    official_range: tuple[int, int]
    rules_version: int
    options: Plain
    levels: list[str] = []
    package: str | None = None
    package_version: str | None = None
    types: str | None = None


class RateLimit(Struct, frozen=True, kw_only=True):
    """How often one user may do something: `count` times at once, and as often again in every `period_ms`."""

    count: int
    period_ms: int


class ServerLimits(Struct, frozen=True, kw_only=True):
    """The limits of this server that a program has to respect; None for a rate that is not limited.

    `message_bytes` is the size of the largest message to the server. A connection that leaves `unread_bytes` unread is
    closed, and one may have so many `pending_requests`. `max_wait_ms` is the longest wait of a poll. `name_characters`,
    `password_min_characters` and `message_characters` bound texts. A reply lists at most `listed_tables`; one user
    opens, joins and watches so many at a time. `absence_ms` is how long a
    seat waits for its player where the table does not say, None forever. Several rates for one thing hold together.
    """

    message_bytes: int
    unread_bytes: int
    pending_requests: int
    max_wait_ms: int
    name_characters: int
    password_min_characters: int
    message_characters: int
    listed_tables: int
    opened_tables: int
    joined_tables: int
    watched_tables: int
    absence_ms: int | None
    table_creations: RateLimit | None
    table_actions: RateLimit | None
    invitations: RateLimit | None
    chat_messages: list[RateLimit]
    reactions: list[RateLimit]


class TextByLanguage(Struct, frozen=True, kw_only=True):
    """A text of the server's host: clean lines by language. `en` is also for languages without a text of their own."""

    en: list[str] = []
    de: list[str] = []
    fr: list[str] = []


SERVER_NAME_CHARACTERS = 40
"""Characters of the server's name: it fits beside the user's into the heading of a small terminal."""
LINE_CHARACTERS = 200
"""Characters of each line of the texts below."""
MOTD_LINES = 8
"""Lines of the message of the day, which is in every reply to `hello`."""
RULES_LINES = 100
"""Lines of the server's rules."""


class CommunityInfo(Struct, frozen=True, kw_only=True):
    """How the host introduces the server: its name, the message of the day, and whether there are rules to read."""

    name: str | None = None
    motd: TextByLanguage = TextByLanguage()
    has_rules: bool = False


class DescribeServerRequest(Params, frozen=True, kw_only=True):
    """Requests the host's texts about the server."""


class DescribeServerReply(Reply, frozen=True, kw_only=True):
    """The server's name, the message of the day and the rules."""

    name: str | None
    motd: TextByLanguage
    rules: TextByLanguage


class HelloReply(Reply, frozen=True, kw_only=True):
    """Reply to `hello`. `token` identifies this user on the next connection: keep it secret, in place of the last one.

    `proofs` are the ways to prove one's identity on this connection: `token`, `password`, `ssh_key`; `door_key` says
    that the user has proved an SSH key to the door. Through a door `client_settings` are those that the server keeps
    for the user, and a guest without a key gets a `resume_code`, which returns their seats on another connection of
    the door.
    `resumed` says that the shown token was valid, `token_reused` that it was used up before, which ends its session.

    `away_since_ms` is when a user who comes back was last connected, in milliseconds since 1970; None for newcomers,
    and for users who were still connected.

    `nodes` are the addresses of all nodes of a server that is several machines, as HOST:PORT, the one that serves
    first: all of them show the same key, and one of them answers when this one does not.

    `server_key` is the public key of the server: Ed25519, 32 bytes in hex. `features` names what this server supports,
    `limits` what it bounds. `claimed` says that the name is theirs for good, `name_claimed` that the requested one
    belongs to another user. `name_refused` is why they have another name than the requested one, None if they have it:
    it is `taken`, a `lookalike` of a taken one, `reserved`, or mixes `scripts` or has `characters` that are out of
    place in names.
    """

    protocol: int
    server: str
    server_key: PublicKey
    name: str
    token: str
    games: list[GameInfo]
    features: list[str]
    limits: ServerLimits
    claimed: bool = False
    name_claimed: bool = False
    name_refused: NameRefusal | None = None
    proofs: list[str] = []
    resumed: bool = False
    token_reused: bool = False
    resume_code: str | None = None
    client_settings: Plain | None = None
    community: CommunityInfo = CommunityInfo()
    nodes: list[str] = []
    away_since_ms: int | None = None


class PingRequest(Params, frozen=True, kw_only=True):
    """Requests its `payload` back."""

    payload: Annotated[str, Meta(max_length=1024), VERBATIM] = ""


class PingReply(Reply, frozen=True, kw_only=True):
    """The payload of the ping."""

    payload: str


class ValueText(Struct, frozen=True, kw_only=True):
    """A value of an option that has only a few, and its name."""

    value: int | str
    text: str


class OptionText(Struct, frozen=True, kw_only=True):
    """An option of a game: its key and its label, and `help`, a sentence if the game has one.

    `value_texts` are all that it may be, of an option that has only a few; `number_range` are the least and the most of
    a number.
    """

    key: str
    label: str
    help: str | None = None
    value_texts: list[ValueText] = []
    number_range: tuple[int, int] | None = None


class GameTexts(Struct, frozen=True, kw_only=True):
    """Description of a game in one language: the game in one sentence, and its options. Long texts are cut."""

    game: str
    tagline: str | None = None
    option_texts: list[OptionText] = []


class DescribeGamesRequest(Params, frozen=True, kw_only=True):
    """Requests the texts of games that a client does not have.

    They are written in the `sentence_language`, such as `de`, or in English; a game that the server does not have is
    left out.
    """

    slugs: Annotated[list[ShortText], Meta(max_length=MOST_DESCRIBED)]
    sentence_language: ShortText = "en"


class DescribeGamesReply(Reply, frozen=True, kw_only=True):
    """The texts of games."""

    game_texts: list[GameTexts]


class ShutdownNotice(Struct, frozen=True, kw_only=True):
    """`shutdown`: the server shuts down in `ends_in_ms` for a reason; None when that was called off.

    It is sent when the end is planned, again at certain times before it, and to each user who connects meanwhile.
    """

    ends_in_ms: int | None
    reason: str | None = None


class ByeNotice(Struct, frozen=True, kw_only=True):
    """`bye`: why the server closes this connection; `reason` is what an admin says about it, in their own words."""

    code: str
    message: str
    reason: str | None = None
