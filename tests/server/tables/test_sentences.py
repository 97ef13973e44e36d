"""A game in sentences: any game can be shown and played without its rules, from the asker's own View alone."""

from pathlib import Path

import msgspec
import pytest

from scoville_outside import guard
from scoville_server.journal.memory import MemoryJournal
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_server.tables.watching import sentences
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import (
    CreateRequest,
    DescribeGamesRequest,
    GameTexts,
    JoinRequest,
    OptionText,
    Played,
    PlayRequest,
    PollRequest,
    ReadMoveRequest,
    StartRequest,
    TableSentences,
    TableSettingsParams,
    ValueText,
    WatchRequest,
)
from tests.outside.faulty_games import HEALTHY, LOOP, on_path, with_fault, write_package
from tests.outside.new_game import SLUG, install_package, write_template
from tests.support.server import CHEAP_HASHING, Caller

QUICK = TableSettingsParams(bot_pace_ms=0)


def served() -> Server:
    return Server(Settings(accounts=CHEAP_HASHING, seed=bytes(32)), journal=MemoryJournal())


async def begin_game(game: str, *names: str) -> tuple[str, list[Caller]]:
    """Start a game of these users at a new server; returns the table and their connections."""
    server = served()
    await server.start()
    users = [await Caller(server).hello(name) for name in names]
    table = (await users[0].call(CreateRequest(game=game, seat_count=len(names), settings=QUICK))).info.table
    for user in users:
        await user.call(JoinRequest(table=table))
    await users[0].call(StartRequest(table=table))
    return table, users


async def show(user: Caller, table: str, language: str = "en") -> TableSentences:
    shot = await user.call(PollRequest(table=table, sentence_language=language))
    assert isinstance(shot.sentences, TableSentences)
    return shot.sentences


@pytest.mark.parametrize("game", ["no_thanks", "dicht_dran", "chilli_chase"])
async def test_a_whole_game_is_played_by_its_sentences(game: str) -> None:
    table, users = await begin_game(game, "Anna", "Ben", "Cleo")
    for _ in range(2_000):
        shot = await users[0].call(PollRequest(table=table, since=0))
        if shot.info.status == "finished":
            break
        user = users[shot.pending[0]]
        seen = await show(user, table)
        assert seen.table_lines
        assert seen.turn_lines
        assert len({move.text for move in seen.named_moves}) == len(seen.named_moves) > 0
        await user.call(PlayRequest(table=table, move=seen.named_moves[-1].move))
    assert shot.info.status == "finished"
    last = await users[0].call(PollRequest(table=table, since=0, sentence_language="en"))
    log = [sentence for event in last.events if isinstance(event, Played) for sentence in event.fact_sentences]
    assert any("Anna" in sentence for sentence in log)
    assert last.sentences.named_moves == []
    await users[0].server.close()


async def test_sentences_are_those_of_the_own_view_alone() -> None:
    """Watchers of the same View get the same bytes: what others hold cannot be in them."""
    table, users = await begin_game("no_thanks", "Anna", "Ben", "Cleo")
    watcher = await Caller(users[0].server).hello("Zoe")
    found = {}
    for user in (*users, watcher):
        shot = await user.call(PollRequest(table=table, sentence_language="en"))
        found[user.welcome.name] = (shot.view, shot.sentences)
    game = guard.load_game("no_thanks")
    for name, (view, seen) in found.items():
        seat = None if name == "Zoe" else ["Anna", "Ben", "Cleo"].index(name)
        again = sentences.describe_view(
            game,
            game.codec.decode_view(view),
            seat,
            must_move=bool(seen.turn_lines),
            playing=True,
            names=["Anna", "Ben", "Cleo"],
            language="en",
        )
        assert again == seen
    spectator = found["Zoe"][1]
    assert (spectator.hand_lines, spectator.turn_lines, spectator.named_moves) == ([], [], [])
    await watcher.server.close()


async def test_a_commentator_is_not_called_you() -> None:
    server = served()
    await server.start()
    anna, ben, zoe = [await Caller(server).hello(name) for name in ("Anna", "Ben", "Zoe")]
    opened = await anna.call(
        CreateRequest(game="chilli_chase", seat_count=2, settings=msgspec.structs.replace(QUICK, commentary=True))
    )
    table = opened.info.table
    for user in (anna, ben):
        await user.call(JoinRequest(table=table))
    await anna.call(StartRequest(table=table))
    watched = WatchRequest(table=table, commentary_key=opened.commentary_key, point_of_view=0, sentence_language="en")
    seen = (await zoe.call(watched)).sentences
    own = (await anna.call(WatchRequest(table=table, sentence_language="en"))).sentences
    assert any("Anna holds" in line for line in seen.hand_lines)
    assert any("Your hand" in line for line in own.hand_lines)
    assert not [line for line in (*seen.table_lines, *seen.hand_lines, *seen.turn_lines) if "you" in line.lower()]
    for _ in range(2):
        shot = await anna.call(PollRequest(table=table, since=0))
        mover = (anna, ben)[shot.pending[0]]
        await mover.call(PlayRequest(table=table, move=(await show(mover, table)).named_moves[0].move))
    logs = {}
    for name, user in (("Anna", anna), ("Zoe", zoe)):
        shot = await user.call(
            msgspec.structs.replace(watched, since=0)
            if user is zoe
            else WatchRequest(table=table, since=0, sentence_language="en")
        )
        live = [each.event for each in user.peer.events]
        logs[name] = [
            " ".join(sentence for event in events if isinstance(event, Played) for sentence in event.fact_sentences)
            for events in (shot.events, live)
        ]
    assert all("You draw the" in log for log in logs["Anna"])
    assert all("Anna draws the" in log and "You draw" not in log for log in logs["Zoe"])
    await server.close()


async def test_sentences_are_in_the_language_of_each_asker() -> None:
    table, users = await begin_game("no_thanks", "Anna", "Ben", "Cleo")
    anna, ben, _ = users
    english, german, other = [await show(anna, table, language) for language in ("en", "de", "xx")]
    assert english == other
    assert english.table_lines != german.table_lines
    assert [move.move for move in english.named_moves] == [move.move for move in german.named_moves]
    await ben.call(WatchRequest(table=table, sentence_language="de"))
    await anna.call(WatchRequest(table=table))
    shot = await anna.call(PollRequest(table=table))
    mover = users[shot.pending[0]]
    await mover.call(PlayRequest(table=table, move={"action": "take"}))
    assert isinstance(ben.peer.events[-1].sentences, TableSentences)
    assert not isinstance(anna.peer.events[-1].sentences, TableSentences), "only who asks is sent sentences"
    await anna.server.close()


async def test_a_refusal_is_in_the_language_of_the_watcher() -> None:
    table, users = await begin_game("no_thanks", "Anna", "Ben", "Cleo")
    shot = await users[0].call(PollRequest(table=table))
    idle = users[next(seat for seat in range(3) if seat not in shot.pending)]
    with pytest.raises(ScovilleError) as english:
        await idle.call(PlayRequest(table=table, move={"action": "take"}))
    await idle.call(WatchRequest(table=table, sentence_language="de"))
    with pytest.raises(ScovilleError) as german:
        await idle.call(PlayRequest(table=table, move={"action": "take"}))
    assert (german.value.code, german.value.data) == (english.value.code, english.value.data)
    assert german.value.message != english.value.message
    await idle.server.close()


async def test_a_typed_move_is_read_by_the_server() -> None:
    table, users = await begin_game("chilli_chase", "Anna", "Ben", "Cleo")
    shot = await users[0].call(PollRequest(table=table))
    mover = users[shot.pending[0]]
    seen = await show(mover, table)
    assert seen.has_notation
    wrong = await mover.call(ReadMoveRequest(table=table, typed="hello there"))
    assert wrong.named_move is None
    stranger = await Caller(mover.server).hello("Zoe")
    with pytest.raises(ScovilleError, match="no seat"):
        await stranger.call(ReadMoveRequest(table=table, typed="1"))
    await mover.server.close()


@pytest.mark.parametrize(
    ("method", "body"),
    [
        ("describe_table", LOOP),
        ("describe_table", "        raise ValueError('boom')\n"),
        ("describe_move", LOOP),
        ("describe_move", "        return 7\n"),
        ("describe_fact", LOOP),
        ("describe_fact", "        raise SystemExit(1)\n"),
    ],
)
async def test_sentences_that_fail_cost_nobody_the_game(
    method: str, body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sentences, "SENTENCES_SECONDS", 0.03)
    write_package(tmp_path, "faulty", with_fault(method, body))
    with on_path(monkeypatch, tmp_path):
        table, (anna, ben) = await begin_game("faulty", "Anna", "Ben")
        await ben.call(WatchRequest(table=table, sentence_language="de"))
        for turn in range(9):
            mover = (anna, ben)[turn % 2]
            seen = await show(mover, table)
            assert [move.move for move in seen.named_moves] == [{"take": 1}]
            await mover.call(PlayRequest(table=table, move={"take": 1}))
        last = await anna.call(PollRequest(table=table, since=0, sentence_language="en"))
        assert last.info.status == "finished", "the table is not closed"
        assert method == "describe_move" or "faulty 1.0" in last.sentences.table_lines[0]
        await anna.server.close()


async def test_long_sentences_are_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    endless = '        return [Phrase("x" * 5_000)] * 900\n'
    write_package(tmp_path, "faulty", with_fault("describe_table", endless))
    with on_path(monkeypatch, tmp_path):
        table, (anna, _) = await begin_game("faulty", "Anna", "Ben")
        seen = await show(anna, table)
        assert {len(line) for line in seen.table_lines} == {sentences.LONGEST}
        assert len(msgspec.msgpack.encode(seen)) < sentences.MOST_CHARACTERS + 2_000
        await anna.server.close()


async def test_a_package_writes_in_its_own_languages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_package(tmp_path, "counting", HEALTHY)
    folder = tmp_path / "counting_words"
    folder.mkdir()
    (folder / "de.po").write_text('msgid "{n} are left."\nmsgstr "{n} sind übrig."\n', encoding="utf-8")
    with (tmp_path / "counting-1.0.dist-info" / "entry_points.txt").open("a") as entries:
        entries.write("\n[scoville.locales]\ncounting = counting_words\n")
    with on_path(monkeypatch, tmp_path):
        table, (anna, _) = await begin_game("counting", "Anna", "Ben")
        assert (await show(anna, table, "de")).table_lines == ["9 sind übrig."]
        assert (await show(anna, table, "fr")).table_lines == ["9 are left."]
        await anna.server.close()


async def test_a_table_that_waits_is_described_by_its_options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_package(tmp_path, "counting", HEALTHY)
    with on_path(monkeypatch, tmp_path):
        server = served()
        await server.start()
        anna = await Caller(server).hello("Anna")
        table = (await anna.call(CreateRequest(game="counting", seat_count=2, options={"rounds": 2}))).info.table
        shot = await anna.call(PollRequest(table=table, sentence_language="en"))
        assert shot.view is None
        assert shot.sentences.tagline == "Take one after the other."
        assert shot.sentences.option_lines == ["Penalty: one die", "Rounds: 2"]
        await server.close()


async def test_games_are_described_in_the_askers_language(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = tmp_path / "site"
    code = install_package(write_template(tmp_path / "package"), site)
    text = (code / "text.py").read_text(encoding="utf-8")
    (code / "text.py").write_text(text.replace('        "wind": Phrase("Wind"),\n', ""), encoding="utf-8")
    write_package(tmp_path / "counting", "counting")
    with on_path(monkeypatch, site, tmp_path / "counting"):
        server = served()
        await server.start()
        user = await Caller(server).hello("Anna")
        asked = DescribeGamesRequest(slugs=[SLUG, "nothing", "counting", SLUG], sentence_language="de")
        described, plain = (await user.call(asked)).game_texts
        assert described == GameTexts(
            game=SLUG,
            tagline="Nimm einen bis drei Steine; der letzte zählt zehn Punkte.",
            option_texts=[
                OptionText(key="stones", label="Steine im Haufen", number_range=(6, 30)),
                OptionText(
                    key="last_stone",
                    label="Der letzte Stein",
                    value_texts=[
                        ValueText(value="prize", text="zählt zehn Punkte"),
                        ValueText(value="penalty", text="kostet zehn Punkte"),
                    ],
                ),
                OptionText(
                    key="wind",
                    label="Wind",
                    help="Ab und zu weht der Wind einen Stein weg, und wer am Zug war, zieht einen neuen Bonus.",
                ),
            ],
        )
        assert [(each.key, each.label) for each in plain.option_texts] == [("penalty", "Penalty"), ("rounds", "Rounds")]
        other = await user.call(DescribeGamesRequest(slugs=[SLUG], sentence_language="xx"))
        assert other.game_texts[0].tagline == "Take one to three stones; the last one counts ten points."
        await server.close()
