"""What a host expects of the installed services, step by step; each begins where the one before has ended."""

import re
from collections.abc import Callable

from tests.documentation.host_machine import read_blocks
from tests.e2e.systemd.machine import Failed, SystemdMachine
from tests.support.tree import ROOT

SERVER, SOCKET, BACKUP = "scoville-server.service", "scoville-server.socket", "scoville-backup.service"
DOORS = ("scoville-ssh.service", "scoville-web.service")
SETTINGS = "/etc/scoville/server.toml"
LOG = "/var/log/scoville/server.log"
"""The log file of the page on control."""
EXECUTED = {"", "needs=systemd"}
"""Marks of the blocks that are executed: an index of packages and a firewall are not there."""
_PAGE = """
import sys, urllib.request
print(urllib.request.urlopen("http://127.0.0.1:8080/", timeout=60).status)
"""
_BANNER = """
import socket
with socket.create_connection(("127.0.0.1", 2222), 60) as door:
    print(door.recv(7).decode())
"""


def follow_the_manual(machine: SystemdMachine) -> None:
    """The installation page installs server, doors and backups."""
    page = read_blocks(ROOT / "docs/host/install.md")
    machine.run_blocks(block for block in page if block.language == "sh" and block.mark in EXECUTED)
    for unit in (SERVER, SOCKET, *DOORS, "scoville-backup.timer"):
        expect_property(machine, unit, "ActiveState", "active")


def let_users_in(machine: SystemdMachine) -> None:
    """The client, ssh and a browser get in."""
    join_server(machine)
    for code, answer in (_BANNER, "SSH-2.0"), (_PAGE, "200"):
        said = machine.run("/opt/scoville/bin/python", "-c", code).strip()
        if said != answer:
            raise Failed(f"a door answers {said!r}, not {answer!r}")


def reload_settings(machine: SystemdMachine) -> None:
    """A reload takes over what has changed, and refuses a typo in a sentence, without a restart."""
    before = machine.show(SERVER, "MainPID")
    settings = machine.run("cat", SETTINGS)
    machine.write_file(SETTINGS, settings + '\n[community]\nmotd = "Hello"\n')
    machine.run("systemctl", "reload", SERVER)
    if "config_reload changed=1" not in machine.read_log(SERVER):
        raise Failed("the log does not name the change")
    machine.write_file(SETTINGS, settings + '\n[community]\nmodt = "Hello"\n')
    if machine.call("systemctl", "reload", SERVER).returncode == 0:
        raise Failed("systemd reports a reload that was refused as done")
    if "did you mean" not in machine.read_log(SERVER):
        raise Failed("the log does not say what is wrong")
    expect_property(machine, SERVER, "MainPID", before)
    machine.write_file(SETTINGS, settings)
    machine.run("systemctl", "reload", SERVER)


def move_the_log(machine: SystemdMachine) -> None:
    """A log file goes where the page says, and is made anew after logrotate has moved it away."""
    settings = machine.run("cat", SETTINGS)
    machine.write_file(SETTINGS, settings + f'\n[log]\nfile = "{LOG}"\n')
    machine.run("systemctl", "restart", SERVER)
    machine.run("mv", LOG, f"{LOG}.1")
    machine.run("systemctl", "kill", "--kill-whom=main", "--signal=USR1", SERVER)
    join_server(machine)
    if " hello " not in machine.run("cat", LOG):
        raise Failed(f"the log {LOG} was not opened again")
    machine.write_file(SETTINGS, settings)
    machine.run("systemctl", "restart", SERVER)


def restart_in_place(machine: SystemdMachine) -> None:
    """A successor becomes the main process, which systemd goes on to watch."""
    before = machine.show(SERVER, "MainPID")
    machine.run("scoville-server", "restart")
    expect_property(machine, SERVER, "ActiveState", "active")
    expect_property(machine, SERVER, "NRestarts", "0")
    now = machine.show(SERVER, "MainPID")
    if now == before:
        raise Failed("the process is still the former one")
    if (name := machine.run("cat", f"/proc/{now}/comm").strip()) != "scoville-server":
        raise Failed(f"the process is called {name}")
    join_server(machine)


def start_again_after_a_crash(machine: SystemdMachine) -> None:
    """A server that is killed is started again, also one that took over in place."""
    start_again_after_signal(machine, "-KILL")


def refuse_wrong_settings(machine: SystemdMachine) -> None:
    """A start with wrong settings fails once, with a sentence in the log, and is not tried again."""
    settings = machine.run("cat", SETTINGS)
    machine.write_file(SETTINGS, settings + "\nport = 70000\n")
    machine.run("systemctl", "stop", SOCKET, SERVER)
    if machine.call("systemctl", "start", SERVER).returncode == 0:
        raise Failed("systemd reports a start with wrong settings as done")
    expect_property(machine, SERVER, "ActiveState", "failed")
    expect_property(machine, SERVER, "ExecMainStatus", "2")
    expect_property(machine, SERVER, "NRestarts", "0")
    said = machine.read_log(SERVER).split("\n")
    if not any(re.search(r"server\.toml:\d+: ", line) for line in said):
        raise Failed(f"the log does not name the line: {said[-5:]}")
    machine.write_file(SETTINGS, settings)
    machine.run("systemctl", "reset-failed", SERVER)
    machine.run("systemctl", "start", SOCKET, SERVER)
    join_server(machine)


def start_for_a_connection(machine: SystemdMachine) -> None:
    """A connection to the port of a stopped server starts it."""
    machine.run("systemctl", "stop", SERVER)
    expect_property(machine, SERVER, "ActiveState", "inactive")
    join_server(machine)
    machine.wait_for(SERVER, "ActiveState", "active")


def back_up_and_upgrade(machine: SystemdMachine) -> None:
    """What the page on upgrades does with services."""
    for block in read_blocks(ROOT / "docs/host/upgrade.md"):
        lines = [line for line in block.text.splitlines() if block.mark == "needs=pip" and "/pip " not in line]
        if lines:
            machine.run_blocks([block._replace(text="\n".join(lines))])
    for unit in (SERVER, *DOORS):
        expect_property(machine, unit, "ActiveState", "active")
    expect_property(machine, BACKUP, "Result", "success")


def stop_everything(machine: SystemdMachine) -> None:
    """Nothing runs on once the units are stopped."""
    machine.run("systemctl", "stop", SOCKET, SERVER, *DOORS)
    for unit in (SERVER, *DOORS):
        expect_property(machine, unit, "ActiveState", "inactive")
        expect_property(machine, unit, "Result", "success")
    if machine.call("pgrep", "-f", "/opt/scoville").returncode == 0:
        raise Failed(f"still running: {machine.run('pgrep', '-af', '/opt/scoville')}")


def start_again_after_a_hang(machine: SystemdMachine) -> None:
    """A server that hangs for half a minute is killed and started again; nothing in it can notice that."""
    start_again_after_signal(machine, "-STOP")


STEPS: tuple[Callable[[SystemdMachine], None], ...] = (
    follow_the_manual,
    let_users_in,
    reload_settings,
    move_the_log,
    restart_in_place,
    start_again_after_a_crash,
    refuse_wrong_settings,
    start_for_a_connection,
    back_up_and_upgrade,
)
"""What takes seconds; `stop_everything` is the last step of all."""


def start_again_after_signal(machine: SystemdMachine, signal: str) -> None:
    """Send the server a signal after which systemd must start it again, and join the new one. Raises Failed."""
    restarts = int(machine.show(SERVER, "NRestarts"))
    machine.run("kill", signal, machine.show(SERVER, "MainPID"))
    machine.wait_for(SERVER, "NRestarts", str(restarts + 1))
    machine.wait_for(SERVER, "ActiveState", "active")
    join_server(machine)


def expect_property(machine: SystemdMachine, unit: str, name: str, value: str) -> None:
    """Compare a property of a unit. Raises Failed."""
    if (now := machine.show(unit, name)) != value:
        raise Failed(f"{unit}: {name} is {now}, not {value}\n{machine.read_log(unit)}")


def join_server(machine: SystemdMachine) -> None:
    """Join the server with the client, and leave it again. Raises Failed."""
    said = machine.run("scoville", "join", "127.0.0.1", "--plain", "--name", "Zoe", text="quit\n")
    if "You are Zoe" not in said:
        raise Failed(f"the client says {said!r}")
