"""Export of one's own data: everything that the server keeps about a user, without secrets."""

from scoville_server.accounts.connection import ConnectedClient, Handlers
from scoville_server.accounts.doors.client_settings import ClientSettings
from scoville_server.accounts.handlers import AccountHandlers
from scoville_server.accounts.service import AccountService
from scoville_server.chat.service import ChatService
from scoville_server.daily.service import DailyDeals
from scoville_server.moderation.records import ModerationRecords
from scoville_server.players.service import PlayerService
from scoville_server.puzzles.service import PuzzleService
from scoville_shared.protocol import messages as m


class PersonalDataHandlers:
    """The handler of `account.export`. What is kept about a user and is not theirs, such as a ban, is left out."""

    def __init__(
        self,
        service: AccountService,
        accounts: AccountHandlers,
        client_settings: ClientSettings,
        careers: PlayerService,
        chat: ChatService,
        daily: DailyDeals,
        puzzles: PuzzleService,
        records: ModerationRecords,
    ) -> None:
        self._service = service
        self._accounts = accounts
        self._client_settings = client_settings
        self._careers = careers
        self._chat = chat
        self._daily = daily
        self._puzzles = puzzles
        self._records = records
        self.by_request: Handlers = {m.ExportAccountRequest: self._export_data}

    def _export_data(self, connection: ConnectedClient, _: m.ExportAccountRequest) -> m.ExportAccountReply:
        user = connection.user
        # All kept messages are looked through: counted, so that nobody does it in a loop.
        self._service.count_change(connection.source)
        account, profile = self._accounts.describe_account(user), self._careers.describe_user(user)
        return m.ExportAccountReply(
            name=account.name,
            claimed=account.claimed,
            has_password=account.has_password,
            admin=user in self._records.admins,
            keys=account.keys,
            sessions=account.sessions,
            warnings=account.warnings,
            client_settings=self._client_settings.settings_of(user.id),
            since_ms=profile.since_ms,
            begun=profile.begun,
            finished=profile.finished,
            won=profile.won,
            median_pick_ms=profile.median_pick_ms,
            ratings=profile.ratings,
            recent=profile.recent,
            messages=[message.as_shown for message in self._chat.channels.messages_of(user.id)],
            ignored_names=[name for _, name in self._chat.ignores.ignored_by(user.id)],
            reports=[report for report in self._records.reports.open_reports if report.by == user.name],
            table_ids=sorted(user.tables),
            past_daily=self._daily.list_past(user.id),
            daily_days=self._daily.list_days(user.id),
            past_puzzles=self._puzzles.list_past(user.id),
        )
