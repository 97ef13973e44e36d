"""How many connections the system lets a process have: each is an open file to it."""

RESERVED = 64
"""Files beside connections: the journal, finished games as they are written, modules that are loaded when needed."""


def make_room(connections: int) -> int:
    """Ask the system for as many open files as so many connections need; returns how many connections it allows."""
    try:
        import resource
    except ImportError:  # where there is no such limit
        return connections
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return connections
    wanted = connections + RESERVED
    if soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else max(soft, min(wanted, hard))
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return max(1, min(connections, soft - RESERVED))
