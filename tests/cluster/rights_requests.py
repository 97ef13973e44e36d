"""The requests of the protocol as anybody may send them: allowed, refused, and about what is not there."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from scoville_shared.protocol import messages as m
from scoville_shared.protocol.messages import Params

PASSWORD = "green or red 9"
PARTS = 3
"""In so many parts all that does not concern the table can be divided."""


class About(NamedTuple):
    """What the requests are about.

    `key` is that of the table for commentators, None for others; `ending` chooses how the user ends their session.
    """

    table: str = ""
    code: str = ""
    key: str | None = None
    club: str = ""
    tournament: str = ""
    ending: int = 0


def every_request(about: About, part: int | None = None) -> Iterator[Params]:
    """Yield the requests; of what does not concern the table only one `part` of PARTS, None for all."""
    table = about.table
    yield from _reads(about)
    yield from _talk(about)
    yield from _plays(about)
    rest = (_about_players, _clubs, _tournaments, _puzzles, _own_account, _administration)
    for n, requests in enumerate(rest):
        if part in (None, n % PARTS):
            yield from requests(about)
    yield m.EnterRequest(table=table)
    yield m.EnterRequest(code="brave-otter")
    yield m.EnterRequest(code=about.code, password="wrong")
    yield m.EnterRequest(code=about.code, password=PASSWORD)
    yield m.JoinRequest(table=table, seat=0, nonce_hash="00" * 32)
    yield m.JoinRequest(table=table, seat=9)
    yield m.JoinRequest(table=table)
    yield m.LeaveRequest(table=table)
    yield m.PollRequest(table=table)
    yield m.JoinRequest(table=table)
    yield m.CloseTableRequest(table=table, reason="late")
    yield m.PollRequest(table=table)
    yield m.JoinRequest(table="0123456789ab")
    yield m.CreateRequest(game="high_card", seat_count=2)
    yield m.CreateRequest(game="whist", seat_count=2)
    yield m.QuickMatchRequest(game="high_card")
    yield (m.ReleaseNameRequest(), m.LogoutRequest(), m.DeleteAccountRequest())[about.ending % 3]


def _reads(about: About) -> Iterator[Params]:
    table, key = about.table, about.key
    yield m.ListTablesRequest()
    yield m.PollRequest(table=table, commentary_key=key)
    yield m.PollRequest(table=table, since=2, commentary_key=key, wait_ms=0)
    yield m.PollRequest(table=table, since=9999)
    yield m.PollRequest(table=table, commentary_key="wrong")
    yield m.WatchRequest(table=table, commentary_key=key)
    yield m.WatchRequest(table=table, commentary_key=key, since=3, sentence_language="de")
    yield m.WatchRequest(table=table, point_of_view=0, commentary_key=key)
    yield m.WatchRequest(table=table, point_of_view=7, commentary_key=key)
    yield m.MovesRequest(table=table)
    yield m.ReadMoveRequest(table=table, typed="1")
    yield m.LookBackRequest(table=table)
    yield m.LookBackRequest(table=table, since=9999)
    yield m.ExportRequest(table=table)
    yield m.ExportRequest(table=table, since=9999)
    yield m.ShowPlanRequest(table=table)
    yield m.UnwatchRequest(table=table)
    yield m.UnwatchRequest(table=table)


def _talk(about: About) -> Iterator[Params]:
    table = about.table
    yield m.SayRequest(text="hello there", table=table)
    yield m.SayRequest(text="hello all")
    yield m.SayRequest(text="hello Ben", to="Ben")
    yield m.SayRequest(text="hello nobody", to="Nobody")
    yield m.SayRequest(text="hello club", club=about.club)
    yield m.SayRequest(text="\u200b", table=table)
    yield m.ReactRequest(table=table, reaction="hello")
    yield m.ReadChatRequest(channel="table", table=table)
    yield m.ReadChatRequest(channel="club", club=about.club)
    yield m.ReadChatRequest(channel="whisper")
    yield m.ReadChatRequest()
    yield m.ReadChatRequest(channel="table")
    for name in ("Ben", "Nobody", "Xaver"):
        yield m.MuteRequest(table=table, name=name)
    yield m.MuteRequest(table=table, name="Ben", muted=False)


def _plays(about: About) -> Iterator[Params]:
    table = about.table
    yield m.RevealRequest(table=table, nonce="00" * 32)
    yield m.VoteRequest(table=table, against=2)
    yield m.VoteRequest(table=table, against=9)
    yield m.PauseRequest(table=table)
    yield m.PlayRequest(table=table, move={"card": 1})
    yield m.ResumeRequest(table=table)
    yield m.PlayRequest(table=table, move={"x": 1})
    yield m.PlayRequest(table=table, move={"card": 99})
    yield m.PlayRequest(table=table, move={"card": 99}, nth=77)
    yield m.PlanRequest(table=table, plan_lines=[])
    yield m.PlanRequest(table=table, plan_lines=[m.PlanLineParams(move={"card": 1})])
    yield m.ReadyRequest(table=table)
    yield m.ReadyRequest(table=table, ready=False)
    yield m.InviteRequest(table=table, name="Cleo")
    yield m.InviteRequest(table=table, name="Nobody")
    yield m.TransferHostRequest(table=table, seat=2)
    yield m.TransferHostRequest(table=table, seat=9)
    yield m.KickRequest(table=table, name="Nobody")
    yield m.KickRequest(table=table, name="Ben", reason="rude")
    yield m.StartRequest(table=table)
    yield m.StartRequest(table=table, bots="grandmaster")
    yield m.RematchRequest(table=table)
    yield m.RematchRequest(table=table, bot_levels=["none"] * 9)


def _about_players(about: About) -> Iterator[Params]:
    for name in ("Ben", "Nobody", None):
        yield m.ProfileRequest(name=name)
    yield m.LeaderboardRequest(game="high_card")
    yield m.LeaderboardRequest(game="whist")
    for table in (about.table, "0123456789ab", None):
        yield m.ReportRequest(name="Ben", text="spam", table=table)
    yield m.ReportRequest(name="Nobody", text="spam", table=about.table)
    yield m.IgnoreRequest(name="Ben")
    yield m.IgnoreRequest(name="Nobody")
    yield m.IgnoredRequest()
    yield m.IgnoreRequest(name="Ben", ignored=False)


def _clubs(about: About) -> Iterator[Params]:
    for club in (about.club, "01234567"):
        yield m.ShowClubRequest(club=club)
        yield m.CallClubRequest(club=club, table=about.table)
        yield m.ShowClubBoardRequest(club=club)
        yield m.AddDateRequest(club=club, name="Friday", starts_in_ms=3_600_000)
        yield m.RemoveDateRequest(club=club, date_id="01234567")
        yield m.SetCallsRequest(club=club, calls=True)
        yield m.InviteToClubRequest(club=club, name="Cleo")
        yield m.AcceptClubRequest(club=club)
        yield m.DeclineClubRequest(club=club)
        yield m.PromoteMemberRequest(club=club, name="Ben")
        yield m.DemoteLeaderRequest(club=club, name="Ben")
        yield m.BanFromClubRequest(club=club, name="Ben")
        yield m.UnbanFromClubRequest(club=club, name="Ben")
        yield m.ReportClubRequest(club=club, text="spam")
        yield m.ShowClubToAdminRequest(club=club)
    yield m.CallClubRequest(club=about.club, table="0123456789ab")
    yield m.ListClubsRequest()
    yield m.CreateClubRequest(name="Peppers")
    yield m.CreateClubRequest(name="Chillies")
    yield m.ClubsRequest()
    yield m.LeaveClubRequest(club=about.club)
    yield m.CloseClubRequest(club=about.club)
    yield m.CloseClubAsAdminRequest(club=about.club, reason="spam")


def _tournaments(about: About) -> Iterator[Params]:
    yield m.ListTournamentsRequest()
    for number in (about.tournament, "01234567"):
        yield m.ShowTournamentRequest(tournament=number)
        yield m.EnterTournamentRequest(tournament=number)
        yield m.TakeSeatRequest(tournament=number)
        yield m.RemoveEntrantRequest(tournament=number, name="Ben")
        yield m.BeginTournamentRequest(tournament=number)
        yield m.ExportTournamentRequest(tournament=number)
        yield m.WithdrawFromTournamentRequest(tournament=number)
        yield m.CancelTournamentRequest(tournament=number)
    yield call_up()


def _puzzles(_: About) -> Iterator[Params]:
    yield m.ShowDailyRequest()
    yield m.PlayDailyRequest(day=1)
    yield m.CompareDailyRequest(day=1)
    yield m.ReplayDailyRequest(day=1, result="x")
    yield m.ExportDailyRequest(day=1, result="x")
    yield m.ProveDailyRequest(day=1)
    yield m.ShowPuzzlesRequest()
    yield m.PosePuzzleRequest(daily=True)
    yield m.AnswerPuzzleRequest(puzzle="x", move={})


def _own_account(_: About) -> Iterator[Params]:
    yield m.HelloRequest(protocol=1, name="Xaver")
    yield m.PingRequest(payload="x")
    yield m.DescribeServerRequest()
    yield m.DescribeGamesRequest(slugs=["high_card", "whist"])
    yield m.WatchLobbyRequest()
    yield m.UnwatchLobbyRequest()
    yield m.ChallengeRequest()
    yield m.LoginRequest(name="Ben", password="wrong")
    yield m.LoginByKeyRequest(name="Ben", key="x", signature="x")
    yield m.LoginByWebCodeRequest(code="x")
    yield m.ClaimNameRequest(password=PASSWORD)
    yield m.ConfirmRequest(password="wrong")
    yield m.ConfirmRequest(password=PASSWORD)
    yield m.RecoverRequest(name="Ben", code="x", password=PASSWORD)
    yield m.BecomeAdminRequest(code="x")
    yield m.ChangePasswordRequest(new="seven other habaneros")
    yield m.AddKeyRequest(key="x", signature="x")
    yield m.RemoveKeyRequest(fingerprint="x")
    yield m.AddDoorKeyRequest()
    yield m.ShowAccountRequest()
    yield m.ExportAccountRequest()
    yield m.EndSessionRequest(id="x")
    yield m.ShowSettingsRequest()
    yield m.SaveSettingsRequest(client_settings={"x": 1})
    yield m.CreateWebCodeRequest()
    yield m.ShowCalendarRequest()
    yield m.OpenCalendarRequest()
    yield m.CloseCalendarRequest()
    yield m.ShowDigestRequest()
    yield m.SetDigestRequest(url="nowhere")
    yield m.TryDigestRequest()
    yield m.ClearDigestRequest()
    yield m.ShowVacationRequest()
    yield m.BeginVacationRequest(days=1)
    yield m.EndVacationRequest()
    yield m.ReportDoorRequest(
        credential="x", transport="ssh", process="x", number=1, screen_sessions=0, line_sessions=0, counts=[]
    )
    yield m.ReadCalendarRequest(credential="x", secret="x")


def _administration(_: About) -> Iterator[Params]:
    yield m.UsersRequest()
    yield m.AnnounceRequest(text="soon")
    for name in ("Cleo", "Nobody"):
        yield m.WarnUserRequest(name=name, reason="rude")
        yield m.ListWarningsRequest(name=name)
        yield m.KickUserRequest(name=name)
        yield m.BanRequest(target=name, scope="chat", duration_ms=60_000)
        yield m.AppointModeratorRequest(name=name)
        yield m.AppointRequest(name=name)
        yield m.RecoverAccountRequest(name=name)
    yield m.BansRequest()
    yield m.UnbanRequest(id=1)
    yield m.ReportsRequest()
    yield m.ResolveReportRequest(id=1)
    yield m.AuditRequest()


def call_up() -> m.CallTournamentRequest:
    """Call a tournament that begins in an hour."""
    clock = m.ClockParams(move_ms=30_000)
    about: dict[str, Any] = {"name": "Friday", "format": "swiss", "game": "high_card", "seat_count": 2}
    return m.CallTournamentRequest(**about, round_count=1, starts_in_ms=3_600_000, clock=clock)
