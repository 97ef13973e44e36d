"""Digests: one a day at most, also over kills, clocks that are set back, and receivers that fail."""

import asyncio
import json
from collections.abc import Mapping

import pytest

from scoville_server.background.safe_post import PrivateAddress, parse_url
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.journal.base import Journal
from scoville_server.journal.memory import MemoryJournal
from scoville_server.limits.live import Live
from scoville_server.server import Server
from scoville_server.tables.digests import (
    MOST_FAILED_DAYS,
    SIGNATURE,
    TESTS_AN_HOUR,
    TRIES,
    Delivery,
    Digest,
    DigestDays,
    DigestReach,
    DigestService,
    OwedMoves,
    describe_digest,
    sign_body,
)
from scoville_server.trusted_time import TrustedTime
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import UserId
from scoville_shared.protocol.messages import (
    DAY_MS,
    ClaimNameRequest,
    ClearDigestRequest,
    Deadline,
    DeleteAccountRequest,
    DigestReply,
    ExportAccountRequest,
    SetDigestRequest,
    ShowDigestRequest,
    TryDigestRequest,
)
from tests.server.conftest import Start
from tests.support.clock import FakeClock
from tests.support.core import connect_user
from tests.support.server import Caller, core_of, until

ANNA = UserId("anna")
URL = "https://hooks.example/a"
DIGEST = Digest(url=URL, signing_key="k7f2", since_ms=1)
DUE = Deadline(table="t1", game="heap", title="Heap", names=["Anna"], nth=3, due_ms=DAY_MS)


class Receiver:
    """Notes what it is sent; answers with a status, or not at all."""

    def __init__(self) -> None:
        self.status: int | None = 204
        self.heard: list[tuple[str, bytes, Mapping[str, str]]] = []

    def check_url(self, url: str) -> None:
        parse_url(url)

    async def post_body(self, url: str, body: bytes, headers: Mapping[str, str]) -> int:
        self.heard.append((url, body, headers))
        if self.status is None:
            raise OSError("no answer")
        return self.status


class Digests:
    """The digests of a server on its journal, on a day."""

    def __init__(self, journal: Journal, receiver: Receiver) -> None:
        self.clock, self.day, self.here, self.due = FakeClock(), 5, False, [DUE]
        self.tasks = BackgroundTasks(self.clock.clock)
        self.time = TrustedTime(self.clock.clock)
        self.reach: Live[DigestReach] = Live("internet")
        self.service = DigestService(
            journal,
            self.tasks,
            None,  # type: ignore[arg-type]  # no requests come
            OwedMoves(self._list_due, lambda _: self.here),
            DigestDays(self.time, lambda _: self.day),
            Delivery(self.reach, receiver),
        )

    async def _list_due(self, _: UserId) -> list[Deadline]:
        return self.due

    async def hour(self) -> None:
        """Let an hour pass, with all tries in it."""
        await self.service.send_due()
        for wait in (*TRIES, 1.0):
            await self.clock.elapse(wait)


@pytest.fixture
async def journal() -> Journal:
    journal = MemoryJournal()
    await journal.open()
    return journal


async def of_anna(journal: Journal, receiver: Receiver) -> Digests:
    digests = Digests(journal, receiver)
    await digests.service._book.put_row(ANNA, DIGEST)
    return digests


async def test_a_digest_comes_once_a_day_and_is_signed(journal: Journal) -> None:
    receiver = Receiver()
    digests = await of_anna(journal, receiver)
    for _ in range(3):
        await digests.hour()
    [(url, body, headers)] = receiver.heard
    assert url == URL
    assert json.loads(body) == describe_digest("digest", 5, [DUE])
    time, _, signature = headers[SIGNATURE].partition(",v1=")
    assert signature == sign_body("k7f2", int(time.removeprefix("t=")), body)
    digests.day = 4
    await digests.hour()
    assert len(receiver.heard) == 1, "the clock was set back"
    digests.day = 6
    await digests.hour()
    assert len(receiver.heard) == 2


def test_a_digest_names_the_nearest_deadline_first() -> None:
    later = Deadline(table="t2", game="heap", title="Heap", names=["Anna"], nth=0, due_ms=DAY_MS + 60_000)
    told = describe_digest("digest", 5, [later, DUE])
    assert [each["table"] for each in told["waiting"]] == ["t1", "t2"]
    assert told["text"] == "2 games wait for your move, Heap until 1970-01-02 00:00 UTC."
    assert describe_digest("test", None, [])["text"] == "No game waits for your move."


async def test_a_kill_costs_a_digest_and_never_sends_two(journal: Journal) -> None:
    first, second = Receiver(), Receiver()
    killed = await of_anna(journal, first)
    await killed.service.send_due()  # the day is written; the request is not sent yet
    await Digests(journal, second).hour()
    assert second.heard == []


async def test_who_is_here_or_owes_nothing_is_sent_nothing(journal: Journal) -> None:
    receiver = Receiver()
    digests = await of_anna(journal, receiver)
    digests.here = True
    await digests.hour()
    digests.here, digests.due = False, []
    await digests.hour()
    assert receiver.heard == []


async def test_looks_for_due_digests_let_others_run_in_between(journal: Journal) -> None:
    turns, looks = 0, list[int]()

    async def count_turns() -> None:
        nonlocal turns
        while len(looks) < 50:
            turns += 1
            await asyncio.sleep(0)

    digests = Digests(journal, Receiver())
    for number in range(50):
        await digests.service._book.put_row(UserId(f"user{number}"), DIGEST)

    async def look_at_tables(_: UserId) -> list[Deadline]:
        looks.append(turns)
        return []

    digests.service._owed = OwedMoves(look_at_tables, lambda _: False)
    counting = asyncio.ensure_future(count_turns())
    await digests.service.send_due()
    await counting
    assert len(set(looks)) == 50, "each look at all tables is in a turn of its own"


async def test_doubted_clock_stops_digests(journal: Journal) -> None:
    receiver = Receiver()
    digests = await of_anna(journal, receiver)
    digests.time.compare_with(digests.clock.clock.date_ms() - 30 * DAY_MS)
    await digests.hour()
    assert digests.time.warning
    again = Digests(journal, receiver)
    again.reach.change_to("off")
    await again.hour()
    assert receiver.heard == []


async def test_wrong_clock_does_not_end_digests(journal: Journal) -> None:
    receiver = Receiver()
    digests = await of_anna(journal, receiver)
    digests.day = 5_000
    await digests.hour()
    digests.day = 6
    await digests.hour()
    await digests.hour()
    assert [json.loads(body)["day"] for _, body, _ in receiver.heard] == [5_000, 6]


async def test_failing_receiver_is_tried_for_a_week(journal: Journal) -> None:
    receiver = Receiver()
    receiver.status = None
    digests = await of_anna(journal, receiver)
    for day in range(10, 10 + MOST_FAILED_DAYS + 3):
        digests.day = day
        await digests.hour()
    assert len(receiver.heard) == MOST_FAILED_DAYS * len(TRIES)
    kept = digests.service._book.get(ANNA)
    assert kept is not None
    assert kept.failed_days == MOST_FAILED_DAYS, "its user is shown why nothing comes"


async def test_an_address_that_has_changed_is_not_written_to(journal: Journal) -> None:
    receiver = Receiver()
    receiver.status = 500
    digests = await of_anna(journal, receiver)
    await digests.service.send_due()
    await digests.clock.elapse(0.0)
    await digests.clock.elapse(1.0)
    await digests.service._book.drop_row(ANNA)
    await digests.clock.elapse(700.0)
    assert len(receiver.heard) == 1


async def test_a_server_that_closes_waits_for_no_second_attempt(journal: Journal) -> None:
    receiver = Receiver()
    receiver.status = 500
    digests = await of_anna(journal, receiver)
    await digests.service.send_due()
    await digests.clock.elapse(1.0)
    await digests.tasks.close()
    assert len(receiver.heard) == 1


# --- requests -----------------------------------------------------------------------------------------------


async def owner(start: Start, receiver: Receiver) -> tuple[Server, Caller]:
    server = await start(digests="internet")
    core_of(server).digests._delivery = Delivery(core_of(server).digests._delivery.reach, receiver)
    anna = await connect_user(server, "Anna")
    await anna.call(ClaimNameRequest(password="correct horse battery"))
    return server, anna


async def code_of(user: Caller, request: object) -> Code:
    with pytest.raises(ScovilleError) as refused:
        await user.call(request)  # type: ignore[arg-type]
    return Code(refused.value.code)


async def test_a_digest_is_set_tried_exported_and_ended(start: Start) -> None:
    receiver = Receiver()
    server, anna = await owner(start, receiver)
    assert await anna.call(ShowDigestRequest()) == DigestReply()
    assert await code_of(anna, TryDigestRequest()) == Code.NO_DIGEST
    told = await anna.call(SetDigestRequest(url=URL))
    shown = await anna.call(ShowDigestRequest())
    assert (told.signing_key is None, shown.signing_key, shown.url) == (False, None, URL)
    assert (await anna.call(TryDigestRequest())).url == URL
    [(_, body, headers)] = receiver.heard
    time, _, signature = headers[SIGNATURE].partition(",v1=")
    assert signature == sign_body(str(told.signing_key), int(time.removeprefix("t=")), body)
    assert json.loads(body)["event"] == "test"
    assert (await anna.call(ExportAccountRequest())).digest_url == URL
    again = await start(server)
    kept = core_of(again).digests._book.get(anna_of(again))
    assert kept is not None, "it outlives a kill"
    assert kept.url == URL
    assert await anna.call(ClearDigestRequest()) == DigestReply()
    assert await anna.call(ShowDigestRequest()) == DigestReply()


def anna_of(server: Server) -> UserId:
    [(user, _)] = core_of(server).digests._book.items()
    return UserId(user)


async def test_another_address_sends_no_second_digest_of_a_day(start: Start) -> None:
    server, anna = await owner(start, Receiver())
    await anna.call(SetDigestRequest(url=URL))
    digests = core_of(server).digests
    assert await digests._note_day(anna_of(server), 5) is not None
    await anna.call(SetDigestRequest(url=f"{URL}/other"))
    assert await digests._note_day(anna_of(server), 5) is None


async def test_what_cannot_be_a_receiver_is_refused(start: Start) -> None:
    receiver = Receiver()
    server, anna = await owner(start, receiver)
    assert await code_of(anna, SetDigestRequest(url="http://hooks.example/")) == Code.BAD_URL
    assert await code_of(anna, SetDigestRequest(url="https://169.254.169.254/")) == Code.PRIVATE_URL
    guest = await connect_user(server, "Zoe")
    assert await code_of(guest, SetDigestRequest(url=URL)) == Code.NOT_CLAIMED
    await anna.call(SetDigestRequest(url=URL))
    receiver.status = 500
    assert await code_of(anna, TryDigestRequest()) == Code.DIGEST_FAILED
    for _ in range(TESTS_AN_HOUR - 1):
        assert await code_of(anna, TryDigestRequest()) == Code.DIGEST_FAILED
    assert await code_of(anna, TryDigestRequest()) == Code.SLOW_DOWN


async def test_private_address_is_refused_when_tried(start: Start) -> None:
    receiver = Receiver()

    async def refuse(url: str, body: bytes, headers: Mapping[str, str]) -> int:
        raise PrivateAddress("hooks.example is in a private network.")

    receiver.post_body = refuse  # type: ignore[method-assign]
    _, anna = await owner(start, receiver)
    await anna.call(SetDigestRequest(url=URL))
    assert await code_of(anna, TryDigestRequest()) == Code.PRIVATE_URL


async def test_digest_ends_with_its_account(start: Start) -> None:
    server, anna = await owner(start, Receiver())
    await anna.call(SetDigestRequest(url=URL))
    await anna.call(DeleteAccountRequest())
    await until(lambda: not [*core_of(server).digests._book.items()])
    other = await start()
    ben = await connect_user(other, "Ben")
    assert await code_of(ben, SetDigestRequest(url=URL)) == Code.DIGESTS_OFF
