"""Commands at a table beside its moves: start, pause, players, spectators, votes, rematch, leaving."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Final

from scoville_client.i18n.language import render, tr
from scoville_client.i18n.name_text import in_words
from scoville_client.session.commands.command import (
    ANY_NAME,
    AT_TABLE,
    NAME,
    REASON,
    WHOLE_NAME,
    Argument,
    Caller,
    Command,
    Misuse,
    seat_of,
    split_text,
    split_word,
    whole_name,
)
from scoville_client.session.table.plans import describe_fields, end_of_plan, parse_plan, write_plan
from scoville_client.session.table.table import AtTable
from scoville_client.session.table.table_text import describe_seat, describe_table
from scoville_client.session.table.vote import read_vote
from scoville_shared.engine.phrases import Phrase
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import (
    InviteRequest,
    JoinRequest,
    KickRequest,
    LeaveRequest,
    NoncesRequested,
    OfTable,
    PauseRequest,
    PlanReply,
    PlanRequest,
    ReadyRequest,
    RematchRequest,
    ResumeRequest,
    ShowPlanRequest,
    StartRequest,
    TransferHostRequest,
    UnwatchRequest,
    VoteRequest,
    WatchRequest,
)


def describe_deal(at: AtTable) -> list[str]:
    """Return the lines that have to be the same for all players of a table, as far as they are known now."""
    return [*_deal_lines(at)]


def _deal_lines(at: AtTable) -> Iterator[str]:
    yield tr("Commitment of table {table}: {commitment}", table=at.id, commitment=at.info.commitment)
    requests = [event for entry in at.deal.events if isinstance(event := entry.event, NoncesRequested)]
    hashes = requests[-1].nonce_hashes if requests else []
    nonces = at.started.nonces if at.started is not None else [None] * len(hashes)
    for name, hashed, nonce in zip(at.names, hashes, nonces, strict=False):
        if nonce is not None:
            yield tr("Random number of {name}: {nonce}, hash {hash}", name=name, nonce=nonce, hash=hashed or "–")
        elif hashed is not None:
            yield tr("Hash of {name}'s random number: {hash}", name=name, hash=hashed)
        else:
            yield tr("{name} has no random number.", name=name)
    if at.deal.signed_digest:
        yield tr("The result that the server has signed: {digest}", digest=at.deal.signed_digest)
    yield tr("Compare these lines with the other players, but not in the chat of this server: they must be the same.")
    if at.deal.verdict is not None:
        yield " ".join(render(phrase, at.names) for phrase in at.deal.verdict.phrases)


_SPECTATORS: Final = Phrase("{n} spectator: {names}.", many="{n} spectators: {names}.")


def _make_request_command(kind: type[OfTable]) -> Callable[[Caller], Awaitable[Sequence[str]]]:
    """Return the function of a command that sends a request without more params; the event that follows is shown."""

    async def send_request(to: Caller) -> Sequence[str]:
        await to.session.table_actions.request_here(kind)
        return ()

    return send_request


async def _start_game(to: Caller) -> Sequence[str]:
    await to.session.table_actions.start_game()
    return ()


async def _set_ready(to: Caller) -> Sequence[str]:
    await to.session.table_actions.set_ready(to.session.current_table.id)
    return ()


async def _unset_ready(to: Caller) -> Sequence[str]:
    await to.session.table_actions.set_ready(to.session.current_table.id, ready=False)
    return ()


async def _list_seats(to: Caller) -> Sequence[str]:
    at = to.session.current_table
    return [
        tr("Seat {number}: {occupant}.", number=seat + 1, occupant=_describe_occupant(to, at, seat))
        for seat in range(len(at.info.seats))
    ]


def _describe_occupant(to: Caller, at: AtTable, seat: int) -> str:
    occupant, role = describe_seat(at, seat), to.session.lobby.describe_role(at.info.seats[seat].name or "")
    return f"{occupant} ({role})" if role else occupant


async def _describe_table(to: Caller) -> Sequence[str]:
    return [describe_table(to.session.current_table.info, to.session.games)]


async def _describe_deal(to: Caller) -> Sequence[str]:
    return describe_deal(to.session.current_table)


async def _list_spectators(to: Caller) -> Sequence[str]:
    at = to.session.current_table
    lines = []
    if at.audience.commentators:
        lines.append(tr("These users have seen hands: {names}.", names=_mark_names(at, at.audience.commentators)))
    names = _mark_names(at, at.audience.spectators)
    watching = render(_SPECTATORS.with_fields({"n": len(names), "names": names}, len(names)))
    return [*lines, watching if names else tr("There are no spectators.")]


def _mark_names(at: AtTable, names: list[str]) -> list[str | Phrase]:
    return [in_words(name, claimed=name in at.audience.claimed) for name in names]


async def _kick_user(to: Caller, name: str, reason: str) -> Sequence[str]:
    await to.session.table_actions.kick_user(to.session.current_table.id, name, reason)
    return ()


async def _vote_on_kick(to: Caller, answer: str) -> Sequence[str]:
    at = to.session.current_table
    try:
        against, agree = read_vote(at.vote, answer, [seat.name or "" for seat in at.info.seats], to.mark)
    except ValueError as error:
        raise Misuse(str(error)) from error
    await to.session.table_actions.vote_on_kick(at.id, against, agree=agree)
    return [tr("Your vote counts.")]


async def _transfer_host(to: Caller, name: str) -> Sequence[str]:
    await to.session.table_actions.transfer_host(to.session.current_table.id, seat_of(to, name))
    return ()


async def _invite_user(to: Caller, name: str) -> Sequence[str]:
    if not name:
        return to.make_invitation().lines or [tr("Nobody else can join.")]
    await to.session.table_actions.invite_user(to.session.current_table.id, name)
    return [tr("{name} has been invited.", name=name)]


def _split_viewpoint(caller: Caller, typed: str) -> tuple[str, str]:
    """Take the name after the word `from`."""
    word, _, name = typed.partition(" ")
    if word != "from" or not name.strip():
        raise Misuse(tr("Type look from and a name, such as: {example}", example=f"{caller.mark}look from Anna"))
    return whole_name(caller, name.strip())


async def _look_from(to: Caller, name: str) -> Sequence[str]:
    at = to.session.current_table
    seat = seat_of(to, name)
    if at.seat is not None:
        raise Misuse(tr("You are a player here and see your own cards."))
    # Only the server has the hand that the key opens; without one the View here is only turned.
    if at.key:
        await to.session.watch_table(at.id, at.key, seat)
        return ()
    at.viewpoint = Seat(seat)
    return [tr("You are watching from the seat of {name}, whose cards stay hidden.", name=at.names[seat])]


async def _watch_as_commentator(to: Caller, key: str, name: str) -> Sequence[str]:
    await to.session.watch_table(to.session.current_table.id, key, seat_of(to, name))
    return ()


async def _join_rematch(to: Caller) -> Sequence[str]:
    await to.session.join_rematch()
    return ()


async def _follow_rematch(to: Caller) -> Sequence[str]:
    if to.session.current_table.notes.next is None:
        raise Misuse(
            tr("Nobody has asked for a rematch yet; type {command} to ask for one.", command=f"{to.mark}rematch")
        )
    await to.session.follow_rematch()
    return ()


async def _take_seat(to: Caller) -> Sequence[str]:
    at = to.session.current_table
    if at.seat is not None:
        raise Misuse(tr("You have a seat at this table already."))
    await to.session.join_table(at.id)
    return ()


async def _leave_table(to: Caller) -> Sequence[str]:
    at = to.session.current_table
    plays_on = at.seat is not None and at.started is not None and at.result is None
    await to.session.leave_table()
    left = [tr("You have left a game that is not over; a bot plays for you until you join again.")] if plays_on else []
    return [*left, tr("You are back in the lobby.")]


async def _go_to_lobby(to: Caller) -> Sequence[str]:
    seated = to.session.current_table.seat is not None
    await to.session.return_to_lobby()
    if seated:
        return [tr("You are in the lobby and keep your seat; type {command} to go back.", command=f"{to.mark}next")]
    return [tr("You are back in the lobby.")]


async def _show_or_set_plan(to: Caller, typed: str) -> Sequence[str]:
    at, actions = to.session.current_table, to.session.table_actions
    if not typed:
        return plan_lines(at, await actions.show_plan(), to.mark)
    try:
        lines, most = parse_plan(at, typed)
    except ValueError as error:
        raise Misuse(str(error)) from error
    return plan_lines(at, await actions.plan_moves(lines, most), to.mark)


async def _clear_plan(to: Caller) -> Sequence[str]:
    return plan_lines(to.session.current_table, await to.session.table_actions.plan_moves([], 1), to.mark)


def plan_lines(at: AtTable, reply: PlanReply, mark: str = "") -> list[str]:
    """Return a user's own plan, why the latest one ended, or how one is typed."""
    if reply.plan_lines:
        return [tr("Your plan, which nobody else sees: {plan}", plan=write_plan(at, reply))]
    ended = end_of_plan(reply)
    example = f"{mark}plan 3x stop if fact=…; take"
    return [
        *([] if ended is None else [render(ended)]),
        tr("You have no plan. One of three moves is typed like this: {example}", example=example),
        *([] if at.by_sentences is not None else [describe_fields(at.game)]),
    ]


COMMANDS = (
    Command(
        ("start",),
        (),
        Phrase("Start the game; bots take the free seats."),
        _start_game,
        ("waiting",),
        sends=(StartRequest,),
        who="host",
    ),
    Command(("ready",), (), Phrase("Mark yourself as ready."), _set_ready, ("waiting",), sends=(ReadyRequest,)),
    Command(("unready",), (), Phrase("Mark yourself as not ready."), _unset_ready, ("waiting",), sends=(ReadyRequest,)),
    Command(
        ("pause",),
        (),
        Phrase("Ask for a pause, or agree to one."),
        _make_request_command(PauseRequest),
        ("playing",),
        sends=(PauseRequest,),
    ),
    Command(
        ("plan",),
        (Argument("[MOVE if FIELD=VALUE; ...]", split_text),),
        Phrase("Plan your next moves in a game by correspondence, or show your plan."),
        _show_or_set_plan,
        ("playing",),
        sends=(PlanRequest, ShowPlanRequest),
        more=(
            Phrase("Lines are tried from the first; one without a condition always counts, stop ends the plan."),
            Phrase("A number first, such as 3x, is the most moves that the plan makes."),
        ),
    ),
    Command(
        ("plan clear",),
        (),
        Phrase("Forget your plan."),
        _clear_plan,
        ("playing",),
        sends=(PlanRequest, ShowPlanRequest),
    ),
    Command(
        ("resume",),
        (),
        Phrase("Resume the game."),
        _make_request_command(ResumeRequest),
        ("playing",),
        sends=(ResumeRequest,),
    ),
    Command(
        ("join",),
        (),
        Phrase("Take a seat here, or your seat back from the bot."),
        _take_seat,
        AT_TABLE,
        sends=(JoinRequest,),
    ),
    Command(("who",), (), Phrase("List the seats and their players."), _list_seats, AT_TABLE),
    Command(("about",), (), Phrase("Show the settings and the code of this table."), _describe_table, AT_TABLE),
    Command(
        ("deal",),
        (),
        Phrase("Show the commitment and the random numbers, to compare them with other players."),
        _describe_deal,
        AT_TABLE,
    ),
    Command(
        ("invite",),
        (ANY_NAME,),
        Phrase("Invite a user to this table, or show how others join."),
        _invite_user,
        AT_TABLE,
        sends=(InviteRequest,),
    ),
    Command(
        ("rematch",),
        (),
        Phrase("Start a rematch with the same players."),
        _join_rematch,
        ("finished",),
        sends=(RematchRequest, JoinRequest),
    ),
    Command(
        ("follow",), (), Phrase("Join the rematch of this game."), _follow_rematch, ("finished",), sends=(JoinRequest,)
    ),
    Command(("watchers",), (), Phrase("List the spectators."), _list_spectators, AT_TABLE),
    Command(
        ("look",),
        (Argument("from NAME", _split_viewpoint, Phrase("The name is missing.")),),
        Phrase("Watch the game from a player's seat."),
        _look_from,
        AT_TABLE,
        sends=(WatchRequest,),
        more=(Phrase("To see that hand you need the commentators' key; type commentate."),),
    ),
    Command(
        ("commentate",),
        (Argument("KEY", split_word, Phrase("The key is missing.")), WHOLE_NAME),
        Phrase("See a player's hand with the commentators' key."),
        _watch_as_commentator,
        AT_TABLE,
        sends=(WatchRequest,),
    ),
    Command(
        ("kick",),
        (NAME, REASON),
        Phrase("Kick a user from this table for good."),
        _kick_user,
        AT_TABLE,
        sends=(KickRequest,),
        who="host",
    ),
    Command(
        ("vote",),
        (Argument("NAME, yes or no", split_text),),
        Phrase("Start a vote to kick a player, or vote in the one that runs."),
        _vote_on_kick,
        ("playing",),
        sends=(VoteRequest,),
    ),
    Command(
        ("host",),
        (WHOLE_NAME,),
        Phrase("Make another player the host."),
        _transfer_host,
        ("waiting", "playing"),
        sends=(TransferHostRequest,),
        who="host",
    ),
    Command(
        ("lobby",), (), Phrase("Go to the lobby and keep your seat."), _go_to_lobby, AT_TABLE, sends=(UnwatchRequest,)
    ),
    Command(
        ("leave",),
        (),
        Phrase("Leave this table and go to the lobby."),
        _leave_table,
        AT_TABLE,
        sends=(UnwatchRequest, LeaveRequest),
    ),
)
