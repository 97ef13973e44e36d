"""What a user name and a command ask for."""

import pytest

from scoville_client.doors.ssh.wish import Wish, help_lines, wish_of


@pytest.mark.parametrize(
    ("user", "command", "wish"),
    [
        ("jan", "", Wish()),
        ("root", "", Wish()),
        ("brave-otter", "", Wish(table="brave-otter")),
        ("Brave-Otter", "", Wish(table="brave-otter")),
        ("plain", "", Wish(kind="lines")),
        ("resume-quiet-amber-fox", "", Wish(resume="quiet-amber-fox")),
        ("jan", "join brave-otter", Wish(table="brave-otter")),
        ("jan", "plain join brave-otter", Wish(kind="lines", table="brave-otter")),
        ("plain", "name Anna join brave-otter", Wish(kind="lines", table="brave-otter", name="Anna")),
        ("jan", "resume quiet-amber-fox", Wish(resume="quiet-amber-fox")),
        ("jan", "rules", Wish(kind="rules")),
        ("jan", "rules no_thanks", Wish(kind="rules", game="no_thanks")),
        ("jan", "--help", Wish(kind="help")),
        ("jan", "help me", Wish(kind="help")),
    ],
)
def test_wishes(user: str, command: str, wish: Wish) -> None:
    assert wish_of(user, command) == wish


@pytest.mark.parametrize(
    "command", ["rm -rf /", "scp -t .", "join", "name", "rules a b", "x" * 100_000, "\x1b]0;x\x07"]
)
def test_other_commands_are_explained(command: str) -> None:
    wish = wish_of("jan", command)
    assert wish.kind == "help"
    assert wish.fault.startswith("There is no command '")
    assert len(wish.fault) < 300


def test_an_endless_user_name_is_cut() -> None:
    assert len(wish_of("resume-" + "x" * 1_000_000).resume) < 128


def test_the_help_names_the_port_only_where_it_is_another_one() -> None:
    assert any("ssh -p 2222 HOST" in line for line in help_lines(2222))
    assert not any("-p" in line for line in help_lines(22))
