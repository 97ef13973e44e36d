"""A server in the foreground: its event loop, from its start to a signal, with a bound on how long closing may take."""

import asyncio
import contextlib
import importlib
import logging
import os
import signal
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from scoville_outside.last_resort import allow_end
from scoville_runtime.clock import SYSTEM
from scoville_runtime.log_setup import reopen_log_file, set_up_log
from scoville_runtime.service_manager import ServiceManager, ServiceReports, replace_process, take_inherited
from scoville_runtime.signals import hold_signals, ignore_harmless_signals, release_signals
from scoville_runtime.succession import Predecessor, PredecessorGone
from scoville_server.cli.event_loop import exempt_tables, free_former_server, run_server
from scoville_server.cli.options import NO_OPTIONS, ServerOptions
from scoville_server.cli.output import FAILED, USAGE, complain, count_noun, give_up, print_line, use_format
from scoville_server.cli.restarting import ServerEnding
from scoville_server.control.desk import ControlDesk
from scoville_server.control.service import ControlSocket
from scoville_server.handover import HandsOver
from scoville_server.journal.base import FolderTaken
from scoville_server.moderation.admin_codes import code_text, hint_text
from scoville_server.net.doors.unix_socket import SocketError, has_unix_sockets
from scoville_server.net.interfaces import cannot_listen_text, listening_text
from scoville_server.net.listening import ListeningSockets
from scoville_server.server import Server
from scoville_server.settings.games import list_game_faults
from scoville_server.settings.live import LiveSettings, Reload
from scoville_server.settings.model import BadSettings, LogSettings, Settings, SettingsReader
from scoville_shared.errors import ScovilleError

if TYPE_CHECKING:
    from scoville_server.cluster.node import ClusterNode


_log = logging.getLogger(__name__)
_CLOSING_SECONDS: Final = 30.0
_MOVING_ON_SECONDS: Final = 10.0
"""The same for a node whose users another one has by then: what still waits for the engine was not acknowledged."""
_LEAVING_SECONDS: Final = 3.0
"""How long a node may take to leave the others, once its server is closed."""
_HURRIED_SECONDS: Final = 2.0
"""Seconds to close, and to close after a second signal: a disk that hangs must not keep the process alive."""


def serve(options: ServerOptions = NO_OPTIONS) -> None:
    """Run a Scoville server in the foreground until Ctrl+C."""
    hold_signals()  # first: the start takes a moment, and a reload may come at once
    _name_process()
    try:
        predecessor = Predecessor.find()
    except PredecessorGone as error:
        give_up(f"This process ends: {error}.", FAILED)
    ignore_harmless_signals()
    allow_end()  # a service manager starts it again; before the settings, which import the games
    use_format(options.log_format or "text")  # until the settings are read, for faults in them
    options.check_options()
    read_settings = options.settings_reader()
    try:
        loaded = read_settings()
    except BadSettings as error:
        give_up(error.message, USAGE)
    run_until_stopped(loaded.settings, read_settings, loaded.notes, predecessor)


def _name_process() -> None:
    """Name this process as its command: one that has taken over was started by its interpreter, and had that's name.

    Hosts look for the name with ps, pgrep and systemctl.
    """
    name = Path(sys.argv[0]).name
    if name.startswith("scoville"):
        with contextlib.suppress(OSError):  # only Linux has the file
            Path("/proc/self/comm").write_text(name, encoding="utf-8")


def run_until_stopped(
    chosen: Settings,
    read_settings: SettingsReader,
    notes: Sequence[str] = (),
    predecessor: Predecessor | None = None,
) -> None:
    """Run a server until Ctrl+C or SIGTERM. Exits with a sentence when it cannot start.

    Args:
        chosen: The settings of the start.
        read_settings: Reads them again, for a reload.
        notes: Sentences about values in the sources of the settings that have no effect.
        predecessor: The process that this one is to succeed.
    """
    if predecessor is not None:
        predecessor.use_error_stream()  # before the log, which goes there
    try:
        _use_log(chosen.log)
    except BadSettings as error:
        _report_failure(predecessor, error.message)
        give_up(error.message, USAGE)
    for note in notes:
        _log.warning("%s", note)
    sockets = ListeningSockets(take_inherited(), manager := ServiceManager.from_environment(), keeps=True)
    status = 0
    # Ctrl+C is no failure.
    with contextlib.suppress(KeyboardInterrupt):
        if chosen.cluster.servers:
            ending = run_server(_run_node(chosen, read_settings, sockets, manager))
        else:
            ending = run_server(_run_server(chosen, read_settings, sockets, manager, predecessor))
        if ending.succession is not None:
            ending.succession.forward_signals(ending.reloaded_ms)
            status = FAILED  # a manager that has missed which process is the main one now starts the service again
        elif ending.restarting:
            _replace_process(sockets)
    sockets.close_kept()
    _end_process(status)


def _end_process(status: int) -> None:
    """End this process at once: the interpreter would take everything apart first, and the next server waits for it.

    That takes 0.15 s. Everything is written and closed by now.
    """
    for stream in (sys.stdout, sys.stderr):
        # The reader of the output may have ended first.
        with contextlib.suppress(OSError):
            stream.flush()
    logging.shutdown()
    os._exit(status)


def _is_waited_for(predecessor: Predecessor | None) -> bool:
    """Whether another process still waits for this one to take over."""
    return predecessor is not None and predecessor.waits


def _report_failure(predecessor: Predecessor | None, why: str) -> None:
    """Tell the process that this one was to succeed why it cannot, so that it goes on."""
    if predecessor is not None and predecessor.waits:
        predecessor.report_failure(why)


def _replace_process(sockets: ListeningSockets) -> None:
    """Run this command again in this process, with the version that is installed now."""
    ignore_harmless_signals()  # the event loop has given them back to the system, which would end the process
    sys.stdout.flush()
    logging.shutdown()
    try:
        replace_process(sockets.release_kept())
    except OSError as error:
        give_up(f"The server cannot be started again: {error.strerror}.", FAILED)


def _use_log(log: LogSettings) -> None:
    """Write the log as the settings say. Raises BadSettings if its file cannot be opened."""
    use_format(log.format)
    try:
        set_up_log(log.level, log.format, "server", log.file)
    except OSError as error:
        raise BadSettings(f"log.file: {log.file} cannot be opened: {error.strerror}") from error


async def _run_server(
    settings: Settings,
    read_settings: SettingsReader,
    sockets: ListeningSockets,
    manager: ServiceManager,
    predecessor: Predecessor | None,
) -> ServerEnding:
    server = Server(LiveSettings(settings, read=read_settings), sockets=sockets)
    if predecessor is not None:
        try:
            await _wait_for_turn(predecessor, sockets, manager)
        except PredecessorGone as error:
            give_up(f"This process ends: {error}.", FAILED)
    ending = _watch_signals(manager)
    while True:
        failure = await _serve_until_end(server, settings, ending, sockets, manager, predecessor=predecessor)
        if await ending.is_succeeded():
            ending.reloaded_ms = server.live_settings.last_success_ms
            break
        # With what this process has in its memory: the files of the installed version are those that have failed.
        settings, sockets = server.settings, sockets.next_in_process()
        del server
        free_former_server()
        server = Server(LiveSettings(settings, read=read_settings), sockets=sockets)
    if failure is not None:  # once everything is closed: the doctor would take this server's own ports for busy ones
        if _is_waited_for(predecessor):
            _report_failure(predecessor, str(failure))
            raise SystemExit(FAILED)
        give_up(_describe_failure(settings, failure), FAILED)
    if not ending.restarting:
        print_line("Stopped.")
    return ending


async def _wait_for_turn(predecessor: Predecessor, sockets: ListeningSockets, manager: ServiceManager) -> None:
    """Wait, with everything prepared that can be, until the predecessor has let go. Raises PredecessorGone."""
    # The libraries of TLS take 30 ms to load: the first user who comes back would wait for them.
    importlib.import_module("scoville_server.net.tls.context")
    manager.hold_messages()
    predecessor.report_ready()
    sockets.inherit(await predecessor.wait_for_turn())


async def _succeed_predecessor(predecessor: Predecessor | None, manager: ServiceManager, ending: ServerEnding) -> None:
    """Become the main process of the service, if another one has been. Raises PredecessorGone."""
    if predecessor is not None and predecessor.waits:
        if await predecessor.succeed():
            ending.stop.set()
        manager.send_held()


async def _run_node(
    settings: Settings, read_settings: SettingsReader, sockets: ListeningSockets, manager: ServiceManager
) -> ServerEnding:
    """Run a node of a cluster: it waits, serves when it is its turn, and waits again when another has taken over."""
    from scoville_server.cluster.node import ClusterNode, is_passing  # most servers are alone

    ending = _watch_signals(manager)
    ending.is_node = True
    node = ClusterNode(settings)
    failure: Exception | None = None
    try:
        await node.join(sockets)
        _print_node(node)
        while not ending.stop.is_set() and failure is None:
            if not await _is_its_turn(node, sockets, ending):
                break
            await node.close_port()
            sockets = sockets.next_in_process()
            server = node.make_server(read_settings, sockets)
            failure = await _serve_until_end(server, settings, ending, sockets, manager, node)
            if failure is not None and is_passing(failure):
                print_line(f"{failure} This node waits again.")
                failure = None
            sockets = sockets.next_in_process()
            del server
            # A process that ends now leaves that to the system: its machine may run the node that users come to.
            if not ending.stop.is_set():
                free_former_server()
    except (ScovilleError, OSError) as error:
        failure = error
    finally:
        await _leave_others(node)
    if failure is not None:
        sockets.close_kept()  # the doctor would take the port, which this process has kept for itself, for a busy one
        give_up(_describe_failure(settings, failure), FAILED)
    print_line("Stopped.")
    return ending


async def _leave_others(node: "ClusterNode") -> None:
    leaving = asyncio.ensure_future(node.leave())
    # Bounded: an engine that hangs must not keep the process, and everything is written by now.
    await SYSTEM.wait(leaving, seconds=_LEAVING_SECONDS)
    if leaving.done():
        leaving.result()


async def _is_its_turn(node: "ClusterNode", sockets: ListeningSockets, ending: ServerEnding) -> bool:
    """Wait until a node is to serve; returns whether it is, and not to end."""
    turn, stop = asyncio.ensure_future(node.wait_for_turn(sockets)), asyncio.ensure_future(ending.stop.wait())
    await asyncio.wait([turn, stop], return_when=asyncio.FIRST_COMPLETED)
    stop.cancel()
    if turn.done():
        # Raises what has ended the wait.
        turn.result()
        return True
    turn.cancel()
    return False


async def _serve_until_end(
    server: Server,
    settings: Settings,
    ending: ServerEnding,
    sockets: ListeningSockets,
    manager: ServiceManager,
    node: "ClusterNode | None" = None,
    predecessor: Predecessor | None = None,
) -> Exception | None:
    """Start a server and close it at the end; returns why it could not start, or nothing."""
    control = _make_control(server, settings.data, ending, sockets)
    reports = ServiceReports(manager, SYSTEM, server.describe_briefly, server.check_journal)
    reloads = ReloadSignal(server, reports)
    _reopen_log_at_signals()
    release_signals()
    server.live_settings.live.select(lambda s: s.log).follow(_use_log)
    goes_on, failure = _is_waited_for(predecessor), None  # a predecessor that goes on still has the sockets
    hands_over: HandsOver = ""

    try:
        with exempt_tables():
            await server.start(partial(_succeed_predecessor, predecessor, manager, ending))
        _admit_waiting(node)
        no_control = "" if control is None else await _open_control(control)
        sockets.close_unused()
        reloads.begin_reloading()
        reports.report_ready()
        _print_start(server, no_control)
        await _wait_for_end(ending, server)
        if ending.restarting:
            print_line("Restarting.")
            reports.report_reloading()
            reports.stop_reporting()
        else:
            reports.report_stopping()
        goes_on = ending.restarting or (server.goes_on and not ending.planned)
        if _moves_on(node):
            goes_on = False  # another node goes on with everything
            await server.hand_over_tables(ending.hurry)
            hands_over = _keep_users(node, server)
        elif not goes_on:
            await server.drain(ending.hurry)
        elif ending.restarting:
            hands_over = "inherited"
        elif await sockets.can_store_connections():
            hands_over = "stored"
    except FolderTaken as error:
        _report_failure(predecessor, error.message)
        give_up(error.message, FAILED)
    except (ScovilleError, OSError) as error:
        failure = error
    finally:
        hold_signals()
        reloads.stop_reloading()
        reports.stop_reporting()
        if control is not None and goes_on:
            control.stop_listening()  # two processes that accept would share what comes
        await _close_server(server, ending, sockets, goes_on=goes_on, hands_over=hands_over, node=node)
        if control is not None:
            await control.close_socket(goes_on=goes_on)
    return failure


async def _wait_for_end(ending: ServerEnding, server: Server) -> None:
    """Wait until the server is to end, or another node has taken over."""
    ends = [asyncio.ensure_future(event.wait()) for event in (ending.stop, server.moved)]
    await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    for end in ends:
        end.cancel()


def _admit_waiting(node: "ClusterNode | None") -> None:
    """Let those in who have waited at this node for the one that takes over."""
    if node is not None:
        node.begin_accepting()


def _moves_on(node: "ClusterNode | None") -> bool:
    """Whether another node takes over, so that nobody has to wait for the end of games."""
    return node is not None and node.has_others


def _keep_users(node: "ClusterNode | None", server: Server) -> HandsOver:
    """Return how the next node gets the users of this one, which ends; those of a node that was followed have gone."""
    return "relayed" if node is not None and node.keeps_users and not server.moved.is_set() else ""


def _describe_failure(settings: Settings, failure: Exception) -> str:
    from scoville_server.cli.doctor import describe_failed_start  # loads a library for command lines

    if isinstance(failure, ScovilleError):
        return describe_failed_start(settings, failure.message)
    assert isinstance(failure, OSError), "nothing else refuses a start"
    return describe_failed_start(settings, cannot_listen_text(settings.host, settings.port, failure))


def _print_node(node: "ClusterNode") -> None:
    """Print the role of this node, and whether the engine keeps acknowledged writes."""
    print_line(f"This node has joined the cluster; users reach it at {node.address} when it serves.")
    for doubt in node.doubts:
        print_line(f"Not durable: {doubt}")
    if not node.doubts:
        print_line("The engine syncs its disks, and keeps each move on a majority of three servers or more.")


def _print_start(server: Server, no_control: str) -> None:
    """Print how the server can be reached, and notes for its host."""
    settings = server.settings
    print_line(listening_text(settings.host, server.port, server.key.pin))
    print_line(_describe_storage(settings, server.table_count))
    if server.door_socket is not None:
        print_line(f"Doors connect to {server.door_socket} with the credential in {server.door_credential_file}.")
    if no_control:
        print_line(no_control)
    for fault in list_game_faults(server.settings, server.status.read_status().stopped_games):
        print_line(fault)
    print_admin_codes(server.take_new_admin_codes(), settings.data)
    _warn_of_mode(settings.data)


def _make_control(
    server: Server, data: Path | None, ending: ServerEnding, sockets: ListeningSockets
) -> ControlSocket | None:
    """Make the control socket of a data folder; None where there is none."""
    if data is None or not has_unix_sockets():
        return None
    desk = ControlDesk(server.watch_and_control(ending.stop_as_planned, ending.restart_server))
    return ControlSocket(data, desk, SYSTEM, sockets)


async def _open_control(control: ControlSocket) -> str:
    """Open the control socket. Returns why that is not possible: some file systems have no sockets."""
    await control.begin_sharing()
    try:
        control.open_socket()
    except SocketError as error:
        # The users' games matter more.
        return f"{error.message} The server runs all the same, but scoville-server status and the like do not reach it."
    return ""


class ReloadSignal:
    """Reloads the settings at each SIGHUP, once the server has started; what changes is printed."""

    def __init__(self, server: Server, reports: ServiceReports) -> None:
        self._server = server
        self._reports = reports
        self._signals = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        if hasattr(signal, "SIGHUP"):
            _handle_signal(signal.SIGHUP, self._signals.set)

    def begin_reloading(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._reload_at_signals(), name="reload")

    def stop_reloading(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _reload_at_signals(self) -> None:
        while True:
            await self._signals.wait()
            self._signals.clear()  # before the reload: a file that changes meanwhile is read again
            self._reports.report_reloading()
            print_changes(await self._server.reload())
            self._reports.report_reloaded()
            print_admin_codes(self._server.take_new_admin_codes(), self._server.settings.data)


def print_admin_codes(codes: dict[str, str], data: Path | None) -> None:
    """Print the codes of admins who have no account yet, or where they are.

    Anything but a terminal is a log, such as the journal or that of a container: others read it, and it stays. Without
    a data folder there is no other place for a code.
    """
    for name, code in codes.items():
        print_line(code_text(name, code) if data is None or sys.stdout.isatty() else hint_text(name, data))


def print_changes(reload: Reload) -> None:
    """Print the changes of a reload; one that was refused is an event in the log."""
    for line in reload.list_lines() if reload.is_in_force else ():
        print_line(line)


def _handle_signal(number: signal.Signals, handler: Callable[[], object]) -> None:
    with contextlib.suppress(NotImplementedError):  # on Windows the loop handles no signals
        asyncio.get_running_loop().add_signal_handler(number, handler)


def _reopen_log_at_signals() -> None:
    """Open the log file again at SIGUSR1, which logrotate sends when it has moved it away."""

    def reopen() -> None:
        try:
            reopen_log_file()
        except OSError as error:
            _log.error("The log file cannot be opened again, so the former one stays in use: %s", error.strerror)

    if hasattr(signal, "SIGUSR1"):
        _handle_signal(signal.SIGUSR1, reopen)


def _watch_signals(manager: ServiceManager) -> ServerEnding:
    """Return how the server ends by signals."""
    ending = ServerEnding(manager)
    for number in (signal.SIGINT, signal.SIGTERM):
        _handle_signal(number, ending.stop_server)
    if hasattr(signal, "SIGQUIT"):
        _handle_signal(signal.SIGQUIT, ending.quit_at_once)
    return ending


async def _close_server(
    server: Server,
    ending: ServerEnding,
    sockets: ListeningSockets,
    *,
    goes_on: bool,
    hands_over: HandsOver,
    node: "ClusterNode | None",
) -> None:
    """Close the server; after a second signal it has a moment for running writes, then the process ends.

    Acknowledged moves are on the disk in any case.
    """
    moves_on = _moves_on(node) or server.moved.is_set()

    async def note_end() -> None:
        if node is not None:
            await node.end_serving(leaving=moves_on and not server.moved.is_set())

    def pass_on() -> None:
        if ending.succession is not None:
            ending.succession.begin_passing(sockets)

    closing = asyncio.ensure_future(
        server.close(
            goes_on=goes_on or moves_on,
            hands_over=hands_over,
            moves_on=moves_on,
            on_written=note_end,
            on_kept=pass_on,
        )
    )
    hurried = asyncio.ensure_future(ending.hurry.wait())
    # Bounded: a client that takes no bytes must not keep the process.
    await SYSTEM.wait(closing, hurried, seconds=_MOVING_ON_SECONDS if moves_on else _CLOSING_SECONDS)
    hurried.cancel()
    if not closing.done():
        await SYSTEM.wait(closing, seconds=_HURRIED_SECONDS)
    if not closing.done():
        complain("Stopped before all clients had disconnected; no acknowledged change is lost.")
        logging.shutdown()
        os._exit(FAILED)
    await closing


def _warn_of_mode(data: Path | None) -> None:
    """Warn of a data folder that others can use, as the doctor does."""
    from scoville_server.doctor.permissions import check_folder_mode  # the help loads no journal

    for finding in () if data is None else check_folder_mode(data):
        _log.warning("%s", finding)


def _describe_storage(settings: Settings, tables: int) -> str:
    if settings.data is None:
        return "Nothing is saved: tables, accounts and this server's key are lost when it stops; the pin will be new."
    again = f" Reopened: {count_noun(tables, 'table')}." if tables else ""
    place = f"the cluster {settings.cluster.name}" if settings.cluster.servers else settings.data
    return f"Tables, accounts and finished games are saved in {place}.{again}"
