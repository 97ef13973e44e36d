"""Scripts document themselves: each has a `--help`, and the documents name existing ones."""

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from scoville_client.tui.actions import ACTIONS
from scoville_client.tui.boards import find_board
from scoville_shared.games.registry import list_slugs
from tests.support.tree import ROOT, tracked_files, tracked_scripts

DOCUMENTS = [path for path in tracked_files() if path.suffix == ".md"]


def described(script: Path) -> str:
    """Return a script's one-line summary: the comment under its first line, or its docstring."""
    second = script.read_text(encoding="utf-8").splitlines()[1]
    return second.strip('#" ')


@pytest.mark.parametrize("script", tracked_scripts(), ids=lambda path: path.name)
def test_a_script_can_be_run_and_says_what_it_does(script: Path) -> None:
    assert script.stat().st_mode & stat.S_IXUSR
    assert script.read_text(encoding="utf-8").startswith("#!")
    assert re.fullmatch(r"[A-Z].{10,120}[.:]", described(script)), described(script)


@pytest.mark.parametrize(
    "script", [*tracked_scripts(), *(ROOT / "scripts/lib").glob("*.sh")], ids=lambda path: path.name
)
def test_a_shell_script_is_understood_by_the_plainest_shell(script: Path) -> None:
    if "python" not in script.read_text(encoding="utf-8").splitlines()[0]:
        shell = "bash" if "bash" in script.read_text(encoding="utf-8").splitlines()[0] else "sh"
        assert subprocess.run([shell, "-n", script], capture_output=True, check=False).returncode == 0


def test_ci_runs_what_everybody_runs() -> None:
    run = ROOT / ".ci/run"
    assert os.access(run, os.X_OK)
    assert run.read_text(encoding="utf-8").splitlines()[-1] == 'exec "$(dirname -- "$0")/../scripts/test"'


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_document_names_only_scripts_and_files_that_exist(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    named = set(re.findall(r"\bscripts/[\w./-]*\w", text))
    linked = set(re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", text))
    missing = {name for name in named if not (ROOT / name).exists()}
    missing |= {link for link in linked if not (document.parent / link).exists()}
    assert missing == set()


def test_every_script_stands_in_the_contributors_manual() -> None:
    manual = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert [script.name for script in tracked_scripts() if f"scripts/{script.name}" not in manual] == []


def test_documents_name_only_commands_that_exist() -> None:
    output = subprocess.run(
        [Path(sys.executable).parent / "scoville", "--help"], capture_output=True, text=True, check=True
    ).stdout
    commands = set(re.findall(r"^\W*([a-z-]+) {2,}", output, re.MULTILINE))
    texts = "\n".join(document.read_text(encoding="utf-8") for document in DOCUMENTS)
    named = set(re.findall(r"(?:^|`)scoville ([a-z-]+)", texts, re.MULTILINE))
    assert named <= commands


def test_the_page_of_keys_names_keys_that_exist() -> None:
    section = (ROOT / "docs/playing.md").read_text(encoding="utf-8").partition("\n## Keys\n")[2].partition("\n## ")[0]
    output = {key for row in re.findall(r"^\|(.*?)\|", section, re.MULTILINE) for key in re.findall(r"`(.+?)`", row)}
    own = [action for slug in list_slugs() for action in find_board(slug).ACTIONS]
    written = {key for action in (*ACTIONS, *own) for key in action.written.split()}
    assert output
    assert output <= written
