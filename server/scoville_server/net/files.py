"""Limit of open files: each connection needs one."""

RESERVED = 64
"""Files beside connections: the journal, finished games as they are written, modules that are loaded when needed."""


def make_room(connections: int) -> int:
    """Raise the process's limit of open files for so many connections; returns how many the system allows."""
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
