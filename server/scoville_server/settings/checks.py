"""Checks of settings beyond their types: names of games, addresses, folders, and what has to be installed for them."""

import errno
import os
import socket
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from scoville_server.moderation.model.community import list_long_texts
from scoville_server.net.lan.publisher import missing
from scoville_server.nodes.settings import LINK_PORT
from scoville_server.observation.metrics_settings import parse_listen
from scoville_server.settings.description import format_value
from scoville_server.settings.faults import SettingFault, find_near
from scoville_server.settings.games import allowed_slugs
from scoville_server.settings.model import Settings
from scoville_shared.errors import ScovilleError
from scoville_shared.games import registry
from scoville_shared.networks import parse_network, parse_peer

_LONGEST_NAME: Final = 70
"""Bytes of the name of a Unix socket that every system takes, whatever the folder is called."""
_SCHEMES: Final = ("http", "https")


class _Found(NamedTuple):
    """What is wrong with a setting, wherever its value comes from."""

    setting: str
    what: str
    allowed: str = ""
    did_you_mean: str = ""


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
        _check_paths,
        _check_texts,
    )
    return [
        SettingFault(
            place=origins.get(found.setting, ""),
            setting=found.setting,
            what=found.what,
            allowed=found.allowed,
            did_you_mean=found.did_you_mean,
        )
        for check in checks
        for found in check(settings)
    ]


def _check_games(settings: Settings) -> Iterator[_Found]:
    installed = registry.list_slugs()
    for slug in settings.allowed_games:
        if slug not in installed:
            yield _unknown_game("allowed_games", slug, installed)
    allowed = allowed_slugs(settings)
    for slug in settings.default_tables:
        if slug not in installed:
            yield _unknown_game("default_tables", slug, allowed)
        elif slug not in allowed:
            yield _Found("default_tables", f"allowed_games does not have {slug}", ", ".join(allowed))
        else:
            yield from _check_usable(slug)


def _unknown_game(setting: str, slug: str, known: list[str]) -> _Found:
    return _Found(setting, f"there is no game {format_value(slug)} here", ", ".join(known), find_near(slug, known))


def _check_usable(slug: str) -> Iterator[_Found]:
    try:
        registry.load_game(slug)
    except ScovilleError as error:
        yield _Found("default_tables", error.message.rstrip("."))


def _check_proxies(settings: Settings) -> Iterator[_Found]:
    for text in settings.proxies:
        try:
            parse_network(text)
        except ValueError:
            yield _Found("proxies", f"got {format_value(text)}", "addresses and networks, such as 10.0.0.0/8")


def _check_webhook(settings: Settings) -> Iterator[_Found]:
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
        yield _Found("webhook", f"got {format_value(address)}", allowed, f'"https://{address}"' if bare else "")


def _check_installed(settings: Settings) -> Iterator[_Found]:
    if settings.announce and (sentence := missing()):
        yield _Found("announce", sentence.rstrip("."))


def _check_host(settings: Settings) -> Iterator[_Found]:
    if settings.port is not None:
        yield from _check_listening("host", "port", settings.host, settings.port)


def _check_monitoring(settings: Settings) -> Iterator[_Found]:
    listen = settings.metrics.listen
    if not listen:
        return
    try:
        host, port = parse_listen(listen)
    except ValueError:
        yield _Found("metrics.listen", f"got {format_value(listen)}", "HOST:PORT, such as 127.0.0.1:9757")
        return
    yield from _check_listening("metrics.listen", "metrics.listen", host, port)


def _check_cluster(settings: Settings) -> Iterator[_Found]:
    cluster, allowed = settings.cluster, f"HOST:PORT in a private network, such as 10.0.0.1:{LINK_PORT}"
    if not cluster.link:
        return
    try:
        host, port = parse_listen(cluster.link, "cluster.link", LINK_PORT)
    except ValueError:
        yield _Found("cluster.link", f"got {format_value(cluster.link)}", allowed)
        return
    address = parse_peer(host)
    if address is not None and address.is_unspecified:
        yield _Found("cluster.link", f"other nodes cannot reach this one at {host}", allowed)
        return
    yield from _check_listening("cluster.link", "cluster.link", host, port)


def _check_listening(of_host: str, of_port: str, host: str, port: int) -> Iterator[_Found]:
    """Check that an address is one of this machine, and that this user may open the port."""
    allowed, shown = 'an address of this machine, or "" for all of them', format_value(host)
    try:
        kind, flags = socket.SOCK_STREAM, socket.AI_PASSIVE
        found = socket.getaddrinfo(host or None, port, type=kind, flags=flags)
    except (OSError, ValueError):  # a label that is too long is a ValueError
        yield _Found(of_host, f"{shown} cannot be resolved", allowed)
        return
    for family, _, _, _, address in found:
        try:
            with socket.socket(family) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(address)
        except OSError as error:
            # A port in use is no fault of the settings: the server may be running.
            if error.errno == errno.EADDRNOTAVAIL:
                yield _Found(of_host, f"{shown} is not an address of this machine", allowed)
                return
            if error.errno == errno.EACCES:
                yield _Found(of_port, f"this user may not open port {port}", "ports from 1024 on, or 0")
                return


def _check_paths(settings: Settings) -> Iterator[_Found]:
    if settings.data is not None:
        what = _explain_folder(settings.data)
        if what:
            yield _Found("data", what, "a folder that the server's user may write")
    if settings.log.file is not None and (what := _explain_file(settings.log.file)):
        yield _Found("log.file", what, "a file that the server's user may write, in a folder that exists")
    if not settings.doors.enabled:
        return
    path = settings.doors.socket
    if path is not None:
        if len(os.fsencode(path.name)) > _LONGEST_NAME:
            yield _Found("doors.socket", "the name is too long for a Unix socket", f"up to {_LONGEST_NAME} bytes")
        elif what := _explain_file(path):
            yield _Found("doors.socket", what, "a path in a folder that exists")
    credential = settings.doors.credential_file
    if credential is not None and (what := _explain_file(credential)):
        yield _Found("doors.credential_file", what, "a file that the server's user may write, in a folder that exists")


def _check_texts(settings: Settings) -> Iterator[_Found]:
    for text in list_long_texts(settings.community):
        yield _Found(f"community.{text.field}", text.what, text.allowed)


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
