"""What looking after a server may cost."""

from msgspec import Struct


class ModerationLimits(Struct, frozen=True, kw_only=True):
    """Every bound, and its reason.

    - `bans`: bans that hold at a time: all of them are listed in one answer, of a few hundred kilobytes.
    - `audited`: lines of the audit log that a server without a data folder keeps, the latest. With one it keeps all of
      them, in a file.
    - `reports`: reports that wait; when nobody has read so many, one more helps nobody.
    - `reports_of_one`, `reports_seconds`: reports of one person in so many seconds: more is a quarrel, not a report.
    - `reports_of_address`: the same for everybody behind one address.
    - `reports_shown`: reports in one answer, the oldest: more nobody sees to at once, and each may hold much talk.
    - `reported_lines`: lines of chat that a report takes along, so that whoever reads it knows what was said.
    """

    bans: int = 1_000
    audited: int = 5_000
    reports: int = 500
    reports_of_one: int = 5
    reports_of_address: int = 20
    reports_seconds: float = 3_600.0
    reports_shown: int = 20
    reported_lines: int = 20
