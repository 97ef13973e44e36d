"""Bounds of credentials: what they may cost the server, and how long they are valid."""

from typing import Annotated

from msgspec import Meta, Struct

from scoville_server.limits.bounds import Positive
from scoville_server.limits.throttle import Rate

HOUR_MS = 60 * 60 * 1000
DAY_MS = 24 * HOUR_MS


class Hashing(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The cost of one password hash (argon2id), for the server and for anybody who has stolen the hashes."""

    memory_kib: Annotated[
        int,
        Meta(
            ge=8,
            le=4 * 1024 * 1024,
            description="Memory of one hash in KiB: 19 MiB with 2 passes in 1 lane is the leanest setting that OWASP "
            "recommends. More would be better against a thief, but a small server with all its workers busy must not "
            "run out of memory.",
        ),
    ] = 19 * 1024
    passes: int = 2
    """Passes over the memory."""
    lanes: int = 1
    """Lanes that are computed in parallel."""
    workers: Annotated[
        Positive,
        Meta(
            description="Passwords hashed at a time, each on a core of its own for some hundredths of a second. The "
            "tables need a core as well."
        ),
    ] = 2
    waiting: int = 64
    """Passwords that wait for a worker, a second or two of work; one more is refused with `busy`."""
    waiting_per_address: int = 4
    """The share of one address, so that no address fills the queue alone."""


class KeyChecks(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The cost of checking SSH keys and their signatures: each check takes up to some milliseconds."""

    workers: int = 1
    """Keys checked at a time, beside the event loop."""
    waiting: int = 64
    """Keys that wait for a worker; one more is refused with `busy`."""
    waiting_per_address: int = 4
    """The share of one address, so that no address fills the queue alone."""


class AccountLimits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every bound of tokens, claimed names and log-ins."""

    token_days: Annotated[
        Positive,
        Meta(
            description="Days for which the token of a user with a claimed name is valid after its last use: a season "
            "without playing. They can always log in again."
        ),
    ] = 90
    guest_token_days: int = 30
    """The same for guests, who have nothing but seats to return to."""
    tokens: int = 20
    """Sessions of one user, one for each device and program; when there are more, the longest unused one is ended."""
    newcomer_seconds: float = 600.0
    """How long a guest counts as new. New guests share the rates of their address, apart from the guests known for
    longer and the owners of names there: throw-away guests take nothing from them."""
    tokens_total: int = 40_000
    """Sessions of all users: two for each user. When there are more, a user who gets another one keeps the two used
    latest: a thousand accounts with twenty sessions each are no reason to forget anybody."""
    claims: int = 10_000
    """Claimed names in total; they are never forgotten, so they need a bound."""
    claims_per_hour: int = 10
    """Names claimed from one address in an hour: enough for a household, no collection."""
    keys: int = 10
    """SSH keys of one user: one for each machine."""
    changes_per_hour: int = 60
    """Changed passwords and keys, ended sessions, log-outs, and users ignored and muted, by one user in an hour: each
    is written to the disk."""
    changes_per_hour_per_address: int = 240
    """The same from one address."""
    proof_seconds: float = 300.0
    """How long after a log-in or `account.confirm` a connection may change credentials, in seconds: a few dialogs. A
    stolen token alone changes none."""
    recovery_hours: int = 48
    """Hours for which an admin's recovery code is valid: enough to pass it on by another way."""
    retired_name_days: int = 30
    """Days for which nobody can have the name of a deleted account, so that nobody is taken for its former owner."""
    password_shortest: Annotated[
        int,
        Meta(
            ge=0,
            le=128,
            description="Characters of the shortest password, as NIST recommends; the protocol allows 128 at most.",
        ),
    ] = 8
    failures: int = 5
    """Wrong passwords for one name from one address before each further one doubles the wait."""
    first_wait: float = 2.0
    """The first such wait in seconds: a user who tries to remember a password waits little. Another address waits for
    itself, so nobody can lock out the owner of a name."""
    longest_wait: float = 900.0
    """The longest such wait in seconds: a program gets through about a hundred guesses a day."""
    failures_per_name: int = 30
    """Wrong passwords for one name from all addresses together before they wait."""
    longest_wait_per_name: float = 60.0
    """The longest wait for them in seconds: many addresses get through some thousand guesses a day. It is short, since
    an owner on a new device at a new address waits as well."""
    failures_per_hour: int = 60
    """Failed log-ins from one address in an hour, whatever the names: one guess for every name is guessing too."""
    client_settings: int = 5_000
    """Users whose clients' settings the server keeps, at most 4 KiB each: for clients that have no disk, in a browser
    or over ssh. Guests who are not here make room."""
    settings_saves: Rate = Rate(30, 60.0)
    """How often one user saves settings, as [times, seconds]."""
    settings_saves_per_address: Rate = Rate(120, 60.0)
    """The same from one address."""
    hashing: Annotated[Hashing, Meta(description="The cost of hashing passwords.")] = Hashing()
    key_checks: KeyChecks = KeyChecks()
    """The cost of checking SSH keys."""

    def token_ms(self, claimed: bool) -> int:
        """Return how long a token is valid after its last use, in milliseconds."""
        return DAY_MS * (self.token_days if claimed else self.guest_token_days)
