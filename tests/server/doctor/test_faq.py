"""The FAQ of the hosting page is that of the doctor's findings, and every finding has one."""

import inspect
import re

from scoville_server.doctor import doctor, doors, machine, permissions, storage
from scoville_server.doctor.findings import KINDS
from tests.server.doctor.faq_doc import PAGE, page


def test_the_faq_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m tests.server.doctor.faq_doc writes it anew"


def test_every_kind_is_found_by_a_check() -> None:
    modules = (doctor, doors, machine, permissions, storage)
    texts = "".join(inspect.getsource(module) for module in modules)
    assert {*re.findall(r'"([a-z]+_[a-z]+(?:_[a-z]+)?)"', texts)} >= {*KINDS}
