"""The checker of `scripts/cluster --evening` finds what is planted in the stories of a whole game, and nothing else."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.e2e.evening.checker import Export, Game, check_evening
from tests.e2e.evening.run import plan_ways
from tests.e2e.evening.story import Given, Greeted, Shown, Story, Told, Tried
from tests.support.exports import TABLE, lines_of, play_exported_game

USERS = ("Anna", "Ben", "Cleo")


class Evening:
    """A game of three users as they have seen it, and the export that goes with it."""

    def __init__(self, folder: Path, lines: list[str]) -> None:
        self.folder, self.lines = folder, lines
        self.game = Game(lines)
        self.books: dict[str, list[dict[str, Any]]] = {
            "chat": [
                *(self.chat_row(n, text) for n, text in enumerate(("Hello", "Good luck"), 1)),
                *(self.chat_row(n, f"Lobby {n}", "lobby") for n in range(1, 5)),
            ],
            "games": [{"key": f"{TABLE}.jsonl", "value": ["anna", "", ["anna", "ben", "cleo"], {}, 1]}],
            "careers": [
                {"key": name.lower(), "value": {"finished": 1, "running": [], "recent": [{"table": TABLE}]}}
                for name in USERS
            ],
            "accounts": [{"key": "anna", "value": {"name": "Anna"}}],
        }
        self.stories = [self.tell_story(seat, name) for seat, name in enumerate(USERS)]
        self.stories[0].said.append(Tried(TABLE, "ok", text="Hello", number=1))
        self.stories[1].heard.append({"channel": "table", "table": TABLE, "number": 1, "text": "Hello"})
        lobby = [{"channel": "lobby", "table": None, "number": n, "text": f"Lobby {n}"} for n in range(1, 5)]
        self.stories[1].heard += [lobby[0], lobby[3]]
        self.stories[1].caught_up += lobby[1:3]
        self.stories[0].claimed = "Anna"
        self.stories[2].given += [Given("warning", "Be kind.", 1.0, "ok"), Given("invitation", "0" * 12, 2.0)]
        self.stories[2].told.append(Told("Be kind.", 1, 3.0))

    @staticmethod
    def chat_row(number: int, text: str, channel: str = f"table/{TABLE}") -> dict[str, Any]:
        return {"key": f"{channel}/{number}", "value": {"channel": channel, "n": number, "text": text}}

    def tell_story(self, seat: int, name: str) -> Story:
        story = Story(name, "program", [Greeted(name, 0.0)])
        story.games[TABLE] = seat
        story.commitments[TABLE] = self.game.exported.header.commitment
        story.exported[TABLE] = self.lines
        counts = [0, 0, 0]
        for made, move in enumerate(self.game.exported.moves, 1):
            if move.seat == seat:
                story.moves.append(Tried(TABLE, "ok", seat, counts[seat], move.move, number=made))
            counts[move.seat] += 1
            event = {
                "kind": "played",
                "seq": made,
                "seat": move.seat,
                "mover": "player",
                "facts": self.game.list_facts(made, seat),
                "move_counts": [*counts],
            }
            story.shown.append(Shown(1, TABLE, seat, event, self.game.show_view(made, seat)))
        return story

    def check(self) -> set[str]:
        (self.folder / "games").mkdir()
        (self.folder / "books").mkdir()
        (self.folder / "games" / f"{TABLE}.jsonl").write_text("\n".join(self.lines), "utf-8")
        (self.folder / "tables.jsonl").write_text("", "utf-8")
        for book, rows in self.books.items():
            (self.folder / "books" / f"{book}.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
        return {found.promise for found in check_evening(self.stories, Export(self.folder))}


@pytest.fixture
def evening(tmp_path: Path) -> Evening:
    game = play_exported_game("chilli_chase")
    seats = [replace(seat, kind="human") for seat in game.header.seats]
    moves = [replace(move, mover="player") for move in game.moves]
    return Evening(tmp_path, lines_of(replace(game, header=replace(game.header, seats=seats), moves=moves)))


def test_evening_without_faults_is_clean(evening: Evening) -> None:
    assert evening.check() == set()


def lose_move(evening: Evening) -> None:
    evening.stories[0].moves[3].nth = 99


def make_move_of_nobody(evening: Evening) -> None:
    del evening.stories[0].moves[3]


def acknowledge_twice(evening: Evening) -> None:
    evening.stories[0].moves.append(evening.stories[0].moves[3])


def refuse_and_do(evening: Evening) -> None:
    evening.stories[0].moves[3].outcome = "refused"


def skip_event(evening: Evening) -> None:
    del evening.stories[1].shown[4]


def repeat_event(evening: Evening) -> None:
    evening.stories[1].shown.insert(4, evening.stories[1].shown[4])


def show_other_event(evening: Evening) -> None:
    shown = evening.stories[1].shown[4]
    shown.event = {**shown.event, "mover": "clock"}


def tell_secret(evening: Evening) -> None:
    for shown in evening.stories[1].shown:
        others = evening.game.list_facts(shown.event["seq"], 0)
        if others != shown.event["facts"]:
            shown.event = {**shown.event, "facts": others}
            return
    raise AssertionError("nobody knows more than others")


def show_other_hand(evening: Evening) -> None:
    shown = evening.stories[1].shown[4]
    shown.view = evening.game.show_view(5, 2)


def show_older_view(evening: Evening) -> None:
    shown = evening.stories[1].shown[4]
    shown.view = evening.game.show_view(2, 1)


def commit_to_other_deal(evening: Evening) -> None:
    evening.stories[2].commitments[TABLE] = "00" * 32


def export_other_game(evening: Evening) -> None:
    evening.stories[2].exported[TABLE] = [*evening.lines[:3], *evening.lines[4:]]


def keep_message_twice(evening: Evening) -> None:
    evening.books["chat"].append(evening.chat_row(3, "Hello"))


def lose_message(evening: Evening) -> None:
    evening.stories[0].said.append(Tried(TABLE, "ok", text="Thanks", number=2))


def hear_message_twice(evening: Evening) -> None:
    evening.stories[1].heard *= 2


def read_and_hear_message(evening: Evening) -> None:
    evening.stories[1].heard.append(evening.stories[1].caught_up[0])


def miss_message(evening: Evening) -> None:
    del evening.stories[1].caught_up[0]


def skip_number(evening: Evening) -> None:
    evening.books["chat"].append(evening.chat_row(4, "Bye"))


def say_refused(evening: Evening) -> None:
    evening.stories[0].said.append(Tried(TABLE, "refused", text="Good luck"))


def share_name(evening: Evening) -> None:
    evening.stories[1].greeted[0].name = "ANNA"


def forget_user(evening: Evening) -> None:
    evening.stories[1].greeted.append(Greeted("Ben", 5.0, is_known=False))


def lose_claim(evening: Evening) -> None:
    evening.books["accounts"] = []


def count_game_twice(evening: Evening) -> None:
    evening.books["careers"][0]["value"]["finished"] = 2


def leave_game_running(evening: Evening) -> None:
    evening.books["careers"][0]["value"]["running"] = [TABLE]


def lose_warning(evening: Evening) -> None:
    evening.stories[2].told.clear()


def lose_invitation(evening: Evening) -> None:
    evening.stories[2].given[1].outcome = "ok"


def warn_twice(evening: Evening) -> None:
    evening.stories[2].told.append(Told("Be kind.", 1, 9.0))


def warn_of_nothing(evening: Evening) -> None:
    evening.stories[2].told.append(Told("Be quiet.", 1, 3.0))


@pytest.mark.parametrize(
    ("plant", "promise"),
    [
        (lose_move, "moves"),
        (make_move_of_nobody, "moves"),
        (acknowledge_twice, "moves"),
        (refuse_and_do, "moves"),
        (skip_event, "events"),
        (repeat_event, "events"),
        (show_other_event, "events"),
        (tell_secret, "secrets"),
        (show_other_hand, "secrets"),
        (show_older_view, "secrets"),
        (commit_to_other_deal, "deals"),
        (export_other_game, "deals"),
        (keep_message_twice, "chat"),
        (lose_message, "chat"),
        (hear_message_twice, "chat"),
        (read_and_hear_message, "chat"),
        (miss_message, "chat"),
        (skip_number, "chat"),
        (say_refused, "chat"),
        (share_name, "names"),
        (forget_user, "names"),
        (lose_claim, "names"),
        (count_game_twice, "careers"),
        (leave_game_running, "careers"),
        (lose_warning, "told"),
        (lose_invitation, "told"),
        (warn_twice, "told"),
        (warn_of_nothing, "told"),
    ],
)
def test_planted_fault_is_found(evening: Evening, plant: Callable[[Evening], None], promise: str) -> None:
    plant(evening)
    assert evening.check() == {promise}


def test_what_was_told_by_a_connection_that_was_lost_then_may_come_again(evening: Evening) -> None:
    story = evening.stories[2]
    story.greeted[0].until = 3.5
    story.greeted.append(Greeted("Cleo", 4.0))
    story.told.append(Told("Be kind.", 2, 5.0))
    assert evening.check() == set()
    story.greeted[0].has_left = True
    assert {found.promise for found in check_evening(evening.stories, Export(evening.folder))} == {"told"}


def test_users_come_in_all_ways() -> None:
    ways = plan_ways(200)
    assert len(ways) == 66
    counts = {way: sum(each.count(way) for each in ways) for way in ("program", "client", "ssh", "web", "lines")}
    assert min(counts.values()) >= 4
