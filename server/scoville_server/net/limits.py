"""What one connection, and all of them together, may cost the server."""

from msgspec import Struct

from scoville_shared.protocol.connection import FROM_CLIENT


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
    - `turn`, `turn_seconds`: how many messages of one connection are read at once, and how long, before it queues: no
      person sends as many. A program that sends ten thousand keeps nobody waiting, and is answered as fast as ever when
      nobody else asks.
    - `share_of_network`, `share_of_connection`: the share of the server's time that one network of addresses, and in it
      one connection, may use before it queues: a person uses a thousandth.
    - `slice_seconds`, `slice_seconds_busy`: how long all queued connections together are read in one turn of the event
      loop, and how long while people on other networks play: a move takes ten turns or more.
    - `share_busy`: the share of the server's time that the queue may use meanwhile: what is left over is people's, and
      a processor that is not worn out answers sooner.
    - `working`, `working_busy`: how many requests that queued connections of one network have begun lately may be
      unanswered before the next is read: each takes further turns of the loop, a table's inbox and the journal.
    - `work_seconds`: how long such a request counts. One that takes longer waits for an event, and costs nothing.
    - `deferred_seconds`: what such a request is taken to cost beyond its reading.
    - `notifications`, `notifications_seconds`: how many MessagePack-RPC notifications a connection may send in so many
      seconds. The server passes over them, and no client needs one; more ends the connection with `too_many`.
    - `ahead`: above so many unsent bytes nothing more is read from a client, until it has read some itself. It
      holds several minutes of a lively table's events.
    - `unsent`: when a client is paused so, and still more than this many bytes pile up (events, and answers that it
      had asked for before), it is dropped; its seat stays. This is what a dead client costs at most.
    - `buffers`: how many bytes all connections together may hold in buffers: unsent ones, and messages that have
      not arrived whole. When there are more, the network that holds most loses its fullest connections: a thousand
      clients that do not read would take half a gigabyte by themselves.
    - `hello_seconds`: how long a connection may take to say `hello`. Port scanners and wrong numbers never do.
    - `farewell_seconds`: how long a connection that is being closed may take to read its last bytes.
    """

    connections: int = 2048
    connections_of_address: int = 1024
    frame: int = FROM_CLIENT
    unanswered: int = 32
    turn: int = 256
    turn_seconds: float = 0.001
    share_of_network: float = 0.25
    share_of_connection: float = 0.05
    slice_seconds: float = 0.0005
    slice_seconds_busy: float = 0.00025
    share_busy: float = 0.25
    working: int = 32
    working_busy: int = 4
    work_seconds: float = 0.05
    deferred_seconds: float = 0.00025
    notifications: int = 120
    notifications_seconds: float = 60.0
    ahead: int = 64 * 1024
    unsent: int = 512 * 1024
    buffers: int = 48 * 1024 * 1024
    hello_seconds: float = 10.0
    farewell_seconds: float = 3.0
