"""Bounds of credentials: what they may cost the server, and how long they are valid."""

from msgspec import Struct

DAY_MS = 24 * 60 * 60 * 1000


class Hashing(Struct, frozen=True, kw_only=True):
    """What one password costs to hash with argon2id, for us and for whoever has stolen the hashes.

    - `memory_kib`, `passes`, `lanes`: 19 MiB, twice over, in one lane, the leanest setting OWASP recommends. More
      memory would be better against a thief; but a small server with all its workers busy must not run out of it.
    - `workers`: passwords hashed at a time, each on a core of its own for some hundredths of a second. The tables
      need a core as well.
    - `waiting`: passwords that wait for a worker, a second or two of work; one more is refused with `busy`.
    - `waiting_of_one`: those of them that one address may have, so that nobody fills the queue alone.
    """

    memory_kib: int = 19 * 1024
    passes: int = 2
    lanes: int = 1
    workers: int = 2
    waiting: int = 64
    waiting_of_one: int = 4


class KeyChecks(Struct, frozen=True, kw_only=True):
    """What checking keys of SSH and their signatures may cost: each takes up to some milliseconds.

    - `workers`: keys checked at a time, beside the event loop.
    - `waiting`: keys that wait for a worker; one more is refused with `busy`.
    - `waiting_of_one`: those of them that one address may have, so that nobody fills the queue alone.
    """

    workers: int = 1
    waiting: int = 64
    waiting_of_one: int = 4


class AccountLimits(Struct, frozen=True, kw_only=True):
    """Every bound on tokens, claimed names and proofs, and its reason.

    - `token_days`: how long a token of somebody with a claimed name holds after its last use: a season without
      playing. They can always log in again.
    - `guest_token_days`: the same for guests, who have nothing but seats to come back to.
    - `tokens`: tokens one person may hold, one for each device and program; of more the longest unused goes.
    - `newcomer_seconds`: how long a guest counts as new. New guests share what their address may do, apart from the
      guests known for longer and the owners of names there: throw-away guests take nothing from them.
    - `tokens_total`: tokens of all people: two for each who can be known. When there are more, who gets another
      one keeps two, the latest used: a thousand accounts with twenty tokens each are no reason to forget anybody.
    - `claims`: claimed names in all; they are never forgotten, so there must be an end to them.
    - `claims_an_hour`: names claimed from one address: a household's, and no collection.
    - `keys`: keys of one person: one for each machine.
    - `changes_an_hour`: passwords and keys that one person changes, tokens revoked, log-outs, people ignored and
      muted: each is written to the disk.
    - `changes_an_hour_of_address`: the same for everybody behind one address.
    - `password_shortest`: characters of a password, as NIST wants it; the wire takes no more than 128.
    - `slips`: wrong passwords for one name from one address before each further one doubles the wait.
    - `first_wait`, `longest_wait`: that wait in seconds. A person who tries to remember waits little; a program that
      guesses gets through about a hundred passwords a day. Another address waits for itself: nobody can lock out the
      owner of a name.
    - `slips_of_name`, `longest_wait_of_name`: wrong passwords for one name from all addresses together, and the longest
      wait for them in seconds: many addresses get through some thousand a day. It is short, since an owner
      on a new device at a new address waits as well.
    - `log_ins_an_hour`: wrong log-ins from one address, whatever the names: one guess for every name is guessing too.
    """

    token_days: int = 90
    guest_token_days: int = 30
    tokens: int = 20
    tokens_total: int = 40_000
    newcomer_seconds: float = 600.0
    claims: int = 10_000
    claims_an_hour: int = 10
    keys: int = 10
    changes_an_hour: int = 60
    changes_an_hour_of_address: int = 240
    password_shortest: int = 8
    slips: int = 5
    first_wait: float = 2.0
    longest_wait: float = 900.0
    slips_of_name: int = 30
    longest_wait_of_name: float = 60.0
    log_ins_an_hour: int = 60
    hashing: Hashing = Hashing()
    key_checks: KeyChecks = KeyChecks()

    def token_ms(self, claimed: bool) -> int:
        """Return how long a token is valid after its last use, in milliseconds."""
        return DAY_MS * (self.token_days if claimed else self.guest_token_days)
