"""While you were away: one screen with what has happened since, and what waits for the user."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType

from scoville_client.i18n.clock_text import day_and_time, time_or_day
from scoville_client.i18n.language import tr
from scoville_client.i18n.news_text import opponents_text, rank_text, turn_text
from scoville_client.i18n.table_text import game_title
from scoville_client.session.chat_channels import LOBBY, WHISPERS
from scoville_client.session.conversations import Conversation
from scoville_client.session.news import News
from scoville_client.tui.screens.dialogs.pick import PickDialog
from scoville_client.tui.screens.lobby.actions import LobbyActions
from scoville_client.tui.shell import Shell
from scoville_client.tui.widgets.menu import Item
from scoville_shared.protocol.messages import TableInfo

_NEXT = "next"


def show_news(shell: Shell, news: News) -> None:
    """Show the news; Enter goes to the marked row, `w` to the table with the nearest deadline."""

    def go_on(chosen: str | None) -> None:
        kind, _, where = (chosen or "").partition(" ")
        actions, lobby = LobbyActions(shell), shell.session.lobby
        if kind == _NEXT:
            actions.join_waiting_table()
        elif kind == "table":
            if (found := lobby.find_table(where)) is not None:
                lobby.decline_invitation(where)
                actions.join_table(found)
        elif kind == "result":
            over = lobby.find_table(where)
            if over is not None:
                actions.join_table(over)
            else:
                shell.call_later(shell.navigation.open_profile, shell.session.name)
        elif kind == "message":
            _, _, partner = where.partition(" ")
            room = Conversation(WHISPERS, partner) if partner else Conversation(LOBBY)
            shell.call_later(shell.navigation.open_chat, room)

    shell.open_dialog(NewsDialog(shell, news), go_on)


class NewsDialog(PickDialog):
    """Lists the news, most urgent first; returns what to do with the marked row."""

    LABEL: ClassVar[int] = 14
    BINDINGS: ClassVar[list[BindingType]] = [Binding("w", "go_to_next", show=False)]

    def __init__(self, shell: Shell, news: News) -> None:
        self._session = shell.session
        self._clock = shell.clock
        self._news = news
        since = tr("Since {when}:", when=day_and_time(news.since_ms))
        super().__init__(tr("While you were away"), self._list_news, tr("go there"), about=since)

    def more_keys(self) -> Sequence[tuple[str, str]]:
        return (("w", tr("next waiting table")),) if self._news.turns else ()

    def action_go_to_next(self) -> None:
        if self._news.turns:
            self.dismiss(_NEXT)

    def _list_news(self) -> list[Item]:
        return [*self._list_rows()]

    def _list_rows(self) -> Iterator[Item]:
        session, news = self._session, self._news
        for table in news.turns:
            left = session.lobby.deadline_of(table.table) - self._clock.seconds()
            yield Item(f"table {table.table}", tr("your turn"), turn_text(table, session.games, session.name, left))
        for each in news.invitations:
            yield Item(f"table {each.info.table}", tr("invitation"), f"{each.by}: {self._table_text(each.info)}")
        for game in news.results:
            title, names = game_title(game.game, session.games), opponents_text(game.names, session.name)
            yield Item(f"result {game.table}", rank_text(game), f"{title}: {names}")
        for line in news.messages:
            when = time_or_day(line.at_ms, self._clock.date_ms())
            partner = line.name if line.channel == "whisper" else ""
            yield Item(f"message {line.number} {partner}", when, f"{line.name}: {line.text}")

    def _table_text(self, table: TableInfo) -> str:
        taken = sum(seat.kind != "open" for seat in table.seats)
        return f"{game_title(table.game, self._session.games)} {taken}/{len(table.seats)}"
