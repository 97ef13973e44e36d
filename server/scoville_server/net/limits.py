"""What one connection, and all of them together, may cost the server."""

from msgspec import Struct

from scoville_shared.wire.connection import FROM_CLIENT


class Limits(Struct, frozen=True, kw_only=True):
    """Every bound on connections, and its reason.

    - `connections`: how many may be open at once, if the system lets the server have so many files. An idle one costs
      some tens of kilobytes.
    - `connections_of_address`: how many of them from one address, so that nobody alone keeps all others out; less
      when the server fills up, since every address has the same share of what is free. 0 is no share by address, for a
      server behind a door through which all come.
    - `frame`: the largest message read, in bytes. Only a table's options come anywhere near a thousand.
    - `unanswered`: how many requests of one connection may wait for something (a commit, a long poll). A person
      needs two, and each costs a Task. One more is refused with `too_many`.
    - `turn`, `turn_seconds`: how many requests of one connection are answered, and how long, before all others have
      had their turn: usually a millisecond's, and one request where a single one costs more. Whoever sends ten thousand
      at once keeps nobody waiting, and is answered as fast as ever when nobody else asks.
    - `notifications`, `notifications_seconds`: how many MessagePack-RPC notifications a connection may send in so many
      seconds. The server passes over them, and no client needs one; more ends the connection with `too_many`.
    - `ahead`: above so many unsent bytes nothing more is read from a client, until it has read some itself. It
      holds several minutes of a lively table's events.
    - `unsent`: when a client is paused so, and still more than this many bytes pile up (events, and answers that it
      had asked for before), it is dropped; its seat stays. This is what a dead client costs at most.
    - `hello_seconds`: how long a connection may take to say `hello`. Port scanners and wrong numbers never do.
    - `farewell_seconds`: how long a connection that is being closed may take to read its last bytes.
    """

    connections: int = 4096
    connections_of_address: int = 1024
    frame: int = FROM_CLIENT
    unanswered: int = 32
    turn: int = 256
    turn_seconds: float = 0.002
    notifications: int = 120
    notifications_seconds: float = 60.0
    ahead: int = 64 * 1024
    unsent: int = 512 * 1024
    hello_seconds: float = 10.0
    farewell_seconds: float = 3.0
