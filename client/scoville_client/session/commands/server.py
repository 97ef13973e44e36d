"""Commands about the server: the message of the day and the rules of its host."""

from collections.abc import Sequence

from scoville_client.i18n.language import tr
from scoville_client.session.commands.command import Caller, Command
from scoville_client.session.community import rules_lines
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import DescribeServerRequest


async def _show_motd(to: Caller) -> Sequence[str]:
    community = to.session.community
    await community.read_texts()
    return [*filter(None, (community.name,)), *(community.motd or [tr("This server has no message of the day.")])]


async def _show_rules(to: Caller) -> Sequence[str]:
    return rules_lines(await to.session.community.read_texts()) or [tr("This server has no rules of its own.")]


COMMANDS = (
    Command(("motd",), (), Phrase("Show the message of the day again."), _show_motd, sends=(DescribeServerRequest,)),
    Command(
        ("rules server", "server rules"),
        (),
        Phrase("Show the rules of this server."),
        _show_rules,
        sends=(DescribeServerRequest,),
    ),
)
