"""docs/limits.md lists every method, with the numbers of the settings."""

import re
from pathlib import Path

import pytest

from scoville_server.accounts.model.account_limits import AccountLimits
from scoville_server.chat.model.chat_limits import ChatLimits
from scoville_server.moderation.model.moderation_limits import ModerationLimits
from scoville_server.net.connection_limits import ConnectionLimits
from scoville_server.players.model.career import FEWEST_OPPONENTS, MOST_OPPONENTS
from scoville_server.settings.model import Settings
from scoville_server.tables.actions import condense
from scoville_server.tables.actions.enter import MOST_ADMITTED, MOST_COMMENTATORS
from scoville_server.tables.actions.vote import VOTE_MS, VOTE_WAIT_MS
from scoville_server.tables.state_machine import MOST_EXTRAS, REQUESTS
from scoville_server.tables.watching import project
from scoville_shared.protocol.messages import METHODS

PAGE = (Path(__file__).parents[2] / "docs" / "limits.md").read_text(encoding="utf-8")
ROWS = [line.split("|")[1:-1] for line in PAGE.splitlines() if line.startswith("| ")]
SETTINGS, ACCOUNTS, CHAT, LINES, REPORTS = (
    Settings(),
    AccountLimits(),
    ChatLimits(),
    ConnectionLimits(),
    ModerationLimits(),
)


def row(method: str) -> str:
    return " ".join(" ".join(cells[1:]) for cells in ROWS if f"`{method}`" in cells[0]).replace(",", "")


@pytest.mark.parametrize("method", sorted(METHODS))
def test_every_method_is_in_the_inventory(method: str) -> None:
    assert row(method).strip() or METHODS[method].params in REQUESTS, "what REQUESTS has is counted as all such actions"


@pytest.mark.parametrize(
    ("what", "numbers"),
    [
        ("hello", [LINES.per_address, LINES.total, SETTINGS.guests]),
        ("account.claim_name", [ACCOUNTS.claims_per_hour, ACCOUNTS.claims]),
        ("account.login", [ACCOUNTS.failures, ACCOUNTS.failures_per_hour, ACCOUNTS.failures_per_name]),
        ("chat.ignore", [ACCOUNTS.changes_per_hour, ACCOUNTS.changes_per_hour_per_address, CHAT.ignored, CHAT.muted]),
        (
            "table.create",
            [SETTINGS.table_creations, SETTINGS.tables_hosted, SETTINGS.table_creations_per_address, SETTINGS.tables],
        ),
        ("table.join", [SETTINGS.table_actions, SETTINGS.tables_seated, SETTINGS.table_actions_per_address]),
        ("table.join", [SETTINGS.table_actions_at_table, SETTINGS.table_actions_at_table_per_address]),
        ("table.play", [SETTINGS.inbox, SETTINGS.inbox // 8]),
        ("table.watch", [SETTINGS.tables_watched, SETTINGS.spectators]),
        ("table.poll", [LINES.pending_requests, SETTINGS.polls]),
        (
            "table.enter",
            [SETTINGS.guesses.per_user, SETTINGS.guesses.per_address, SETTINGS.guesses.per_table, MOST_ADMITTED],
        ),
        (
            "table.invite",
            [SETTINGS.invitations.sent, SETTINGS.invitations.sent_per_address, SETTINGS.invitations.received],
        ),
        (
            "chat.say",
            [pace.allowed for pace in (*CHAT.messages, *CHAT.messages_per_address, CHAT.messages_per_channel)],
        ),
        ("chat.say", [CHAT.whispers_received_per_address.allowed, CHAT.whispers_received.allowed]),
        ("chat.react", [pace.allowed for pace in (*CHAT.reactions, *CHAT.reactions_per_address)]),
        ("player.report", [REPORTS.reports_per_user, REPORTS.reports_per_address, REPORTS.reports]),
        ("admin.ban", [REPORTS.bans]),
    ],
)
def test_the_numbers_are_those_that_hold(what: str, numbers: list[int]) -> None:
    written = {int(number) for number in re.findall(r"\d+", row(what))}
    assert {*numbers} <= written


def test_the_bounds_of_tables_are_those_that_hold() -> None:
    assert (
        f"| {condense.MOST_RECORDS}, then one record replaces them all; its newest {condense.KEPT_EVENTS} events"
        in PAGE
    )
    assert f"{MOST_EXTRAS} other records for each seat" in PAGE
    assert f"| a vote on a kick | {VOTE_MS // 1000} seconds" in PAGE
    assert f"on the same player, for {VOTE_WAIT_MS // 1000} seconds" in PAGE
    assert f"| commentators of a table | {MOST_COMMENTATORS}, all of whom are named" in PAGE
    assert f"| {MOST_OPPONENTS} for each game" in PAGE
    assert f"a rank needs {FEWEST_OPPONENTS} different ones" in PAGE
    assert f"{project.PAGE_SIZE:,} events and facts" in PAGE
