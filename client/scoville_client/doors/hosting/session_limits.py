"""Limits of hosted sessions: what one user can cost the others of the same process."""

from typing import Final

STARTING: Final = 1
"""Sessions that may build their first screen at the same time; it takes as long as ten keys."""
REST_SECONDS: Final = 0.15
"""Seconds after a first screen until the next session may build its own, so that keys are handled in between."""
TYPING_SECONDS: Final = 1.0
"""Seconds after the last key of any user from which on a crowd that comes needs no rests."""
CONNECT_SECONDS: Final = 2.0
"""Seconds that the server may take to answer before the user sees a page that says what is waited for."""
START_SECONDS: Final = 10.0
"""Seconds after which a session that has shown nothing gives its place at the start to the next one."""
BACKLOG: Final = 1024
"""Connections that the system holds until a door accepts them; one more takes a second longer."""
MESSAGES_WAITING: Final = 64
"""Messages of a session that may wait; further input is dropped."""
SEQUENCE_CHARS: Final = 65_536
"""Characters of one key, paste or escape sequence; a longer one is dropped."""
RESIZE_SECONDS: Final = 0.2
"""Seconds from one layout for another size of the terminal to the next: it costs as much as several keys."""
SIZES_OF_SESSION: Final = 60
"""Sizes of its terminal that a session may send at once, whatever its network does."""
SIZES_OF_SESSION_RATE: Final = 30
"""The same per second after that."""
SIZES_OF_NETWORK: Final = 600
"""Sizes at once of all sessions of one network; one that sends more than both is disconnected."""
SIZES_OF_NETWORK_RATE: Final = 120
"""The same per second after that; a window that is dragged sends up to a hundred."""
INPUT_BYTES: Final = 65_536
"""Bytes of input at once; further ones are dropped."""
INPUT_RATE: Final = 8_192
"""Bytes of input per second after that."""
INPUTS_OF_SESSION: Final = 128
"""Keys, clicks and pastes of a session at once; further ones are dropped."""
BYTES_AS_INPUT: Final = 512
"""Bytes that count as one more key: to read them costs as much."""
SIZE_AS_INPUTS: Final = 8
"""Keys as which another size of the terminal counts: to lay everything out costs as much."""
INPUTS_OF_SESSION_RATE: Final = 30
"""The same per second after that: as fast as a key repeats that is held down."""
INPUTS_OF_NETWORK: Final = 128
"""Keys, clicks and pastes at once of all sessions of one address, or of one /64 of IPv6."""
INPUTS_OF_NETWORK_RATE: Final = 60
"""The same per second after that: two held keys, or thirty people who play; it leaves half of a core to all others."""
STALLED_SECONDS: Final = 60.0
"""Seconds after which a terminal that takes no output is disconnected."""
IDLE_SECONDS: Final = 3_600.0
"""Seconds without input after which a session ends; the seat waits like that of any lost connection."""
END_SECONDS: Final = 5.0
"""Seconds that a client may take to end; then its task is cancelled."""
SLICE_BYTES: Final = 1_024
"""Bytes of a connection that are handled at once; then others have their turn."""
WAITING_BYTES: Final = 65_536
"""Bytes of a connection that wait to be handled; then it is not read."""
CPU_OF_CONNECTION: Final = 0.1
"""Seconds of processor time that the bytes of a connection may cost at once: several log-ins."""
CPU_OF_CONNECTION_RATE: Final = 0.05
"""The same per second after that; keys of a user who types without end need a hundredth."""
CPU_OF_NETWORK: Final = 0.4
"""The same at once for all connections of one address, or of one /64 of IPv6."""
CPU_OF_NETWORK_RATE: Final = 0.1
"""The same per second after that."""
CPU_OF_SITE_TIMES: Final = 4
"""How many times that a /48 of IPv6 may cost."""
FLOOD_SECONDS: Final = 60.0
"""Seconds for which a connection or network that was in debt shares one rate with all others like it."""
CPU_OF_ALL_RATE: Final = 0.25
"""Seconds of processor time per second that all of them may cost together."""
