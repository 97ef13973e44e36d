"""Habits of the soak test's users: each is one action that fits the user's present state."""

from collections.abc import Awaitable, Callable
from typing import Any

from tests.e2e.kill.players import SHORT
from tests.e2e.soak.lines import Line
from tests.e2e.soak.user import PASSWORD, SoakUser

Habit = Callable[[SoakUser], Awaitable[None]]

REACTIONS = ("hello", "thanks", "well played", "oops", "hot!", "hurry")
STARTS = ("host", "full", "ready")
DOORS = 40
"""How many doors users remember."""


# --- in the lobby -----------------------------------------------------------------------------------------


async def join_somewhere(user: SoakUser) -> None:
    """Read the list of tables, and join one."""
    tables = (await user.ask("table.list"))["tables"]
    waiting = [info for info in tables if info["status"] == "waiting" and _is_open(info)]
    if waiting:
        await user.sit(user.luck.choice(waiting)["table"])


async def quick_match(user: SoakUser) -> None:
    """Request a quick match."""
    seated = await user.try_to("lobby.quick_match", game=user.luck.choice(["", *SHORT]))
    if seated is not None:
        user.sits(seated)


async def open_a_table(user: SoakUser) -> None:
    """Open a table, join it, and pass its code on."""
    luck, game = user.luck, user.luck.choice([*SHORT])
    settings = {
        "private": luck.random() < 0.3,
        "spectating": luck.choice(("anybody", "rounds", "nobody")),
        "commentary": luck.random() < 0.1,
        "start": luck.choice(STARTS),
        "countdown_ms": 1000,
        "fill_ms": luck.choice((None, 3_000)),
    }
    password = luck.choice(("", "", "sesame"))
    params = {"game": game, "seat_count": luck.randint(3, 4), "options": SHORT[game], "settings": settings}
    clock = luck.choice(({}, {"move_ms": 5000}, {"bank_ms": 20_000, "increment_ms": 1000}))
    opened = await user.try_to("table.create", **params, clock=clock, password=password)
    if opened is not None:
        user.notes.access = [*user.notes.access[-DOORS:], {"code": opened["info"]["code"], "password": password}]
        await user.sit(opened["info"]["table"])


async def come_by_code(user: SoakUser) -> None:
    """Enter a table by a code from another user."""
    if user.notes.access:
        entered = await user.try_to("table.enter", **user.luck.choice(user.notes.access))
        if entered is not None:
            await user.sit(entered["info"]["table"])


async def look_on(user: SoakUser) -> None:
    """Watch a table for a moment, and write a message there."""
    tables = (await user.ask("table.list"))["tables"]
    if tables:
        table = user.luck.choice(tables)["table"]
        if await user.try_to("table.watch", table=table) is not None:
            await user.try_to("chat.say", table=table, text=_choose_words(user))
            await user.ask("table.unwatch", table=table)


async def watch_the_lobby(user: SoakUser) -> None:
    """Watch the lobby, or stop watching."""
    await user.ask(user.luck.choice(("lobby.watch", "lobby.watch", "lobby.unwatch")))


# --- talking ----------------------------------------------------------------------------------------------


async def write_message(user: SoakUser) -> None:
    """Write to the lobby, or whisper to a user."""
    to = user.luck.choice(["", "", _choose_other(user)])
    await user.try_to("chat.say", text=_choose_words(user), to=to)


async def read_chat(user: SoakUser) -> None:
    """Read the chat."""
    await user.ask("chat.read", channel=user.luck.choice(("lobby", "whisper")))


async def take_or_leave(user: SoakUser) -> None:
    """Ignore a user, or end that."""
    await user.try_to("chat.ignore", name=_choose_other(user), ignored=user.luck.random() < 0.3)


async def ask_about(user: SoakUser) -> None:
    """Read a profile, or a leaderboard."""
    await user.try_to("player.profile", name=_choose_user(user))
    await user.ask("player.leaderboard", game=user.luck.choice([*SHORT]))


async def talk_at_the_table(user: SoakUser) -> None:
    """Write at the current table, or send a reaction."""
    if user.luck.random() < 0.5:
        await user.try_to("chat.say", table=user.table, text=_choose_words(user))
    else:
        await user.try_to("chat.react", table=user.table, reaction=user.luck.choice(REACTIONS))


# --- playing ----------------------------------------------------------------------------------------------


async def go_on(user: SoakUser) -> None:
    """Do the action for which the table waits."""
    shot = await user.look(wait_ms=user.luck.randrange(0, 400))
    if shot is None:
        return
    if shot["info"]["paused"]:
        await user.try_to("table.resume", table=user.table)
    elif shot["info"]["status"] == "waiting":
        await _begin_game(user, shot)
    elif shot["info"]["status"] == "playing":
        await user.move(shot)
    else:
        await _follow_up_game(user, shot)


async def _begin_game(user: SoakUser, shot: dict[str, Any]) -> None:
    if user.seat == shot["info"]["host"] and user.luck.random() < 0.5:
        await user.try_to("table.start", table=user.table, bots=user.luck.choice(("greedy", "random")))
    else:
        await user.try_to("table.ready", table=user.table, ready=user.luck.random() < 0.9)


async def _follow_up_game(user: SoakUser, shot: dict[str, Any]) -> None:
    """Export the game, and request a rematch or leave."""
    await user.try_to("table.export", table=user.table)
    old, seated = user.table, user.seat is not None
    if seated and user.luck.random() < 0.6:
        opened = await user.try_to("table.rematch", table=old)
        if opened is not None:
            await user.sit(opened["info"]["table"])
    await user.try_to("table.leave", table=old)
    if user.table == old:
        user.away()


async def act_as_host(user: SoakUser) -> None:
    """Do an action of hosts: it is refused for others."""
    match user.luck.randrange(3):
        case 0:
            await user.try_to("table.kick", table=user.table, name=_choose_other(user), reason="too slow")
        case 1:
            await user.try_to("table.transfer_host", table=user.table, seat=user.luck.randrange(3))
        case _:
            await user.try_to("chat.mute", table=user.table, name=_choose_user(user), muted=user.luck.random() < 0.5)


async def vote_on_kick(user: SoakUser) -> None:
    """Vote on kicking a player from a running game."""
    await user.try_to("table.vote", table=user.table, against=user.luck.randrange(3), agree=user.luck.random() < 0.7)


async def invite_user(user: SoakUser) -> None:
    """Invite a user to the current table."""
    await user.try_to("table.invite", table=user.table, name=_choose_user(user))


async def ask_for_pause(user: SoakUser) -> None:
    """Ask for a pause."""
    await user.try_to("table.pause", table=user.table)


async def get_up(user: SoakUser) -> None:
    """Leave."""
    await user.try_to("table.leave", table=user.table)
    user.away()


# --- lines and names --------------------------------------------------------------------------------------


async def drop_the_line(user: SoakUser) -> None:
    """Lose the connection, and reconnect by the token."""
    await user.line.abort()
    await user.come()


async def claim_or_log_in(user: SoakUser) -> None:
    """Claim the name; later log in on another connection."""
    if not user.claimed:
        user.claimed = await user.try_to("account.claim_name", password=PASSWORD) is not None
        return
    line = Line(user.notes.port, user.number, user.notes.ledger)
    await line.__aenter__()
    await line.ask("hello", protocol=1, client="soak at home")
    old, user.line = user.line, line
    known = await user.try_to("account.login", name=user.name, password=PASSWORD)
    if known is None:
        await line.hang_up()
        user.line = old
    else:
        user.be(known)
        await old.hang_up()


IN_THE_LOBBY: dict[Habit, int] = {
    join_somewhere: 6,
    quick_match: 4,
    open_a_table: 3,
    come_by_code: 3,
    look_on: 3,
    watch_the_lobby: 3,
    write_message: 3,
    read_chat: 1,
    take_or_leave: 1,
    ask_about: 1,
    drop_the_line: 1,
    claim_or_log_in: 1,
}
"""How often users do what while they sit nowhere."""

AT_A_TABLE: dict[Habit, int] = {
    go_on: 60,
    talk_at_the_table: 3,
    drop_the_line: 2,
    act_as_host: 1,
    vote_on_kick: 1,
    invite_user: 1,
    ask_for_pause: 1,
    get_up: 1,
    write_message: 1,
    watch_the_lobby: 1,
    claim_or_log_in: 1,
}
"""The same at a table."""


async def do_action(user: SoakUser) -> None:
    """Do one action."""
    habits = AT_A_TABLE if user.table else IN_THE_LOBBY
    [habit] = user.luck.choices([*habits], weights=[*habits.values()])
    user.notes.ledger.done[habit.__name__] += 1
    await habit(user)


def _is_open(info: dict[str, Any]) -> bool:
    return any(seat["kind"] == "open" for seat in info["seats"]) and not info["locked"]


def _choose_user(user: SoakUser) -> str:
    return user.luck.choice([*user.notes.names.values()])


def _choose_other(user: SoakUser) -> str:
    return user.luck.choice([name for number, name in user.notes.names.items() if number != user.number] or ["?"])


def _choose_words(user: SoakUser) -> str:
    return f"{user.luck.choice(('Hello', 'Well', 'Hot', 'Oh no', '¡Olé!'))} {user.luck.randrange(10**6)}"
