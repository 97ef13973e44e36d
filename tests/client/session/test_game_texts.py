"""Games that are not installed here: lists and dialogs show them in the server's words, in the user's language."""

from collections.abc import Iterator

import pytest

from scoville_client.i18n.game_text import game_tagline, is_described
from scoville_client.i18n.language import environment_language, is_own_english, set_language, tr
from scoville_client.i18n.option_text import unusual_options
from scoville_client.session.changes import TablesChanged
from scoville_client.session.new_table.options import Draft
from scoville_client.session.playable import load_playable
from scoville_client.session.session import Session
from scoville_client.session.table.table_text import describe_table
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import (
    DescribeGamesReply,
    DescribeGamesRequest,
    GameInfo,
    GameTexts,
    HelloRequest,
    OptionText,
    SeatInfo,
    TableInfo,
    ValueText,
)
from tests.support.client import Recorder, ScriptedLink, make_welcome

MOLES = GameInfo(
    slug="mole_hill",
    title="Mole Hill",
    seat_range=(4, 8),
    official_range=(5, 8),
    rules_version=1,
    options={"owl": "none", "rejections": 4, "open_votes": True},
    levels=["easy", "sensible"],
    package="mole-hill",
    package_version="1.0",
    types="c0ffee",
)
WORDS = {
    "en": ("Some gardeners are moles.", "The owl", "is not there", "is hunted", "Rejected teams"),
    "es": ("Algunos jardineros son topos.", "La lechuza", "no está", "es cazada", "Equipos rechazados"),
    "de": ("Manche Gärtner sind Maulwürfe.", "Die Eule", "fehlt", "wird gejagt", "Abgelehnte Teams"),
}


def describe(asked: DescribeGamesRequest) -> DescribeGamesReply:
    assert asked.slugs == ["mole_hill"]
    tagline, owl, none, hunted, rejections = WORDS[asked.sentence_language]
    values = [ValueText(value="none", text=none), ValueText(value="hunted", text=hunted)]
    options = [
        OptionText(key="owl", label=owl, help="Somebody knows the moles.", value_texts=values),
        OptionText(key="rejections", label=rejections, number_range=(2, 6)),
    ]
    return DescribeGamesReply(game_texts=[GameTexts(game="mole_hill", tagline=tagline, option_texts=options)])


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    yield
    set_language("en")


async def connect() -> tuple[Session, ScriptedLink]:
    session, link = Session(), ScriptedLink()
    link.answers[HelloRequest] = make_welcome(games=[MOLES])
    link.answers[DescribeGamesRequest] = describe
    await session.connect(link)
    return session, link


async def test_a_dialog_shows_the_options_of_a_missing_game() -> None:
    session, _ = await connect()
    draft = Draft(session.games, "mole_hill")
    assert {line.label: line.value for line in draft.list_lines()} | {"Open votes": "yes"} == {
        "Game": "Mole Hill",
        "Seats": "5",
        "The owl": "is not there",
        "Rejected teams": "4",
        "Open votes": "yes",
        "Thinking time": "no limit",
        "Bots": "sensible",
    }
    assert (draft.explain_line("game"), draft.explain_line("owl")) == (
        "Some gardeners are moles.",
        "Somebody knows the moles.",
    )
    draft.change_line("owl", 1)
    for _ in range(5):
        draft.change_line("rejections", 1)
    assert (draft.table.options["owl"], draft.table.options["rejections"], draft.find_fault()) == ("hunted", 6, None)
    draft.type_character("rejections", "9")
    assert draft.find_fault() == "Rejected teams must be from 2 to 6."
    await session.close()


async def test_lists_name_the_game_and_what_is_unusual() -> None:
    session, _ = await connect()
    table = TableInfo(
        table="t",
        game="mole_hill",
        rules_version=1,
        options={**MOLES.options, "owl": "hunted"},
        seats=[SeatInfo(kind="open")],
        host=None,
        status="waiting",
        commitment="",
    )
    said = describe_table(table, session.games)
    assert said.startswith("Mole Hill, waiting: 1 seat free. Default table, The owl: is hunted, not rated")
    await session.close()


async def test_texts_come_in_a_language_that_only_the_server_has() -> None:
    set_language(environment_language({"LANG": "es_ES.UTF-8"}))
    assert is_own_english()
    session, link = await connect()
    (asked,) = [each for each in link.asked if isinstance(each, DescribeGamesRequest)]
    assert asked.sentence_language == "es"
    assert game_tagline("mole_hill") == "Algunos jardineros son topos."
    assert tr("Settings") == "Settings"
    await session.close()


async def test_the_texts_follow_the_users_language() -> None:
    session, _ = await connect()
    recorder = Recorder(session)
    set_language("de")
    await session.change_language()
    assert game_tagline("mole_hill") == "Manche Gärtner sind Maulwürfe."
    assert list(unusual_options("mole_hill", {"owl": "hunted"}, MOLES.options)) == ["Die Eule: wird gejagt"]
    assert recorder.of(TablesChanged) == [TablesChanged(replaced=True)]
    await session.close()
    assert not is_described("mole_hill")


async def test_a_server_that_describes_no_games_is_as_good() -> None:
    session, link = Session(), ScriptedLink()
    link.answers[HelloRequest] = make_welcome(games=[MOLES])
    link.answers[DescribeGamesRequest] = ScovilleError(Code.INTERNAL, "The game mole_hill failed.")
    await session.connect(link)
    assert [line.label for line in Draft(session.games, "mole_hill").list_lines()][2:4] == ["Rejections", "Open votes"]
    await session.close()


def test_a_door_names_the_one_who_can_install_a_package() -> None:
    for hosted, said in ((False, "It comes in the package mole-hill 1.0: install that, too."), (True, "Its host can")):
        with pytest.raises(ScovilleError) as raised:
            load_playable("mole_hill", [MOLES], hosted=hosted)
        assert said in raised.value.message
