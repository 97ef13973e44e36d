"""Options of a server that starts: they are read without the library for command lines, and as it reads them."""

from pathlib import Path

import pytest
from cyclopts import CycloptsError
from hypothesis import given
from hypothesis import strategies as st

from scoville_server.cli.commands import app
from scoville_server.cli.options import NO_OPTIONS, ServerOptions, read_options
from scoville_server.cli.serving import serve

WORDS = st.one_of(
    st.sampled_from(
        [
            "--host",
            "--port",
            "--data",
            "--no-data",
            "--peppers",
            "--config",
            "--admin",
            "--no-default-tables",
            "--webhook",
            "--cluster",
            "--doors",
            "--announce",
            "--no-announce",
            "--leave-out-damaged",
            "--log-level",
            "--log-format",
            "--log-file",
            "--plain-text",
            "--help",
            "--version",
            "-h",
            "backup",
            "settings",
            "status",
            "info",
            "json",
            "--",
            "-",
            "5757",
            "127.0.0.1",
            "--port=0",
            "--log-level=debug",
            "--log-level=loud",
            "--no-data=true",
            "--empty-admin",
            "--no-doors",
            "--port=-1",
            "--port=0x10",
            "--admin=Ben",
            "--data=",
            "--hosts",
        ]
    ),
    st.text(max_size=6),
)


def read_by_library(arguments: list[str]) -> ServerOptions | None:
    """Let the library read arguments; None if they do not start a server."""
    try:
        command, bound, _ = app.parse_args(arguments, exit_on_error=False, print_error=False)
    except CycloptsError:
        return None
    return bound.arguments.get("options", NO_OPTIONS) if command is serve else None


@given(st.lists(WORDS, max_size=6))
def test_own_parser_agrees_with_the_library(arguments: list[str]) -> None:
    read = read_options(arguments)
    if read is not None:
        assert read == read_by_library(arguments)


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ("", NO_OPTIONS),
        ("--config /etc/scoville/server.toml", ServerOptions(config=Path("/etc/scoville/server.toml"))),
        ("--host ::1 --port 0 --no-data --doors", ServerOptions(host="::1", port=0, no_data=True, doors=True)),
        ("--admin Ann --admin=Ben --log-level debug", ServerOptions(admin=["Ann", "Ben"], log_level="debug")),
        ("--data /srv/x --log-format=json", ServerOptions(data=Path("/srv/x"), log_format="json")),
    ],
)
def test_ordinary_options_need_no_library(arguments: str, options: ServerOptions) -> None:
    assert read_options(arguments.split()) == options
    assert read_by_library(arguments.split()) == options


@pytest.mark.parametrize(
    "arguments", ["--help", "status", "--port", "--port x", "--host a --host b", "--no-data=1", "-h"]
)
def test_everything_else_is_left_to_the_library(arguments: str) -> None:
    assert read_options(arguments.split()) is None
