"""Installs the services on a copy of this machine with a systemd of its own, and does with them what hosts do."""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.e2e.lan.network import SKIPPED, NotPermitted
from tests.e2e.restarts.__main__ import make_parser
from tests.e2e.systemd.machine import Failed, SystemdMachine, boot_machine
from tests.e2e.systemd.trial import SERVER, STEPS, start_again_after_a_hang, stop_everything

_NO_BOUND = "[Service]\n# All players come from one address.\nEnvironment=SCOVILLE_LIMITS__PER_ADDRESS=0\n"


def main() -> int:
    asked = sys.argv[1:]
    make_parser("scripts/systemd", __doc__).parse_args(asked)
    try:
        with TemporaryDirectory() as folder, boot_machine(Path(folder) / "machine") as machine:
            for step in (*STEPS, start_again_after_a_hang):
                step(machine)
                print(step.__doc__, flush=True)
            status = play_through_restarts(machine, asked)
            stop_everything(machine)
            print(stop_everything.__doc__)
            return status
    except NotPermitted as reason:
        print(f"skipped: {reason}")
        return SKIPPED
    except Failed as fault:
        print(f"failed: {fault}")
        return 1


def play_through_restarts(machine: SystemdMachine, asked: list[str]) -> int:
    """Let users play in the machine's network while its server restarts; returns the exit status."""
    machine.write_file(f"/etc/systemd/system/{SERVER}.d/players.conf", _NO_BOUND)
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "restart", SERVER)
    play = [sys.executable, "-m", "tests.e2e.systemd.play", str(machine.pid), *asked]
    return subprocess.run([*machine.list_namespaces("--net"), *play], check=False).returncode


sys.exit(main())
