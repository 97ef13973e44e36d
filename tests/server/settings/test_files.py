"""Settings as a file: every setting with its reason and bounds, and clear errors for values that cannot be used."""

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import replace

from scoville_server.limits.throttle import Rate
from scoville_server.settings.derived import derive_bounds, setting_for
from scoville_server.settings.description import all_settings, format_value
from scoville_server.settings.model import OF_ONE_RUN, BadSettings, Settings, default_data
from scoville_server.settings.pages import full_page
from scoville_server.settings.sources import load_settings

USUAL = Settings(port=5757, default_tables=("chilli_chase", "dicht_dran", "no_thanks"))


def read_settings(file: Path, usual: Settings = USUAL) -> Settings:
    """Read a file as a server would that has no other sources, but a folder of its own."""
    read = load_settings(file, (), {}).settings
    return replace(read, data=usual.data) if read.data == default_data() else read


def written(path: Path, text: str) -> Path:
    file = path / "scoville.toml"
    file.write_text(text, encoding="utf-8")
    return file


MOST_SETTINGS = 65
"""More than these nobody reads: what is not for hosts derives from their settings, or is the same everywhere."""


def everything(settings: Settings) -> list[str]:
    """Name every setting that a file may hold."""
    return [setting.key for setting in all_settings(settings) if not setting.is_table]


def bounds(settings: Struct, within: str = "") -> Iterator[str]:
    """Name every field of the settings that no file may hold."""
    known = everything(USUAL)
    for name in settings.__struct_fields__:
        part = getattr(settings, name)
        if isinstance(part, Struct) and not part.__struct_config__.array_like:
            yield from bounds(part, f"{within}{name}.")
        elif f"{within}{name}" not in known and (within or name not in OF_ONE_RUN):
            yield f"{within}{name}"


def page() -> list[str]:
    return "\n".join(full_page(USUAL)).split("\n")


def listed() -> dict[str, str]:
    """Find each setting of the page, and the line above it."""
    rows, within, found = page(), "", {}
    for above, row in pairwise(rows):
        if row.startswith("["):
            within = f"{row[1:-1]}."
        elif row.startswith("# ") and " = " in row and row.split(" = ")[0][2:].isidentifier():
            found[within + row.split(" = ")[0][2:]] = above
    return found


def test_the_page_holds_every_setting_under_its_reason() -> None:
    found = listed()
    assert sorted(found) == sorted(everything(USUAL))
    assert [name for name, above in found.items() if not above.startswith("# ")] == []


def test_the_page_read_as_it_is_changes_nothing(tmp_path: Path) -> None:
    assert read_settings(written(tmp_path, "\n".join(page())), USUAL) == USUAL


def test_commented_settings_are_usable_uncommented(tmp_path: Path) -> None:
    wanted = [name for name in everything(USUAL) if "." not in name and name != "data"]
    rows = [row[2:] for row in page() if any(row.startswith(f"# {name} = ") for name in wanted)]
    assert read_settings(written(tmp_path, "\n".join(rows)), USUAL) == USUAL


def test_file_overrides_defaults(tmp_path: Path) -> None:
    file = written(tmp_path, f'admins = ["Anna"]\ntables = 7\ndata = "{tmp_path}/data"\n[chat]\nslow_seconds = 10\n')
    settings = read_settings(file, USUAL)
    assert (settings.admins, settings.tables, settings.data) == (("Anna",), 7, tmp_path / "data")
    assert (settings.chat.slow_seconds, settings.daily) == (10, USUAL.daily)
    assert (settings.port, settings.default_tables) == (5757, USUAL.default_tables)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("tabels = 7", "1: tabels: there is no such setting; did you mean tables?"),
        ("[chat]\nslow_second = 1", "2: chat.slow_second: there is no such setting; did you mean chat.slow_seconds?"),
        ('seed = "c0ffee"', "1: seed: there is no such setting"),
        ("[accounts.hashing]\nworker = 1", "2: accounts.hashing.worker: … did you mean accounts.hashing.workers?"),
        ("[connections]\nport = 5757", r"2: connections.port: port belongs at the top of the file"),
        ("total = 5757", r"1: total: total belongs under [connections]; did you mean connections.total?"),
        ('tables = "many"', '1: tables: got "many"; allowed: a whole number of at least 0'),
        ('tables = "7"', "1: tables: … did you mean 7?"),
        ("tables = 7.0", "1: tables: got 7; allowed: a whole number of at least 0; did you mean 7?"),
        ("tables = ", "1: a value is missing behind tables ="),
        ("tables = -1", "1: tables: got -1; allowed: a whole number of at least 0"),
        ("tables = true", "1: tables: got true; allowed: a whole number of at least 0"),
        ("port = 65536", "1: port: got 65536; allowed: a whole number from 0 to 65535"),
        ("plain_text = 1", "1: plain_text: got 1; allowed: true or false; did you mean true?"),
        ('plain_text = "no"', '1: plain_text: got "no"; allowed: true or false; did you mean false?'),
        ("plain_text = yes", "1: yes is not a value; did you mean true?"),
        ("host = 1979-05-27", "1: host: got the date or time 1979-05-27; allowed: a text in quotes"),
        ("idle_seconds = nan", "1: idle_seconds: got nan; allowed: a number of at least 0"),
        ("idle_seconds = inf", "1: idle_seconds: got inf; allowed: a number of at least 0, up to 1000000000000"),
        ("tables = 0x" + "f" * 4000, "1: tables: got a huge number"),
        ("[limits]\nper_user = 1001", "2: limits.per_user: got 1001; allowed: a number from 0 to 1000"),
        ("[limits]\nmemory_mib = 191", "2: limits.memory_mib: got 191; allowed: a whole number of at least 192"),
        ("[accounts.hashing]\nworkers = 0", "2: accounts.hashing.workers: got 0; … of at least 1"),
        ("[moderation]", "1: moderation: there is no such setting"),
        ("[host]\nname = 7", "2: host.name: host is a single setting, not a table; write host ="),
        ("chat = 7", r"1: chat: this is a table of settings; write [chat] and below it slow_seconds ="),
        ("[[chat]]", r"1: chat: this is a table of settings"),
        ('proxies = [\n"10.0.0.0/8",\n"haproxy"]', '1: proxies: got "haproxy"; allowed: addresses and networks'),
        ("quick_move_seconds = 604801", "1: quick_move_seconds: got 604801; allowed: a whole number from 0 to 604800"),
        ("bot_fill_seconds = 3601", "1: bot_fill_seconds: got 3601; allowed: a whole number from 0 to 3600"),
        ("admins = [\n  'Ann',\n  7]", '3: admins: got 7 in the list; allowed: a list of texts … ; did you mean "7"?'),
        ('admins = "Ann, Ben"', r'1: admins: … did you mean ["Ann", "Ben"]?'),
        ('\ndata = ""\nguests = [[]]', "3: guests: got a list; allowed: a whole number of at least 1"),
        ('log.level = "warn"', '1: log.level: got "warn"; allowed: one of "warning", … ; did you mean "warning"?'),
        ('default_tables = ["poker"]', '1: default_tables: there is no game "poker" here; allowed: chilli_chase'),
        ('default_tables = ["no_thank"]', "1: default_tables: … did you mean no_thanks?"),
        ('allowed_games = ["no_thanks"]\ndefault_tables = ["dicht_dran"]', "2: default_tables: allowed_games does not"),
        ('webhook = "hooks.example/x"', '1: webhook: … did you mean "https://hooks.example/x"?'),
        ('webhook = "http:///x"', "1: webhook: got"),
        ('host = "203.0.113.1"', '1: host: "203.0.113.1" is not an address of this machine'),
        ('cluster.link = "10.0.0.1"', '1: cluster.link: got "10.0.0.1"; allowed: HOST:PORT in a private network'),
        ('cluster.link = "0.0.0.0:5767"', "1: cluster.link: other nodes cannot reach this one at 0.0.0.0"),
        ('cluster.link = "[::]:5767"', "1: cluster.link: other nodes cannot reach this one at ::"),
        ('cluster.link = "203.0.113.1:1"', '1: cluster.link: "203.0.113.1" is not an address of this machine'),
        ('[doors]\nenabled = true\ngroup = "no-such-group"', '3: doors.group: there is no group "no-such-group"'),
        (
            'port = 45757\n[metrics]\nlisten = "127.0.0.1:45757"',
            "3: metrics.listen: port 45757 is the one of port already; allowed: another port, or another address",
        ),
        (
            'host = "127.0.0.1"\n[cluster]\nlink = "127.0.0.1:45758"\n[metrics]\nlisten = "127.0.0.1:45758"',
            "5: metrics.listen: port 45758 is the one of cluster.link already",
        ),
        (f"{'a.' * 5_000}b = 1", "1: there are too many names behind each other"),
        (f"[{'a.' * 5_000}b]", "1: there are too many names behind each other"),
        (f"port = {'{a = ' * 100}1{'}' * 100}", "1: there are too many brackets inside each other"),
        (f"admins = {'[' * 300}{']' * 300}", "1: there are too many brackets inside each other"),
        ('data = "/etc/passwd/x"', "1: data: /etc/passwd/x: Not a directory"),
        ('data = "/etc/passwd"', "1: data: /etc/passwd is not a folder"),
        ('peppers = "/nowhere/p.txt"', "1: peppers: The peppers file /nowhere/p.txt cannot be read"),
        ('log.file = "/nowhere/log"', "1: log.file: there is no folder /nowhere"),
        ('data = "a\\u0000b"', "1: data: got … ; allowed: a path in quotes, without the sign 0"),
        ("port = 1\nport = 2", "2: port is here twice; the first time is line 1"),
        ('host = "a', '1: a text in double quotes has no closing "'),
        ('admins = ["A",\ntables = 7', "1: the list that begins here has no closing ]"),
        ("[chat\nslow_seconds = 3", "1: the name of this table has no closing ]"),
        ("tables 7", "1: a value is missing; write `tables ="),
        ('host = "\\q"', "1: … holds a sign that a text cannot have"),
    ],
)
def test_each_fault_names_line_setting_and_what_is_allowed(tmp_path: Path, text: str, why: str) -> None:
    file = written(tmp_path, text)
    with pytest.raises(BadSettings) as refused:
        read_settings(file)
    parts = f"{file}:{why}".split(" … ")
    assert re.match(".*".join(map(re.escape, parts)), refused.value.message), refused.value.message


@pytest.mark.parametrize(
    "text", ['"port\\u001b[31m" = 1', '["\\u202e"]\nx = 1', 'admins = "\\u202e"', '[cluster]\nservers = "a\\u0007"']
)
def test_no_fault_commands_the_terminal(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadSettings) as refused:
        read_settings(written(tmp_path, text))
    assert refused.value.message.isprintable(), refused.value.message


@pytest.mark.parametrize("bound", sorted(bounds(USUAL)))
def test_former_setting_has_no_effect_and_says_so(tmp_path: Path, bound: str) -> None:
    file = written(tmp_path, f"{bound} = 7\ntables = 9\n")
    read = load_settings(file, (), {})
    assert value_of(read.settings, bound) == value_of(derive_bounds(replace(USUAL, tables=9)), bound)
    [note] = read.notes
    assert re.match(
        rf"{re.escape(str(file))}:1: {re.escape(bound)}: this is no longer a setting and has no effect: "
        r"it .*(set that instead|remove it)",
        note,
    )


def test_settings_of_an_earlier_version_still_start_a_server() -> None:
    file = Path(__file__).parent / "server-0.1.0.toml"  # all that it had, and never changed
    read = load_settings(file, (), {})
    assert read.settings.tables == 1000
    assert all("this is no longer a setting and has no effect" in note for note in read.notes)


def test_variable_of_a_former_setting_is_reported_and_ignored() -> None:
    read = load_settings(None, (), {"SCOVILLE_CHAT__LOBBY": "7"})
    assert read.settings.chat.lobby == USUAL.chat.lobby
    [note] = read.notes
    assert note.startswith("SCOVILLE_CHAT__LOBBY: chat.lobby: this is no longer a setting and has no effect")


def test_name_that_nobody_can_claim_makes_no_moderator(tmp_path: Path) -> None:
    names = ["Anna", "Staff", "Spielleiter", "Bot Ada", "", "A" * 25, "A\u0335nna"]
    read = load_settings(written(tmp_path, f"[community]\nmoderators = {json.dumps(names)}\n"), (), {})
    assert read.settings.community.moderators == (*names,)
    where, why = f"{tmp_path}/scoville.toml:2: community.moderators", "so it makes nobody a moderator"
    assert [note.partition(";")[0] for note in read.notes] == [
        f"{where}: nobody can claim the name {format_value(name)}, {why}" for name in names[1:]
    ]


def test_hosts_see_few_settings() -> None:
    shown = len(everything(USUAL))
    assert shown <= MOST_SETTINGS, "let a scale derive one of them, or give the new one no description: no host sees it"


def value_of(settings: object, key: str) -> Any:
    for name in key.split("."):
        settings = getattr(settings, name)
    return settings


def read(tmp_path: Path, text: str) -> Settings:
    return read_settings(written(tmp_path, text), USUAL)


def changed(settings: Settings, key: str) -> float:
    """Return how many times as large as usual a bound is; of rates how often they allow something."""

    def size(value: Any) -> float:
        if isinstance(value, tuple):
            return sum(map(size, value))
        return float(value.allowed if isinstance(value, Rate) else value)

    return size(value_of(settings, key)) / size(value_of(USUAL, key))


@pytest.mark.parametrize("factor", [2, 2.5, 10])
def test_scales_change_what_derives_from_them(tmp_path: Path, factor: float) -> None:
    scaled = {
        "limits.per_user": f"[limits]\nper_user = {factor}",
        "limits.per_address": f"[limits]\nper_address = {factor}",
    }
    for setting, text in scaled.items():
        settings = read(tmp_path, text)
        derived = [bound for bound in bounds(USUAL) if setting_for(bound) == setting]
        assert len(derived) >= 8
        for bound in derived:
            if "waiting_per_address" not in bound and bound != "opponents_by_network":
                assert changed(settings, bound) == pytest.approx(factor, rel=0.1), bound
        same = [bound for bound in bounds(USUAL) if setting_for(bound) != setting]
        assert [bound for bound in same if changed(settings, bound) != 1] == []


def test_small_scales_leave_something(tmp_path: Path) -> None:
    settings = read(tmp_path, "[limits]\nper_user = 0.01\nper_address = 0.01")
    assert (settings.table_creations, settings.moderation.reports_per_address) == (1, 1)
    assert [rate.allowed for rate in settings.chat.messages] == [1, 1]


def test_no_limit_per_address_leaves_queues_their_bound(tmp_path: Path) -> None:
    settings = read(tmp_path, "[limits]\nper_address = 0")
    assert settings.connections.per_address == settings.table_creations_per_address == 0
    assert settings.connections.handshake_rate.allowed == settings.accounts.claims_per_hour == 0
    assert settings.accounts.hashing.waiting_per_address == USUAL.accounts.hashing.waiting
    assert settings.guesses == USUAL.guesses
    assert not settings.opponents_by_network, "all users seem to come from one network"


def test_memory_scales_what_is_kept_unless_it_is_set(tmp_path: Path) -> None:
    settings = read(tmp_path, "[limits]\nmemory_mib = 1280")
    assert (settings.guests, settings.tables, settings.connections.total) == (30_000, 3_000, 6_144)
    assert (settings.accounts.claims, settings.pending_writes, settings.polls) == (30_000, 30_000, 24_576)
    settings = read(tmp_path, "tables = 10\n[limits]\nmemory_mib = 1280\n[connections]\ntotal = 100")
    assert (settings.guests, settings.tables, settings.connections.total) == (30_000, 10, 100)
    assert (settings.pending_writes, settings.polls, settings.connections.handshakes) == (100, 400, 25)


def test_no_tables_still_leave_room_for_writes(tmp_path: Path) -> None:
    assert read(tmp_path, "tables = 0").pending_writes == 100


def test_a_file_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match=r"none\.toml: the file cannot be read: No such file"):
        read_settings(tmp_path / "none.toml", USUAL)


def test_every_setting_has_a_reason_and_every_number_bounds() -> None:
    settings = [setting for setting in all_settings(USUAL) if not setting.is_table]
    assert [setting.key for setting in settings if not setting.reason] == []
    numbers = [setting for setting in settings if type(setting.value) in (int, float)]
    assert [setting.key for setting in numbers if not setting.bounds] == []
