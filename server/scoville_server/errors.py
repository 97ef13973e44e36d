"""Errors that several packages of the server raise."""

from math import ceil

from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import ByeNotice


class RetryableError(ScovilleError):
    """An operation failed now but may succeed later, such as a write to a full disk."""


def make_goodbye(error: ScovilleError) -> ByeNotice:
    """Return the notice that ends a connection because of an error."""
    return ByeNotice(code=error.code, message=error.message, reason=error.data.get("reason"))


def shutting_down() -> ScovilleError:
    """Return the error for requests that arrive during shutdown."""
    return ScovilleError(Code.SHUTTING_DOWN, "The server is shutting down.")


def table_moved(table: str) -> ScovilleError:
    """Return the error for a table that another node serves from now on."""
    return ScovilleError(Code.MOVED, f"Table {table} is served by another server process; connect again.")


def node_takes_no_table(table: str, node: str, why: str) -> ScovilleError:
    """Return the error for a table that cannot be given to another node; `why` is the rest of a sentence for hosts."""
    return ScovilleError(Code.BUSY, f"Table {table} cannot be moved to {node}: {why}")


def table_awaits_adoption() -> ScovilleError:
    """Return the error for a table that this node has not adopted yet."""
    return ScovilleError(Code.BUSY, "This table is being taken over; try again in a moment.")


def server_moved(address: str = "") -> ScovilleError:
    """Return the error for users of a node that does not serve; `address` is that of the one that does, if known."""
    return ScovilleError(
        Code.MOVED, "Another server process serves now; connect again.", {"address": address} if address else {}
    )


def staff_protected() -> ScovilleError:
    """Return the error for moderators who act on admins or each other."""
    sentence = "Moderators cannot act on admins and other moderators."
    return ScovilleError(Code.NOT_ALLOWED, sentence, {"why": "protected"})


def name_not_claimed(name: str, what: str) -> ScovilleError:
    """Return the error for a guest where only the owners of names do something, such as "have a calendar"."""
    sentence = f"Only owners of a claimed name {what}; claim yours first."
    return ScovilleError(Code.NOT_CLAIMED, sentence, {"name": name})


def slow_down(why: str, seconds: float) -> ScovilleError:
    """Return the error for a request that exceeds a rate limit; it may be repeated after `seconds`."""
    left = max(1, ceil(seconds))
    unit = "second" if left == 1 else "seconds"
    return ScovilleError(
        Code.SLOW_DOWN, f"{why}; try again in {left} {unit}.", {"retry_after_ms": ceil(1000 * seconds)}
    )


def unknown_table(table: str) -> ScovilleError:
    """Return the error for a missing table; users from whom a table is hidden get the same words."""
    return ScovilleError(Code.UNKNOWN_TABLE, f"There is no table {table!r} here.", {"table": table})


def node_unreached(table: str) -> ScovilleError:
    """Return the error for a table of another node that cannot be asked at the moment; nothing was done.

    Without a table for one that it would have opened.
    """
    which = f"with table {table}" if table else "that opens the next table"
    sentence = f"The server process {which} cannot be reached; try again in a moment."
    return ScovilleError(Code.BUSY, sentence)


def tables_moving() -> ScovilleError:
    """Return the error for a table or a code of which a node may know that is silent, or that is lost."""
    sentence = "A server process that may serve this table does not answer; try again in a moment."
    return ScovilleError(Code.BUSY, sentence)


def duty_unreached() -> ScovilleError:
    """Return the error for a task of another node that cannot be asked at the moment; nothing was done."""
    sentence = "The server process that does this for all cannot be reached; try again in a moment."
    return ScovilleError(Code.BUSY, sentence)


def node_behind() -> ScovilleError:
    """Return the error of a node that cannot find out now whether other nodes have written more."""
    sentence = "The server cannot read at the moment what its other processes have saved; try again in a moment."
    return ScovilleError(Code.BUSY, sentence)


def link_lost() -> ScovilleError:
    """Return the error for a request to another node that was perhaps carried out: the link was lost."""
    return ScovilleError(
        Code.OUTCOME_UNKNOWN, "The connection to another server process was lost; whether this was done is unknown."
    )
