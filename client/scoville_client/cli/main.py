"""The command `scoville`: runs each of its subcommands."""

import os
import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import Any, Final

from msgspec.structs import replace

from scoville_client.cli.arguments import find_conflict, language_option, make_parser, values_of
from scoville_client.cli.exit_status import FAILED, INTERRUPTED, MISUSED, SUCCESS
from scoville_client.garbage import pause_collection
from scoville_client.i18n.language import environment_language, set_language, tr
from scoville_client.output import at_terminal, complain, describe_failure, write_ascii, write_line
from scoville_client.session.start_options import DEFAULT_GAME, USUAL_PLAYERS, Start
from scoville_client.settings.checks import BadSettings, all_settings, as_map, parse_setting
from scoville_client.settings.file import SettingsFile, toml_value, unusable_text, user_file
from scoville_client.transport.lan.browser import is_off
from scoville_runtime.signals import ignore_harmless_signals
from scoville_shared import DEFAULT_PORT
from scoville_shared.text import LONGEST_NAME

_TURN_SECONDS = 0.0005
"""How long the thread that writes on the terminal waits for the one that draws; Python's own 5 ms are seen."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status. An internal error is one sentence, never a traceback."""
    typed = sys.argv[1:] if arguments is None else arguments
    # Before the parser is made: its help is in the language of the settings.
    settings, fault = read_settings(language_option(typed))
    asked = make_parser(_COMMANDS, typed).parse_args(typed)
    choose_settings(settings, asked, values_of("--set", typed))
    asked.settings, asked.settings_fault = settings, fault
    write_ascii(only=settings.preferences.characters == "ascii")
    try:
        status: int = _run_command(asked)
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the last handler before the user
        from scoville_client.crash import report_crash

        report_crash(error)
        return FAILED
    # Written text may wait in a buffer for a full disk or a closed pipe.
    return status or _report_undelivered()


def _report_undelivered() -> int:
    """Report that stdout failed, and return the exit status."""
    sentence = describe_failure()
    if sentence:
        complain(sentence)
    return FAILED if sentence else SUCCESS


def _run_command(asked: Namespace) -> int:
    """Run a command, unless some of its options have no effect."""
    refused = find_conflict(asked, asked.command)
    if refused is not None:
        return _report_misuse(refused)
    # Not a default of the parser: above, only a game that was typed is in conflict with others.
    if getattr(asked, "game", "") is None:
        asked.game = DEFAULT_GAME
    status: int = asked.run(asked)
    return status


# --- what each command does -------------------------------------------------------------------------


def _run_menu(asked: Namespace) -> int:
    return _show_client(asked, Start(kind="menu", announce=not is_off(), **_take_identity(asked)))


def _run_tutorial(asked: Namespace) -> int:
    from scoville_client.tutorial.lesson import games_with_lessons

    if asked.game not in games_with_lessons():
        games = games_with_lessons()
        return _report_misuse(
            tr("There is no tutorial of {game}; there are those of {games}.", game=asked.game, games=games)
        )
    return _show_client(asked, Start(kind="tutorial", game=asked.game, **_take_identity(asked)))


def _run_practice(asked: Namespace) -> int:
    if asked.origin is not None:
        return _go_on(asked)
    if (fault := _find_fault(asked)) is not None:
        return _report_misuse(fault)
    return _show_client(
        asked, Start(kind="practice", welcome=asked.welcome, **_take_game(asked), **_take_identity(asked))
    )


def _go_on(asked: Namespace) -> int:
    from scoville_client.cli.exported_games import open_continuation
    from scoville_shared.errors import ScovilleError

    try:
        opening = open_continuation(asked.origin, asked.move, asked.seat)
    except ScovilleError as error:
        complain(error.message)
        return FAILED
    header = opening.exported.header
    # The name in a file may be longer than a server accepts.
    identity = {
        **_take_identity(asked),
        "name": _take_identity(asked)["name"] or header.seats[opening.seat].name[:LONGEST_NAME],
    }
    return _show_client(asked, Start(kind="practice", game=header.game, opening=opening, **identity))


def _run_join(asked: Namespace) -> int:
    if asked.destination is None:
        return _show_client(asked, Start(kind="menu", searching=True, announce=not is_off(), **_take_identity(asked)))
    return _show_client(asked, Start(kind="join", **_take_place(asked), **_take_identity(asked)))


def _run_watch(asked: Namespace) -> int:
    return _show_client(
        asked, Start(kind="join", watching=True, big=asked.big, **_take_place(asked), **_take_identity(asked))
    )


def _take_place(asked: Namespace) -> dict[str, Any]:
    address, code = asked.destination
    host, port, pin = address or ("", DEFAULT_PORT, "")
    return {"host": host, "port": port, "pin": pin, "code": code, "plain_text": asked.plain_text}


def _run_host(asked: Namespace) -> int:
    if (fault := _find_fault(asked)) is not None:
        return _report_misuse(fault)
    if asked.ssh is not None and find_spec("asyncssh") is None:
        return _report_misuse(tr("The SSH door needs asyncssh. Install it with: pip install asyncssh==2.24.1"))
    if asked.web is not None and find_spec("aiohttp") is None:
        return _report_misuse(tr("The browser door needs aiohttp. Install it with: pip install aiohttp"))
    own = {"port": asked.port, "data": asked.data, "announce": not (asked.no_announce or is_off())}
    own |= {"ssh": asked.ssh, "web": asked.web}
    # Its players would lose the table. A terminal that is closed ends it in order, and job control is the terminal's.
    ignore_harmless_signals("SIGHUP", "SIGTTIN", "SIGTTOU")
    return _show_client(asked, Start(kind="host", **own, **_take_game(asked), **_take_identity(asked)))


def _run_demo(asked: Namespace) -> int:
    if (fault := _find_fault(asked)) is not None:
        return _report_misuse(fault)
    from scoville_client.cli.program_games import Demo, run_demo

    demo = Demo(
        game=asked.game,
        players=asked.players or USUAL_PLAYERS,
        options=dict(asked.option),
        seed=asked.seed,
        export=asked.export,
    )
    return run_demo(demo)


def _run_verify(asked: Namespace) -> int:
    from scoville_client.cli.exported_games import run_verify

    return run_verify(asked.file)


def _run_replay(asked: Namespace) -> int:
    if asked.settings_fault:
        return _report_misuse(asked.settings_fault)
    from scoville_client.cli.exported_games import PACE, ReplayArguments, run_replay

    arguments = ReplayArguments(
        game=asked.file,
        seat=asked.seat,
        move=asked.move,
        text=asked.text or getattr(asked, "plain", False) or (asked.cast is None and _needs_lines(asked)),
        cast=asked.cast,
        pace=asked.pace or PACE,
        settings=asked.settings,
    )
    return run_replay(arguments)


def _run_review(asked: Namespace) -> int:
    from scoville_client.cli.exported_games import ReviewArguments, run_review

    return run_review(ReviewArguments(game=asked.file, form=asked.format, percent=asked.percent))


def _run_rules(asked: Namespace) -> int:
    from scoville_client.rules import rules_lines

    lines, status = rules_lines(asked.game)
    for line in lines:
        (complain if status else write_line)(line)
    return status


def _run_arena(asked: Namespace) -> int:
    if (fault := _find_fault(asked)) is not None:
        return _report_misuse(fault)
    from scoville_client.cli.program_games import ArenaArguments, run_arena

    arguments = ArenaArguments(
        game=asked.game,
        players=asked.entrant,
        deals=asked.deals,
        options=dict(asked.option),
        seed=asked.seed,
        seconds=asked.seconds,
        jobs=asked.jobs,
        export=asked.export,
        json=asked.json,
        plot=asked.plot,
    )
    return run_arena(arguments)


def _run_games(asked: Namespace) -> int:  # noqa: ARG001 - every command gets what was typed
    """Print a line for each installed game, then one for each package that is left out; fail if there is any."""
    from scoville_outside import guard
    from scoville_shared.games import registry

    games = guard.list_usable()
    width = max(map(len, games), default=0)
    for slug in games:
        info, package = guard.load_game(slug).info, registry.package_of(slug)
        players = tr("{fewest} to {most} players", fewest=info.seats[0], most=info.seats[1])
        rules = tr("rules {version}", version=info.rules_version)
        write_line(f"{slug:<{width}}  {info.title}: {players}, {rules}, {package}")
    faults = guard.list_faults()
    for fault in faults:
        write_line(fault)
    return FAILED if faults else SUCCESS


def _run_new_game(asked: Namespace) -> int:
    from scoville_client.authoring.new_game import write_new_game

    return write_new_game(asked.slug, asked.dir)


def _run_check_game(asked: Namespace) -> int:
    from scoville_client.authoring.check_game import run_check_game

    return run_check_game(asked.slug, record=asked.record, json=asked.json, only=asked.only)


def _run_doctor(asked: Namespace) -> int:
    if asked.settings_fault:
        return _report_misuse(asked.settings_fault)
    from scoville_client.cli.doctor_command import run_doctor

    return run_doctor(asked.settings)


def _run_door(asked: Namespace) -> int:
    from scoville_client.cli.door_command import run_door

    return run_door(asked)


def _show_client(asked: Namespace, start: Start) -> int:
    fault = asked.settings_fault or _begin_debug_log(asked)
    if fault:
        return _report_misuse(fault)
    if getattr(asked, "plain", False):
        from scoville_client.plain.main import run_line_mode as run_plain

        return run_plain(start)
    if asked.settings.preferences.screen_reader and not getattr(asked, "big", False):
        from scoville_client.plain.main import run_line_mode as run_plain

        write_line(
            tr("Lines of text, as the setting screen_reader or ACCESSIBLE asks; --set screen_reader=off shows screens.")
        )
        return run_plain(start)
    if not at_terminal():
        sentence = tr(
            "The screens need a terminal, and this is not one: add --plain to play line by line, or try scoville demo."
        )
        complain(sentence)
        return FAILED
    if _draws_nothing():
        from scoville_client.plain.main import run_line_mode as run_plain

        write_line(
            tr("This terminal cannot show screens (TERM is {term}): Scoville uses lines of text.", term=_name_term())
        )
        return run_plain(start)
    pause_collection()
    sys.setswitchinterval(_TURN_SECONDS)
    from scoville_client.tui.app import run_app

    if (fault := key_fault(asked.settings)) is not None:
        return _report_misuse(fault)
    return run_app(start, asked.settings)


def _begin_debug_log(asked: Namespace) -> str | None:
    """Start the requested debug log; return why it cannot be written, if so."""
    file = getattr(asked, "debug_log", None)
    if file is None:
        return None
    from scoville_client.transport.caller import write_debug_log

    try:
        write_debug_log(file)
    except OSError as error:
        return tr("The debug log {file} cannot be written: {why}.", file=str(file), why=error.strerror or str(error))
    return None


def _needs_lines(asked: Namespace) -> bool:
    """Whether the user or the terminal needs lines of text."""
    return bool(asked.settings.preferences.screen_reader) or _draws_nothing()


def _draws_nothing() -> bool:
    """Whether the terminal reports that it cannot move the cursor; terminals on Windows report nothing."""
    return os.name != "nt" and os.environ.get("TERM", "") in ("", "dumb", "unknown")


def _name_term() -> str:
    return os.environ.get("TERM", "") or tr("not set")


def _find_fault(asked: Namespace) -> str | None:
    """Return the error in the game or its options. The default game without options is not loaded yet."""
    if not asked.option and asked.game == DEFAULT_GAME:
        return None
    from scoville_client.session.new_table.option_input import fault_of

    return fault_of(asked.game, dict(asked.option))


def _report_misuse(sentence: str) -> int:
    complain(sentence)
    return MISUSED


def _take_identity(asked: Namespace) -> dict[str, Any]:
    return {"name": asked.settings.preferences.name, "ascii": asked.settings.preferences.characters == "ascii"}


def _take_game(asked: Namespace) -> dict[str, Any]:
    return {
        "game": asked.game,
        "players": asked.players,
        "options": dict(asked.option),
        "clock": {**asked.clock, **getattr(asked, "absence", {})},
        "seed": asked.seed,
        "game_options": asked.peppers or {},
        "settings": asked.bots,
    }


# --- settings on the command line -------------------------------------------------------------------

_TYPED: Final = "command line"


def read_settings(language: str | None) -> tuple[SettingsFile, str]:
    """Read the user's settings, and speak their language, or the one typed.

    Returns:
        The settings, or defaults with the sentence why they cannot be used.
    """
    set_language(language or environment_language())
    fault = ""
    # A fault is returned, not raised: commands that need no settings, such as verify, work all the same.
    try:
        settings = SettingsFile(user_file(), os.environ)
    except BadSettings as error:
        settings, fault = SettingsFile(None), str(error)
    chosen = settings.preferences.language
    if language is None and chosen != "auto":
        set_language(chosen)
    return settings, fault


def choose_settings(settings: SettingsFile, asked: Namespace, chosen: Iterable[str]) -> None:
    """Apply the choices of the command line for this run: `chosen` are the values of --set, which fit."""
    # Not every command has every option.
    own = {
        "name": getattr(asked, "name", ""),
        "language": getattr(asked, "language", ""),
        "characters": "ascii" if getattr(asked, "ascii", False) else "",
        "colours": "none" if getattr(asked, "no_color", False) else "",
    }
    typed = dict(map(parse_setting, chosen)) | {name: value for name, value in own.items() if value}
    for name, value in typed.items():
        settings.choose(name, value, _TYPED)
    if typed.get("language", "auto") != "auto":
        set_language(typed["language"])


def key_fault(settings: SettingsFile) -> str | None:
    """Return why the keys of the settings cannot be used, if so; nothing is loaded where there are none."""
    if not settings.preferences.keys:
        return None
    from scoville_client.tui.keymap import check_keymap

    try:
        check_keymap(settings.preferences.keys)
    except BadSettings as error:
        return str(unusable_text(settings.path, str(error)))
    return None


def show_settings(asked: Namespace) -> int:
    """Change settings in the file, and print all of them; returns the exit status."""
    settings: SettingsFile = asked.settings
    fault = asked.settings_fault or _change_settings(settings, dict(asked.change))
    if fault:
        complain(fault)
        return 2
    for line in _list_keys() if asked.keys else _report_settings(settings):
        write_line(line)
    return 0


def _list_keys() -> Iterator[str]:
    from scoville_client.tui.keymap import list_names

    yield tr("Keys that the table [keys] of the settings file can change:")
    yield ""
    for name, keys, about in list_names():
        yield f"{name} = {toml_value(keys)}"
        yield f"    {tr(about)}"


def _change_settings(settings: SettingsFile, changes: Mapping[str, Any]) -> str:
    try:
        settings.save(replace(settings.preferences, **changes))
    except BadSettings as error:
        return str(error)
    settings.sources.update(dict.fromkeys(changes, "file"))
    return ""


def _report_settings(settings: SettingsFile) -> Iterator[str]:
    yield tr("Settings file: {file}", file=str(settings.path or tr("none")))
    sources = {
        "default": tr("default"),
        "file": tr("from the file"),
        "environment": tr("from the environment"),
        _TYPED: tr("from the command line"),
    }
    for name, value in as_map(settings.preferences).items():
        setting = all_settings()[name]
        yield ""
        yield f"{name} = {_write_value(value)}   ({sources[settings.sources[name]]})"
        choices = f" ({', '.join(setting.choices)})" if setting.choices else ""
        yield f"    {tr(setting.about)}{choices}"


def _write_value(value: object) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {toml_value(each)}" for key, each in value.items()) + "}"
    return toml_value(value)


_COMMANDS = {
    "": _run_menu,
    "tutorial": _run_tutorial,
    "practice": _run_practice,
    "join": _run_join,
    "watch": _run_watch,
    "host": _run_host,
    "demo": _run_demo,
    "verify": _run_verify,
    "replay": _run_replay,
    "review": _run_review,
    "rules": _run_rules,
    "arena": _run_arena,
    "door": _run_door,
    "settings": show_settings,
    "games": _run_games,
    "new-game": _run_new_game,
    "check-game": _run_check_game,
    "doctor": _run_doctor,
}
"""The function of each command; the empty name is for no command."""
