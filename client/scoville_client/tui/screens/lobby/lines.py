"""Lines above the lobby's list: who the user is, an invitation, the daily deal, a tournament, and advice."""

from textual.content import Content

from scoville_client.i18n.daily_text import lobby_text
from scoville_client.i18n.language import render, tr
from scoville_client.i18n.tournament_text import describe_tournament
from scoville_client.session.session import Session
from scoville_shared.engine.phrases import Phrase


def heading_text(session: Session, *, has_side: bool) -> Content:
    """Name the user, and count all users where they are not named beside the list."""
    you, server = tr("you are {name}", name=session.name), session.community.name
    of_server = f" · {server}" if server else ""
    if has_side:
        return Content.assemble(tr("Tables"), "  ", (f"{you}{of_server}", "dim"))
    here = session.lobby.here
    count = render(Phrase("{n} user here", {"n": here}, many="{n} users here", number=here))
    return Content.assemble(tr("Tables"), "  ", (f"{you}, {count}{of_server}", "dim"))


def invitation_text(session: Session) -> str:
    """Describe the latest invitation; empty without one."""
    if not session.lobby.invitations:
        return ""
    latest = session.lobby.invitations[-1]
    game = next((g.title for g in session.games if g.slug == latest.info.game), latest.info.game)
    return tr("{name} invites you to {game}: press a to accept, d to decline.", name=latest.by, game=game)


def daily_text(session: Session) -> str:
    """Say what there is to do at the daily deal; empty on servers without one."""
    return lobby_text(session.daily.shown, session.daily.newest, session.games, "t")


def tournament_line(session: Session) -> str:
    """Return the line about the tournament that the user may enter first; empty without one."""
    # A user who has left a club hears nothing more of it.
    known = [info for info in session.tournaments.listed if info.club is None or session.clubs.name_of(info.club)]
    # The user's own ones are among their dates.
    listed = [info for info in known if info.stage in ("announced", "running") and not info.entered]
    if not listed:
        return ""
    first = min(listed, key=lambda info: not info.admits)
    line = describe_tournament(first, session.games)
    return tr("Tournament {line} (E)", line=line)


def advice_text(session: Session) -> str:
    """Say what to do where there are no tables."""
    if session.daily.shown is not None:
        return tr(
            "There are no tables yet. Press t for the daily deal, or c to open a table: bots take the free seats."
        )
    return tr("There are no tables yet. Press c to open one, or s for a quick match: bots take the free seats.")
