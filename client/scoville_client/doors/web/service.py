"""Service: the browser door with everything that it consists of, from its arguments."""

import ssl
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from scoville_client.doors.hosting.garbage import GarbageCollector
from scoville_client.doors.hosting.input_budget import InputBudgets
from scoville_client.doors.hosting.session import Shared
from scoville_client.doors.hosting.start_gate import StartGate
from scoville_client.doors.upstream import Upstream
from scoville_client.doors.web.arguments import WebArguments
from scoville_client.doors.web.door import WebDoor, WebDoorOptions
from scoville_client.doors.web.hosted_pages import HostedPages
from scoville_client.doors.web.site.origins import Origins
from scoville_client.doors.web.visitors import Tokens, cookie_secret
from scoville_client.i18n.language import tr
from scoville_shared.networks import Proxies, parse_network


async def open_door(arguments: WebArguments, upstream: Upstream, garbage: GarbageCollector) -> WebDoor:
    """Open the door. Raises OSError, ssl.SSLError, and ValueError with a sentence."""
    options = WebDoorOptions(
        cookie_secret(arguments.state),
        arguments.hosts,
        arguments.port,
        Origins(arguments.origins),
        Proxies([parse_network(each) for each in arguments.proxies]),
        _tls(arguments.certificate, arguments.key),
        text_commands=partial(text_commands, arguments.ssh_port),
    )
    shared = Shared(
        StartGate(quiet_seconds=garbage.quiet_seconds), InputBudgets(), garbage, idle_seconds=arguments.idle_seconds
    )
    door = WebDoor(options, HostedPages(upstream, Tokens(arguments.state / "visitors"), shared))
    await door.start()
    return door


def text_commands(ssh_port: int | None, host: str) -> list[str]:
    """Return the paragraph about the SSH door beside the page; `host` is the page's, perhaps with its port."""
    if ssh_port is None:
        return []
    name = urlsplit(f"//{host}").hostname or host
    return [tr("By ssh, without an installation: `{command}`", command=f"ssh -p {ssh_port} plain@{name}")]


def _tls(certificate: Path | None, key: Path | None) -> ssl.SSLContext | None:
    if certificate is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(certificate, key)
    return context
