"""Bounds of moderation."""

from msgspec import Struct


class ModerationLimits(Struct, frozen=True, kw_only=True):
    """Every bound of moderation, with its reason.

    - `bans`: bans in force: all of them are listed in one reply, of a few hundred kilobytes.
    - `audited`: latest entries of the audit log that a server without a data folder keeps. With one it keeps all of
      them, in a file.
    - `reports`: open reports; if nobody has read so many, one more helps nobody.
    - `reports_of_one`, `reports_seconds`: reports of one user in so many seconds: more is a quarrel, not a report.
    - `reports_of_address`: the same for everybody behind one address.
    - `reports_shown`: reports in one reply, the oldest ones: nobody handles more at once, and each may have many
      messages.
    - `reported_lines`: chat messages attached to a report, so that an admin knows what was said.
    """

    bans: int = 1_000
    audited: int = 5_000
    reports: int = 500
    reports_of_one: int = 5
    reports_of_address: int = 20
    reports_seconds: float = 3_600.0
    reports_shown: int = 20
    reported_lines: int = 20
