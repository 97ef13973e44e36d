"""What other people bring along: talk, reactions, invitations, the bell; and the ways to learn of them."""

from typing import TYPE_CHECKING

from scoville_client.i18n.language import told, words
from scoville_client.i18n.reactions import REACTIONS
from scoville_client.session.changes import Change, EventApplied, Invited, Reacted, TableChanged
from scoville_client.session.chat.channels import WHISPERS
from scoville_client.session.conversations import Conversation, Conversations
from scoville_client.tui.notifications import Caller, has_titles
from scoville_client.tui.screens.dialogs.request_dialog import AskingDialog
from scoville_client.tui.widgets.chat_preview import Overheard
from scoville_client.tui.widgets.key_bar import KeyBar
from scoville_client.tui.widgets.notice import Notice
from scoville_shared.protocol.messages import Countdown, MessageInfo, Reaction

if TYPE_CHECKING:
    from scoville_client.tui.app import ScovilleApp


class Others:
    """The other people, as the `app` shows them."""

    def __init__(self, app: "ScovilleApp") -> None:
        self._app = app
        self._talk: Conversations | None = None
        self.caller = Caller(app.write_to_terminal, titles=has_titles())
        self.likes_changed()

    @property
    def talk(self) -> Conversations:
        """The talk of the session there is now."""
        if self._talk is None or self._talk.session is not self._app.session:
            self._talk = Conversations(self._app.session)
        return self._talk

    # --- what is heard ----------------------------------------------------------------------------------

    def hear(self, change: Change) -> None:
        """Show what somebody says or shows, and call the person who plays here when it concerns them."""
        line = self.talk.on_change(change)
        if line is not None:
            self._overhear(line)
        match change:
            case Reacted():
                self._show_reaction(change)
            case Invited(by=by):
                self.caller.news(words("{name} invites you", name=by))
            case EventApplied(event=Countdown(seconds=int())):
                self.caller.news(words("Your game begins"))
        if isinstance(change, EventApplied | TableChanged):
            self._look_at_table()
        self.show_unread()

    def show_unread(self) -> None:
        """Count in the line of keys what nobody has read yet."""
        for page in self._app.pages:
            for bar in page.query(KeyBar):
                bar.show_unread(self.talk.all_unread)

    def likes_changed(self) -> None:
        """Call as it is liked now."""
        likes = self._app.likes
        self.caller.want(bell=likes.bell, title=likes.title)

    def arrived(self) -> None:
        """Offer to log in to whoever asked for a name that is somebody's own: it may be theirs."""
        if self._app.session.name_claimed:
            from scoville_client.tui.screens.account.login_dialogs import ask_for_password

            ask_for_password(self._app, self._app.opened.name, claimed=True)

    def _overhear(self, line: MessageInfo) -> None:
        alone = line.channel == WHISPERS
        if alone:
            self.caller.news(words("{name} whispers to you", name=line.name))
        if self._app.likes.chat_lines:
            self._show(words("{name} (to you alone)", name=line.name) if alone else line.name, line.text)

    def _show_reaction(self, change: Reacted) -> None:
        if self._app.likes.chat_lines and change.name not in self._app.session.chat.ignored:
            self._show(change.name, told(REACTIONS[change.reaction].call))

    def _look_at_table(self) -> None:
        at = self._app.session.table
        self.caller.at("" if at is None else at.game.info.title, my_turn=at is not None and at.my_turn)

    def _show(self, who: str, what: str) -> None:
        """Show a row above the keys of the page, whatever dialog lies over it."""
        page = self._app.page
        for row in page.query(Overheard):
            row.show(who, what)
            return
        page.mount(Overheard(who, what), before=page.query_one(Notice))

    # --- talk -------------------------------------------------------------------------------------------

    def chat(self, room: Conversation | None = None, begun: str = "") -> None:
        """Talk; in practice nobody would hear it."""
        from scoville_client.tui.screens.chat.panel import ChatPanel

        if not self._app.among_people:
            self._app.page.tell(words("Nobody else is here."))
            return
        for page in self._app.pages:
            for row in page.query(Overheard):
                row.hide()
        self._app.push_screen(ChatPanel(self.talk, room, begun), lambda _: self.show_unread())

    def whisper(self, name: str) -> None:
        """Talk to somebody alone."""
        self.chat(Conversation(WHISPERS, name))

    def react(self) -> None:
        """Show a quick reaction at the table."""
        from scoville_client.tui.screens.dialogs.react import ReactDialog

        if self._app.session.table is not None and self._app.among_people:
            self._app.push_screen(ReactDialog(), self._react)

    def _react(self, wanted: Reaction | None) -> None:
        at = self._app.session.table
        if wanted is not None and at is not None:
            self._app.ask(self._app.session.chat.react(at.id, wanted))

    # --- people -----------------------------------------------------------------------------------------

    def profile(self, name: str = "") -> None:
        """Show what is known of somebody, or of me."""
        from scoville_client.tui.screens.account.profile import ProfileDialog

        self._app.push_screen(ProfileDialog(name))

    def leaders(self) -> None:
        """Show the best, at the game of the table first."""
        from scoville_client.tui.screens.account.leaderboards import LeadersDialog

        at = self._app.session.table
        self._app.push_screen(LeadersDialog("" if at is None else at.info.game))

    async def ignore(self, name: str) -> str:
        """Hear nothing of somebody any more, or hear them again; says which. Raises as `Ask` does."""
        chat = self._app.session.chat
        ignored = name not in await chat.read_ignored()
        await chat.ignore(name, ignored=ignored)
        self.talk.forget(name)
        self.show_unread()
        if ignored:
            return words("You are ignoring {name}.", name=name)
        return words("You are no longer ignoring {name}.", name=name)

    def report(self, name: str) -> None:
        """Ask what somebody has done, and tell whoever looks after the server."""
        from scoville_client.tui.screens.dialogs.form import Field, Form, Values

        at = self._app.session.table

        async def tell(values: Values) -> None:
            await self._app.session.account.report(name, values["text"].strip(), "" if at is None else at.id)

        def told(done: bool | None) -> None:
            if done:
                self._say(words("Thank you. Whoever looks after this server will read it."))

        about = words("Whoever looks after this server reads it, with what was said here just before.")
        heading = words("Report {name}?", name=name)
        fields = [Field("text", words("What has happened?"), most=500)]
        self._app.push_screen(Form(heading, about, fields, words("report"), tell), told)

    def _say(self, sentence: str) -> None:
        """Say something in the dialog in front, or else on the page."""
        front = self._app.screen
        if isinstance(front, AskingDialog):
            front.tell(sentence, bad=False)
        else:
            self._app.page.tell(sentence)

    # --- me ---------------------------------------------------------------------------------------------

    def account(self) -> None:
        """Show who I am here."""
        from scoville_client.tui.screens.account.account import AccountDialog

        self._app.push_screen(AccountDialog())

    def admin(self) -> None:
        """Show what is to be looked after."""
        from scoville_client.tui.screens.account.admin import AdminDialog

        self._app.push_screen(AdminDialog())
