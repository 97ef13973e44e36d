"""How a server is set up: every limit stands here, with its reason."""

from pathlib import Path

from msgspec import Struct

from scoville_server.accounts.model.limits import AccountLimits
from scoville_server.background.retry import RetryLimits
from scoville_server.chat.model.limits import ChatLimits
from scoville_server.moderation.model.limits import ModerationLimits
from scoville_server.net.limits import Limits
from scoville_server.tables.archive.index import GameLimits
from scoville_server.trusted_time import ClockLimits
from scoville_shared.errors import ScovilleError
from scoville_shared.replay import Opening

DEFAULT_PORT = 5757


class Settings(Struct, frozen=True, kw_only=True):
    """The settings of a server. Where something is counted in so many seconds, 0 of either is no limit.

    `seed` is the server seed of the first table, for games that can be played again: up to 32 bytes, filled up with
    zeros on the right. `opening` is a game that the first table goes on with instead. `peppers` replaces the peppers of
    Dicht dran's cards 1 to 100. `leave_out_damaged` goes on without damaged rows of the journal that protect players.
    """

    host: str = ""
    """The address to listen on; empty for every one of this machine."""
    port: int | None = None
    """The port to listen on; 0 is any free one, and without one the server serves its own process only."""
    data: Path | None = None
    """The folder in which tables, seats and finished games outlive the server; without one nothing is kept."""
    seed: bytes | None = None
    opening: Opening | None = None
    leave_out_damaged: bool = False
    peppers: tuple[int, ...] | None = None

    webhook: str = ""
    """Where to post, as JSON, that a public table waits for players: an address of http or https; empty for nowhere."""
    admins: tuple[str, ...] = ()
    """The claimed names of those who look after this server."""
    moderation: ModerationLimits = ModerationLimits()
    """How much there is to see to."""
    lines: Limits = Limits()
    """What one connection, and all of them together, may cost."""
    chat: ChatLimits = ChatLimits()
    """How much may be said, and how much of it is kept."""
    people: int = 10_000
    """Guests remembered, here or away; the address that has most makes room for others, first with those who just
    looked in. Whoever has claimed a name is not one."""
    accounts: AccountLimits = AccountLimits()
    """What tokens, claimed names and log-ins may cost, and how long tokens hold."""
    clock: ClockLimits = ClockLimits()
    """How far the machine's clock may be wrong before it is doubted."""
    retries: RetryLimits = RetryLimits()
    """How long the server waits before it repeats what the disk has refused."""
    games: GameLimits = GameLimits()
    """How many finished games are kept as files."""
    tables: int = 1_000
    """Tables at a time; each costs about as much as its game has moves."""
    tables_opened: int = 8
    """Tables that one person has opened: nobody hosts more, and a program's mistake stays small."""
    openings: int = 12
    """Tables that one person opens in `openings_seconds`: nobody chooses faster what to play."""
    openings_of_address: int = 60
    """The same for everybody behind one address, which may be a school's, or the door through which many come."""
    openings_seconds: float = 60.0
    """How long it takes until all of these may be opened again."""
    dealings: int = 60
    """How often one person sits down, gets up, is ready, wants a pause … in `dealings_seconds`, at all tables together:
    each is told to everybody there, and kept as long as the table is."""
    dealings_of_address: int = 300
    """The same for everybody behind one address, at all tables together."""
    dealings_at_table: int = 300
    """The same for everybody together at one table: nobody follows more."""
    dealings_at_table_of_address: int = 120
    """The same for everybody behind one address at one table."""
    dealings_seconds: float = 60.0
    """How long it takes until all of these may be done again."""
    guesses: int = 5
    """Wrong codes and passwords of one person, until each further one doubles the wait."""
    guesses_of_address: int = 30
    """The same for everybody behind one address: a whole class mistypes a code before it has to wait."""
    guesses_at_table: int = 60
    """Wrong passwords and keys of one table, from all addresses together; who was here before is counted apart."""
    guesses_seconds: float = 600.0
    """How long nothing wrong may be said until everything is forgotten."""
    invitations: int = 12
    """Invitations of one person in `invitations_seconds`: as many friends as fit any table, twice."""
    invitations_of_address: int = 48
    """The same for everybody behind one address."""
    invitations_received: int = 30
    """Invitations that one person gets, from everybody together."""
    invitations_received_of_address: int = 12
    """Invitations that one person gets from everybody behind one address."""
    invitations_seconds: float = 60.0
    """How long it takes until all of these may be sent again."""
    default_tables: tuple[str, ...] = ()
    """The games of which the house keeps a table open to anybody."""
    quick_fill: int = 30
    """Seconds after which bots fill a table of the house or of a quick match: longer than that nobody wants to wait."""
    lobby_seconds: float = 0.4
    """How long changes are gathered for those who watch the lobby: faster nobody can read."""
    tables_seated: int = 16
    """Tables that one person sits at: more than anybody can play."""
    tables_watched: int = 64
    """Tables that one line is told of; each event is sent to every line that asked."""
    spectators: int = 500
    """Connections that watch one table without a seat: each event is sent to all of them."""
    polls: int = 8_192
    """Requests that wait for an event, for programs that take no notices: two for each connection."""
    unwritten: int = 10_000
    """Writes that wait for the disk: several for every table, and a disk that is behind by more will not catch up."""
    inbox: int = 256
    """Commands that wait at one table: far more than its seats can mean seriously."""
    drain_seconds: float = 5.0
    """How long games go on after a signal to stop (SIGTERM, Ctrl+C), so that a move that is being thought about still
    counts; within as many more seconds everybody must have read the goodbye. Below what systemd and Docker wait."""
    grace_seconds: float = 60.0
    """How long a seat waits for a lost line before a bot plays on, where the table does not say: long enough to change
    from Wi-Fi to a telephone. 0 is for ever."""
    deserted_seconds: float = 604_800.0
    """How long a running game is kept to which nobody is connected, also where its table says that seats wait for ever:
    a week, so that a game can be continued on the same evening of the next one. 0 is for ever."""
    unseated_seconds: float = 600.0
    """How long a new table waits for its first player before it is cleared away. 0 is for ever."""
    host_idle_seconds: float = 300.0
    """How long a host may do nothing while others wait for the game, before one of them is the host. 0 is for ever."""
    idle_seconds: float = 1800.0
    """How long people may sit at a table without anything happening before it is closed. 0 is for ever."""
    finished_seconds: float = 900.0
    """How long a table stands after its game, for those who look at the end once more. 0 is for ever."""
    moved_on_seconds: float = 60.0
    """The same where its people play again at another table. 0 is for ever."""


def default_data() -> Path:
    """Return the default data folder on this system, for the current user."""
    from platformdirs import user_data_path

    return user_data_path("scoville-server", appauthor=False)


class BadSettings(ScovilleError):
    """A setting that cannot be used; the sentence says which, and what is wanted."""

    def __init__(self, message: str) -> None:
        super().__init__("bad_settings", message)


def read_pepper_file(path: Path) -> tuple[int, ...]:
    """Read the peppers of Dicht dran's cards 1 to 100 from a host's own file; docs/rules describes its format.

    Raises BadSettings, naming the file and the line.
    """
    from scoville_shared.games.dicht_dran.cards import PepperTableError, read_peppers

    try:
        return read_peppers(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadSettings(f"The pepper file {path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise BadSettings(f"The pepper file {path} is not a text file.") from error
    except PepperTableError as error:
        raise BadSettings(f"The pepper file {path} cannot be used: {error}.") from error
