"""Service: the browser door with everything that it consists of, from its arguments."""

import ssl
from pathlib import Path

from scoville_client.doors.hosting.session import Shared
from scoville_client.doors.hosting.start_gate import StartGate
from scoville_client.doors.upstream import Upstream
from scoville_client.doors.web.arguments import WebArguments
from scoville_client.doors.web.door import WebDoor, WebDoorOptions
from scoville_client.doors.web.hosted_pages import HostedPages
from scoville_client.doors.web.listening.networks import Proxies, parse_network
from scoville_client.doors.web.site.origins import Origins
from scoville_client.doors.web.visitors import Tokens, cookie_secret


async def open_door(arguments: WebArguments, upstream: Upstream) -> WebDoor:
    """Open the door. Raises OSError, ssl.SSLError, and ValueError with a sentence."""
    options = WebDoorOptions(
        cookie_secret(arguments.state),
        arguments.hosts,
        arguments.port,
        Origins(arguments.origins),
        Proxies([parse_network(each) for each in arguments.proxies]),
        _tls(arguments.certificate, arguments.key),
    )
    shared = Shared(StartGate(), idle_seconds=arguments.idle_seconds)
    door = WebDoor(options, HostedPages(upstream, Tokens(arguments.state / "visitors"), shared))
    await door.start()
    return door


def _tls(certificate: Path | None, key: Path | None) -> ssl.SSLContext | None:
    if certificate is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(certificate, key)
    return context
