"""Settings of a running server: which ones change at a reload, and which ones need a restart."""

import logging
from collections.abc import Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from scoville_runtime.clock import SYSTEM, Clock
from scoville_server.limits.live import Live
from scoville_server.settings.derived import value_of, with_value
from scoville_server.settings.description import all_settings, format_value, shown_value
from scoville_server.settings.model import OF_ONE_RUN, BadSettings, LoadedSettings, Settings, SettingsReader

_log = logging.getLogger(__name__)

NEEDS_RESTART: Final[Mapping[str, str]] = {
    "host": "the server listens on the addresses that it bound at its start",
    "port": "the server listens on the port that it bound at its start",
    "data": "the journal of the data folder is open",
    "peppers": "the options of games are fixed when the server starts",
    "announce": "the server joins the local network's announcements at its start",
    "allowed_games": "games that were loaded stay in the process, and running tables need theirs",
    "metrics.listen": "the port for monitoring is bound at the start",
    "cluster.servers": "a node joins its cluster at its start",
    "cluster.name": "a node joins its cluster at its start",
    "cluster.address": "a node joins its cluster at its start",
    "cluster.link": "the port for links is bound at the start",
    "cluster.system": "a node joins its cluster at its start",
    "cluster.ca_file": "a node joins its cluster at its start",
    "doors.enabled": "the socket of doors is bound at the start",
    "doors.socket": "the socket of doors is bound at the start",
    "doors.credential_file": "the credential of doors is read at the start",
    "doors.group": "the socket and the credential of doors are made at the start",
}
"""Settings that a reload cannot change, each with the reason. All others change at once."""

SECRET: Final = frozenset({"webhook"})
"""Settings whose values are left out of logs: with the address of a webhook anybody can write to its channel."""


class SettingChange(Struct, frozen=True, kw_only=True):
    """A setting whose value has changed.

    Attributes:
        setting: Its name, such as `connections.total`.
        old: The value before, as a settings file would hold it.
        new: The value that the sources hold now.
        origin: Where that comes from, such as `server.toml:12`; empty if unknown.
        restart: Why it needs a restart; empty if it holds already.
    """

    setting: str
    old: str
    new: str
    origin: str = ""
    restart: str = ""

    def __str__(self) -> str:
        origin = f" ({self.origin})" if self.origin else ""
        if self.setting in SECRET:
            return f"Changed: {self.setting}{origin}"
        change = f"{self.setting}: {self.old} → {self.new}{origin}"
        return f"Needs a restart: {change}; {self.restart}" if self.restart else f"Changed: {change}"


class Reload(Struct, frozen=True, kw_only=True):
    """The result of a reload. Either all changes were made or none.

    Attributes:
        changed: Changes that hold from now on.
        needs_restart: Changes that wait for the next start.
        faults: Why nothing was changed, a sentence each; empty if the settings could be used.
    """

    changed: tuple[SettingChange, ...] = ()
    needs_restart: tuple[SettingChange, ...] = ()
    faults: tuple[str, ...] = ()

    @property
    def is_in_force(self) -> bool:
        """Whether the new settings hold, as far as a reload can change them."""
        return not self.faults

    def list_lines(self) -> list[str]:
        """Return a line for each change or fault."""
        if self.faults:
            return [f"Nothing was changed: {fault}" for fault in self.faults]
        changes = [str(change) for change in (*self.changed, *self.needs_restart)]
        return changes or ["Nothing has changed."]


class LiveSettings:
    """The holder of a server's settings: services ask `live`, or a part that they select of it.

    Args:
        settings: The settings at the start.
        clock: Dates what `last_success_ms` says.
        read: Reads the settings again for a reload; without it they stay as they are.

    Attributes:
        read: The same; files may be slow, so that it is called in a thread.
        live: The settings that hold now.
        last_reload_ok: Whether the latest reload, or the start, could use the settings.
        last_success_ms: When settings were used last, in milliseconds since 1970.
    """

    def __init__(self, settings: Settings, clock: Clock = SYSTEM, read: SettingsReader | None = None) -> None:
        self.live = Live(settings)
        self.read = read or (lambda: LoadedSettings(self.live.value))
        self._clock = clock
        self.last_reload_ok = True
        self.last_success_ms = clock.date_ms()

    def refuse_reload(self, faults: tuple[str, ...]) -> Reload:
        """Note that new settings cannot be used; the old ones stay."""
        self.last_reload_ok = False
        return Reload(faults=faults)

    def apply_settings(self, wanted: Settings, origins: Mapping[str, str] | None = None) -> Reload:
        """Change everything that can change while the server runs, or nothing if a service refuses."""
        old = self.live.value
        changes = list_changes(old, wanted, origins or {})
        restart = tuple(change for change in changes if change.restart)
        # `live` has the values in force: those that need a restart stay as they were until then.
        for change in restart:
            wanted = with_value(wanted, change.setting, value_of(old, change.setting))
        wanted = replace(wanted, **{name: getattr(old, name) for name in OF_ONE_RUN})
        try:
            self.live.change_to(wanted)
        except Exception as error:  # noqa: BLE001 - whatever a service cannot do, the old settings hold again
            # Services before the one that refused have changed already.
            self.live.change_to(old)
            if isinstance(error, BadSettings):
                return self.refuse_reload((error.message,))
            _log.exception("The settings could not be changed")
            return self.refuse_reload((f"A service could not use the new settings: {error}",))
        self.last_reload_ok, self.last_success_ms = True, self._clock.date_ms()
        return Reload(changed=tuple(change for change in changes if not change.restart), needs_restart=restart)


def list_changes(old: Settings, new: Settings, origins: Mapping[str, str]) -> list[SettingChange]:
    """List the settings in which two differ."""
    return [
        SettingChange(
            setting=setting.key,
            old=format_value(shown_value(setting.key, setting.value)),
            new=format_value(shown_value(setting.key, value_of(new, setting.key))),
            origin=origins.get(setting.key, ""),
            restart=NEEDS_RESTART.get(setting.key, ""),
        )
        for setting in all_settings(old)
        if not setting.is_table and setting.value != value_of(new, setting.key)
    ]
