"""Benchmarks that reach into the program, in a short form: what they fill and follow is still there."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"
BENCHMARKS = SCRIPTS / "benchmarks"
APART = SCRIPTS / "lib" / "apart.py"
REFRESHES = """
import _board_refresh
_board_refresh.MOVES = 1
print(len(_board_refresh.refresh_times()))
"""


def run(*arguments: str) -> str:
    """Run Python in the folder of the benchmarks; return what it prints."""
    done = subprocess.run([sys.executable, *arguments], cwd=BENCHMARKS, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="the benchmark reads /proc")
@pytest.mark.parametrize("resource", ["users", "tokens", "careers", "chat", "tables", "settings"])
def test_a_resource_is_filled_and_measured(resource: str) -> None:
    assert float(run("memory.py", "--only", resource, "--share", "0.0005")) >= 0


def test_refreshes_of_a_board_are_counted() -> None:
    assert int(run("-c", REFRESHES)) >= 1


@pytest.mark.parametrize(
    "name", ["bench", "browser", "cluster", "fuzz", "kill", "restarts", "shot", "soak", "strangers"]
)
def test_a_program_that_plays_leaves_what_the_user_keeps_alone(name: str) -> None:
    started = [line for line in (SCRIPTS / name).read_text().splitlines() if line.lstrip().startswith("exec ")]
    assert started
    assert all("scripts/lib/apart.py" in line for line in started)


@pytest.mark.parametrize("module", [False, True])
def test_a_program_runs_apart_with_its_arguments_and_status(module: bool, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import sys; from pathlib import Path; from platformdirs import user_data_path, user_state_path\n"
        "import beside; folder = user_data_path('scoville'); folder.mkdir(parents=True); print(folder, sys.argv[1:])\n"
        "print(user_state_path('scoville')); sys.exit(3)"
    )
    (tmp_path / "beside.py").touch()
    how = ["-m", "program"] if module else [str(program)]
    environment = {"HOME": str(tmp_path / "home"), "PATH": ""}
    done = subprocess.run(
        [sys.executable, str(APART), *how, "--one", "two"],
        env=environment, cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 3, done.stderr
    data, state = done.stdout.splitlines()
    folder, arguments = data.split(" ", 1)
    assert arguments == "['--one', 'two']"
    assert not Path(folder).exists(), "the folder goes with the program"
    assert not folder.startswith(str(tmp_path / "home"))
    assert not state.startswith(str(tmp_path / "home"))
