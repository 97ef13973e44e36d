"""The daily deal by typed commands: play, compare, look at games of others, share, and verify."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from scoville_client.cli import exported_games
from scoville_client.cli.exit_status import SUCCESS
from scoville_client.cli.exported_games import run_verify
from scoville_client.i18n.daily_text import share_text, summary_lines
from scoville_client.i18n.language import set_language
from scoville_client.session.commands.command import Misuse
from scoville_client.session.commands.registry import command_named
from scoville_client.session.daily import MOST_COMMITMENTS, CommitmentNotes
from scoville_client.session.session import Session
from scoville_client.transport.in_process import LocalLink
from scoville_server.server import Server
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol import messages as m
from tests.server.daily.machine import DAY, Machine, begin, first_move, last_move, new_user, show

MONDAY = 1_759_752_000_000


class Typist:
    """Somebody who types commands."""

    mark = ""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.numbered: list[str] = []

    async def type(self, name: str, typed: str = "") -> list[str]:
        return [*await command_named(name).run_typed(self, typed)]  # type: ignore[arg-type]


class Evening:
    """A server where Anna, Ben and Carl have played today's deal, Carl otherwise than the others."""

    def __init__(self, machine: Machine, server: Server, anna: Typist) -> None:
        self.machine, self.server, self.anna = machine, server, anna


@pytest.fixture
async def evening() -> AsyncIterator[Evening]:
    machine = Machine(MONDAY)
    async with machine.run() as server:
        sessions = []
        for name, choose in (("Anna", first_move), ("Ben", first_move), ("Carl", last_move)):
            caller = await new_user(server, name)
            table = await begin(caller)
            await machine.play_out(caller, table, choose)
            sessions.append(caller)
        assert sessions[0].welcome is not None
        anna = Session()
        await anna.connect(LocalLink(server), "Dora")
        await anna.connection.send_request(m.LoginRequest(name="Anna", password="green or red?"), m.LoginReply)
        yield Evening(machine, server, Typist(anna))
        await anna.close()


async def test_the_list_says_what_there_is_to_do(evening: Evening) -> None:
    lines = await evening.anna.type("daily")
    assert lines[0].startswith("1. Monday: Chilli Chase, against 2 easy: rank ")
    assert lines[1].startswith("1 day in a row")
    assert lines[-1] == "Type daily play to play."


async def test_results_name_where_games_parted(evening: Evening) -> None:
    lines = await evening.anna.type("daily results")
    theirs = next(line for line in lines if "Carl" in line)
    assert "parts at move 1" in theirs
    assert any("Ben" in line and "the same game" in line for line in lines)
    number = theirs.split(".")[0]
    told = await evening.anna.type("daily game", number)
    assert told[0].startswith("Carl")
    assert len(told) > 5
    with pytest.raises(Misuse):
        await evening.anna.type("daily game", "99")


@pytest.mark.parametrize("language", ["en", "de", "fr"])
async def test_three_lines_to_share_give_nothing_away(evening: Evening, language: str) -> None:
    set_language(language)
    try:
        lines = await evening.anna.type("daily share")
        plain = await evening.anna.type("daily share", "ascii")
    finally:
        set_language("en")
    assert len(lines) == len(plain) == 3
    assert "2025-10-06" in lines[0]
    assert "■" in lines[1]
    assert not set("■□·") & set("".join(plain))
    assert all(len(line) < 80 for line in lines)


async def test_a_game_that_is_revealed_can_be_verified_by_anybody(
    evening: Evening, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ScovilleError) as sealed:
        await evening.anna.type("daily export", "1")
    assert sealed.value.code == Code.DEAL_SEALED
    await evening.machine.clock.elapse(2 * DAY)
    lines = await evening.anna.type("daily export", "2 3")
    path = tmp_path / "game.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    proof = await evening.anna.type("daily proof", "3")
    assert run_verify([str(path)]) == SUCCESS
    said = capsys.readouterr().out
    assert "ok: Every bot answered as this version of Scoville does." in said
    [commitment] = [line for line in proof if line.startswith("Commitment")]
    assert commitment in said


@pytest.mark.parametrize(
    ("days", "said"),
    [
        (-2, "ok: This computer has known the commitment since 20"),
        (1, "not checked: This computer first saw the commitment at 20"),
        (None, "not checked: This computer has not noted the commitment"),
    ],
)
async def test_a_file_is_compared_with_the_commitments_that_were_noted(
    days: int | None,
    said: str,
    evening: Evening,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    notes = CommitmentNotes(tmp_path / "notes" / "daily.json", lambda: MONDAY + (days or 0) * DAY * 1000)
    monkeypatch.setattr(exported_games, "users_notes", lambda: notes)
    if days is not None:
        evening.anna.session.daily.note_commitments = notes.note_commitments
        await evening.anna.type("daily")
    await evening.machine.clock.elapse(2 * DAY)
    path = tmp_path / "game.jsonl"
    path.write_text("\n".join(await evening.anna.type("daily export", "2 3")), encoding="utf-8")
    assert run_verify([str(path)]) == SUCCESS
    assert said in capsys.readouterr().out


async def test_the_deals_to_come_are_noted_with_those_of_today(evening: Evening) -> None:
    noted: list[str] = []
    evening.anna.session.daily.note_commitments = noted.extend
    await evening.anna.type("daily")
    shown = evening.anna.session.daily.shown
    assert shown is not None
    assert {*noted} == {each.commitment for each in shown.deals} | {
        commitment for promise in shown.upcoming for commitment in promise.commitments
    }
    assert len(shown.upcoming) > 3


def test_commitment_keeps_its_first_time(tmp_path: Path) -> None:
    now = [1_000]
    path = tmp_path / "notes.json"
    notes = CommitmentNotes(path, lambda: now[0])
    notes.note_commitments(["aa", "bb", "aa"])
    now[0] = 2_000
    CommitmentNotes(path, lambda: now[0]).note_commitments(["bb", "cc"])
    assert [notes.first_seen_ms(each) for each in ("aa", "bb", "cc", "dd")] == [1_000, 1_000, 2_000, None]
    notes.note_commitments(str(number) for number in range(MOST_COMMITMENTS))
    assert notes.first_seen_ms("aa") is None
    assert notes.first_seen_ms(str(MOST_COMMITMENTS - 1)) == 2_000
    path.write_bytes(b"nonsense")
    assert notes.first_seen_ms("cc") is None


async def test_another_answer_of_a_bot_is_found(
    evening: Evening, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await evening.machine.clock.elapse(2 * DAY)
    lines = await evening.anna.type("daily export", "1 3")
    path = tmp_path / "game.jsonl"
    # The levels are not part of the commitment; with other ones the same moves are no answers.
    path.write_text("\n".join(lines).replace('"easy"', '"random"'), encoding="utf-8")
    run_verify([str(path)])
    assert "not checked: The bots of this version of Scoville answer otherwise" in capsys.readouterr().out


async def test_the_table_of_a_deal_is_joined_by_typing(evening: Evening) -> None:
    dora = Session()
    await dora.connect(LocalLink(evening.server), "Dora")
    await Typist(dora).type("daily play")
    assert dora.table is not None
    assert dora.table.info.deal == "daily-2025-10-06-1"
    assert dora.table.seat is not None
    await dora.close()


async def test_a_text_without_a_result_is_one_line(evening: Evening) -> None:
    gus = await new_user(evening.server, "Gus")
    deal = (await show(gus)).deals[0]
    reply = m.CompareDailyReply(daily_deal=deal, results=[])
    assert share_text(reply, None, [], ascii_only=True) == "Scoville | daily deal 2025-10-06 | chilli_chase"


async def test_summary_counts_players_with_a_result(evening: Evening) -> None:
    gus = await new_user(evening.server, "Gus")
    deal = (await show(gus)).deals[0]
    for counted, said in ((0, False), (1, True), (2, True)):
        reply = m.CompareDailyReply(daily_deal=replace(deal, finished_count=counted), results=[])
        assert any("player" in line for line in summary_lines(reply, [])) == said


async def test_chat_names_commands_with_their_slash(evening: Evening) -> None:
    evening.anna.mark = "/"
    for name, typed, command in (("daily results", "99", "/daily."), ("daily game", "99", "/daily results.")):
        with pytest.raises(Misuse, match=f"type {command}"):
            await evening.anna.type(name, typed)
