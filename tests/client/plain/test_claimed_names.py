"""Line mode says in words which names are claimed."""

import re

from tests.support.listener import listen_as, serve_cheaply


async def test_the_line_mode_says_which_names_are_claimed() -> None:
    async with serve_cheaply() as server, listen_as(server, "Zoe") as zoe, listen_as(server, "Ben") as ben:
        await zoe.ask("claim", "^Type a password")
        await zoe.ask("seven habaneros", r"^You have claimed the name Zoe\.")
        await zoe.ask("say hello", r"^Zoe \(claimed name\) says: hello")
        await ben.hear(r"^Zoe \(claimed name\) says: hello")
        await ben.ask("say me too", r"^Ben says: me too")
        assert not any(re.match(r"Ben \(claimed", line) for line in ben.said)
