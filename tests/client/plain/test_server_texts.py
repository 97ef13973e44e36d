"""The host's message of the day and rules in the line mode, also those of a server that means harm."""

from scoville_client.i18n.language import set_language
from scoville_client.session.session import Session
from scoville_server.moderation.model.community import CommunitySettings
from scoville_shared.protocol.messages import CommunityInfo, TextByLanguage
from tests.support.client import ScriptedLink
from tests.support.hostile import EVERYTHING, HostileProxy, list_disturbances, spoil_messages
from tests.support.listener import listen_as, serve_cheaply, start_line_mode

TEXTS = CommunitySettings(name="Club", motd="Tonight at eight.", motd_de="Heute um acht.", rules="Be kind.\nNo bots.")


async def test_message_and_rules_are_read() -> None:
    async with serve_cheaply(community=TEXTS) as server, listen_as(server, "Anna") as anna:
        await anna.hear("^This server is called Club.$")
        await anna.hear("^The server says: Tonight at eight.$")
        await anna.ask("rules server", "^The server says: No bots.$")
        await anna.ask("motd", "^The server says: Tonight at eight.$")


async def test_hostile_texts_cannot_act() -> None:
    async with (
        serve_cheaply(community=TEXTS) as server,
        HostileProxy(server.port, spoil_messages(EVERYTHING)) as proxy,
        start_line_mode(proxy.way()) as anna,
    ):
        await anna.ask("motd", "owned")
        await anna.ask("rules server", "owned")
        assert [line for line in anna.said if list_disturbances(line)] == []


async def test_text_is_in_the_users_language() -> None:
    link = ScriptedLink()
    session = Session()
    await session.connect(link)
    session.community.info = CommunityInfo(name="N" * 99, motd=TextByLanguage(en=["Hi"] * 50, de=["Hallo"]))
    try:
        for language, said in (("en", "Hi"), ("de", "Hallo"), ("fr", "Hi")):
            set_language(language)
            assert session.community.motd[0] == said
    finally:
        set_language("en")
    assert (len(session.community.name), len(session.community.motd)) == (40, 8)
    await session.close()
