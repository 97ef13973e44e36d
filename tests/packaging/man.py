"""Man pages and completions of both commands, from the trees of arguments that `--help` is printed from.

`scripts/pages` writes them. Everything is in English: a man page in another language would be a text of its own.
"""

import re
import shlex
from argparse import SUPPRESS, Action, ArgumentParser, _SubParsersAction
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from cyclopts import App

from scoville_client.cli.arguments import make_parser
from scoville_client.cli.main import _COMMANDS
from scoville_client.i18n.language import set_language
from scoville_server.cli.commands import app
from scoville_shared import __version__
from tests.support.tree import ROOT

FOLDER = ROOT / "packaging" / "share"
"""Laid out as the wheel installs it into `share` of an environment."""


class Argument(NamedTuple):
    """An argument: its names, `-h` and `--help`, or none if it goes by its place; `value` is empty for a switch."""

    names: tuple[str, ...]
    value: str
    choices: tuple[str, ...]
    text: str


class Command(NamedTuple):
    """A command with its arguments and subcommands; `path` is empty for the program itself."""

    path: tuple[str, ...]
    text: str
    arguments: tuple[Argument, ...]
    commands: tuple["Command", ...]

    @property
    def options(self) -> list[Argument]:
        return [argument for argument in self.arguments if argument.names]

    def list_all(self) -> Iterator["Command"]:
        """Yield the command and all below it."""
        yield self
        for command in self.commands:
            yield from command.list_all()


# --- the trees --------------------------------------------------------------------------------------------------


def read_parser(parser: ArgumentParser, path: tuple[str, ...] = (), text: str = "") -> Command:
    """Read a command of the client."""
    arguments, commands = [], []
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            texts = {each.dest: each.help or "" for each in action._choices_actions}
            shown = [name for name in action.choices if name in texts]
            commands += [read_parser(action.choices[name], (*path, name), texts[name]) for name in shown]
        elif action.help != SUPPRESS:
            arguments.append(_read_action(parser, action))
    return Command(path, parser.description or text, tuple(arguments), tuple(commands))


def _read_action(parser: ArgumentParser, action: Action) -> Argument:
    text = (action.help or "") % {**vars(action), "prog": parser.prog}
    choices = tuple(map(str, action.choices or ()))
    named = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    return Argument(tuple(action.option_strings), "" if action.nargs == 0 else named, choices, text)


def read_app(command: App, path: tuple[str, ...] = ()) -> Command:
    """Read a command of the server."""
    arguments = []
    for found in command.assemble_argument_collection(parse_docstring=True):
        if found.show:
            names = tuple(name for name in found.names if name.startswith("-"))
            choices = found.get_choices() or ()
            is_switch = found.hint is bool or "bool" in str(found.hint)
            value = "" if names and is_switch else found.names[0].lstrip("-").upper()
            arguments.append(Argument(names, value, tuple(choices), found.parameter.help or ""))
    arguments.append(Argument(("--help", "-h"), "", (), "Show the help of the command."))
    if not path:
        arguments.append(Argument(("--version",), "", (), "Show the version."))
    below = [name for name in command.resolved_commands() if not name.startswith("-")]
    commands = tuple(read_app(command[name], (*path, name)) for name in below)
    text = re.split(r"\n\s*Parameters\n", command.help or "")[0]
    return Command(path, " ".join(text.split()), tuple(arguments), commands)


def read_commands() -> dict[str, Command]:
    """Return the tree of each program by its name."""
    set_language("en")
    return {"scoville": read_parser(make_parser(_COMMANDS)), "scoville-server": read_app(app)}


# --- man pages --------------------------------------------------------------------------------------------------


def write_page(program: str, tree: Command, other: str) -> str:
    """Write the man page of a program."""
    lines = [f'.TH {_upper(program)} 1 "" "Scoville {__version__}" "Scoville"', ".SH NAME"]
    lines += [f"{_roff(program)} \\- {_roff(NAMES[program])}", ".SH SYNOPSIS"]
    lines += [f".B {_roff(program)}", "[OPTIONS] [COMMAND] [ARGUMENTS]", ".SH DESCRIPTION", _roff(tree.text)]
    lines += [".SH OPTIONS", *_list_arguments(tree), ".SH COMMANDS"]
    for command in list(tree.list_all())[1:]:
        places = [argument.value for argument in command.arguments if not argument.names]
        lines += [f".SS {_roff(' '.join((program, *command.path, *places)))}", _roff(command.text)]
        lines += _list_arguments(command)
    lines += [".SH SEE ALSO", f".BR {_roff(other)} (1)"]
    return "\n".join(line for line in lines if line) + "\n"


NAMES = {"scoville": "play a card game in the terminal", "scoville-server": "serve card games to many players"}


def _list_arguments(command: Command) -> list[str]:
    lines = []
    for argument in command.arguments:
        names = ", ".join(f"\\fB{_roff(name)}\\fR" for name in argument.names)
        value = f"\\fI{_roff(argument.value)}\\fR" if argument.value else ""
        choices = f" ({', '.join(argument.choices)})" if argument.choices and argument.names else ""
        lines += [".TP", f"{names} {value}".strip(), _roff(argument.text + choices) or "\\&"]
    return lines


def _upper(program: str) -> str:
    return _roff(program.upper())


def _roff(text: str) -> str:
    """Escape a text for troff, as one line."""
    text = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-")
    text = "".join(each if each.isascii() else f"\\[u{ord(each):04X}]" for each in text)
    return f"\\&{text}" if text.startswith((".", "'")) else text


# --- completions ------------------------------------------------------------------------------------------------


def write_bash(program: str, tree: Command) -> str:
    """Write the completion for bash."""
    function = "_" + program.replace("-", "_")
    return f"""# Completes {program} in bash.
{function}() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} at="" word values=""
    if [[ $cur == "=" ]]; then
        cur=""
    elif [[ $prev == "=" ]]; then
        prev=${{COMP_WORDS[COMP_CWORD-2]}}
    fi
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
{_follow_path(tree, "        ")}
    done
    case "$at|$prev" in
{_list_cases(_values_by_option(tree), "        {pattern}) values={words} ;;")}
{_list_cases(_files_by_option(tree), "        {pattern}) COMPREPLY=(); return ;;")}
    esac
    if [[ -z $values ]]; then
        case "$at" in
{_list_cases(_words_by_path(tree), "            {pattern}) values={words} ;;")}
        esac
    fi
    COMPREPLY=($(compgen -W "$values" -- "$cur"))
}}
complete -o bashdefault -o default -F {function} {program}
"""


def write_zsh(program: str, tree: Command) -> str:
    """Write the completion for zsh."""
    function = "_" + program.replace("-", "_")
    return f"""#compdef {program}
# Completes {program} in zsh.
{function}() {{
    local at="" word
    local previous=${{words[CURRENT-1]}}
    for word in "${{(@)words[2,CURRENT-1]}}"; do
{_follow_path(tree, "        ")}
    done
    case "$at|$previous" in
{_list_cases(_values_by_option(tree), "        {pattern}) compadd -- {each}; return ;;")}
{_list_cases(_files_by_option(tree), "        {pattern}) _files; return ;;")}
    esac
    case "$at" in
{_list_cases(_words_by_path(tree), "        {pattern}) compadd -- {each} ;;")}
    esac
    [[ ${{words[CURRENT]}} == -* ]] || _files
}}
{function} "$@"
"""


def write_fish(program: str, tree: Command) -> str:
    """Write the completion for fish."""
    function = "__" + program.replace("-", "_") + "_at"
    lines = [f"# Completes {program} in fish.", f"function {function}", '    set -l at ""']
    lines += ["    for word in (commandline -opc)[2..-1]", '        switch "$at $word"']
    lines += [f"            case {shlex.quote(' ' + ' '.join(each.path))}" for each in list(tree.list_all())[1:]]
    lines = _join_cases(lines)
    lines += ["        end", "    end", '    test "$at" = "$argv[1]"', "end"]
    for command in tree.list_all():
        at = "".join(f" {name}" for name in command.path)
        when = f"complete -c {program} -n {shlex.quote(f'{function} {shlex.quote(at)}')}"
        for below in command.commands:
            lines.append(f"{when} -a {below.path[-1]} -d {_fish(below.text)}")
        for option in command.options:
            names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
            choices = f" -x -a {_fish(' '.join(option.choices))}" if option.choices else " -r"
            lines.append(f"{when} {names}{choices if option.value else ''} -d {_fish(option.text)}")
    return "\n".join(lines) + "\n"


def _join_cases(lines: list[str]) -> list[str]:
    """Make one case of several: fish takes them in one line."""
    cases = [line.split("case ", 1)[1] for line in lines if line.lstrip().startswith("case ")]
    kept = [line for line in lines if not line.lstrip().startswith("case ")]
    return [*kept, f"            case {' '.join(cases)}", '                set at "$at $word"']


def _fish(text: str) -> str:
    return "'" + " ".join(text.split()).replace("\\", "\\\\").replace("'", "\\'") + "'"


def _follow_path(tree: Command, indent: str) -> str:
    paths = "|".join(shlex.quote(" " + " ".join(each.path)) for each in list(tree.list_all())[1:])
    return f'{indent}case "$at $word" in\n{indent}    {paths}) at="$at $word" ;;\n{indent}esac'


def _key_of(command: Command) -> str:
    return "".join(f" {name}" for name in command.path)


def case_of(command: Command) -> str:
    """Return how the case of a command begins, in which its words are listed."""
    return f"{shlex.quote(_key_of(command))})"


def _values_by_option(tree: Command) -> dict[str, list[str]]:
    return {
        f"{_key_of(command)}|{name}": [*option.choices]
        for command in tree.list_all()
        for option in command.options
        if option.choices
        for name in option.names
    }


def _files_by_option(tree: Command) -> dict[str, list[str]]:
    return {
        f"{_key_of(command)}|{name}": []
        for command in tree.list_all()
        for option in command.options
        if option.value and not option.choices
        for name in option.names
    }


def _words_by_path(tree: Command) -> dict[str, list[str]]:
    """List what can be typed behind each command: commands, values of a place, options."""
    return {
        _key_of(command): [
            *(below.path[-1] for below in command.commands),
            *(choice for each in command.arguments if not each.names for choice in each.choices),
            *(name for option in command.options for name in option.names),
        ]
        for command in tree.list_all()
    }


def _list_cases(words: dict[str, list[str]], form: str) -> str:
    return "\n".join(
        form.format(pattern=shlex.quote(key), words=shlex.quote(" ".join(each)), each=shlex.join(each))
        for key, each in words.items()
    )


def write_pages() -> dict[Path, str]:
    """Write all files."""
    trees = read_commands()
    files = {}
    for program, tree in trees.items():
        [other] = {*trees} - {program}
        files[FOLDER / "man/man1" / f"{program}.1"] = write_page(program, tree, other)
        files[FOLDER / "bash-completion/completions" / program] = write_bash(program, tree)
        files[FOLDER / "zsh/site-functions" / f"_{program}"] = write_zsh(program, tree)
        files[FOLDER / "fish/vendor_completions.d" / f"{program}.fish"] = write_fish(program, tree)
    return files
