"""A table's inbox: bounded, one job at a time, in order, with a turn of the loop between two."""

from collections.abc import Callable

from scoville_server.tables.actor import Inbox


class Bench:
    """An inbox whose turns of the loop a test takes."""

    def __init__(self, limit: int = 3) -> None:
        self.begun: list[str] = []
        self.ended = 0
        self.turns: list[Callable[[], None]] = []
        self.inbox: Inbox[str] = Inbox(limit, self.begun.append, self.turns.append, self._end)

    def turn(self) -> None:
        due, self.turns[:] = self.turns[:], []
        for function in due:
            function()

    def _end(self) -> None:
        self.ended += 1


def idle() -> Bench:
    bench = Bench()
    bench.turn()
    return bench


def test_nothing_begins_before_the_first_turn() -> None:
    bench = Bench()
    bench.inbox.put_job("a", at_once=True)
    assert bench.begun == []
    bench.turn()
    assert bench.begun == ["a"]


def test_jobs_are_carried_out_one_after_the_other() -> None:
    bench = idle()
    for job in "abc":
        bench.inbox.put_job(job)
    bench.turn()
    bench.turn()
    assert bench.begun == ["a"]
    bench.inbox.end_job()
    assert bench.begun == ["a"]
    bench.turn()
    assert bench.begun == ["a", "b"]


def test_a_job_begins_at_once_when_idle() -> None:
    bench = idle()
    bench.inbox.put_job("a", at_once=True)
    assert bench.begun == ["a"]
    bench.inbox.put_job("b", at_once=True)
    bench.inbox.end_job()
    bench.inbox.put_job("c", at_once=True)
    assert bench.begun == ["a"]
    bench.turn()
    bench.inbox.end_job()
    bench.turn()
    assert bench.begun == ["a", "b", "c"]


def test_an_inbox_is_full_with_the_job_under_way() -> None:
    bench = idle()
    bench.inbox.put_job("a", at_once=True)
    bench.inbox.put_job("b")
    assert not bench.inbox.is_full
    bench.inbox.put_job("c")
    assert bench.inbox.is_full
    bench.inbox.end_job()
    assert not bench.inbox.is_full


def test_a_closed_inbox_finishes_its_jobs() -> None:
    bench = idle()
    bench.inbox.put_job("a", at_once=True)
    bench.inbox.put_job("b")
    bench.inbox.close()
    bench.inbox.put_job("c")
    bench.turn()
    assert bench.ended == 0
    bench.inbox.end_job()
    bench.turn()
    assert bench.begun == ["a", "b"]
    assert bench.ended == 0
    bench.inbox.end_job()
    bench.turn()
    bench.turn()
    assert bench.ended == 1


def test_an_idle_inbox_ends_after_closing() -> None:
    bench = idle()
    bench.inbox.close()
    bench.turn()
    assert bench.ended == 1
