"""Man pages and completions: the same commands and options as `--help`, readable by their programs."""

import contextlib
import io
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from scoville_client.cli.main import main as run_client
from scoville_server.cli.commands import app
from tests.packaging import man as builder

TREES = builder.read_commands()
FILES = {path.relative_to(builder.FOLDER): text for path, text in builder.write_pages().items()}
COMMANDS = [(program, command) for program, tree in TREES.items() for command in tree.list_all()]


def read_help(program: str, path: tuple[str, ...]) -> str:
    written = io.StringIO()
    with contextlib.redirect_stdout(written), contextlib.suppress(SystemExit):
        if program == "scoville":
            run_client([*path, "--help"])
        else:
            app([*path, "--help"])
    return written.getvalue()


def list_options(page: str) -> set[str]:
    """Return the options in the left column of a help page."""
    lines = [re.sub(r"^[│|]?\s*\*?\s*", "", line) for line in page.splitlines() if re.match(r"^[│|\s]\s*\*?\s*-", line)]
    return {name for line in lines for name in re.findall(r"(?<![\w-])--?[a-z][\w-]*", re.split(r"\s{2,}", line)[0])}


@pytest.mark.parametrize(("program", "command"), COMMANDS, ids=lambda each: "-".join(getattr(each, "path", (each,))))
def test_the_tree_equals_the_help(program: str, command: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert isinstance(command, builder.Command)
    page = read_help(program, command.path)
    named = {name for option in command.options for name in option.names}
    shown = list_options(page)
    if program == "scoville-server" and command.path:
        shown |= {"--help", "-h"}  # help of the server names them on its first page alone
    assert named == shown
    assert {below.path[-1] for below in command.commands} <= {*re.findall(r"[a-z][a-z-]+", page)}


def test_every_command_of_the_server_is_in_the_tree() -> None:
    page = read_help("scoville-server", ())
    shown = {found[1] for line in page.splitlines() if (found := re.match(r"^[│|\s]\s*([a-z][a-z-]+)\s{2,}\S", line))}
    assert {command.path[-1] for command in TREES["scoville-server"].commands} == shown


def test_no_other_file_is_installed() -> None:
    assert {path.relative_to(builder.FOLDER) for path in builder.FOLDER.rglob("*") if path.is_file()} == {*FILES}


@pytest.mark.parametrize(("program", "command"), COMMANDS, ids=lambda each: "-".join(getattr(each, "path", (each,))))
def test_page_and_completions_name_everything(program: str, command: object) -> None:
    assert isinstance(command, builder.Command)
    page = FILES[Path("man/man1") / f"{program}.1"].replace("\\-", "-")
    bash = FILES[Path("bash-completion/completions") / program]
    words = next(each for each in bash.splitlines() if each.strip().startswith(builder.case_of(command)))
    for option in command.options:
        for name in option.names:
            assert f"\\fB{name}\\fR" in page
            assert name in words
    if command.path:
        assert f".SS {program} {' '.join(command.path)}" in page


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
@pytest.mark.parametrize("program", TREES)
def test_the_page_has_no_warning(program: str) -> None:
    page = builder.FOLDER / "man/man1" / f"{program}.1"
    done = subprocess.run(["groff", "-ww", "-man", "-Tutf8", page], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert "COMMANDS" in re.sub(r".\x08|\x1b\[[0-9;]*m", "", done.stdout)


def complete_in_bash(program: str, *words: str) -> list[str]:
    """Return what bash offers behind some words, the last of which is being typed."""
    script = """
    source "$1"; shift; function=$1; shift
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
    "$function"
    printf '%s\\n' "${COMPREPLY[@]}"
    """
    file = builder.FOLDER / "bash-completion/completions" / program
    function = "_" + program.replace("-", "_")
    command = ["bash", "--norc", "-u", "-c", script, "bash", file, function, program, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("scoville", "pr"), ["practice"]),
        (("scoville", "door", ""), ["ssh", "web", "-h", "--help"]),
        (("scoville", "door", "web", "--ce"), ["--cert"]),
        (("scoville", "--language", ""), ["en", "de", "fr"]),
        (("scoville", "--language", "=", "d"), ["de"]),
        (("scoville", "--language", "="), ["en", "de", "fr"]),
        (("scoville", "practice", "--debug-log", ""), []),
        (("scoville-server", "back"), ["backup"]),
        (("scoville-server", "backup", "--log-format", "j"), ["json"]),
        (("scoville-server", "unban", "--re"), ["--reason"]),
    ],
)
def test_bash_completes_commands_options_and_values(words: tuple[str, ...], offered: list[str]) -> None:
    assert complete_in_bash(*words) == offered


@pytest.mark.parametrize("program", TREES)
@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_understands_the_completion(program: str) -> None:
    subprocess.run(["zsh", "-n", builder.FOLDER / "zsh/site-functions" / f"_{program}"], check=True)


@pytest.mark.parametrize("program", TREES)
@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_fish_understands_the_completion(program: str) -> None:
    file = builder.FOLDER / "fish/vendor_completions.d" / f"{program}.fish"
    subprocess.run(["fish", "--no-execute", file], check=True)
    asked = f"source {file}; complete -C '{program} '"
    done = subprocess.run(["fish", "--no-config", "-c", asked], capture_output=True, text=True, check=True)
    offered = {line.split("\t")[0] for line in done.stdout.splitlines()}
    assert {command.path[-1] for command in TREES[program].commands} <= offered
