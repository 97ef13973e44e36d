"""Findings of the doctor: each kind with a stable code, the question that a host asks, and the remedy."""

from collections.abc import Callable
from typing import Final, NamedTuple

from msgspec import Struct


class FindingKind(NamedTuple):
    """A kind of finding.

    Attributes:
        question: A host's question; a heading of the documentation.
        remedy: Advice to the host.
        fixable: Whether `--fix` mends it.
        blocks: Whether it can keep the server from starting.
    """

    question: str
    remedy: str
    fixable: bool = False
    blocks: bool = False


class Finding(Struct, frozen=True, kw_only=True):
    """Something that is wrong here and now.

    Attributes:
        code: Its stable name, a key of `KINDS`.
        text: A sentence that says what is wrong, and where.
        fix: Mends it; None where only the host can. Raises OSError or JournalError.
    """

    code: str
    text: str
    fix: Callable[[], object] | None = None

    @property
    def kind(self) -> FindingKind:
        return KINDS[self.code]

    def __str__(self) -> str:
        # A sentence of the journal has its remedy already.
        remedy = "" if self.kind.remedy in self.text else f" {self.kind.remedy}"
        return f"{self.code}: {self.text}{remedy}"


_RESTORE: Final = "Restore a backup with 'scoville-server restore --force BACKUP'"

KINDS: Final[dict[str, FindingKind]] = {
    "settings_fault": FindingKind(
        "The settings have a fault",
        "Correct the setting; 'scoville-server check-config' shows all faults.",
        blocks=True,
    ),
    "setting_gone": FindingKind(
        "A line of the settings has no effect",
        "Correct it, or take it out: a setting of an earlier version does nothing any more.",
    ),
    "extra_missing": FindingKind(
        "A package is missing that the settings or the units need",
        "Install it into the environment of the server, see the requirements of your installation, or turn off what "
        "needs it.",
        blocks=True,
    ),
    "game_left_out": FindingKind(
        "A game is missing in the list of games",
        "Install a version of the game's package that fits this server, or take it out of allowed_games.",
    ),
    "game_stopped": FindingKind(
        "A game has vanished from the list of games, and its tables were closed",
        "Update or remove the game's package, and restart the server: the game is offered again then.",
    ),
    "folder_unreachable": FindingKind(
        "The data folder cannot be reached",
        "Mount its disk, let the server's user enter every folder above it (chmod o+x FOLDER), or move the data and "
        "set data.",
        blocks=True,
    ),
    "foreign_owner": FindingKind(
        "The log says “Permission denied” for a file of the data folder",
        "As root, run 'scoville-server doctor --fix', or chown -R USER FOLDER.",
        fixable=True,
        blocks=True,
    ),
    "owner_locked_out": FindingKind(
        "The server's user may not read or write one of its own files",
        "Run 'scoville-server doctor --fix', or chmod u+rwX FILE.",
        fixable=True,
        blocks=True,
    ),
    "file_denied": FindingKind(
        "The server's user may not use the settings file, or a file that it names",
        "Give it to the group of the server: chgrp scoville FILE && chmod 640 FILE, and a log or its folder to that "
        "user. The folders above need x for that user.",
    ),
    "folder_open": FindingKind(
        "Other users of the machine can look into the data folder",
        "It holds the cards of running games. Run 'scoville-server doctor --fix', or chmod 700 FOLDER.",
        fixable=True,
    ),
    "file_open": FindingKind(
        "Other users of the machine can read a file of the server",
        "Run 'scoville-server doctor --fix', or chmod 600 FILE. If it is server.key and somebody may have copied it, "
        "make another one with 'scoville-server rotate-key --unsigned'.",
        fixable=True,
    ),
    "disk_full": FindingKind(
        "The disk is full",
        "Free some space: moves are refused until then.",
        blocks=True,
    ),
    "disk_low": FindingKind(
        "The disk is nearly full",
        "Free some space, lower games.bytes, or keep fewer backups on this disk.",
    ),
    "inodes_low": FindingKind(
        "The disk has space, but no file can be made",
        "Remove files that are not needed: the file system has nearly no inodes left.",
    ),
    "slow_sync": FindingKind(
        "Every move takes long",
        "Each move waits for the disk. See what else writes to it, or move the data folder to a faster one.",
    ),
    "clock_wrong": FindingKind(
        "The clock of the machine is wrong",
        "Set the clock, and let NTP keep it. If it is right and was wrong before, stop the server and run "
        "'scoville-server reset-clock'.",
    ),
    "port_busy": FindingKind(
        "The port is in use",
        "Stop the other program, or set another port.",
        blocks=True,
    ),
    "files_limit": FindingKind(
        "Users are refused though connections.total is not reached",
        "Raise the limit of open files (LimitNOFILE= in the unit, or ulimit -Hn), or lower connections.total.",
    ),
    "memory_bound": FindingKind(
        "The server is killed when many users come",
        "Lower limits.memory_mib, which is more than this machine can give.",
    ),
    "proxy_hides_users": FindingKind(
        "All users have the same address",
        "Something relays connections without saying for whom, so that bans and limits hit everybody. Let the proxy "
        "send PROXY headers and name it in proxies.",
    ),
    "socket_unusable": FindingKind(
        "Doors cannot connect",
        "Set another path in doors.socket, in a folder that the doors' user may enter.",
        blocks=True,
    ),
    "group_missing": FindingKind(
        "The group of doors does not exist",
        "Make it with groupadd, or correct doors.group.",
        blocks=True,
    ),
    "group_foreign": FindingKind(
        "The server cannot give its socket to the group of doors",
        "Make the server's user a member (usermod --append --groups GROUP USER), or correct doors.group.",
        blocks=True,
    ),
    "credential_open": FindingKind(
        "Users of the machine who are no doors can read the door credential",
        "Run 'scoville-server doctor --fix'. If somebody may have copied it, stop the server and its doors, delete the "
        "file and start them: the server makes another one.",
        fixable=True,
    ),
    "credential_unreadable": FindingKind(
        "A door cannot read its credential",
        "Run 'scoville-server doctor --fix', which gives it to the group of doors.group.",
        fixable=True,
    ),
    "credential_damaged": FindingKind(
        "The door credential is damaged",
        "Delete the file; the server makes another one.",
        blocks=True,
    ),
    "certificate_ends": FindingKind(
        "Browsers warn of the certificate",
        "Renew the certificate of the web door.",
    ),
    "certificate_unusable": FindingKind(
        "The certificate of the web door cannot be used",
        "Name a file in PEM format that this user may read.",
    ),
    "half_copy": FindingKind(
        "The journal lacks writes that the server has acknowledged",
        f"Put the missing files back, or: {_RESTORE}.",
        blocks=True,
    ),
    "journal_unusable": FindingKind("The journal cannot be used", f"{_RESTORE}.", blocks=True),
    "rows_damaged": FindingKind(
        "The journal has damaged rows",
        "The server starts without them. A backup may have them.",
    ),
    "backup_unfinished": FindingKind(
        "The data folder is a backup that was not finished",
        "Use another backup, or run 'scoville-server backup' again.",
        blocks=True,
    ),
    "key_unusable": FindingKind(
        "The server's key is missing or damaged",
        "Copy server.key from a backup, or the clients of your players warn of another server.",
        blocks=True,
    ),
    "restore_unfinished": FindingKind(
        "A restore was not finished",
        "Start the server once: it finishes the restore.",
    ),
    "restore_leftover": FindingKind(
        "A killed restore has left files",
        "Stop the server and run 'scoville-server doctor --fix', or delete the folder.",
        fixable=True,
    ),
    "old_copies": FindingKind(
        "Old copies in the data folder take space",
        "They are from restores and upgrades. Delete those that you do not need for going back.",
    ),
    "games_missing": FindingKind(
        "Finished games are missing",
        "Put the files back from a backup.",
        blocks=True,
    ),
    "game_damaged": FindingKind(
        "A finished game cannot be exported",
        "Its file has changed since the server wrote it. Copy it from a backup.",
    ),
    "audit_damaged": FindingKind(
        "The audit log is damaged",
        "The lines are ignored; a backup may have them.",
    ),
    "engine_unreachable": FindingKind(
        "Nothing can be saved in a cluster",
        "Start the servers of NATS, and look at the network between them and this machine.",
    ),
    "engine_not_durable": FindingKind(
        "A cluster calls itself not durable",
        "Change the settings of the servers of NATS as docs/scaling.md has them. One that has lost messages copies "
        "them from the others once its store is empty.",
    ),
    "links_lost": FindingKind(
        "Links between the nodes of a cluster are lost again and again",
        "Look at the network between the nodes, and whether a firewall lets each one reach the port for links of the "
        "others, as docs/scaling.md has it.",
    ),
    "node_alone": FindingKind(
        "Nobody takes over from the node of a cluster",
        "Start the other nodes.",
    ),
    "no_backup": FindingKind(
        "There is no backup",
        "Run 'scoville-server backup FOLDER --keep 7' each night; packaging/systemd has a timer.",
    ),
    "backup_old": FindingKind(
        "The last backup is old",
        "Look why the timer does not run: systemctl list-timers scoville-backup.timer",
    ),
    "backup_failed": FindingKind(
        "The latest backup has failed",
        "Remove the cause, and run 'scoville-server backup' again.",
    ),
    "backup_missing": FindingKind(
        "The last backup is not where it was",
        "Bring its disk back, or make another backup.",
    ),
    "backup_damaged": FindingKind(
        "The last backup cannot be restored",
        "Make another backup now, and look at the disk of the backups.",
    ),
    "backup_interrupted": FindingKind(
        "Killed backups take space",
        "Run 'scoville-server doctor --fix', or delete the folders; the next backup with --keep removes them too.",
        fixable=True,
    ),
    "unit_failed": FindingKind(
        "systemd does not start the server any more",
        "Mend what 'journalctl -u scoville-server' says, then run: systemctl reset-failed scoville-server; "
        "systemctl start scoville-server",
    ),
    "unit_differs": FindingKind(
        "Another port or data folder in the settings does not work",
        "Let the units name what the settings name: 'systemctl edit --full UNIT', then 'systemctl daemon-reload', and "
        "restart both.",
    ),
}
"""Every kind of finding by its code, in the order of the documentation."""
