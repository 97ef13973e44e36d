"""The whole protocol: every method with its params and reply, and every notice."""

from typing import NamedTuple

from scoville_shared.protocol.messages import (
    accounts,
    admin,
    calendars,
    chat,
    clubs,
    daily,
    digests,
    doors,
    events,
    greeting,
    lobby,
    players,
    puzzles,
    tables,
    tournaments,
)
from scoville_shared.protocol.messages.base import Empty, Params, Reply


class Method(NamedTuple):
    """Params and reply of a method."""

    params: type[Params]
    reply: type[Reply]


METHODS: dict[str, Method] = {
    "hello": Method(greeting.HelloRequest, greeting.HelloReply),
    "ping": Method(greeting.PingRequest, greeting.PingReply),
    "server.describe": Method(greeting.DescribeServerRequest, greeting.DescribeServerReply),
    "game.describe": Method(greeting.DescribeGamesRequest, greeting.DescribeGamesReply),
    "account.claim_name": Method(accounts.ClaimNameRequest, Empty),
    "account.login": Method(accounts.LoginRequest, accounts.LoginReply),
    "account.challenge": Method(accounts.ChallengeRequest, accounts.ChallengeReply),
    "account.login_by_key": Method(accounts.LoginByKeyRequest, accounts.LoginReply),
    "account.create_web_code": Method(doors.CreateWebCodeRequest, doors.CreateWebCodeReply),
    "account.login_by_web_code": Method(doors.LoginByWebCodeRequest, accounts.LoginReply),
    "account.confirm": Method(accounts.ConfirmRequest, Empty),
    "account.recover": Method(accounts.RecoverRequest, accounts.LoginReply),
    "account.become_admin": Method(accounts.BecomeAdminRequest, Empty),
    "account.change_password": Method(accounts.ChangePasswordRequest, accounts.ChangePasswordReply),
    "account.add_key": Method(accounts.AddKeyRequest, Empty),
    "account.remove_key": Method(accounts.RemoveKeyRequest, Empty),
    "account.add_door_key": Method(doors.AddDoorKeyRequest, Empty),
    "account.show": Method(accounts.ShowAccountRequest, accounts.AccountReply),
    "account.export": Method(accounts.ExportAccountRequest, accounts.ExportAccountReply),
    "account.end_session": Method(accounts.EndSessionRequest, Empty),
    "account.show_settings": Method(doors.ShowSettingsRequest, doors.SettingsReply),
    "account.save_settings": Method(doors.SaveSettingsRequest, Empty),
    "account.logout": Method(accounts.LogoutRequest, accounts.LoginReply),
    "account.release_name": Method(accounts.ReleaseNameRequest, Empty),
    "account.delete": Method(accounts.DeleteAccountRequest, accounts.LoginReply),
    "table.list": Method(tables.ListTablesRequest, tables.ListTablesReply),
    "table.create": Method(tables.CreateRequest, tables.CreateReply),
    "table.join": Method(tables.JoinRequest, tables.JoinReply),
    "table.leave": Method(tables.LeaveRequest, Empty),
    "table.start": Method(tables.StartRequest, Empty),
    "table.pause": Method(tables.PauseRequest, Empty),
    "table.resume": Method(tables.ResumeRequest, Empty),
    "table.watch": Method(tables.WatchRequest, events.TableSnapshot),
    "table.unwatch": Method(tables.UnwatchRequest, Empty),
    "table.poll": Method(tables.PollRequest, events.TableSnapshot),
    "table.look_back": Method(tables.LookBackRequest, tables.LookBackReply),
    "table.moves": Method(tables.MovesRequest, tables.MovesReply),
    "table.read_move": Method(tables.ReadMoveRequest, tables.ReadMoveReply),
    "table.play": Method(tables.PlayRequest, tables.PlayReply),
    "table.plan": Method(tables.PlanRequest, Empty),
    "table.show_plan": Method(tables.ShowPlanRequest, tables.PlanReply),
    "table.export": Method(tables.ExportRequest, tables.ExportReply),
    "table.enter": Method(tables.EnterRequest, tables.EnterReply),
    "table.ready": Method(tables.ReadyRequest, Empty),
    "table.reveal": Method(tables.RevealRequest, Empty),
    "table.kick": Method(tables.KickRequest, Empty),
    "table.vote": Method(tables.VoteRequest, Empty),
    "table.transfer_host": Method(tables.TransferHostRequest, Empty),
    "table.invite": Method(tables.InviteRequest, Empty),
    "table.rematch": Method(tables.RematchRequest, tables.CreateReply),
    "lobby.watch": Method(lobby.WatchLobbyRequest, lobby.LobbySnapshot),
    "lobby.unwatch": Method(lobby.UnwatchLobbyRequest, Empty),
    "lobby.quick_match": Method(lobby.QuickMatchRequest, tables.JoinReply),
    "daily.show": Method(daily.ShowDailyRequest, daily.ShowDailyReply),
    "daily.play": Method(daily.PlayDailyRequest, tables.JoinReply),
    "daily.compare": Method(daily.CompareDailyRequest, daily.CompareDailyReply),
    "daily.replay": Method(daily.ReplayDailyRequest, daily.ReplayDailyReply),
    "daily.prove": Method(daily.ProveDailyRequest, daily.ProveDailyReply),
    "daily.export": Method(daily.ExportDailyRequest, tables.ExportReply),
    "tournament.list": Method(tournaments.ListTournamentsRequest, tournaments.ListTournamentsReply),
    "tournament.show": Method(tournaments.ShowTournamentRequest, tournaments.ShowTournamentReply),
    "tournament.call": Method(tournaments.CallTournamentRequest, tournaments.TournamentReply),
    "tournament.enter": Method(tournaments.EnterTournamentRequest, tournaments.TournamentReply),
    "tournament.withdraw": Method(tournaments.WithdrawFromTournamentRequest, tournaments.TournamentReply),
    "tournament.take_seat": Method(tournaments.TakeSeatRequest, tables.JoinReply),
    "tournament.begin": Method(tournaments.BeginTournamentRequest, tournaments.TournamentReply),
    "tournament.cancel": Method(tournaments.CancelTournamentRequest, tournaments.TournamentReply),
    "tournament.remove": Method(tournaments.RemoveEntrantRequest, tournaments.TournamentReply),
    "tournament.export": Method(tournaments.ExportTournamentRequest, tables.ExportReply),
    "puzzle.show": Method(puzzles.ShowPuzzlesRequest, puzzles.ShowPuzzlesReply),
    "puzzle.pose": Method(puzzles.PosePuzzleRequest, puzzles.PosePuzzleReply),
    "puzzle.answer": Method(puzzles.AnswerPuzzleRequest, puzzles.PuzzleAnswer),
    "club.list": Method(clubs.ListClubsRequest, clubs.ListClubsReply),
    "club.create": Method(clubs.CreateClubRequest, clubs.ClubReply),
    "club.show": Method(clubs.ShowClubRequest, clubs.ClubReply),
    "club.invite": Method(clubs.InviteToClubRequest, Empty),
    "club.accept": Method(clubs.AcceptClubRequest, Empty),
    "club.decline": Method(clubs.DeclineClubRequest, Empty),
    "club.leave": Method(clubs.LeaveClubRequest, Empty),
    "club.promote": Method(clubs.PromoteMemberRequest, Empty),
    "club.demote": Method(clubs.DemoteLeaderRequest, Empty),
    "club.ban": Method(clubs.BanFromClubRequest, Empty),
    "club.unban": Method(clubs.UnbanFromClubRequest, Empty),
    "club.close": Method(clubs.CloseClubRequest, Empty),
    "club.set_calls": Method(clubs.SetCallsRequest, Empty),
    "club.call": Method(clubs.CallClubRequest, Empty),
    "club.board": Method(clubs.ShowClubBoardRequest, clubs.ClubBoardReply),
    "club.add_date": Method(clubs.AddDateRequest, clubs.ClubReply),
    "club.remove_date": Method(clubs.RemoveDateRequest, clubs.ClubReply),
    "club.report": Method(clubs.ReportClubRequest, Empty),
    "calendar.show": Method(calendars.ShowCalendarRequest, calendars.CalendarReply),
    "calendar.open": Method(calendars.OpenCalendarRequest, calendars.CalendarReply),
    "calendar.close": Method(calendars.CloseCalendarRequest, calendars.CalendarReply),
    "digest.show": Method(digests.ShowDigestRequest, digests.DigestReply),
    "digest.set": Method(digests.SetDigestRequest, digests.DigestReply),
    "digest.clear": Method(digests.ClearDigestRequest, digests.DigestReply),
    "digest.try": Method(digests.TryDigestRequest, digests.DigestReply),
    "vacation.show": Method(tables.ShowVacationRequest, tables.VacationReply),
    "vacation.begin": Method(tables.BeginVacationRequest, tables.VacationReply),
    "vacation.end": Method(tables.EndVacationRequest, tables.VacationReply),
    "chat.say": Method(chat.SayRequest, chat.SayReply),
    "chat.react": Method(chat.ReactRequest, Empty),
    "chat.read": Method(chat.ReadChatRequest, chat.ReadChatReply),
    "chat.ignore": Method(chat.IgnoreRequest, Empty),
    "chat.ignored": Method(chat.IgnoredRequest, chat.IgnoredReply),
    "chat.mute": Method(chat.MuteRequest, Empty),
    "player.profile": Method(players.ProfileRequest, players.ProfileReply),
    "player.leaderboard": Method(players.LeaderboardRequest, players.LeaderboardReply),
    "player.report": Method(admin.ReportRequest, Empty),
    "admin.users": Method(admin.UsersRequest, admin.UsersReply),
    "admin.announce": Method(admin.AnnounceRequest, Empty),
    "admin.kick": Method(admin.KickUserRequest, Empty),
    "admin.warn": Method(admin.WarnUserRequest, Empty),
    "admin.warnings": Method(admin.ListWarningsRequest, admin.ListWarningsReply),
    "admin.ban": Method(admin.BanRequest, admin.BanReply),
    "admin.unban": Method(admin.UnbanRequest, Empty),
    "admin.bans": Method(admin.BansRequest, admin.BansReply),
    "admin.close_table": Method(admin.CloseTableRequest, Empty),
    "admin.appoint": Method(admin.AppointRequest, Empty),
    "admin.appoint_moderator": Method(admin.AppointModeratorRequest, Empty),
    "admin.recover_account": Method(admin.RecoverAccountRequest, admin.RecoverAccountReply),
    "admin.audit": Method(admin.AuditRequest, admin.AuditReply),
    "admin.reports": Method(admin.ReportsRequest, admin.ReportsReply),
    "admin.resolve_report": Method(admin.ResolveReportRequest, Empty),
    "admin.clubs": Method(admin.ClubsRequest, admin.ClubsReply),
    "admin.show_club": Method(admin.ShowClubToAdminRequest, clubs.ClubReply),
    "admin.close_club": Method(admin.CloseClubAsAdminRequest, Empty),
    "door.report": Method(doors.ReportDoorRequest, Empty),
    "door.read_calendar": Method(calendars.ReadCalendarRequest, calendars.CalendarContent),
}

METHOD_OF: dict[type[Params], str] = {method.params: name for name, method in METHODS.items()}
"""The method of each type of params."""

Notice = (
    events.EventNotice
    | events.PresenceNotice
    | events.SpectatorsNotice
    | chat.SaidNotice
    | chat.ReactedNotice
    | lobby.LobbyChangedNotice
    | lobby.InvitedNotice
    | tournaments.TournamentChangedNotice
    | tournaments.TournamentSeatedNotice
    | tournaments.TournamentDueNotice
    | clubs.ClubChangedNotice
    | clubs.ClubDueNotice
    | clubs.ClubSeasonNotice
    | accounts.AccountWarnedNotice
    | lobby.AnnouncedNotice
    | greeting.ShutdownNotice
    | greeting.ByeNotice
)

NOTICES: dict[str, type[Notice]] = {
    "table.event": events.EventNotice,
    "table.presence": events.PresenceNotice,
    "table.spectators": events.SpectatorsNotice,
    "chat.said": chat.SaidNotice,
    "chat.reacted": chat.ReactedNotice,
    "lobby.changed": lobby.LobbyChangedNotice,
    "lobby.invited": lobby.InvitedNotice,
    "tournament.changed": tournaments.TournamentChangedNotice,
    "tournament.seated": tournaments.TournamentSeatedNotice,
    "tournament.due": tournaments.TournamentDueNotice,
    "club.changed": clubs.ClubChangedNotice,
    "club.due": clubs.ClubDueNotice,
    "club.season": clubs.ClubSeasonNotice,
    "account.warned": accounts.AccountWarnedNotice,
    "announced": lobby.AnnouncedNotice,
    "shutdown": greeting.ShutdownNotice,
    "bye": greeting.ByeNotice,
}
NOTICE_OF: dict[type[Notice], str] = {kind: name for name, kind in NOTICES.items()}
"""The name of each type of notice."""
