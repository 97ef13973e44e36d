"""Votes on kicking a player from the running game: starting one, and answering the one that runs."""

from scoville_client.i18n.language import tr
from scoville_client.session.table.table import AtTable
from scoville_client.session.table.vote import NO, YES, Vote
from scoville_client.tui.screens.dialogs.pick import PickDialog
from scoville_client.tui.screens.dialogs.question import ConfirmDialog
from scoville_client.tui.shell import Shell
from scoville_client.tui.widgets.menu import Item


class VoteActions:
    """Asks the user about a vote, and requests it at the table `at`."""

    def __init__(self, shell: Shell, at: AtTable) -> None:
        self._shell = shell
        self._at = at

    async def answer_or_start(self) -> None:
        """Answer the open vote, or choose a player and start one."""
        vote = self._at.vote
        if vote is None:
            await self._choose_player()
        elif vote.waits_for(self._at.seat):
            await self._answer_vote(vote)
        else:
            self._shell.show_notice(tr("You have voted already, or the vote is about you."))

    async def start_vote(self, name: str) -> None:
        """Start a vote on a player, after a question."""
        heading = tr("Start a vote to kick {name}?", name=name)
        about = tr(
            "More than half of the other players must agree, at least two. A bot then plays on, and this cannot be "
            "undone. In a rated game all who vote for it come last in the rating. If the vote fails, you cannot start "
            "another one for five minutes."
        )
        if await self._shell.ask_user(ConfirmDialog(heading, about, tr("start the vote"))):
            names = [seat.name for seat in self._at.info.seats]
            # While the question was open, the player may have left.
            if name in names:
                await self._session_vote(names.index(name), agree=True)

    async def _choose_player(self) -> None:
        names = other_players(self._at)
        if len(names) < 2:
            self._shell.show_notice(tr("A kick needs the votes of two other players."))
            return
        items = [Item(name, name) for name in names]
        name = await self._shell.ask_user(PickDialog(tr("Kick which player?"), lambda: items, tr("choose")))
        if name is not None:
            await self.start_vote(name)

    async def _answer_vote(self, vote: Vote) -> None:
        name = self._at.names[vote.against]
        items = [Item(NO, tr("no: {name} stays", name=name)), Item(YES, tr("yes: kick {name}", name=name))]
        about = tr(
            "After a kick a bot plays on. In a rated game all who vote for it come last in the rating. "
            "Everybody sees how you vote."
        )
        dialog = PickDialog(tr("Kick {name}?", name=name), lambda: items, tr("vote"), about=about)
        answer = await self._shell.ask_user(dialog)
        if answer is not None:
            await self._session_vote(vote.against, agree=answer == YES)

    async def _session_vote(self, against: int, *, agree: bool) -> None:
        await self._shell.session.table_actions.vote_on_kick(self._at.id, against, agree=agree)


def other_players(at: AtTable) -> list[str]:
    """Name the users who sit at a table, without this one."""
    return [each.name or "" for seat, each in enumerate(at.info.seats) if each.kind == "human" and seat != at.seat]
