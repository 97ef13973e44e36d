"""A server as the screen of `top` asks it: replies to its commands, and a record of the acts."""

import copy
from collections.abc import Mapping
from typing import Any, Final

from scoville_runtime.control_client import NotRunning
from scoville_shared.errors import ScovilleError

STATUS: Final[dict[str, Any]] = {
    "version": "0.1.0", "now_ms": 1_760_000_000_000, "started_ms": 1_759_726_100_000, "uptime_seconds": 273_900.0,
    "ready": True, "reload_ok": True, "reasons": [],
    "people": {
        "total": 212, "claimed": 61, "by_entrance": {"direct": 119, "ssh": 38, "web": 55, "inside": 0},
        "remembered_limit": 10_000,
    },
    "connections": {"total": 215, "limit": 2048, "buffered_bytes": 0, "buffered_bytes_limit": 67_108_864},
    "tables": {"total": 74, "limit": 1000, "by_state": {"playing": 74}, "by_game": {"no_thanks": {"playing": 74}}},
    "moves": {"total": 58_000, "per_second": 58.0, "p50_seconds": 0.002, "p99_seconds": 0.021},
    "games": {
        "started": 9_000, "ended": 8_900, "kept": 8_412, "kept_limit": 20_000, "kept_bytes": 1_000_000,
        "kept_bytes_limit": 2_000_000_000,
    },
    "commits": {"total": 58_000, "writes": 58_000, "failed": 0, "p50_seconds": 0.003, "p99_seconds": 0.021},
    "loop_lag": {"p50_seconds": 0.001, "p99_seconds": 0.002},
    "process": {
        "pid": 412, "cpu_seconds": 100.0, "cpu_ratio": 0.23, "resident_bytes": 123_731_968,
        "memory_bytes_limit": 536_870_912, "open_files": 240, "open_files_limit": 4096,
    },
    "disk": {
        "folder": "/srv/scoville", "free_bytes": 33_285_996_544, "total_bytes": 99_285_996_544, "log_bytes": 4_194_304,
        "last_backup_ms": 1_759_927_000_000,
    },
    "refusals_per_minute": {"slow_down": 12, "wrong_login": 7}, "refusals": 900, "hellos": 5_000,
    "queues": {
        "bots": 2, "bots_limit": 64, "passwords": 0, "passwords_limit": 64, "writes": 3, "writes_limit": 10_000,
        "polls": 5, "polls_limit": 256, "readers": 1,
    },
    "doors": {
        "ssh": {
            "processes": 1, "sessions": 38, "connects": 400, "refusals": 12, "floods": 0, "crashes": 1,
            "crashes_per_minute": 0, "read_bytes": 40_000, "sent_bytes": 52_428_800,
        },
    },
    "host": "cards.example", "port": 5757, "pin": "HKI6AAAABBBBCCCCDN3C", "open_reports": 2, "bans": 0,
    "shutdown": None, "maintenance": None, "alerts": [],
}  # fmt: skip
HOSTILE: Final = "\x1b[31mBe\u202en\u0007 \U0001f480"


def table(number: int, **fields: Any) -> dict[str, Any]:
    """Return a row of the tables."""
    row = {
        "id": f"{number:012x}", "game": "no_thanks", "status": "playing", "paused": False, "humans": 3, "bots": 1,
        "seats": 5, "spectators": 12, "moves": number, "age_seconds": 60 * number, "idle_seconds": 2,
        "players": ["Anna", "Ben"], "waits_for": ["Ben"], "left_seconds": 41,
    }  # fmt: skip
    return row | fields


def user(name: str) -> dict[str, Any]:
    """Return a row of the users."""
    return {
        "name": name, "claimed": False, "address": "192.0.2.7", "client": "scoville 0.1.0", "table_ids": [],
        "muted": False,
    }  # fmt: skip


class FakeServer:
    """Answers like a server. `refusal` is raised by acts, `gone` says that no server runs."""

    def __init__(self) -> None:
        self.status = copy.deepcopy(STATUS)
        self.lists: dict[str, dict[str, Any]] = {
            "tables": {"tables": [table(number) for number in range(40)], "total": 74},
            "users": {"users": [user("Anna"), user(HOSTILE)]},
            "networks": {
                "networks": [
                    {"network": "203.0.113.9", "users": 9, "connections": 11, "share": 0.19,
                     "refusals_per_minute": 380, "banned": False},
                ],
                "total": 1,
            },
            "slow": {
                "kinds": [
                    {"what": "move", "count": 9, "p50_seconds": 0.001, "p99_seconds": 0.02, "longest_seconds": 0.4}
                ]
            },
            "log": {
                "events": [
                    {"number": 1, "at_ms": 1_760_000_000_000, "kind": "hello", "priority": 6,
                     "fields": {"user": HOSTILE}},
                ]
            },
            "reports": {
                "reports": [
                    {"id": 3, "at_ms": 1_760_000_000_000, "by": "Anna", "name": "Ben", "table": None,
                     "text": "He swears.", "context": ["Ben: Zounds!"]},
                ]
            },
            "audit": {
                "entries": [
                    {"number": 1, "at_ms": 1_760_000_000_000, "by": "root (uid 0, control socket)", "action": "kick",
                     "target": "Ben", "reason": "Too loud."},
                ]
            },
        }  # fmt: skip
        self.acts: list[tuple[str, dict[str, Any], str]] = []
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.refusal = ""
        self.gone = False
        self.closed = False

    def send_command(self, name: str, arguments: Mapping[str, Any] | None = None, reason: str = "") -> Any:
        if self.gone:
            raise NotRunning("No server is running.")
        given = dict(arguments or {})
        if name == "status":
            return self.status
        if name in self.lists:
            self.asked.append((name, given))
            return copy.deepcopy(self.lists[name])  # a reply is never changed afterwards
        if self.refusal:
            raise ScovilleError("bad_params", self.refusal)
        self.acts.append((name, given, reason))
        return {}

    def close(self) -> None:
        self.closed = True
