"""Bounds of credentials: what they may cost the server, and how long they are valid."""

from typing import Annotated

from msgspec import Meta, Struct

from scoville_server.limits.bounds import Number, Positive, Seconds
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
    passes: Annotated[Positive, Meta(description="Passes over the memory.")] = 2
    lanes: Annotated[Positive, Meta(description="Lanes that are computed in parallel.")] = 1
    workers: Annotated[
        Positive,
        Meta(
            description="Passwords hashed at a time, each on a core of its own for some hundredths of a second. The "
            "tables need a core as well."
        ),
    ] = 2
    waiting: Annotated[
        Positive,
        Meta(description="Passwords that wait for a worker, a second or two of work; one more is refused with `busy`."),
    ] = 64
    waiting_per_address: Annotated[
        Positive, Meta(description="The share of one address, so that no address fills the queue alone.")
    ] = 4


class KeyChecks(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The cost of checking SSH keys and their signatures: each check takes up to some milliseconds."""

    workers: Annotated[Positive, Meta(description="Keys checked at a time, beside the event loop.")] = 1
    waiting: Annotated[Positive, Meta(description="Keys that wait for a worker; one more is refused with `busy`.")] = 64
    waiting_per_address: Annotated[
        Positive, Meta(description="The share of one address, so that no address fills the queue alone.")
    ] = 4


class AccountLimits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every bound of tokens, claimed names and log-ins; the descriptions give the reasons."""

    token_days: Annotated[
        Positive,
        Meta(
            description="Days for which the token of a user with a claimed name is valid after its last use: a season "
            "without playing. They can always log in again."
        ),
    ] = 90
    guest_token_days: Annotated[
        Positive, Meta(description="The same for guests, who have nothing but seats to return to.")
    ] = 30
    tokens: Annotated[
        Positive,
        Meta(
            description="Sessions of one user, one for each device and program; when there are more, the longest "
            "unused one is ended."
        ),
    ] = 20
    newcomer_seconds: Annotated[
        Seconds,
        Meta(
            description="How long a guest counts as new. New guests share the rates of their address, apart from the "
            "guests known for longer and the owners of names there: throw-away guests take nothing from them."
        ),
    ] = 600.0
    tokens_total: Annotated[
        Positive,
        Meta(
            description="Sessions of all users: two for each user. When there are more, a user who gets another one "
            "keeps the two used latest: a thousand accounts with twenty sessions each are no reason to forget anybody."
        ),
    ] = 40_000
    claims: Annotated[
        Number, Meta(description="Claimed names in total; they are never forgotten, so they need a bound.")
    ] = 10_000
    claims_per_hour: Annotated[
        Number, Meta(description="Names claimed from one address in an hour: enough for a household, no collection.")
    ] = 10
    keys: Annotated[Number, Meta(description="SSH keys of one user: one for each machine.")] = 10
    changes_per_hour: Annotated[
        Number,
        Meta(
            description="Changed passwords and keys, ended sessions, log-outs, and users ignored and muted, by one "
            "user in an hour: each is written to the disk."
        ),
    ] = 60
    changes_per_hour_per_address: Annotated[Number, Meta(description="The same from one address.")] = 240
    proof_seconds: Annotated[
        Seconds,
        Meta(
            description="How long after a log-in or `account.confirm` a connection may change credentials, in seconds: "
            "a few dialogs. A stolen token alone changes none."
        ),
    ] = 300.0
    recovery_hours: Annotated[
        Positive,
        Meta(description="Hours for which an admin's recovery code is valid: enough to pass it on by another way."),
    ] = 48
    retired_name_days: Annotated[
        Number,
        Meta(
            description="Days for which nobody can have the name of a deleted account, so that nobody is taken for its "
            "former owner."
        ),
    ] = 30
    password_shortest: Annotated[
        int,
        Meta(
            ge=0,
            le=128,
            description="Characters of the shortest password, as NIST recommends; the protocol allows 128 at most.",
        ),
    ] = 8
    failures: Annotated[
        Number,
        Meta(description="Wrong passwords for one name from one address before each further one doubles the wait."),
    ] = 5
    first_wait: Annotated[
        Seconds,
        Meta(
            description="The first such wait in seconds: a user who tries to remember a password waits little. Another "
            "address waits for itself, so nobody can lock out the owner of a name."
        ),
    ] = 2.0
    longest_wait: Annotated[
        Seconds,
        Meta(description="The longest such wait in seconds: a program gets through about a hundred guesses a day."),
    ] = 900.0
    failures_per_name: Annotated[
        Number, Meta(description="Wrong passwords for one name from all addresses together before they wait.")
    ] = 30
    longest_wait_per_name: Annotated[
        Seconds,
        Meta(
            description="The longest wait for them in seconds: many addresses get through some thousand guesses a day. "
            "It is short, since an owner on a new device at a new address waits as well."
        ),
    ] = 60.0
    failures_per_hour: Annotated[
        Number,
        Meta(
            description="Failed log-ins from one address in an hour, whatever the names: one guess for every name is "
            "guessing too."
        ),
    ] = 60
    client_settings: Annotated[
        Positive,
        Meta(
            description="Users whose clients' settings the server keeps, at most 4 KiB each: for clients that have no "
            "disk, in a browser or over ssh. Guests who are not here make room."
        ),
    ] = 5_000
    settings_saves: Annotated[Rate, Meta(description="How often one user saves settings, as [times, seconds].")] = Rate(
        30, 60.0
    )
    settings_saves_per_address: Annotated[Rate, Meta(description="The same from one address.")] = Rate(120, 60.0)
    hashing: Annotated[Hashing, Meta(description="The cost of hashing passwords.")] = Hashing()
    key_checks: Annotated[KeyChecks, Meta(description="The cost of checking SSH keys.")] = KeyChecks()

    def token_ms(self, claimed: bool) -> int:
        """Return how long a token is valid after its last use, in milliseconds."""
        return DAY_MS * (self.token_days if claimed else self.guest_token_days)
