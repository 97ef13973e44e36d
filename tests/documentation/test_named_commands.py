"""Commands that documents and sentences of the programs name exist, with all their options, as `--help` has them."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.packaging.man import Command, read_commands
from tests.support.tree import ROOT

TREES = read_commands()
PAGES = [*ROOT.glob("*.md"), *sorted((ROOT / "docs").glob("**/*.md")), *sorted((ROOT / "examples").glob("**/*.md"))]
SOURCES = sorted(path for name in ("client", "server", "shared") for path in (ROOT / name).glob("**/*.py"))
_SPAN = re.compile(r"`(scoville(?:-server)? [^`\n]+)`")
_QUOTED = re.compile(r"'(scoville(?:-server)? [^'\n{}\"]+)'")
_LINE = re.compile(r"^ *(?:sudo (?:-u \S+ )?)?(?:\S*/)?(scoville(?:-server)? .+)$", re.MULTILINE)
_BLOCK = re.compile(r"^```sh[^\n]*\n(.*?)^```$|((?:^    [^\n]*\n)+)", re.MULTILINE | re.DOTALL)
_WORD = re.compile(r"[a-z][a-z-]*")


def list_commands(page: Path) -> list[str]:
    """List the command lines of a page: those of its shell blocks, and those between its words."""
    text = page.read_text(encoding="utf-8")
    blocks = "".join(shell or indented for shell, indented in _BLOCK.findall(text))
    return [*_SPAN.findall(text), *_LINE.findall(blocks)]


def find_faults(line: str) -> Iterator[str]:
    """Yield the commands and options of a line that do not exist; what is in capitals stands for anything."""
    program, *words = shlex.split(line, comments=True)
    command, options = TREES[program], {"--help", "-h"}
    options |= list_names(command)
    for at, word in enumerate(words):
        if word in ("|", "||", "&&", ";", ">", "<"):
            return
        if word.startswith("-") and word != "-":
            if word.partition("=")[0] not in options:
                yield f"{program} {' '.join(command.path)} has no option {word}"
            continue
        below = next((each for each in command.commands if each.path[-1] == word), None)
        if below is not None:
            command = below
            options |= list_names(below)
        elif at == 0 and _WORD.fullmatch(word):
            yield f"{program} has no command {word}"


def list_names(command: Command) -> set[str]:
    return {name for option in command.options for name in option.names}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_commands_of_a_document_exist(page: Path) -> None:
    assert [fault for line in list_commands(page) for fault in find_faults(line)] == []


def test_commands_in_sentences_of_the_programs_exist() -> None:
    named = [line for path in SOURCES for line in _QUOTED.findall(path.read_text(encoding="utf-8"))]
    assert len(named) > 20
    assert [fault for line in named for fault in find_faults(line)] == []


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("scoville-server bakcup DEST", "scoville-server has no command bakcup"),
        ("scoville-server backup DEST --kep 7", "scoville-server backup has no option --kep"),
        ("scoville door ssh HOST:5757 --prot 1", "scoville door ssh has no option --prot"),
        ("scoville-server --keep 7", "scoville-server  has no option --keep"),
    ],
)
def test_wrong_command_is_noticed(line: str, fault: str) -> None:
    assert [*find_faults(line)] == [fault]
