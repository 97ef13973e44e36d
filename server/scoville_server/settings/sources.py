"""All sources of a server's settings, later ones over earlier ones: defaults, file, environment, options.

The file is TOML: each value is known by the line where it is. Beyond their types, values are checked against what this
machine has: games, addresses, folders, packages.
"""

import codecs
import errno
import os
import socket
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from msgspec.structs import replace

from scoville_server.accounts.model.naming.permitted import check_permitted
from scoville_server.journal.files.credential_file import CREDENTIAL
from scoville_server.moderation.model.community import FROM_FILE, ONE_LINE, TEXTS, list_long_texts
from scoville_server.net.doors.unix_socket import SOCKET, SocketError, find_group, find_outsider
from scoville_server.net.lan.publisher import find_missing
from scoville_server.nodes.settings import LINK_PORT
from scoville_server.observation.metrics_settings import parse_listen
from scoville_server.settings.derived import derive_bounds, value_of, with_value
from scoville_server.settings.description import format_value
from scoville_server.settings.environment import CONFIG, GivenValue, read_environment
from scoville_server.settings.faults import KNOWN, SettingFault, check_name, find_near
from scoville_server.settings.games import allowed_slugs, read_option_file, usable_slugs
from scoville_server.settings.model import (
    BadSettings,
    LoadedSettings,
    LogSettings,
    Settings,
    default_data,
)
from scoville_server.settings.toml_text import Document, parse_document, walk_leaves
from scoville_server.settings.toml_text import Path as KeyPath
from scoville_server.settings.values import UnusableValue, check_value
from scoville_shared import DEFAULT_PORT
from scoville_shared.errors import ScovilleError
from scoville_shared.games import registry
from scoville_shared.networks import parse_network, parse_peer
from scoville_shared.text import LONGEST_NAME, clean_text

_LARGEST_BYTES: Final = 4 * 1024 * 1024
"""No settings file is larger; one that is was named by mistake."""


class SettingsFile:
    """A settings file.

    Attributes:
        given: The values that it gives.
        faults: Its faults.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.given: list[GivenValue] = []
        self.faults: list[SettingFault] = []
        self._lines: dict[KeyPath, int] = {}
        text = self._read_text()
        if text is not None:
            self._take_document(parse_document(text))

    def _read_text(self) -> str | None:
        try:
            with self.path.open("rb") as file:
                data = file.read(_LARGEST_BYTES + 1)
        except OSError as error:
            self.faults.append(SettingFault(place=str(self.path), what=f"the file cannot be read: {error.strerror}"))
            return None
        except ValueError:
            self.faults.append(SettingFault(place=repr(str(self.path)), what="this is not a path"))
            return None
        if len(data) > _LARGEST_BYTES:
            self.faults.append(SettingFault(place=str(self.path), what="the file is too large for a settings file"))
            return None
        if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            self.faults.append(SettingFault(place=f"{self.path}:1", what="the file is in UTF-16; save it in UTF-8"))
            return None
        # Some editors on Windows begin a file with the mark that `utf-8-sig` skips.
        return self._decode_rows(data.removeprefix(codecs.BOM_UTF8))

    def _decode_rows(self, data: bytes) -> str:
        """Decode row by row; one that is not UTF-8 is a fault, and left out."""
        rows = []
        for number, row in enumerate(data.split(b"\n"), 1):
            try:
                rows.append(row.decode())
            except UnicodeDecodeError:
                self.faults.append(
                    SettingFault(place=f"{self.path}:{number}", what="this is not UTF-8; save the file in UTF-8")
                )
                rows.append("")
        return "\n".join(rows)

    def _take_document(self, document: Document) -> None:
        self._lines = document.lines
        self.faults += [SettingFault(place=f"{self.path}:{line}", what=what) for line, what in document.faults]
        for path, value in walk_leaves(document.values):
            if path:
                self._take_value(path, value)

    def _take_value(self, path: KeyPath, value: Any) -> None:
        key, place = ".".join(map(str, path)), self._place_of(path)
        fault = check_name(key, place)
        if fault is not None:
            self.faults.append(fault)
        elif not KNOWN[key].is_table:
            self._take_setting(path, key, value)
        # An empty table sets nothing, and is no fault: a file may keep the heading of settings that are commented out.
        elif value != {}:
            example = next(name for name in KNOWN if name.startswith(f"{key}.")).removeprefix(f"{key}.")
            what = f"this is a table of settings; write [{key}] and below it {example} = …"
            self.faults.append(SettingFault(place=place, setting=key, what=what))

    def _take_setting(self, path: KeyPath, key: str, value: Any) -> None:
        try:
            self.given.append(GivenValue(key, check_value(KNOWN[key], value), self._place_of(path)))
        except UnusableValue as error:
            place = self._place_of(path if error.item is None else (*path, error.item))
            self.faults.append(
                SettingFault(
                    place=place,
                    setting=key,
                    what=error.what,
                    allowed=error.allowed,
                    did_you_mean=error.did_you_mean,
                )
            )

    def _place_of(self, path: KeyPath) -> str:
        """Return the file and the line of a value, or of the innermost table around it whose line is known."""
        while path and path not in self._lines:
            path = path[:-1]
        return f"{self.path}:{self._lines[path]}" if path else str(self.path)


DEFAULT_FILE: Final = Path("/etc/scoville/server.toml")
"""The settings file that is read, if it exists, unless another one is named."""

_LONGEST_TEXT: Final = 65_536
"""Characters of a text's file that are read; more would be refused anyway."""

DEFAULT: Final = "default"
"""The origin of a value that no source gives."""


class CollectedSettings(NamedTuple):
    """Settings of all sources.

    Attributes:
        settings: The settings; faulty values are left out.
        origins: Where the value of each setting comes from.
        faults: Everything that is wrong.
        file: The settings file, None without one.
        notes: Sentences about values without effect, which refuse no start.
        texts: The files that the settings name, and which are read with them.
    """

    settings: Settings
    origins: Mapping[str, str]
    faults: Sequence[SettingFault]
    file: Path | None
    notes: Sequence[SettingFault]
    texts: Sequence[Path]


def find_file(named: Path | None, environment: Mapping[str, str] = os.environ) -> Path | None:
    """Return the settings file: the one that an option or the environment names, or the default one."""
    if named is not None:
        return named
    if environment.get(CONFIG):
        return Path(environment[CONFIG])
    return DEFAULT_FILE if DEFAULT_FILE.exists() else None


def usual_settings() -> Settings:
    """Return the settings of a server for which no source says anything."""
    return Settings(port=DEFAULT_PORT, data=default_data(), default_tables=usable_slugs(Settings()), log=LogSettings())


def collect_settings(
    file: Path | None,
    options: Sequence[GivenValue] = (),
    environment: Mapping[str, str] = os.environ,
    *,
    of_this_run: Mapping[str, Any] | None = None,
) -> CollectedSettings:
    """Read all sources and check them together.

    Args:
        file: The settings file.
        options: The values of the command line.
        environment: The environment variables.
        of_this_run: Fields of the settings that no source but the command line can give.
    """
    read = None if file is None else SettingsFile(file)
    variables, faults = read_environment(environment)
    faults = [*(read.faults if read else ()), *faults]
    # By name, so that of two sources the later one holds.
    given = {each.setting: each for each in (*(read.given if read else ()), *variables, *options)}
    settings = replace(usual_settings(), **(of_this_run or {}))
    for key, each in given.items():
        settings = with_value(settings, key, each.value)
    # Only now, because the usual ones depend on `allowed_games`.
    if "default_tables" not in given:
        settings = replace(settings, default_tables=usable_slugs(settings))
    derived = derive_bounds(settings, [*given])
    origins = {key: _origin_of(key, given, settings, derived) for key in KNOWN if not KNOWN[key].is_table}
    texts = [*_list_texts(derived).values(), *([derived.peppers] if derived.peppers else [])]
    # The checks see the texts themselves: they bound what is shown, not the names of files.
    derived = _read_texts(derived, origins, faults)
    faults += check_settings(derived, origins)
    derived = _read_peppers(derived, origins, faults)
    found = sorted(faults, key=_line_of)
    notes = [each for each in found if each.harmless]
    return CollectedSettings(derived, origins, [each for each in found if not each.harmless], file, notes, texts)


def load_settings(
    file: Path | None,
    options: Sequence[GivenValue] = (),
    environment: Mapping[str, str] = os.environ,
    *,
    of_this_run: Mapping[str, Any] | None = None,
) -> LoadedSettings:
    """Read all sources. Raises BadSettings with all faults."""
    collected = collect_settings(file, options, environment, of_this_run=of_this_run)
    if collected.faults:
        raise BadSettings(*map(str, collected.faults))
    return LoadedSettings(collected.settings, collected.origins, tuple(map(str, collected.notes)))


def _line_of(fault: SettingFault) -> int:
    """Return the line of a fault in its file; 0 for faults elsewhere, which keep their order."""
    line = fault.place.rpartition(":")[2]
    return int(line) if line.isdecimal() else 0


def _origin_of(key: str, given: Mapping[str, GivenValue], settings: Settings, derived: Settings) -> str:
    if key in given:
        return given[key].origin
    if value_of(settings, key) != value_of(derived, key):
        scale = given.get("limits.memory_mib")
        return f"derived from limits.memory_mib ({scale.origin})" if scale else "derived"
    return DEFAULT


def _list_texts(settings: Settings) -> dict[str, Path]:
    """List the files of texts by the fields of `community` that name them."""
    texts = {field: getattr(settings.community, field) for field in (*TEXTS, *ONE_LINE)}
    return {
        field: Path(text.removeprefix(FROM_FILE).strip()).expanduser()
        for field, text in texts.items()
        if text.startswith(FROM_FILE)
    }


def _read_texts(settings: Settings, origins: Mapping[str, str], faults: list[SettingFault]) -> Settings:
    """Put the content of files in place of their names, so that a reload notices a change of it."""
    for field, path in _list_texts(settings).items():
        content = ""
        try:
            with path.open(encoding="utf-8") as file:
                content = file.read(_LONGEST_TEXT)
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
            setting = f"community.{field}"
            faults.append(SettingFault(place=origins[setting], setting=setting, what=f"{path} cannot be read: {why}"))
        if field in ONE_LINE:  # editors end a file with a line break
            content = content.strip()
        settings = replace(settings, community=replace(settings.community, **{field: content}))
    return settings


def _read_peppers(settings: Settings, origins: Mapping[str, str], faults: list[SettingFault]) -> Settings:
    if settings.peppers is None:
        return settings
    try:
        return replace(settings, game_options=read_option_file("peppers", settings.peppers))
    except BadSettings as error:
        faults.append(SettingFault(place=origins["peppers"], setting="peppers", what=error.message.rstrip(".")))
        return settings


# --- checks beyond the types of values --------------------------------------------------------------

_LONGEST_NAME: Final = 70
"""Bytes of the name of a Unix socket that every system takes, whatever the folder is called."""
_SCHEMES: Final = ("http", "https")


class _BadValue(NamedTuple):
    """Fault of a setting, wherever its value comes from."""

    setting: str
    what: str
    allowed: str = ""
    did_you_mean: str = ""
    harmless: bool = False


def check_settings(settings: Settings, origins: Mapping[str, str]) -> list[SettingFault]:
    """Return the faults of settings whose values have the right types; nothing is changed on this machine.

    Args:
        settings: The settings.
        origins: Where the value of each comes from.
    """
    checks = (
        _check_games,
        _check_proxies,
        _check_webhook,
        _check_installed,
        _check_host,
        _check_monitoring,
        _check_cluster,
        _check_ports,
        _check_paths,
        _check_group,
        _check_moderators,
        _check_texts,
    )
    return [
        SettingFault(
            place=origins.get(found.setting, ""),
            setting=found.setting,
            what=found.what,
            allowed=found.allowed,
            did_you_mean=found.did_you_mean,
            harmless=found.harmless,
        )
        for check in checks
        for found in check(settings)
    ]


def _check_games(settings: Settings) -> Iterator[_BadValue]:
    installed = registry.list_slugs()
    for slug in settings.allowed_games:
        if slug not in installed:
            yield _unknown_game("allowed_games", slug, installed)
    allowed = allowed_slugs(settings)
    for slug in settings.default_tables:
        if slug not in installed:
            yield _unknown_game("default_tables", slug, allowed)
        elif slug not in allowed:
            yield _BadValue("default_tables", f"allowed_games does not have {slug}", ", ".join(allowed))
        else:
            yield from _check_usable(slug)


def _unknown_game(setting: str, slug: str, known: list[str]) -> _BadValue:
    return _BadValue(setting, f"there is no game {format_value(slug)} here", ", ".join(known), find_near(slug, known))


def _check_usable(slug: str) -> Iterator[_BadValue]:
    try:
        registry.load_game(slug)
    except ScovilleError as error:
        yield _BadValue("default_tables", error.message.rstrip("."))


def _check_proxies(settings: Settings) -> Iterator[_BadValue]:
    for text in settings.proxies:
        try:
            parse_network(text)
        except ValueError:
            yield _BadValue("proxies", f"got {format_value(text)}", "addresses and networks, such as 10.0.0.0/8")


def _check_webhook(settings: Settings) -> Iterator[_BadValue]:
    address, allowed = settings.webhook, "an address that begins with http:// or https://"
    if not address:
        return
    try:
        parts = urlsplit(address)
        good = parts.scheme in _SCHEMES and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good or not address.isascii() or any(sign <= " " or sign == "\x7f" for sign in address):
        bare = "://" not in address and address.partition("/")[0].count(".") > 0 and " " not in address
        yield _BadValue("webhook", f"got {format_value(address)}", allowed, f'"https://{address}"' if bare else "")


def _check_installed(settings: Settings) -> Iterator[_BadValue]:
    if settings.announce and (sentence := find_missing()):
        yield _BadValue("announce", sentence.rstrip("."))


def _check_host(settings: Settings) -> Iterator[_BadValue]:
    if settings.port is not None:
        yield from _check_listening("host", "port", settings.host, settings.port)


def _check_monitoring(settings: Settings) -> Iterator[_BadValue]:
    listen = settings.metrics.listen
    if not listen:
        return
    try:
        host, port = parse_listen(listen)
    except ValueError:
        yield _BadValue("metrics.listen", f"got {format_value(listen)}", "HOST:PORT, such as 127.0.0.1:9757")
        return
    yield from _check_listening("metrics.listen", "metrics.listen", host, port)


def _check_cluster(settings: Settings) -> Iterator[_BadValue]:
    cluster, allowed = settings.cluster, f"HOST:PORT in a private network, such as 10.0.0.1:{LINK_PORT}"
    if not cluster.link:
        return
    try:
        host, port = parse_listen(cluster.link, "cluster.link", LINK_PORT)
    except ValueError:
        yield _BadValue("cluster.link", f"got {format_value(cluster.link)}", allowed)
        return
    address = parse_peer(host)
    if address is not None and address.is_unspecified:
        yield _BadValue("cluster.link", f"other nodes cannot reach this one at {host}", allowed)
        return
    yield from _check_listening("cluster.link", "cluster.link", host, port)


def _check_listening(of_host: str, of_port: str, host: str, port: int) -> Iterator[_BadValue]:
    """Check that an address is one of this machine, and that this user may open the port."""
    allowed, shown = 'an address of this machine, or "" for all of them', format_value(host)
    try:
        kind, flags = socket.SOCK_STREAM, socket.AI_PASSIVE
        found = socket.getaddrinfo(host or None, port, type=kind, flags=flags)
    except (OSError, ValueError):  # a label that is too long is a ValueError
        yield _BadValue(of_host, f"{shown} cannot be resolved", allowed)
        return
    for family, _, _, _, address in found:
        try:
            with socket.socket(family) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(address)
        except OSError as error:
            # A port in use is no fault of the settings: the server may be running.
            if error.errno == errno.EADDRNOTAVAIL:
                yield _BadValue(of_host, f"{shown} is not an address of this machine", allowed)
                return
            if error.errno == errno.EACCES:
                yield _BadValue(of_port, f"this user may not open port {port}", "ports from 1024 on, or 0")
                return


def _check_ports(settings: Settings) -> Iterator[_BadValue]:
    """Check that the server does not open one port twice; who listens there now is not asked."""
    opened: list[tuple[str, str, int]] = []
    for setting, host, port in _list_ports(settings):
        for other, there, same in opened:
            if port == same and _share_address(host, there):
                what = f"port {port} is the one of {other} already"
                yield _BadValue(setting, what, "another port, or another address")
        opened.append((setting, host, port))


def _list_ports(settings: Settings) -> Iterator[tuple[str, str, int]]:
    """Yield each port that the settings name, as setting, host and port; not 0, which is any free one."""
    if settings.port:
        yield "port", settings.host, settings.port
    for setting, listen in (("cluster.link", settings.cluster.link), ("metrics.listen", settings.metrics.listen)):
        with suppress(ValueError):  # reported as a value of its own
            host, port = parse_listen(listen, setting, LINK_PORT)
            if port:
                yield setting, host, port


def _share_address(host: str, other: str) -> bool:
    """Whether two hosts stand for the same address, or one of them for every address of its kind."""
    here, there = _resolve_host(host), _resolve_host(other)
    return any(
        kind == other_kind and (address == other_address or not int(address) or not int(other_address))
        for kind, address in here
        for other_kind, other_address in there
    )


def _resolve_host(host: str) -> set[tuple[int, IPv4Address | IPv6Address]]:
    """Return the addresses of a host with their kinds; none for an unknown name, which is a fault by itself."""
    try:
        found = socket.getaddrinfo(host or None, 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, ValueError):
        return set()
    return {(kind, ip_address(str(address[0]).partition("%")[0])) for kind, _, _, _, address in found}


def _check_group(settings: Settings) -> Iterator[_BadValue]:
    doors, data = settings.doors, settings.data
    if not doors.enabled:
        return
    try:
        group = find_group(doors.group)
    except SocketError:
        what = f"there is no group {format_value(doors.group)} on this machine"
        yield _BadValue("doors.group", what, "a group of users; groupadd makes one")
        return
    if group is None or data is None:
        return
    shared = doors.socket or data / SOCKET, doors.credential_file or data / CREDENTIAL
    if user := find_outsider(data, group, shared):
        yield _BadValue(
            "doors.group",
            f"the server's user {user} is not a member of {doors.group}, and cannot give it the socket of doors",
            f"a group of {user}; usermod --append --groups {doors.group} {user} makes it one",
            harmless=os.geteuid() == 0,  # who may start it as root
        )


def _check_moderators(settings: Settings) -> Iterator[_BadValue]:
    """Name moderators who cannot be: no start is refused, since a later version may reserve further names."""
    for name in settings.community.moderators:
        cleaned = clean_text(name)
        if not cleaned or len(cleaned) > LONGEST_NAME or check_permitted(cleaned) is not None:
            what = f"nobody can claim the name {format_value(name)}, so it makes nobody a moderator"
            yield _BadValue("community.moderators", what, "claimed names of users", harmless=True)


def _check_paths(settings: Settings) -> Iterator[_BadValue]:
    if settings.data is not None:
        what = _explain_folder(settings.data)
        if what:
            yield _BadValue("data", what, "a folder that the server's user may write")
    if settings.log.file is not None and (what := _explain_file(settings.log.file)):
        yield _BadValue("log.file", what, "a file that the server's user may write, in a folder that exists")
    if not settings.doors.enabled:
        return
    path = settings.doors.socket
    if path is not None:
        if len(os.fsencode(path.name)) > _LONGEST_NAME:
            yield _BadValue("doors.socket", "the name is too long for a Unix socket", f"up to {_LONGEST_NAME} bytes")
        elif what := _explain_file(path):
            yield _BadValue("doors.socket", what, "a path in a folder that exists")
    credential = settings.doors.credential_file
    if credential is not None and (what := _explain_file(credential)):
        yield _BadValue(
            "doors.credential_file", what, "a file that the server's user may write, in a folder that exists"
        )


def _check_texts(settings: Settings) -> Iterator[_BadValue]:
    for text in list_long_texts(settings.community):
        yield _BadValue(f"community.{text.field}", text.what, text.allowed)


def _explain_folder(path: Path) -> str:
    """Say why a folder can neither be used nor made; empty if it can."""
    for folder in (path.absolute(), *path.absolute().parents):
        try:
            mode = folder.stat().st_mode
        except FileNotFoundError:
            continue
        except OSError as error:
            return f"{folder}: {error.strerror}"
        if not stat.S_ISDIR(mode):
            return f"{folder} is not a folder"
        return "" if os.access(folder, os.W_OK | os.X_OK) else f"this user may not write in {folder}"
    return ""


def _explain_file(path: Path) -> str:
    """Say why a file can neither be written nor made; empty if it can."""
    folder = path.absolute().parent
    try:
        if not stat.S_ISDIR(folder.stat().st_mode):
            return f"{folder} is not a folder"
        exists = path.exists()
    except FileNotFoundError:
        return f"there is no folder {folder}"
    except OSError as error:
        return f"{path}: {error.strerror}"
    if path.is_dir():
        return f"{path} is a folder"
    return "" if os.access(path if exists else folder, os.W_OK) else f"this user may not write {path}"
