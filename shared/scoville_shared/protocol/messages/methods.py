"""The whole protocol: every method with its params and reply, and every notice."""

from typing import NamedTuple

from scoville_shared.protocol.messages.accounts import (
    Account,
    AddKey,
    AskAccount,
    AskChallenge,
    Challenge,
    ChangePassword,
    ClaimName,
    LoggedIn,
    LogIn,
    LogInByKey,
    LogOut,
    ReleaseName,
    RemoveKey,
    RevokeToken,
)
from scoville_shared.protocol.messages.admin import (
    Announce,
    Appoint,
    Audit,
    Ban,
    Banned,
    Bans,
    CloseTable,
    ListBans,
    ListPeople,
    ListReports,
    People,
    ReadAudit,
    Report,
    Reports,
    Resolve,
    SendAway,
    Unban,
)
from scoville_shared.protocol.messages.base import Empty, Params, Reply
from scoville_shared.protocol.messages.chat import (
    ChatHistory,
    ChatNotice,
    Ignore,
    Ignored,
    ListIgnored,
    MuteAt,
    React,
    ReactionNotice,
    ReadChat,
    Said,
    Say,
)
from scoville_shared.protocol.messages.events import TableSnapshot
from scoville_shared.protocol.messages.lobby import (
    AnnouncementNotice,
    InviteNotice,
    LobbyNotice,
    LobbySnapshot,
    QuickMatch,
    UnwatchLobby,
    WatchLobby,
)
from scoville_shared.protocol.messages.notices import AudienceNotice, ByeNotice, EventNotice, PresenceNotice
from scoville_shared.protocol.messages.people import Hello, Ping, Pong, Welcome
from scoville_shared.protocol.messages.players import AskLeaders, AskProfile, Leaders, Profile
from scoville_shared.protocol.messages.tables import (
    CreateTable,
    Entered,
    EnterTable,
    ExportedGame,
    ExportTable,
    Invite,
    JoinTable,
    Kick,
    LeaveTable,
    LegalMoves,
    ListMoves,
    ListTables,
    MakeHost,
    PauseTable,
    PlayAgain,
    Played,
    PlayMove,
    PollTable,
    ReadyAt,
    ResumeTable,
    Seated,
    StartTable,
    TableCreated,
    Tables,
    UnwatchTable,
    WatchTable,
)


class Method(NamedTuple):
    """Params and reply of a method."""

    params: type[Params]
    reply: type[Reply]


METHODS: dict[str, Method] = {
    "hello": Method(Hello, Welcome),
    "ping": Method(Ping, Pong),
    "account.claim": Method(ClaimName, Empty),
    "account.login": Method(LogIn, LoggedIn),
    "account.challenge": Method(AskChallenge, Challenge),
    "account.login_by_key": Method(LogInByKey, LoggedIn),
    "account.password": Method(ChangePassword, Empty),
    "account.add_key": Method(AddKey, Empty),
    "account.remove_key": Method(RemoveKey, Empty),
    "account.show": Method(AskAccount, Account),
    "account.revoke": Method(RevokeToken, Empty),
    "account.logout": Method(LogOut, LoggedIn),
    "account.release": Method(ReleaseName, Empty),
    "table.list": Method(ListTables, Tables),
    "table.create": Method(CreateTable, TableCreated),
    "table.join": Method(JoinTable, Seated),
    "table.leave": Method(LeaveTable, Empty),
    "table.start": Method(StartTable, Empty),
    "table.pause": Method(PauseTable, Empty),
    "table.resume": Method(ResumeTable, Empty),
    "table.watch": Method(WatchTable, TableSnapshot),
    "table.unwatch": Method(UnwatchTable, Empty),
    "table.poll": Method(PollTable, TableSnapshot),
    "table.moves": Method(ListMoves, LegalMoves),
    "table.play": Method(PlayMove, Played),
    "table.export": Method(ExportTable, ExportedGame),
    "table.enter": Method(EnterTable, Entered),
    "table.ready": Method(ReadyAt, Empty),
    "table.kick": Method(Kick, Empty),
    "table.make_host": Method(MakeHost, Empty),
    "table.invite": Method(Invite, Empty),
    "table.again": Method(PlayAgain, TableCreated),
    "lobby.watch": Method(WatchLobby, LobbySnapshot),
    "lobby.unwatch": Method(UnwatchLobby, Empty),
    "lobby.quick": Method(QuickMatch, Seated),
    "chat.say": Method(Say, Said),
    "chat.react": Method(React, Empty),
    "chat.read": Method(ReadChat, ChatHistory),
    "chat.ignore": Method(Ignore, Empty),
    "chat.ignored": Method(ListIgnored, Ignored),
    "chat.mute": Method(MuteAt, Empty),
    "player.profile": Method(AskProfile, Profile),
    "player.leaders": Method(AskLeaders, Leaders),
    "player.report": Method(Report, Empty),
    "admin.people": Method(ListPeople, People),
    "admin.announce": Method(Announce, Empty),
    "admin.send_away": Method(SendAway, Empty),
    "admin.ban": Method(Ban, Banned),
    "admin.unban": Method(Unban, Empty),
    "admin.bans": Method(ListBans, Bans),
    "admin.close": Method(CloseTable, Empty),
    "admin.appoint": Method(Appoint, Empty),
    "admin.audit": Method(ReadAudit, Audit),
    "admin.reports": Method(ListReports, Reports),
    "admin.resolve": Method(Resolve, Empty),
}

METHOD_OF: dict[type[Params], str] = {method.params: name for name, method in METHODS.items()}
"""The method of each type of params."""

Notice = (
    EventNotice
    | PresenceNotice
    | AudienceNotice
    | ChatNotice
    | ReactionNotice
    | LobbyNotice
    | InviteNotice
    | AnnouncementNotice
    | ByeNotice
)

NOTICES: dict[str, type[Notice]] = {
    "table.event": EventNotice,
    "table.presence": PresenceNotice,
    "table.audience": AudienceNotice,
    "chat.said": ChatNotice,
    "chat.reacted": ReactionNotice,
    "lobby.changed": LobbyNotice,
    "lobby.invited": InviteNotice,
    "announcement": AnnouncementNotice,
    "bye": ByeNotice,
}
NOTICE_OF: dict[type[Notice], str] = {kind: name for name, kind in NOTICES.items()}
"""The name of each type of notice."""
