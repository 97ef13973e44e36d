"""What a user name and a command ask for."""

import pytest

from scoville_client.doors.ssh.request import SshRequest, help_lines, parse_request


@pytest.mark.parametrize(
    ("user", "command", "expected"),
    [
        ("jan", "", SshRequest()),
        ("root", "", SshRequest()),
        ("brave-otter", "", SshRequest(table="brave-otter")),
        ("Brave-Otter", "", SshRequest(table="brave-otter")),
        ("plain", "", SshRequest(kind="lines")),
        ("resume-quiet-amber-fox", "", SshRequest(resume="quiet-amber-fox")),
        ("jan", "join brave-otter", SshRequest(table="brave-otter")),
        ("jan", "plain join brave-otter", SshRequest(kind="lines", table="brave-otter")),
        ("plain", "name Anna join brave-otter", SshRequest(kind="lines", table="brave-otter", name="Anna")),
        ("jan", "resume quiet-amber-fox", SshRequest(resume="quiet-amber-fox")),
        ("jan", "rules", SshRequest(kind="rules")),
        ("jan", "rules no_thanks", SshRequest(kind="rules", game="no_thanks")),
        ("jan", "--help", SshRequest(kind="help")),
        ("jan", "help me", SshRequest(kind="help")),
    ],
)
def test_requests(user: str, command: str, expected: SshRequest) -> None:
    assert parse_request(user, command) == expected


@pytest.mark.parametrize(
    "command", ["rm -rf /", "scp -t .", "join", "name", "rules a b", "x" * 100_000, "\x1b]0;x\x07"]
)
def test_other_commands_are_explained(command: str) -> None:
    request = parse_request("jan", command)
    assert request.kind == "help"
    assert request.fault.startswith("There is no command '")
    assert len(request.fault) < 300


def test_an_endless_user_name_is_cut() -> None:
    assert len(parse_request("resume-" + "x" * 1_000_000).resume) < 128


def test_help_names_the_port_only_if_unusual() -> None:
    assert any("ssh -p 2222 HOST" in line for line in help_lines(2222))
    assert not any("-p" in line for line in help_lines(22))
