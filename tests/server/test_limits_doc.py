"""The page of limits: every method is there, and the numbers are those that hold."""

import re
from pathlib import Path

import pytest

from scoville_server.accounts.model.limits import AccountLimits
from scoville_server.chat.model.limits import ChatLimits
from scoville_server.config import Settings
from scoville_server.moderation.model.limits import ModerationLimits
from scoville_server.net.limits import Limits
from scoville_server.tables.model import condense as condensing
from scoville_server.tables.model import project
from scoville_server.tables.model.deciding.admission import MOST_ADMITTED
from scoville_server.tables.model.deciding.limits import MOST_EXTRAS
from scoville_shared.protocol.messages import METHODS

PAGE = (Path(__file__).parents[2] / "docs" / "limits.md").read_text(encoding="utf-8")
ROWS = [line.split("|")[1:-1] for line in PAGE.splitlines() if line.startswith("| ")]
SETTINGS, ACCOUNTS, CHAT, LINES, REPORTS = Settings(), AccountLimits(), ChatLimits(), Limits(), ModerationLimits()


def row(method: str) -> str:
    return " ".join(" ".join(cells[1:]) for cells in ROWS if f"`{method}`" in cells[0]).replace(",", "")


@pytest.mark.parametrize("method", sorted(METHODS))
def test_every_method_is_in_the_inventory(method: str) -> None:
    assert row(method).strip()


@pytest.mark.parametrize(
    ("what", "numbers"),
    [
        ("hello", [LINES.connections_of_address, LINES.connections, SETTINGS.people]),
        ("account.claim", [ACCOUNTS.claims_an_hour, ACCOUNTS.claims]),
        ("account.login", [ACCOUNTS.slips, ACCOUNTS.log_ins_an_hour, ACCOUNTS.slips_of_name]),
        ("chat.ignore", [ACCOUNTS.changes_an_hour, ACCOUNTS.changes_an_hour_of_address, CHAT.ignored, CHAT.muted]),
        ("table.create", [SETTINGS.openings, SETTINGS.tables_opened, SETTINGS.openings_of_address, SETTINGS.tables]),
        ("table.join", [SETTINGS.dealings, SETTINGS.tables_seated, SETTINGS.dealings_of_address]),
        ("table.join", [SETTINGS.dealings_at_table, SETTINGS.dealings_at_table_of_address]),
        ("table.play", [SETTINGS.inbox, SETTINGS.inbox // 8]),
        ("table.watch", [SETTINGS.tables_watched, SETTINGS.spectators]),
        ("table.poll", [LINES.unanswered, SETTINGS.polls]),
        ("table.enter", [SETTINGS.guesses, SETTINGS.guesses_of_address, SETTINGS.guesses_at_table, MOST_ADMITTED]),
        ("table.invite", [SETTINGS.invitations, SETTINGS.invitations_of_address, SETTINGS.invitations_received]),
        ("chat.say", [pace.allowed for pace in (*CHAT.lines, *CHAT.lines_of_address, CHAT.lines_of_place)]),
        ("chat.say", [CHAT.whispers_received_of_address.allowed, CHAT.whispers_received.allowed]),
        ("chat.react", [pace.allowed for pace in (*CHAT.reactions, *CHAT.reactions_of_address)]),
        ("player.report", [REPORTS.reports_of_one, REPORTS.reports_of_address, REPORTS.reports]),
        ("admin.ban", [REPORTS.bans]),
    ],
)
def test_the_numbers_are_those_that_hold(what: str, numbers: list[int]) -> None:
    told = {int(number) for number in re.findall(r"\d+", row(what))}
    assert {*numbers} <= told


def test_the_bounds_of_tables_are_those_that_hold() -> None:
    assert (
        f"| {condensing.AFTER}, then one record replaces them all; its newest {condensing.KEPT_EVENTS} events" in PAGE
    )
    assert f"{MOST_EXTRAS} other records for each seat" in PAGE
    assert f"{project.PAGE_SIZE:,} events and facts" in PAGE
