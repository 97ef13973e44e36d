"""Translated sentences for the server's error codes; games translate their own refusals."""

from math import ceil
from string import Formatter
from typing import Any, Final

from scoville_client.i18n.language import is_own_english, render, tr
from scoville_client.i18n.own_words import quote_server
from scoville_outside.guard import GameFailed
from scoville_shared.engine.phrases import Phrase
from scoville_shared.errors import Code, RemoteError, ScovilleError
from scoville_shared.values import Plain

_WAIT_MS, _WAIT = "retry_after_ms", "retry_after"
"""Wait of a refusal, as the server sends it in milliseconds, and as sentences name it in seconds."""
_LONGEST_WAIT = 7 * 24 * 3600
"""Longest wait that is shown, in seconds; no server asks for more than an hour."""
_LONGEST = 1_000
"""Characters of a server's sentence that are shown."""

_GAME_FAILED = Phrase("The game {game} of the package {package} failed in {call}.")
_MISREAD = (Phrase("The server did not understand the request. In English: {message}"),)

_SENTENCES: dict[str, tuple[Phrase, ...]] = {
    Code.BAD_FRAME: _MISREAD,
    Code.FRAME_TOO_LARGE: _MISREAD,
    Code.BAD_PARAMS: _MISREAD,
    Code.UNKNOWN_METHOD: _MISREAD,
    Code.HELLO_FIRST: _MISREAD,
    Code.TLS_REQUIRED: (Phrase("This server takes encrypted connections only."),),
    Code.DOOR_REFUSED: (Phrase("The server accepts no doors, or it has another door credential."),),
    Code.BAD_MOVE: _MISREAD,
    Code.UPGRADE_CLIENT: (Phrase("This version of Scoville is too old for the server; install a newer one."),),
    Code.UPGRADE_SERVER: (Phrase("The server is older than this version of Scoville and must be updated."),),
    Code.UNKNOWN_GAME: (
        Phrase("This server does not have that game; type games or open a new table to see the games it has."),
    ),
    Code.BAD_OPTIONS: (Phrase("These options are not allowed. In English: {message}"),),
    Code.BAD_SEATS: (
        Phrase("This game is for {fewest} to {most} players."),
        Phrase("There is no seat {seat} at this table."),
    ),
    Code.UNKNOWN_TABLE: (Phrase("There is no table {table} on this server."),),
    Code.TABLE_FULL: (Phrase("All seats of this table are taken."),),
    Code.SEAT_TAKEN: (
        Phrase("Seat {seat} is taken by {name}."),
        Phrase("You already have seat {seat} at this table; leave it first."),
    ),
    Code.NOT_SEATED: (Phrase("You have no seat at this table; join it first."),),
    Code.NOT_HOST: (
        Phrase("Only the host, {host}, can do that."),
        Phrase("Only the host can do that."),
    ),
    Code.NO_HOST: (Phrase("This table has no host; the game starts when everybody is ready."),),
    Code.NO_REMATCH: (Phrase("A daily deal and a table of a tournament have no rematch."),),
    Code.DEAL_SEALED: (Phrase("This deal is secret until everybody has played it, or its time is over."),),
    Code.DEAL_OVER: (Phrase("The time of this daily deal is over."),),
    Code.DEAL_PLAYED: (Phrase("You have played this daily deal; the next one comes tomorrow."),),
    Code.DEAL_NOT_PLAYED: (Phrase("Play this daily deal first; then you see the results."),),
    Code.NO_DAILY: (
        Phrase("There is no daily deal for that day."),
        Phrase("This server has no daily deal."),
    ),
    Code.NO_PUZZLE: (Phrase("There is no such puzzle on this server."),),
    Code.NO_VACATION: (
        Phrase("Days of vacation that you have left within this year: {days_left}."),
        Phrase("You are on vacation already; end it first."),
    ),
    Code.NO_CALENDAR: (Phrase("There is no calendar at this address; its user may have ended it."),),
    Code.NO_DIGEST: (Phrase("You have no digest; set its address first."),),
    Code.DIGESTS_OFF: (Phrase("This server sends no digests."),),
    Code.BAD_URL: (
        Phrase(
            "The address of a digest begins with https:// and a host, and has up to 300 characters, no blanks, user or "
            "fragment."
        ),
    ),
    Code.PRIVATE_URL: (Phrase("That address is in a private network; this server sends nothing there."),),
    Code.DIGEST_FAILED: (
        Phrase("Your receiver has answered {http_status}; it must be 200 to 299."),
        Phrase("Your receiver cannot be reached, has no valid certificate, or has not answered within five seconds."),
    ),
    Code.UNKNOWN_TOURNAMENT: (Phrase("There is no such tournament on this server any more."),),
    Code.TOURNAMENT_CLOSED: (Phrase("This tournament takes no more entrants, or has ended."),),
    Code.UNKNOWN_CLUB: (Phrase("You are in no such club."),),
    Code.CLUB_CLOSED: (
        Phrase("The club is closed, by {by}; it can be read for 30 days."),
        Phrase("The club is closed."),
    ),
    Code.CLUB_FULL: (Phrase("There is no room in the club. In English: {message}"),),
    Code.CLUB_GUEST: (Phrase("{name} is a guest; clubs are for owners of names."),),
    Code.CLUB_BANNED: (Phrase("That user is banned from the club; lift the ban first."),),
    Code.BAD_CLUB_NAME: (Phrase("No club can have this name: it is taken, looks like another, or is reserved."),),
    Code.NOT_LEADER: (Phrase("Only leaders of the club can do that."),),
    Code.LAST_LEADER: (Phrase("A club needs a leader, and leaders cannot be banned; make another member one first."),),
    Code.NOT_MEMBER: (Phrase("That user is not a member of the club."),),
    Code.NO_PLAN: (Phrase("Moves can be planned in games by correspondence only."),),
    Code.YOUR_TURN: (Phrase("It is your turn; play a move instead of planning one."),),
    Code.NOT_REQUESTED: (Phrase("The server does not request the random numbers now."),),
    Code.WRONG_NONCE: (Phrase("This random number does not match the hash that was sent before."),),
    Code.REDRAWING: (
        Phrase("The last start was void. A new random number is needed first from {names}; try again in a moment."),
        Phrase("The last start was void; try again in a moment."),
    ),
    Code.ALREADY_STARTED: (Phrase("The game at this table has already started; you can watch it."),),
    Code.NOT_STARTED: (Phrase("The game has not started yet."),),
    Code.NOT_FINISHED: (Phrase("The game at this table is not over yet."),),
    Code.GAME_OVER: (Phrase("The game is over."),),
    Code.PAUSED: (Phrase("The game is paused; any player at the table can resume it."),),
    Code.STALE_MOVE: (Phrase("This move came too late; look at the table again."),),
    Code.UNKNOWN_CODE: (Phrase("No table on this server has that code."),),
    Code.WRONG_PASSWORD: (Phrase("Wrong password for this table."),),
    Code.WRONG_KEY: (Phrase("Wrong commentators' key for this table."),),
    Code.NO_SPECTATORS: (Phrase("This table does not allow spectators."),),
    Code.KICKED: (Phrase("You were kicked from this table: {reason}"), Phrase("You were kicked from this table.")),
    Code.VOTE_NEEDED: (Phrase("In a running game the host cannot kick a player; the other players can vote on it."),),
    Code.VOTE_RUNNING: (Phrase("There is a vote on {name} already; wait for its end."),),
    Code.NO_VOTE: (Phrase("There is no vote in which you could vote like that."),),
    Code.ALREADY_VOTED: (Phrase("You have voted already."),),
    Code.TOO_FEW_VOTERS: (
        Phrase("A kick needs the votes of {needed} other players."),
        Phrase("A kick needs the votes of two other players."),
    ),
    Code.UNKNOWN_USER: (Phrase("Nobody called {name} is here."), Phrase("There is no user with that name.")),
    Code.NAME_CLAIMED: (Phrase("That name is claimed; log in to use it."),),
    Code.NOT_CLAIMED: (Phrase("You have not claimed a name yet; claim it first."),),
    Code.WRONG_CODE: (Phrase("This code is wrong, or it has been used."),),
    Code.SERVER_PASSWORD: (Phrase("This server asks newcomers for its password."),),
    Code.WRONG_SERVER_PASSWORD: (Phrase("This is not the password of this server."),),
    Code.WRONG_LOGIN: (Phrase("Wrong name, password or key."),),
    Code.PROOF_REQUIRED: (Phrase("Confirm first who you are, with your password or an SSH key."),),
    Code.INSECURE: (Phrase("This connection is not encrypted, so you cannot log in or change your account on it."),),
    Code.BAD_KEY: (Phrase("That key or its signature is not valid. In English: {message}"),),
    Code.SEATED: (Phrase("Leave your tables first."),),
    Code.MUTED: (Phrase("You may not chat on this server: {reason}"), Phrase("You may not chat here.")),
    Code.BANNED: (Phrase("You are banned from this server: {reason}"), Phrase("You are banned from this server.")),
    Code.NOT_ALLOWED: (Phrase("You may not do that now. In English: {message}"),),
    Code.SLOW_DOWN: (
        Phrase(
            "Too many requests: try again in {retry_after} second.",
            many="Too many requests: try again in {retry_after} seconds.",
        ),
        Phrase("Too many requests: try again in a moment."),
    ),
    Code.TOO_MANY: (Phrase("A limit of the server is reached. In English: {message}"),),
    Code.BUSY: (Phrase("The server or this table has too much to do; try again in a moment."),),
    Code.TAKEN_OVER: (Phrase("You connected from somewhere else; this connection is closed."),),
    Code.REVOKED: (Phrase("This session has been ended; log in again."),),
    Code.TOKEN_REUSED: (
        Phrase("An old token of this session was used by another program, so the session was ended; log in again."),
    ),
    Code.SHUTTING_DOWN: (Phrase("The server is shutting down."),),
    Code.RESTARTING: (Phrase("The server is restarting and will be back in a moment."),),
    Code.MOVED: (Phrase("Another server has taken over; you will be connected to it in a moment."),),
    Code.MAINTENANCE: (
        Phrase("This server is under maintenance and takes no new users: {reason}"),
        Phrase("This server is under maintenance and takes no new users."),
    ),
    Code.NOT_SAVED: (Phrase("The server cannot save right now, so nothing was changed; try again later."),),
    Code.OUTCOME_UNKNOWN: (
        Phrase("The server's disk failed, so the change may or may not be saved; check before you repeat it."),
    ),
    Code.STORAGE_LOST: (Phrase("The server has lost its files and cannot save anything until it is restarted."),),
    Code.DAMAGED_GAME: (Phrase("The server's file of this game is damaged; its host may have a backup."),),
    Code.INTERNAL: (_GAME_FAILED, Phrase("The server failed because of a bug; try again.")),
}

_BY_CASE: Final[dict[tuple[str, str], Phrase]] = {
    (Code.BANNED, "tables"): Phrase("You may not open or join tables on this server."),
    (Code.NOT_SEATED, "chat"): Phrase("Only players can chat at this table."),
    (Code.NOT_SEATED, "no_table"): Phrase("No table of this tournament waits for you at present."),
    (Code.DEAL_SEALED, "chat"): Phrase("Until all tables have played this deal you can only talk at your table."),
    (Code.DEAL_NOT_PLAYED, "no_result"): Phrase("There is no such result of this daily deal."),
    (Code.DEAL_NOT_PLAYED, "not_kept"): Phrase("The moves of this game are not kept."),
    (Code.ALREADY_STARTED, "tournament"): Phrase("This tournament has begun already."),
    (Code.NOT_ALLOWED, "admins"): Phrase("Only admins of this server can do that."),
    (Code.NOT_ALLOWED, "moderators"): Phrase("Only admins and moderators of this server can do that."),
    (Code.NOT_ALLOWED, "protected"): Phrase("Moderators cannot act on admins and other moderators."),
    (Code.NOT_ALLOWED, "yourself"): Phrase("You cannot kick yourself; leave the table instead."),
    (Code.NOT_ALLOWED, "stalled"): Phrase(
        "You have let your time run out {most} times in this game; a bot plays your seat to the end."
    ),
    (Code.NOT_ALLOWED, "reserved"): Phrase(
        "The seats of this table are for the players of a tournament; you can watch it."
    ),
    (Code.NOT_ALLOWED, "awaited"): Phrase("Others in the tournament wait for this game, so it cannot be paused."),
    (Code.NOT_ALLOWED, "excluded"): Phrase("You were excluded from this tournament."),
    (Code.NOT_ALLOWED, "too_few"): Phrase("A tournament needs two entrants who are there; invite more people first."),
    (Code.NOT_ALLOWED, "tournament_runs"): Phrase(
        "Once the tournament runs, only admins and moderators exclude entrants."
    ),
    (Code.NOT_ALLOWED, "club_members"): Phrase("Only members of its club enter this tournament."),
    (Code.NOT_ALLOWED, "director"): Phrase("Only the director of this tournament, admins and moderators do that."),
    (Code.TOO_MANY, "tables"): Phrase("You have as many tables as allowed; leave one first."),
    (Code.TOO_MANY, "tables_of_all"): Phrase("All tables of this server are in use; join one of them."),
    (Code.TOO_MANY, "users"): Phrase("The server is full; try again later."),
    (Code.TOO_MANY, "spectators"): Phrase("This table already has too many spectators; try another one."),
    (Code.TOO_MANY, "pauses"): Phrase("This game has been paused for {most} minutes, the most of a rated game."),
    (Code.TOO_MANY, "daily"): Phrase("Too many users play this daily deal; come back tomorrow."),
    (Code.TOO_MANY, "directing"): Phrase("You direct a tournament already; end it first."),
    (Code.TOO_MANY, "tournaments"): Phrase("There are {most} tournaments at present, the most allowed."),
    (Code.TOO_MANY, "club_tournaments"): Phrase("The club has {most} tournaments at present, the most allowed."),
    (Code.TOO_MANY, "entrants"): Phrase("This tournament has {most} entrants, the most there can be."),
    (Code.TOO_MANY, "keys"): Phrase("You already have {most} keys; remove one first."),
    (Code.TOO_MANY, "bans"): Phrase("There are already {most} bans; lift one first."),
    (Code.TOO_MANY, "muted"): Phrase("{most} users are muted at this table, the most allowed; unmute one first."),
    (Code.TOO_MANY, "ignored"): Phrase("You are ignoring {most} users, the most allowed; stop ignoring one first."),
    (Code.TOO_MANY, "reports"): Phrase("There are too many open reports; contact an admin directly."),
    (Code.CLUB_FULL, "members"): Phrase("The club has {most} members, the most allowed."),
    (Code.CLUB_FULL, "invitations"): Phrase("{most} users are invited, the most allowed; wait until one has answered."),
    (Code.CLUB_FULL, "bans"): Phrase("{most} users are banned, the most allowed; lift a ban first."),
    (Code.CLUB_FULL, "dates"): Phrase("The club has {most} dates, the most allowed; remove one first."),
    (Code.CLUB_FULL, "your_clubs"): Phrase("You are in {most} clubs, the most allowed; leave one first."),
    (Code.CLUB_FULL, "clubs"): Phrase("This server has no room for more clubs."),
}
"""Sentences of codes with several cases, by code and `why`; without one a sentence for the code is said."""

_CASE_WITH_REASON: Final[dict[tuple[str, str], Phrase]] = {
    (Code.BANNED, "tables"): Phrase("You may not open or join tables on this server: {reason}"),
}
"""The same for those cases for which an admin may give a reason, with it."""


def error_text(error: ScovilleError) -> str:
    """Return an error as a sentence: one for its code and data, in English the server's own.

    A text that only the server can have written says so: else it could write any line of the client.
    """
    fields = _fields_given(error)
    if isinstance(error, GameFailed):  # one of this client's packages, and no fault of the server
        game, package, call = error.slug, error.package, error.call
        return render(_GAME_FAILED.with_fields({"game": game, "package": package, "call": call}))
    is_remote = isinstance(error, RemoteError)
    # Only texts whose fields the server has sent: an older server may send fewer.
    known = [
        render(sentence.with_fields(fields, fields.get(_WAIT, 1)))
        for sentence in _list_sentences(error.code, fields.get("why"))
        if _field_names(sentence) <= fields.keys()
    ]
    message = render(Phrase("{message}", {"message": fields["message"]}))
    # In English the server's own sentence is shown: it may name more than its data has.
    text = message if is_own_english() or not known else known[0]
    begins = {value for name, value in fields.items() if name != "message" and isinstance(value, str)}
    is_ours = text.rstrip(".") in {sentence.rstrip(".") for sentence in known} and not text.startswith((*begins,))
    return quote_server(text) if is_remote and not is_ours else text


def _list_sentences(code: str, why: object) -> tuple[Phrase, ...]:
    """List the sentences for an error, that of its case first."""
    sentences = _SENTENCES.get(code, ())
    if not isinstance(why, str):
        return sentences
    of_case = (_CASE_WITH_REASON.get((code, why)), _BY_CASE.get((code, why)))
    return (*filter(None, of_case), *sentences)


def announcement_text(text: str, code: str | None, data: Plain | None) -> str:
    """Return an announcement: the words of an admin, or a sentence for the code of one of the server itself."""
    if code is None:
        return tr("Announcement: {text}", text=text)
    fields = data or {}
    game, seconds = fields.get("game"), fields.get("seconds")
    if code == "table_closes" and isinstance(game, str) and isinstance(seconds, int):
        return render(_CLOSES.with_fields({"game": game[:_LONGEST], "n": seconds}, seconds))
    return error_text(RemoteError(code, text, fields))


_CLOSES: Final = Phrase(
    "Your table of {game} closes in {n} second unless a player does something.",
    many="Your table of {game} closes in {n} seconds unless a player does something.",
)


def _fields_given(error: ScovilleError) -> dict[str, Any]:
    """Return the fields for sentences. Values that a hostile server may send and that say nothing are left out."""
    fields = {name: value for name, value in error.data.items() if value is not None and value != ""}
    if (seconds := _whole_seconds(fields.pop(_WAIT_MS, None))) is not None:
        fields[_WAIT] = seconds
    return {**fields, "message": error.message[:_LONGEST]}


def _whole_seconds(wait_ms: object) -> int | None:
    """Round a wait up to seconds: an attempt a moment too early would be refused again."""
    if isinstance(wait_ms, bool) or not isinstance(wait_ms, int | float) or not 0 <= wait_ms <= 1000 * _LONGEST_WAIT:
        return None
    return max(1, ceil(wait_ms / 1000))


def _field_names(sentence: Phrase) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(sentence.text) if name}
