"""The whole protocol: every method with its params and reply, and every notice."""

from typing import NamedTuple

from scoville_shared.protocol.messages.accounts import (
    AccountReply,
    AccountWarnedNotice,
    AddKeyRequest,
    BecomeAdminRequest,
    ChallengeReply,
    ChallengeRequest,
    ChangePasswordReply,
    ChangePasswordRequest,
    ClaimNameRequest,
    ConfirmRequest,
    DeleteAccountRequest,
    EndSessionRequest,
    ExportAccountReply,
    ExportAccountRequest,
    LoginByKeyRequest,
    LoginReply,
    LoginRequest,
    LogoutRequest,
    RecoverRequest,
    ReleaseNameRequest,
    RemoveKeyRequest,
    ShowAccountRequest,
)
from scoville_shared.protocol.messages.admin import (
    AnnounceRequest,
    AppointModeratorRequest,
    AppointRequest,
    AuditReply,
    AuditRequest,
    BanReply,
    BanRequest,
    BansReply,
    BansRequest,
    CloseTableRequest,
    KickUserRequest,
    ListWarningsReply,
    ListWarningsRequest,
    RecoverAccountReply,
    RecoverAccountRequest,
    ReportRequest,
    ReportsReply,
    ReportsRequest,
    ResolveReportRequest,
    UnbanRequest,
    UsersReply,
    UsersRequest,
    WarnUserRequest,
)
from scoville_shared.protocol.messages.base import Empty, Params, Reply
from scoville_shared.protocol.messages.chat import (
    IgnoredReply,
    IgnoredRequest,
    IgnoreRequest,
    MuteRequest,
    ReactedNotice,
    ReactRequest,
    ReadChatReply,
    ReadChatRequest,
    SaidNotice,
    SayReply,
    SayRequest,
)
from scoville_shared.protocol.messages.daily import (
    CompareDailyReply,
    CompareDailyRequest,
    ExportDailyRequest,
    PlayDailyRequest,
    ProveDailyReply,
    ProveDailyRequest,
    ReplayDailyReply,
    ReplayDailyRequest,
    ShowDailyReply,
    ShowDailyRequest,
)
from scoville_shared.protocol.messages.doors import (
    AddDoorKeyRequest,
    CreateWebCodeReply,
    CreateWebCodeRequest,
    LoginByWebCodeRequest,
    ReportDoorRequest,
    SaveSettingsRequest,
    SettingsReply,
    ShowSettingsRequest,
)
from scoville_shared.protocol.messages.events import TableSnapshot
from scoville_shared.protocol.messages.greeting import (
    DescribeGamesReply,
    DescribeGamesRequest,
    DescribeServerReply,
    DescribeServerRequest,
    HelloReply,
    HelloRequest,
    PingReply,
    PingRequest,
)
from scoville_shared.protocol.messages.lobby import (
    AnnouncedNotice,
    InvitedNotice,
    LobbyChangedNotice,
    LobbySnapshot,
    QuickMatchRequest,
    UnwatchLobbyRequest,
    WatchLobbyRequest,
)
from scoville_shared.protocol.messages.notices import (
    ByeNotice,
    EventNotice,
    PresenceNotice,
    ShutdownNotice,
    SpectatorsNotice,
)
from scoville_shared.protocol.messages.past import LookBackReply, LookBackRequest
from scoville_shared.protocol.messages.players import LeaderboardReply, LeaderboardRequest, ProfileReply, ProfileRequest
from scoville_shared.protocol.messages.tables import (
    CreateReply,
    CreateRequest,
    EnterReply,
    EnterRequest,
    ExportReply,
    ExportRequest,
    InviteRequest,
    JoinReply,
    JoinRequest,
    KickRequest,
    LeaveRequest,
    ListTablesReply,
    ListTablesRequest,
    MovesReply,
    MovesRequest,
    PauseRequest,
    PlayReply,
    PlayRequest,
    PollRequest,
    ReadMoveReply,
    ReadMoveRequest,
    ReadyRequest,
    RematchRequest,
    ResumeRequest,
    RevealRequest,
    StartRequest,
    TransferHostRequest,
    UnwatchRequest,
    VoteRequest,
    WatchRequest,
)


class Method(NamedTuple):
    """Params and reply of a method."""

    params: type[Params]
    reply: type[Reply]


METHODS: dict[str, Method] = {
    "hello": Method(HelloRequest, HelloReply),
    "ping": Method(PingRequest, PingReply),
    "server.describe": Method(DescribeServerRequest, DescribeServerReply),
    "game.describe": Method(DescribeGamesRequest, DescribeGamesReply),
    "account.claim_name": Method(ClaimNameRequest, Empty),
    "account.login": Method(LoginRequest, LoginReply),
    "account.challenge": Method(ChallengeRequest, ChallengeReply),
    "account.login_by_key": Method(LoginByKeyRequest, LoginReply),
    "account.create_web_code": Method(CreateWebCodeRequest, CreateWebCodeReply),
    "account.login_by_web_code": Method(LoginByWebCodeRequest, LoginReply),
    "account.confirm": Method(ConfirmRequest, Empty),
    "account.recover": Method(RecoverRequest, LoginReply),
    "account.become_admin": Method(BecomeAdminRequest, Empty),
    "account.change_password": Method(ChangePasswordRequest, ChangePasswordReply),
    "account.add_key": Method(AddKeyRequest, Empty),
    "account.remove_key": Method(RemoveKeyRequest, Empty),
    "account.add_door_key": Method(AddDoorKeyRequest, Empty),
    "account.show": Method(ShowAccountRequest, AccountReply),
    "account.export": Method(ExportAccountRequest, ExportAccountReply),
    "account.end_session": Method(EndSessionRequest, Empty),
    "account.show_settings": Method(ShowSettingsRequest, SettingsReply),
    "account.save_settings": Method(SaveSettingsRequest, Empty),
    "account.logout": Method(LogoutRequest, LoginReply),
    "account.release_name": Method(ReleaseNameRequest, Empty),
    "account.delete": Method(DeleteAccountRequest, LoginReply),
    "table.list": Method(ListTablesRequest, ListTablesReply),
    "table.create": Method(CreateRequest, CreateReply),
    "table.join": Method(JoinRequest, JoinReply),
    "table.leave": Method(LeaveRequest, Empty),
    "table.start": Method(StartRequest, Empty),
    "table.pause": Method(PauseRequest, Empty),
    "table.resume": Method(ResumeRequest, Empty),
    "table.watch": Method(WatchRequest, TableSnapshot),
    "table.unwatch": Method(UnwatchRequest, Empty),
    "table.poll": Method(PollRequest, TableSnapshot),
    "table.look_back": Method(LookBackRequest, LookBackReply),
    "table.moves": Method(MovesRequest, MovesReply),
    "table.read_move": Method(ReadMoveRequest, ReadMoveReply),
    "table.play": Method(PlayRequest, PlayReply),
    "table.export": Method(ExportRequest, ExportReply),
    "table.enter": Method(EnterRequest, EnterReply),
    "table.ready": Method(ReadyRequest, Empty),
    "table.reveal": Method(RevealRequest, Empty),
    "table.kick": Method(KickRequest, Empty),
    "table.vote": Method(VoteRequest, Empty),
    "table.transfer_host": Method(TransferHostRequest, Empty),
    "table.invite": Method(InviteRequest, Empty),
    "table.rematch": Method(RematchRequest, CreateReply),
    "lobby.watch": Method(WatchLobbyRequest, LobbySnapshot),
    "lobby.unwatch": Method(UnwatchLobbyRequest, Empty),
    "lobby.quick_match": Method(QuickMatchRequest, JoinReply),
    "daily.show": Method(ShowDailyRequest, ShowDailyReply),
    "daily.play": Method(PlayDailyRequest, JoinReply),
    "daily.compare": Method(CompareDailyRequest, CompareDailyReply),
    "daily.replay": Method(ReplayDailyRequest, ReplayDailyReply),
    "daily.prove": Method(ProveDailyRequest, ProveDailyReply),
    "daily.export": Method(ExportDailyRequest, ExportReply),
    "chat.say": Method(SayRequest, SayReply),
    "chat.react": Method(ReactRequest, Empty),
    "chat.read": Method(ReadChatRequest, ReadChatReply),
    "chat.ignore": Method(IgnoreRequest, Empty),
    "chat.ignored": Method(IgnoredRequest, IgnoredReply),
    "chat.mute": Method(MuteRequest, Empty),
    "player.profile": Method(ProfileRequest, ProfileReply),
    "player.leaderboard": Method(LeaderboardRequest, LeaderboardReply),
    "player.report": Method(ReportRequest, Empty),
    "admin.users": Method(UsersRequest, UsersReply),
    "admin.announce": Method(AnnounceRequest, Empty),
    "admin.kick": Method(KickUserRequest, Empty),
    "admin.warn": Method(WarnUserRequest, Empty),
    "admin.warnings": Method(ListWarningsRequest, ListWarningsReply),
    "admin.ban": Method(BanRequest, BanReply),
    "admin.unban": Method(UnbanRequest, Empty),
    "admin.bans": Method(BansRequest, BansReply),
    "admin.close_table": Method(CloseTableRequest, Empty),
    "admin.appoint": Method(AppointRequest, Empty),
    "admin.appoint_moderator": Method(AppointModeratorRequest, Empty),
    "admin.recover_account": Method(RecoverAccountRequest, RecoverAccountReply),
    "admin.audit": Method(AuditRequest, AuditReply),
    "admin.reports": Method(ReportsRequest, ReportsReply),
    "admin.resolve_report": Method(ResolveReportRequest, Empty),
    "door.report": Method(ReportDoorRequest, Empty),
}

METHOD_OF: dict[type[Params], str] = {method.params: name for name, method in METHODS.items()}
"""The method of each type of params."""

Notice = (
    EventNotice
    | PresenceNotice
    | SpectatorsNotice
    | SaidNotice
    | ReactedNotice
    | LobbyChangedNotice
    | InvitedNotice
    | AccountWarnedNotice
    | AnnouncedNotice
    | ShutdownNotice
    | ByeNotice
)

NOTICES: dict[str, type[Notice]] = {
    "table.event": EventNotice,
    "table.presence": PresenceNotice,
    "table.spectators": SpectatorsNotice,
    "chat.said": SaidNotice,
    "chat.reacted": ReactedNotice,
    "lobby.changed": LobbyChangedNotice,
    "lobby.invited": InvitedNotice,
    "account.warned": AccountWarnedNotice,
    "announced": AnnouncedNotice,
    "shutdown": ShutdownNotice,
    "bye": ByeNotice,
}
NOTICE_OF: dict[type[Notice], str] = {kind: name for name, kind in NOTICES.items()}
"""The name of each type of notice."""
