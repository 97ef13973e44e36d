"""Limits of the SSH door."""

from typing import Final

LOGIN_SECONDS: Final = 20
"""Seconds until a user must be logged in."""
ARRIVAL_SECONDS: Final = 20.0
"""Seconds after the log-in until a session must have been asked for."""
HANDSHAKES: Final = 256
"""Connections of a worker that have not logged in, at most."""
HANDSHAKES_PER_ADDRESS: Final = 8
"""The same of one address, or of one /64 of IPv6."""
SESSIONS: Final = 200
"""Sessions of a worker at most; 25 to 40 that play keep one core busy."""
SESSIONS_PER_ADDRESS: Final = 32
"""The same of one address; a whole household or school may share one."""
KEEPALIVE_SECONDS: Final = 15
KEEPALIVES: Final = 3
"""Unanswered keepalives after which a connection counts as lost."""
BUFFER_BYTES: Final = 65_536
"""Bytes of output that may wait before a session draws nothing more."""
LEAST_RSA_BITS: Final = 3_072
MOST_RSA_BITS: Final = 8_192
"""Bits of users' RSA keys: shorter ones are weak, and longer ones take long to check."""
VARIABLES: Final = ("LANG", "LANGUAGE", "COLORTERM", "NO_COLOR")
"""Environment variables that are taken from users, beside those that begin with LC_."""
VARIABLE_BYTES: Final = 64
"""Most bytes of a variable's name or value."""
MOST_VARIABLES: Final = 24
