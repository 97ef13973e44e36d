"""A pause by a key: it is said, it holds the table, and the same key ends it."""

from tests.support.screens import at_the_screen, practice


async def test_the_same_key_asks_for_a_pause_and_ends_it() -> None:
    async with at_the_screen(practice(clock={"move": 600})) as anna:
        await anna.until(lambda: anna.where == "play")
        await anna.press("P")
        await anna.sees("With Anna, everybody wants a pause")
        assert anna.app.session.table.info.paused
        await anna.press("enter")
        await anna.sees("The table is paused; anybody who sits there can go on.")
        await anna.press("P")
        await anna.sees("Anna goes on with the game.")
        await anna.press("enter")
        await anna.until(lambda: anna.app.session.table.played[0] == 1)
