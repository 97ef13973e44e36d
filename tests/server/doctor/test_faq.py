"""Every kind of finding is found by a check."""

import inspect
import re

from scoville_server.doctor import doctor, permissions, storage
from scoville_server.doctor.findings import KINDS


def test_every_kind_is_found_by_a_check() -> None:
    modules = (doctor, permissions, storage)
    texts = "".join(inspect.getsource(module) for module in modules)
    assert {*re.findall(r'"([a-z]+_[a-z]+(?:_[a-z]+)?)"', texts)} >= {*KINDS}
