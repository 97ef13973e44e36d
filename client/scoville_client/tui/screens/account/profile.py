"""Profile dialog: facts about a player, ratings with their uncertainty, and the latest games."""

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from scoville_client.i18n.clock_text import day_text
from scoville_client.i18n.language import format_number, render, tr
from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.session.chat_channels import WHISPERS
from scoville_client.session.commands.admin import warning_line
from scoville_client.session.commands.players import role_sentence
from scoville_client.session.conversations import Conversation
from scoville_client.tui.drawing.canvas import fit_text
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.dialogs.dialog import SCROLLING, RequestDialog, ScrollingDialog
from scoville_client.tui.screens.dialogs.form import Field, FormDialog, Values
from scoville_client.tui.widgets.fitted_box import FittedBox
from scoville_client.tui.widgets.key_hints import Hint, KeyHints
from scoville_client.tui.widgets.notice import Notice
from scoville_client.tui.widgets.text_view import Row, TextView
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import GivenWarning, PastGame, ProfileReply, Rating

MOST = 50.0
"""The end of the scale of ratings; new players begin in its middle."""
_GAME, _FIGURE = 14, 6
_NARROW = 52
_LONGEST = 30
"""Cells of a bar at most: longer ones are no easier to compare."""


def rating_bar(mu: float, sigma: float, width: int) -> str:
    """Draw a rating on a scale of `width` cells: a point at `mu`, a line of two `sigma` to each side."""
    low, at, high = (_cell_of_rating(value, width) for value in (mu - 2 * sigma, mu, mu + 2 * sigma))
    cells = ["·"] * width
    cells[low : high + 1] = ["─"] * (high + 1 - low)
    cells[low], cells[high] = "├", "┤"
    cells[at] = "●"
    return "".join(cells)


def _cell_of_rating(value: float, width: int) -> int:
    share = min(max(value / MOST, 0.0), 1.0) if isfinite(value) else 0.0
    return round(share * (width - 1))


def rows_of(profile: ProfileReply, titles: Mapping[str, str], width: int) -> list[Row]:
    """Write a profile as rows of at most `width` cells; `titles` are the titles of games by slug."""
    return [
        *text_rows(_origin_text(profile), width, "muted"),
        (),
        *text_rows(_games_text(profile), width, "text"),
        *text_rows(_pace_text(profile), width, "text"),
        (),
        *_rating_rows(profile, titles, width),
        (),
        *_game_rows(profile, titles, width),
    ]


def _origin_text(profile: ProfileReply) -> str:
    if profile.claimed:
        return tr("Claimed name, first seen here on {day}.", day=day_text(profile.since_ms))
    return tr("Guest, first seen here on {day}.", day=day_text(profile.since_ms))


_GAMES_PLAYED = Phrase(
    "Finished {finished} of {begun} game, won {won}.", many="Finished {finished} of {begun} games, won {won}."
)


def _games_text(profile: ProfileReply) -> str:
    if not profile.begun:
        return tr("No games without bots yet; games with bots do not count.")
    fields = {"finished": profile.finished, "begun": profile.begun, "won": profile.won}
    return render(_GAMES_PLAYED.with_fields(fields, profile.begun))


_WON: Final = Phrase("won {won} of {n} game", many="won {won} of {n} games")


def record_text(profile: ProfileReply) -> str:
    """Summarize a player's record on this server in a few words."""
    if not profile.finished:
        return tr("no games without bots yet")
    return render(_WON.with_fields({"won": profile.won, "n": profile.finished}, profile.finished))


def _pace_text(profile: ProfileReply) -> str:
    if profile.median_pick_ms is None:
        return ""
    return tr("Median time per move: {seconds} s.", seconds=max(1, round(profile.median_pick_ms / 1000)))


def _rating_rows(profile: ProfileReply, titles: Mapping[str, str], width: int) -> Iterator[Row]:
    yield ((tr("Ratings"), "title"),)
    if not profile.ratings:
        yield from text_rows(tr("None yet: only finished games without bots are rated."), width, "muted")
    notes = [f"  {games_played(rating.game_count)}, {_rank_text(rating)}" for rating in profile.ratings]
    bar = min([_LONGEST, *(width - _GAME - _FIGURE - len(note) for note in notes)])  # one scale for all
    for rating, note in zip(profile.ratings, notes, strict=True):
        head = (
            (fit_text(titles.get(rating.game, rating.game), _GAME), "text"),
            (f"{format_number(rating.rating):>5} ", "strong"),
        )
        if width < _NARROW:
            yield (*head, (f" {games_played(rating.game_count)}", "muted"))
            yield ((f"  {_rank_text(rating)}", "muted"),)
            yield ((rating_bar(rating.mu, rating.sigma, width - 2), "gap"),)
        else:
            yield (*head, (rating_bar(rating.mu, rating.sigma, bar), "gap"), (note, "muted"))


def _rank_text(rating: Rating) -> str:
    return tr("rank {n}", n=rating.rank) if rating.rank is not None else tr("not ranked yet")


def _game_rows(profile: ProfileReply, titles: Mapping[str, str], width: int) -> Iterator[Row]:
    yield ((tr("Latest games"), "title"),)
    if not profile.recent:
        yield ((tr("None yet."), "muted"),)
    for game in profile.recent:
        yield _game_row(game, titles.get(game.game, game.game), width)


def _game_row(game: PastGame, title: str, width: int) -> Row:
    place = f"{game.places[game.your_seat]}/{len(game.names)}"
    others = ", ".join(name for seat, name in enumerate(game.names) if seat != game.your_seat)
    first = game.places[game.your_seat] == 1
    head = f"{day_text(game.ended_ms)} " if width >= _NARROW else ""
    left = width - len(head) - _GAME - 6
    return (
        (head, "faint"),
        (fit_text(title, _GAME), "text"),
        (f"{place:<5} ", "good" if first else "muted"),
        (fit_text(others, left).rstrip(), "muted"),
    )


def games_played(games: int) -> str:
    """Write a number of games."""
    return render(Phrase("{n} game", {"n": games}, many="{n} games", number=games))


def text_rows(text: str, width: int, style: str) -> Iterator[Row]:
    """Wrap a text into rows of one style; none for an empty one."""
    for row in wrap_lines(text, width):
        yield ((row, style),)


class ProfileView(TextView):
    """Shows a profile once it is fetched."""

    def __init__(self) -> None:
        super().__init__(lambda: ())
        self._profile: ProfileReply | None = None
        self._titles: dict[str, str] = {}
        self._role = ""
        self._warnings: list[GivenWarning] | None = None

    def show_profile(self, profile: ProfileReply, titles: dict[str, str], role: str) -> None:
        """Show a profile from its first row, with a sentence about who moderates the server."""
        self._profile, self._titles, self._role = profile, titles, role
        self.stay_at_start()

    def show_warnings(self, warnings: list[GivenWarning]) -> None:
        """Show the player's warnings to a user who may warn."""
        self._warnings = warnings
        self.stay_at_start()

    def write_rows(self, width: int) -> list[Row]:
        if self._profile is None:
            return []
        profile = rows_of(self._profile, self._titles, width - 2)
        return [*text_rows(self._role, width - 2, "target"), *profile, *self._warning_rows(width - 2)]

    def _warning_rows(self, width: int) -> Iterator[Row]:
        if self._warnings is None:
            return
        yield ()
        yield ((tr("Warnings"), "title"),)
        if not self._warnings:
            yield ((tr("None yet."), "muted"),)
        for warning in self._warnings:
            yield from text_rows(warning_line(warning), width, "text")


class ProfileDialog(RequestDialog[None], ScrollingDialog):
    """Shows the player `name`, or the user without one; other players can be whispered to, ignored or reported here."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,q", "close", show=False),
        *SCROLLING,
        Binding("w", "whisper", show=False),
        Binding("i", "ignore", show=False),
        Binding("x", "report", show=False),
        Binding("l", "leaderboards", show=False),
        Binding("L,f2", "do('language')", show=False),
    ]

    def __init__(self, name: str = "") -> None:
        super().__init__()
        self._player = name

    @property
    def _mine(self) -> bool:
        return self._player in ("", self.shell.session.name)

    def compose(self) -> ComposeResult:
        with FittedBox(classes="box wide fitted"):
            yield Static(self._player or self.shell.session.name, classes="heading", markup=False)
            yield ProfileView()
            yield Notice()
            yield KeyHints(self._list_hints)
        yield TooSmall()

    def on_mount(self) -> None:
        self.send_request(
            self.shell.session.account.request_profile("" if self._mine else self._player), self._show_profile
        )

    def _show_profile(self, profile: ProfileReply) -> None:
        session = self.shell.session
        titles, role = {game.slug: game.title for game in session.games}, role_sentence(profile)
        self.query_one(ProfileView).show_profile(profile, titles, role)
        if not self._mine and session.lobby.may_moderate(session.name):
            self.send_request(session.admin.list_warnings(profile.name), self.query_one(ProfileView).show_warnings)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Offer whispering, ignoring and reporting only for other players."""
        return not self._mine or action not in {"whisper", "ignore", "report"}

    def action_whisper(self) -> None:
        self.dismiss(None)
        # Once this dialog is gone, over which the chat would open.
        self.shell.call_later(self.shell.navigation.open_chat, Conversation(WHISPERS, self._player))

    def action_ignore(self) -> None:
        self.submit_change(self._toggle_ignored, self.show_notice)

    async def _toggle_ignored(self) -> str:
        """Ignore this player, or stop ignoring them; returns a sentence about it."""
        chat, name = self.shell.session.chat, self._player
        ignored = name not in await chat.read_ignored()
        await chat.ignore_user(name, ignored=ignored)
        self.shell.navigation.show_unread()
        if ignored:
            return tr("You are ignoring {name}.", name=name)
        return tr("You are no longer ignoring {name}.", name=name)

    def action_report(self) -> None:
        about = tr("The admins will read it, with the latest messages from here.")
        heading = tr("Report {name}?", name=self._player)
        fields = [Field("text", tr("What happened?"), max_length=500)]
        self.shell.open_dialog(
            FormDialog(heading, about, fields, tr("report"), self._send_report), self._thank_for_report
        )

    async def _send_report(self, values: Values) -> None:
        at = self.shell.session.table
        await self.shell.session.account.report_user(self._player, values["text"].strip(), "" if at is None else at.id)

    def _thank_for_report(self, done: bool | None) -> None:
        if done:
            self.show_notice(tr("Thank you. The admins will read it."))

    def action_leaderboards(self) -> None:
        self.dismiss(None)
        self.shell.call_later(self.shell.navigation.open_leaderboards)

    def _list_hints(self) -> Sequence[Hint]:
        others = [("w", tr("whisper")), ("i", tr("ignore")), ("x", tr("report"))]
        return (*(() if self._mine else others), ("l", tr("leaderboards")), (tr("Esc"), tr("close")))
