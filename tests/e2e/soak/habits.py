"""What people do all day: each habit is one thing that a person does next, if it makes sense where they are."""

from collections.abc import Awaitable, Callable
from typing import Any

from tests.e2e.kill.players import SHORT
from tests.e2e.soak.lines import Line
from tests.e2e.soak.person import PASSWORD, Person

Habit = Callable[[Person], Awaitable[None]]

REACTIONS = ("hello", "thanks", "well played", "oops", "hot!", "hurry")
STARTS = ("host", "full", "ready")
DOORS = 40
"""How many doors people remember."""


# --- in the lobby -----------------------------------------------------------------------------------------


async def join_somewhere(person: Person) -> None:
    """Look at the list, and take a seat."""
    tables = (await person.ask("table.list"))["tables"]
    waiting = [info for info in tables if info["status"] == "waiting" and _is_open(info)]
    if waiting:
        await person.sit(person.luck.choice(waiting)["table"])


async def quick_match(person: Person) -> None:
    """Play at once, whatever there is."""
    seated = await person.try_to("lobby.quick_match", game=person.luck.choice(["", *SHORT]))
    if seated is not None:
        person.sits(seated)


async def open_a_table(person: Person) -> None:
    """Open a table, sit down there, and tell others how to come in."""
    luck, game = person.luck, person.luck.choice([*SHORT])
    manners = {
        "private": luck.random() < 0.3,
        "spectators": luck.choice(("anybody", "rounds", "nobody")),
        "commentary": luck.random() < 0.1,
        "start": luck.choice(STARTS),
        "countdown": 1,
        "fill": luck.choice((0, 3)),
    }
    password = luck.choice(("", "", "sesame"))
    wish = {"game": game, "seats": luck.randint(3, 4), "options": SHORT[game], "manners": manners}
    clock = luck.choice(({}, {"move": 5}, {"bank": 20, "increment": 1}))
    opened = await person.try_to("table.create", **wish, clock=clock, password=password)
    if opened is not None:
        person.notes.access = [*person.notes.access[-DOORS:], {"code": opened["info"]["code"], "password": password}]
        await person.sit(opened["info"]["table"])


async def come_by_code(person: Person) -> None:
    """Go where somebody has said that there is a table."""
    if person.notes.access:
        entered = await person.try_to("table.enter", **person.luck.choice(person.notes.access))
        if entered is not None:
            await person.sit(entered["info"]["table"])


async def look_on(person: Person) -> None:
    """Watch a table for a moment, and say something there."""
    tables = (await person.ask("table.list"))["tables"]
    if tables:
        table = person.luck.choice(tables)["table"]
        if await person.try_to("table.watch", table=table) is not None:
            await person.try_to("chat.say", table=table, text=_words(person))
            await person.ask("table.unwatch", table=table)


async def watch_the_lobby(person: Person) -> None:
    """See who is here; look away again now and then."""
    await person.ask(person.luck.choice(("lobby.watch", "lobby.watch", "lobby.unwatch")))


# --- talking ----------------------------------------------------------------------------------------------


async def talk(person: Person) -> None:
    """Say something in the lobby, or to one person."""
    to = person.luck.choice(["", "", _other(person)])
    await person.try_to("chat.say", text=_words(person), to=to)


async def read(person: Person) -> None:
    """Read what was said."""
    await person.ask("chat.read", channel=person.luck.choice(("lobby", "whisper")))


async def take_or_leave(person: Person) -> None:
    """Ignore somebody, or hear them again."""
    await person.try_to("chat.ignore", name=_other(person), ignored=person.luck.random() < 0.3)


async def ask_about(person: Person) -> None:
    """Look at somebody's profile, or at the best."""
    await person.try_to("player.profile", name=_somebody(person))
    await person.ask("player.leaderboard", game=person.luck.choice([*SHORT]))


async def talk_at_the_table(person: Person) -> None:
    """Say something where one sits, or show a reaction."""
    if person.luck.random() < 0.5:
        await person.try_to("chat.say", table=person.table, text=_words(person))
    else:
        await person.try_to("chat.react", table=person.table, reaction=person.luck.choice(REACTIONS))


# --- playing ----------------------------------------------------------------------------------------------


async def go_on(person: Person) -> None:
    """Do what the table waits for."""
    shot = await person.look(wait_ms=person.luck.randrange(0, 400))
    if shot is None:
        return
    if shot["info"]["paused"]:
        await person.try_to("table.resume", table=person.table)
    elif shot["info"]["status"] == "waiting":
        await _begin(person, shot)
    elif shot["info"]["status"] == "playing":
        await person.move(shot)
    else:
        await _after(person, shot)


async def _begin(person: Person, shot: dict[str, Any]) -> None:
    if person.seat == shot["info"]["host"] and person.luck.random() < 0.5:
        await person.try_to("table.start", table=person.table, bots=person.luck.choice(("greedy", "random")))
    else:
        await person.try_to("table.ready", table=person.table, ready=person.luck.random() < 0.9)


async def _after(person: Person, shot: dict[str, Any]) -> None:
    """Look at the game once more, and play again or leave."""
    await person.try_to("table.export", table=person.table)
    old, seated = person.table, person.seat is not None
    if seated and person.luck.random() < 0.6:
        opened = await person.try_to("table.rematch", table=old)
        if opened is not None:
            await person.sit(opened["info"]["table"])
    await person.try_to("table.leave", table=old)
    if person.table == old:
        person.away()


async def rule(person: Person) -> None:
    """Do what only a host may: it is refused to the others."""
    match person.luck.randrange(3):
        case 0:
            await person.try_to("table.kick", table=person.table, name=_other(person), reason="too slow")
        case 1:
            await person.try_to("table.transfer_host", table=person.table, seat=person.luck.randrange(3))
        case _:
            await person.try_to(
                "chat.mute", table=person.table, name=_somebody(person), muted=person.luck.random() < 0.5
            )


async def invite(person: Person) -> None:
    """Invite somebody to where one sits."""
    await person.try_to("table.invite", table=person.table, name=_somebody(person))


async def pause(person: Person) -> None:
    """Ask for a pause."""
    await person.try_to("table.pause", table=person.table)


async def get_up(person: Person) -> None:
    """Leave."""
    await person.try_to("table.leave", table=person.table)
    person.away()


# --- lines and names --------------------------------------------------------------------------------------


async def drop_the_line(person: Person) -> None:
    """Lose the line, and come back by the token."""
    await person.line.abort()
    await person.come()


async def claim_or_log_in(person: Person) -> None:
    """Claim the name; later prove it from another line, as somebody who has come home."""
    if not person.claimed:
        person.claimed = await person.try_to("account.claim_name", password=PASSWORD) is not None
        return
    line = Line(person.notes.port, person.number, person.notes.ledger)
    await line.__aenter__()
    await line.ask("hello", protocol=1, client="soak at home")
    old, person.line = person.line, line
    known = await person.try_to("account.login", name=person.name, password=PASSWORD)
    if known is None:
        await line.hang_up()
        person.line = old
    else:
        person.be(known)
        await old.hang_up()


IN_THE_LOBBY: dict[Habit, int] = {
    join_somewhere: 6,
    quick_match: 4,
    open_a_table: 3,
    come_by_code: 3,
    look_on: 3,
    watch_the_lobby: 3,
    talk: 3,
    read: 1,
    take_or_leave: 1,
    ask_about: 1,
    drop_the_line: 1,
    claim_or_log_in: 1,
}
"""How often people do what while they sit nowhere."""

AT_A_TABLE: dict[Habit, int] = {
    go_on: 60,
    talk_at_the_table: 3,
    drop_the_line: 2,
    rule: 1,
    invite: 1,
    pause: 1,
    get_up: 1,
    talk: 1,
    watch_the_lobby: 1,
    claim_or_log_in: 1,
}
"""The same at a table."""


async def live(person: Person) -> None:
    """Do one thing."""
    habits = AT_A_TABLE if person.table else IN_THE_LOBBY
    [habit] = person.luck.choices([*habits], weights=[*habits.values()])
    person.notes.ledger.done[habit.__name__] += 1
    await habit(person)


def _is_open(info: dict[str, Any]) -> bool:
    return any(seat["kind"] == "open" for seat in info["seats"]) and not info["locked"]


def _somebody(person: Person) -> str:
    return person.luck.choice([*person.notes.names.values()])


def _other(person: Person) -> str:
    return person.luck.choice([name for number, name in person.notes.names.items() if number != person.number] or ["?"])


def _words(person: Person) -> str:
    return f"{person.luck.choice(('Hello', 'Well', 'Hot', 'Oh no', '¡Olé!'))} {person.luck.randrange(10**6)}"
