"""Types that are prepared for reading before any thread reads."""

from typing import Any

import msgspec


def prepare(*kinds: Any) -> None:
    """Build what msgspec needs to read these types, which it does otherwise at the first value.

    Two threads that read the first value of a struct at the same time use what is half built, and the process ends
    with SIGSEGV. Modules prepare the types that threads read when they are imported, which one thread does at a time.
    """
    for kind in kinds:
        msgspec.msgpack.Decoder(kind)
