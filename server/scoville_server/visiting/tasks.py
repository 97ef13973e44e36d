"""Requests about tasks of one node for all, such as tournaments: that node answers them."""

from collections.abc import Mapping
from typing import Final

from scoville_server.nodes.directory import COMMUNITY, DAILY
from scoville_server.nodes.link.asking import Effect
from scoville_shared.protocol import messages as m
from scoville_shared.protocol.messages import Params

_READ: Final[Mapping[str, tuple[type[Params], ...]]] = {
    COMMUNITY: (
        m.ListTournamentsRequest,
        m.ShowTournamentRequest,
        m.ExportTournamentRequest,
        m.ListClubsRequest,
        m.ShowClubRequest,
        m.ShowClubBoardRequest,
    ),
    DAILY: (
        m.ShowDailyRequest,
        m.CompareDailyRequest,
        m.ReplayDailyRequest,
        m.ProveDailyRequest,
        m.ExportDailyRequest,
        m.ShowPuzzlesRequest,
        m.PosePuzzleRequest,
    ),
}
"""Requests that change nothing: without a way to that node this one answers with what it knows."""
_CHANGE: Final[Mapping[str, tuple[type[Params], ...]]] = {
    COMMUNITY: (
        m.CallTournamentRequest,
        m.EnterTournamentRequest,
        m.WithdrawFromTournamentRequest,
        m.TakeSeatRequest,
        m.BeginTournamentRequest,
        m.CancelTournamentRequest,
        m.RemoveEntrantRequest,
        m.CreateClubRequest,
        m.InviteToClubRequest,
        m.AcceptClubRequest,
        m.DeclineClubRequest,
        m.LeaveClubRequest,
        m.PromoteMemberRequest,
        m.DemoteLeaderRequest,
        m.BanFromClubRequest,
        m.UnbanFromClubRequest,
        m.CloseClubRequest,
        m.SetCallsRequest,
        m.AddDateRequest,
        m.RemoveDateRequest,
    ),
    DAILY: (m.PlayDailyRequest, m.AnswerPuzzleRequest),
}
TASK_OF: Final[Mapping[type[Params], str]] = {
    kind: task for kinds_of in (_READ, _CHANGE) for task, kinds in kinds_of.items() for kind in kinds
}
"""The task by whose node each of these requests is answered."""
_CHANGING: Final = frozenset(kind for kinds in _CHANGE.values() for kind in kinds)
EFFECT_OF: Final[Mapping[type[Params], Effect]] = {
    kind: Effect.CHANGES if kind in _CHANGING else Effect.READS for kind in TASK_OF
}
