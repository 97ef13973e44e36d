"""Sentences of the lobby: its heading, the latest invitation, and advice where there are no tables."""

from textual.content import Content

from scoville_client.i18n.language import render, tr
from scoville_client.session.session import Session
from scoville_shared.engine.phrases import Phrase


def heading(session: Session, *, has_side: bool) -> Content:
    """Name the user, and count all users where they are not named beside the list."""
    you = tr("you are {name}", name=session.name)
    if has_side:
        return Content.assemble(tr("Tables"), "  ", (you, "dim"))
    here = session.lobby.here
    count = render(Phrase("{n} user here", {"n": here}, many="{n} users here", number=here))
    return Content.assemble(tr("Tables"), "  ", (f"{you}, {count}", "dim"))


def invitation(session: Session) -> str:
    """Describe the latest invitation; empty without one."""
    if not session.lobby.invitations:
        return ""
    latest = session.lobby.invitations[-1]
    game = next((g.title for g in session.games if g.slug == latest.info.game), latest.info.game)
    return tr("{name} invites you to {game}: press a to accept, d to decline.", name=latest.by, game=game)


def advice() -> str:
    """Say what to do where there are no tables."""
    return tr("There are no tables yet. Press c to open one, or s for a quick match: bots take the free seats.")
