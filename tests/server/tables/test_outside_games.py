"""Games of other packages at a server: their faults cost their own table, and nobody at another one."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from scoville_outside import guard
from scoville_outside.guard import MOST_ENDLESS, GameFailed, guard_game
from scoville_runtime.clock import SYSTEM
from scoville_server.background.thinking import Thinking
from scoville_server.control.host_status import list_alerts
from scoville_server.journal.memory import MemoryJournal
from scoville_server.server import Server
from scoville_server.settings.games import list_game_faults
from scoville_server.settings.model import Settings
from scoville_shared.bots.machine import INTERPRETED
from scoville_shared.bots.search import Thought
from scoville_shared.bots.turn import BotTurn
from scoville_shared.engine.dice import Dice
from scoville_shared.errors import ScovilleError
from scoville_shared.games import registry
from scoville_shared.protocol.messages import (
    Closed,
    CreateRequest,
    DescribeGamesRequest,
    JoinRequest,
    PlayRequest,
    PollRequest,
    StartRequest,
    TableSettingsParams,
    WatchRequest,
)
from tests.outside.faulty_games import HEALTHY, LOOP, on_path, with_fault, write_package
from tests.support.server import CHEAP_HASHING, Caller, until

STUBBORN = """\
        while True:
            try:
                while True:
                    pass
            except Exception:
                continue
"""

FAULTS = {
    "setup loops": with_fault("setup", LOOP),
    "setup raises": with_fault("setup", "        raise RuntimeError('setup')\n"),
    "setup exits": with_fault("setup", "        raise SystemExit(1)\n"),
    "apply loops": with_fault("apply", LOOP),
    "apply raises": with_fault("apply", "        raise ValueError('apply')\n"),
    "apply exits": with_fault("apply", "        raise SystemExit(0)\n"),
    "apply catches everything": with_fault("apply", STUBBORN),
    "facts without end": with_fault(
        "apply",
        "        return Step(state, (Addressed(None, Taken(seat, 1)) for _ in iter(int, 1)))\n",
    ),
    "huge facts": with_fault("apply", "        return Step(state, [Addressed(None, Taken(seat, 1))] * 900_000)\n"),
    "check loops": with_fault("check", LOOP),
    "check raises": with_fault("check", "        raise KeyError(move)\n"),
    "view loops": with_fault("view", LOOP),
    "view raises": with_fault("view", "        return 1 / 0\n"),
    "pending loops": with_fault("pending", LOOP),
    "pending raises": with_fault("pending", "        raise AssertionError\n"),
    "outcome loops": with_fault("outcome", LOOP),
    "outcome raises": with_fault("outcome", "        raise RecursionError\n"),
    "moves without end": with_fault("moves", "        return iter(lambda: Take(1), None)\n"),
    "moves raise": with_fault("moves", "        raise MemoryError\n"),
    "fallback loops": with_fault("fallback", LOOP),
    "refusal loops": with_fault("refusal", LOOP),
    "an outcome of another size": with_fault("outcome", "        return Outcome((0,), (1,), End.OVER)\n"),
    "a View beyond all numbers": with_fault("view", "        return View(2**70, 0)\n"),
    "a View of megabytes": with_fault("view", "        return View('x' * 10**7, 0)\n"),
}


QUICK = TableSettingsParams(bot_pace_ms=0)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """End endless calls sooner than a server of users does."""
    monkeypatch.setattr(guard, "CALL_SECONDS", 0.05)
    monkeypatch.setattr(guard, "SUSPECT_SECONDS", 0.02)


def served(journal: MemoryJournal | None = None) -> Server:
    return Server(Settings(accounts=CHEAP_HASHING, seed=bytes(32)), journal=journal)


async def play_somehow(user: Caller, game: str) -> str:
    """Open a table for one user and a bot, and play as far as that is possible; returns the table."""
    table = (await user.call(CreateRequest(game=game, seat_count=2))).info.table
    await user.call(JoinRequest(table=table))
    try:
        await user.call(StartRequest(table=table))
        for nth in range(4):
            shot = await user.call(PollRequest(table=table))
            if shot.pending == [0]:
                with suppress(ScovilleError):
                    await user.call(PlayRequest(table=table, move={"take": 2}, nth=shot.move_counts[0]))
                await user.call(PlayRequest(table=table, move={"take": 1}, nth=shot.move_counts[0]))
            elif nth:
                break
    except ScovilleError:
        pass
    return table


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_faulty_game_costs_its_own_table_alone(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_package(tmp_path / "bad", "faulty", FAULTS[fault])
    write_package(tmp_path / "good", "counting")
    with on_path(monkeypatch, tmp_path / "bad", tmp_path / "good"):
        journal = MemoryJournal()
        server = served(journal)
        await server.start()
        anna, ben = await Caller(server).hello("Anna"), await Caller(server).hello("Ben")
        before = SYSTEM.working_seconds()
        await play_somehow(anna, "faulty")
        for game in ("no_thanks", "counting"):
            table = (await ben.call(CreateRequest(game=game, seat_count=3))).info.table
            await ben.call(JoinRequest(table=table))
            await ben.call(StartRequest(table=table))
            assert (await ben.call(PollRequest(table=table))).info.status == "playing"
        assert SYSTEM.working_seconds() - before < 5, "an endless call is ended"
        await server.close()


async def test_a_seat_that_the_table_has_not_is_never_pending(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody could read the table any more, and nobody could leave it."""
    late = "        return frozenset({3}) if state.left < 9 else frozenset({state.mover})\n"
    write_package(tmp_path, "faulty", with_fault("pending", late))
    with on_path(monkeypatch, tmp_path):
        anna = await Caller(served()).hello("Anna")
        table = await open_and_start(anna, "faulty")
        with pytest.raises(ScovilleError, match=r"faulty of the package faulty 1\.0 failed in pending"):
            await anna.call(PlayRequest(table=table, move={"take": 1}))
        assert (await anna.call(PollRequest(table=table))).pending == [0]


async def test_a_move_that_fails_names_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_package(tmp_path, "faulty", FAULTS["apply raises"], package="badly_made")
    with on_path(monkeypatch, tmp_path):
        anna = await Caller(served()).hello("Anna")
        table = await open_and_start(anna, "faulty")
        with pytest.raises(ScovilleError, match=r"faulty of the package badly-made 1\.0 failed in apply") as raised:
            await anna.call(PlayRequest(table=table, move={"take": 1}))
        assert raised.value.data == {"game": "faulty", "package": "badly-made 1.0", "call": "apply"}


@pytest.mark.parametrize("fault", ["apply loops", "view loops", "setup loops", "check loops", "outcome loops"])
async def test_a_table_whose_game_hangs_is_closed_and_not_restored(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_package(tmp_path, "faulty", FAULTS[fault])
    with on_path(monkeypatch, tmp_path):
        journal = MemoryJournal()
        server = served(journal)
        await server.start()
        anna = await Caller(server).hello("Anna")
        table = await play_somehow(anna, "faulty")
        await until(lambda: table not in server._services.registry.tables)
        await server.close()
        again = served(journal)
        await again.start()
        assert again.table_count == 0
        await again.close()


async def open_and_start(user: Caller, game: str) -> str:
    table: str = (await user.call(CreateRequest(game=game, seat_count=2, settings=QUICK))).info.table
    await user.call(JoinRequest(table=table))
    await user.call(StartRequest(table=table))
    return table


async def test_a_game_that_loops_again_and_again_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_package(tmp_path / "bad", "faulty", FAULTS["apply loops"])
    write_package(tmp_path / "good", "counting")
    with on_path(monkeypatch, tmp_path / "bad", tmp_path / "good"):
        server = served()
        await server.start()
        registry_of = server._services.registry
        events = server.watch_and_control(lambda: None).events
        users = [await Caller(server).hello(name) for name in ("Anna", "Ben", "Carla", "Dora")]
        tables = [await open_and_start(user, "faulty") for user in users]
        healthy = await open_and_start(users[3], "counting")
        await users[3].call(WatchRequest(table=tables[3]))
        for user, table in zip(users[: MOST_ENDLESS - 1], tables, strict=False):
            with pytest.raises(ScovilleError, match="failed"):
                await user.call(PlayRequest(table=table, move={"take": 1}))
            assert server.status.read_status().stopped_games == {}
        with pytest.raises(ScovilleError, match="failed"):
            await users[2].call(PlayRequest(table=tables[2], move={"take": 1}))
        await until(lambda: [*registry_of.tables.all_tables()] == [registry_of.tables.find_table(healthy)])
        closed = [each.event for each in users[3].peer.events if isinstance(each.event, Closed)]
        assert [each.reason for each in closed] == [
            "The game faulty did not answer several times, so this server has stopped it."
        ], "also at a table where nothing had happened"
        assert server.status.read_status().stopped_games == {
            "faulty": "3 of its calls did not end, the last one in apply"
        }
        assert [alert.name for alert in list_alerts(server.status.read_status()) if "faulty" in alert.text] == [
            "games_stopped"
        ]
        assert [row.fields["game"] for row in events.list_events(0, 500) if row.kind == "game_stopped"] == ["faulty"]
        assert list_game_faults(server.settings, server.status.read_status().stopped_games) == [
            "The game faulty is stopped: 3 of its calls did not end, the last one in apply."
        ]
        late = await Caller(server).hello("Emil")
        assert late.welcome is not None
        assert "faulty" not in {info.slug for info in late.welcome.games}
        with pytest.raises(ScovilleError, match=r"faulty of the package faulty 1\.0 is stopped"):
            await late.call(CreateRequest(game="faulty", seat_count=2))
        assert (await late.call(DescribeGamesRequest(slugs=["faulty", "counting"], sentence_language="en"))).game_texts
        await users[3].call(PlayRequest(table=healthy, move={"take": 1}))
        await server.close()


async def test_watchers_of_a_looping_view_are_sent_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    late = "        while state.left < 9:\n            pass\n        return View(state.left, state.mover)\n"
    write_package(tmp_path, "faulty", with_fault("view", late))
    with on_path(monkeypatch, tmp_path):
        server = served()
        await server.start()
        anna, ben, carla = [await Caller(server).hello(name) for name in ("Anna", "Ben", "Carla")]
        table = await open_and_start(anna, "faulty")
        for user, language in ((anna, None), (ben, None), (carla, "de")):
            await user.call(WatchRequest(table=table, sentence_language=language))
        await anna.call(PlayRequest(table=table, move={"take": 1}))
        await until(lambda: table not in server._services.registry.tables)
        for user in (anna, ben, carla):
            last = user.peer.events[-1]
            assert isinstance(last.event, Closed)
            assert last.view is None
        await server.close()


async def seat_three(server: Server, game: str) -> tuple[list[Caller], str]:
    """Let three users play a game that a fourth one watches; returns them, and the table."""
    users = [await Caller(server).hello(name) for name in ("Anna", "Ben", "Carla", "Dora")]
    table = (await users[0].call(CreateRequest(game=game, seat_count=3, settings=QUICK))).info.table
    for user in users:
        if user is not users[3]:
            await user.call(JoinRequest(table=table))
        await user.call(WatchRequest(table=table))
    await users[0].call(StartRequest(table=table))
    return users, table


def last_event(user: Caller) -> Any:
    return user.peer.events[-1].event


@pytest.mark.parametrize("blind", [0, 1, 2])
async def test_a_view_that_fails_for_one_seat_leaves_nobody_waiting(
    blind: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = f"        if seat == {blind} and state.left < 9: raise KeyError('secret')\n"
    write_package(tmp_path, "faulty", with_fault("view", f"{late}        return View(state.left, state.mover)\n"))
    with on_path(monkeypatch, tmp_path):
        server = served()
        await server.start()
        users, table = await seat_three(server, "faulty")
        await users[0].call(PlayRequest(table=table, move={"take": 1}))
        await until(lambda: table not in server._services.registry.tables)
        for user in users:
            assert isinstance(last_event(user), Closed)
            assert last_event(user).reason == (
                "The game faulty of the package faulty 1.0 failed in view. So the table was closed."
            )
        seen = [type(each.event).__name__ for each in users[3].peer.events]
        assert seen[-2:] == ["Played", "Closed"], "who can be shown the move, was"
        await server.close()


async def test_spectators_whose_view_fails_are_sent_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    late = "        if seat is None and state.left < 9: raise KeyError('secret')\n"
    write_package(tmp_path, "faulty", with_fault("view", f"{late}        return View(state.left, state.mover)\n"))
    with on_path(monkeypatch, tmp_path):
        server = served()
        await server.start()
        users, table = await seat_three(server, "faulty")
        for nth in range(2):
            await users[nth].call(PlayRequest(table=table, move={"take": 1}))
        assert isinstance(last_event(users[3]), Closed)
        assert "Spectators cannot be shown it" in last_event(users[3]).reason
        seen = [each.event.seq for each in users[3].peer.events]
        assert seen == list(range(seen[0], seen[-1] + 1)), "a gap would be asked for in vain"
        assert (await users[0].call(PollRequest(table=table))).info.status == "playing"
        await server.close()


def with_illegal_bots(source: str) -> str:
    """Return a game whose bots choose a move that it refuses."""
    return source.replace("        return Take(1)\n", "        return Take(7)\n")


ALONE = {
    "apply raises for a bot": with_fault(
        "apply",
        "        if seat == 1: raise ValueError('apply')\n"
        "        after = State(state.seats, state.left - 1, (state.mover + 1) % state.seats)\n"
        "        return Step(after, [Addressed(None, Taken(seat, after.left))])\n",
    ),
    "a bot has no View": with_fault(
        "view",
        "        if seat == 1: raise KeyError('secret')\n        return View(state.left, state.mover)\n",
    ),
    "no fallback": with_illegal_bots(with_fault("fallback", "        return None\n")),
    "an illegal fallback": with_illegal_bots(with_fault("fallback", "        return Take(7)\n")),
}


@pytest.mark.parametrize("fault", ALONE)
async def test_a_table_on_which_no_bot_can_move_is_closed(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its players would wait forever, and nothing would say why."""
    write_package(tmp_path, "faulty", ALONE[fault])
    with on_path(monkeypatch, tmp_path):
        server = served()
        await server.start()
        anna = await Caller(server).hello("Anna")
        table = await open_and_start(anna, "faulty")
        await anna.call(WatchRequest(table=table))
        with suppress(ScovilleError):
            await anna.call(PlayRequest(table=table, move={"take": 1}))
        await until(lambda: table not in server._services.registry.tables)
        assert isinstance(last_event(anna), Closed)
        assert "faulty" in last_event(anna).reason
        await server.close()


async def test_a_game_that_cannot_be_described_costs_nobody_the_greeting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raising = (
        HEALTHY
        + """

class Odd(Codec):
    def encode_plain(self, value):
        raise KeyError("boom")


Counting.codec = Odd(options=Options, state=State, moves=(Take,), view=View, fact=Taken)
"""
    )
    write_package(tmp_path, "faulty", raising)
    with on_path(monkeypatch, tmp_path):
        anna = await Caller(served()).hello("Anna")
        assert anna.welcome is not None
        assert [info.slug for info in anna.welcome.games] == ["chilli_chase", "dicht_dran", "no_thanks"]


def test_a_call_that_is_in_time_is_not_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_package(tmp_path, "counting")
    with on_path(monkeypatch, tmp_path):
        game = guard_game(registry.load_game("counting"))
        state = game.setup(game.codec.decode_options({}), 3, Dice(bytes(32)))
        for _ in range(2_000):
            assert game.pending(state) == {0}
        assert game.moves(game.view(state, None)) == game.moves(game.view(state, None))


def test_a_failure_names_the_package_and_the_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_package(tmp_path, "faulty", FAULTS["apply exits"], package="badly_made")
    with on_path(monkeypatch, tmp_path):
        game = guard_game(registry.load_game("faulty"))
        state = game.setup(game.codec.decode_options({}), 2, Dice(bytes(32)))
        with pytest.raises(
            GameFailed, match=r"faulty of the package badly-made 1\.0 failed in apply: SystemExit"
        ) as raised:
            game.apply(state, 0, None)
        secretless = "The game faulty of the package badly-made 1.0 failed in apply."
        assert raised.value.message == secretless, "clients are sent no words of the game, which may know hidden cards"


async def test_hello_lists_the_games_that_can_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_package(tmp_path / "bad", "broken", "raise SystemExit(9)", package="badly_made", ending="\n")
    write_package(tmp_path / "good", "counting", HEALTHY, version="3.1")
    with on_path(monkeypatch, tmp_path / "bad", tmp_path / "good"):
        server = served()
        anna = await Caller(server).hello("Anna")
        assert anna.welcome is not None
        found = {info.slug: info for info in anna.welcome.games}
        assert sorted(found) == ["chilli_chase", "counting", "dicht_dran", "no_thanks"]
        assert (found["counting"].package, found["counting"].package_version) == ("counting", "3.1")
        assert found["counting"].types != found["no_thanks"].types
        assert "broken of the package badly-made 1.0" in list_game_faults(server.settings)[0]


async def test_a_game_that_is_not_allowed_is_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_package(tmp_path, "counting", "raise SystemExit(9)", ending="\n")
    with on_path(monkeypatch, tmp_path):
        server = Server(Settings(accounts=CHEAP_HASHING, allowed_games=("no_thanks", "dicht_dran")))
        anna = await Caller(server).hello("Anna")
        assert anna.welcome is not None
        assert [info.slug for info in anna.welcome.games] == ["dicht_dran", "no_thanks"]
        assert list_game_faults(server.settings) == []
        with pytest.raises(ScovilleError, match="chilli_chase"):
            await anna.call(CreateRequest(game="chilli_chase", seat_count=3))


def test_an_allowed_game_that_is_not_installed_is_named() -> None:
    server = Server(Settings(accounts=CHEAP_HASHING, allowed_games=("no_thanks", "no_thnaks")))
    known = "chilli_chase, dicht_dran, no_thanks"
    assert list_game_faults(server.settings) == [f"allowed_games: there is no game 'no_thnaks'; installed are {known}."]


BOTS = {
    "takes one": (HEALTHY, {"take": 1}),
    "chooses an illegal move": (HEALTHY.replace("return Take(1)\n", "return Take(7)\n"), {"take": 7}),
}


@pytest.mark.parametrize("bot", BOTS)
def test_a_turn_can_be_taken_anywhere(bot: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, move = BOTS[bot]
    write_package(tmp_path, "counting", source)
    with on_path(monkeypatch, tmp_path):
        facts = [{"fact": "taken", "seat": 0, "left": 8}]
        turn = BotTurn("counting", "sensible", facts, {"left": 8, "mover": 1}, bytes(32), 1.0)
        assert turn.run(INTERPRETED).move == move


async def test_the_process_of_a_package_starts_before_its_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    warmed: list[str] = []
    monkeypatch.setattr(Thinking, "warm_up", lambda _, __, game, level: warmed.append(f"{game}.{level}"))
    write_package(tmp_path, "counting")
    with on_path(monkeypatch, tmp_path):
        server = served()
        await server.start()
        anna = await Caller(server).hello("Anna")
        table = (await anna.call(CreateRequest(game="counting", seat_count=2, settings=QUICK))).info.table
        assert warmed == []
        await anna.call(JoinRequest(table=table))
        assert warmed == ["counting.sensible"]
        await server.close()


@pytest.mark.parametrize("thought", [None, Thought({"take": 7}, (), 0, cut=False), Thought({"x": 1}, (), 0, cut=False)])
async def test_a_bot_without_a_legal_answer_plays_the_fallback_move(
    thought: Thought | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_package(tmp_path, "counting")
    asked: list[BotTurn] = []

    def answer_at_once(_: object, __: object, question: BotTurn, *rest: Any) -> None:
        asked.append(question)
        rest[-1](thought)

    monkeypatch.setattr(Thinking, "ask_pool", answer_at_once)
    with on_path(monkeypatch, tmp_path):
        server = served()
        await server.start()
        anna = await Caller(server).hello("Anna")
        table = (await anna.call(CreateRequest(game="counting", seat_count=2, settings=QUICK))).info.table
        await anna.call(JoinRequest(table=table))
        await anna.call(StartRequest(table=table))
        await anna.call(PlayRequest(table=table, move={"take": 1}, nth=0))
        await until(lambda: [*server._services.tables.find_table(table).table.played] == [1, 1])
        assert (asked[0].game, asked[0].view) == ("counting", {"left": 8, "mover": 1})
        assert asked[0].facts == [{"fact": "taken", "seat": 0, "left": 8}]
        await server.close()
