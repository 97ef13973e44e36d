"""Alerts: chat previews, reactions, the bell and the window title, whatever screen is in front."""

from functools import partial

from scoville_client.i18n.language import render, tr
from scoville_client.i18n.name_text import with_mark
from scoville_client.i18n.reactions import REACTIONS
from scoville_client.session.changes import Change, EventApplied, Invited, Reacted, TableChanged
from scoville_client.session.chat.channels import WHISPERS
from scoville_client.session.client import Client
from scoville_client.tui.notifications import Notifier
from scoville_client.tui.screens.page import Page
from scoville_client.tui.widgets.chat_preview import ChatPreview
from scoville_client.tui.widgets.notice import Notice
from scoville_client.tui.window import Window
from scoville_shared.protocol.messages import CountdownStarted, MessageInfo


class Alerts:
    """Notifies the user of actions of others, as far as the preferences allow."""

    def __init__(self, window: Window, notifier: Notifier) -> None:
        self._window = window
        self._notifier = notifier

    def session_changed(self, client: Client, change: Change) -> None:
        """Alert to a change of the session."""
        line = client.conversations.on_change(change)
        if line is not None:
            self._show_message(line)
        match change:
            case Reacted():
                self._show_reaction(client, change)
            case Invited(by=by):
                self._notifier.notify(tr("{name} invites you", name=by))
            case EventApplied(event=CountdownStarted()):
                self._notifier.notify(tr("Your game starts"))
        if isinstance(change, EventApplied | TableChanged):
            at = client.session.table
            self._notifier.show_game("" if at is None else at.game.info.title, my_turn=at is not None and at.my_turn)

    def _show_message(self, line: MessageInfo) -> None:
        whispered = line.channel == WHISPERS
        if whispered:
            self._notifier.notify(tr("{name} whispers to you", name=line.name))
        name = with_mark(line.name, claimed=line.claimed)
        self._preview(tr("{name} (private)", name=name) if whispered else name, line.text)

    def _show_reaction(self, client: Client, change: Reacted) -> None:
        if change.name not in client.session.chat.ignored:
            self._preview(change.name, render(REACTIONS[change.reaction].call))

    def _preview(self, name: str, text: str) -> None:
        """Show a message above the key bar of the page in front, even beneath a dialog."""
        if not self._window.preferences.chat_lines:
            return
        page = self._window.page
        page.when_mounted(partial(_show_preview, page, name, text))


def _show_preview(page: Page, name: str, text: str) -> None:
    for preview in page.parts(ChatPreview):
        preview.show(name, text)
        return
    page.mount(ChatPreview(name, text), before=page.query_one(Notice))
