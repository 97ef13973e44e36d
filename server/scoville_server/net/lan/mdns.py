"""Publication by multicast DNS (RFC 6762), with python-zeroconf from the extra `lan`.

The only module of the server that imports zeroconf; it is loaded when something is published first.
"""

from typing import Final

from zeroconf import IPVersion, NonUniqueNameException, ServiceInfo
from zeroconf.asyncio import AsyncZeroconf

from scoville_server.net.lan.publisher import Service
from scoville_shared.announcement import SERVICE

_NAME_CHARS: Final = 12
"""Characters of the pin in the name of the service: enough that no two servers of a network share one."""


class MdnsPublisher:
    """Publishes one service. New addresses get new sockets, other changes only another record."""

    def __init__(self) -> None:
        self._zeroconf: AsyncZeroconf | None = None
        self._info: ServiceInfo | None = None
        self._addresses: tuple[str, ...] = ()

    async def publish(self, service: Service) -> None:
        """Publish a service, in place of the one before. Raises OSError where there is no network for it."""
        info = _describe_service(service)
        if self._zeroconf is not None and service.addresses == self._addresses:
            await (await self._zeroconf.async_update_service(info))
            self._info = info
            return
        await self.withdraw()
        zeroconf = _open_zeroconf()
        try:
            await (await zeroconf.async_register_service(info, allow_name_change=True))
        except NonUniqueNameException as error:
            await zeroconf.async_close()
            raise OSError(str(error)) from error
        # A cancel, too: its sockets would stay open.
        except BaseException:
            await zeroconf.async_close()
            raise
        self._zeroconf, self._info, self._addresses = zeroconf, info, service.addresses

    async def withdraw(self) -> None:
        """Withdraw the service: it sends the goodbye of RFC 6762 and closes the sockets."""
        zeroconf, self._zeroconf = self._zeroconf, None
        if zeroconf is not None:
            await zeroconf.async_close()


def _open_zeroconf() -> AsyncZeroconf:
    """Open sockets on every interface; on a machine without IPv6 for IPv4 alone. Raises OSError."""
    try:
        return AsyncZeroconf(ip_version=IPVersion.All)
    except OSError:
        return AsyncZeroconf(ip_version=IPVersion.V4Only)


def _describe_service(service: Service) -> ServiceInfo:
    """Describe a service. Its names come from the pin: the name of the machine is nobody's business."""
    name = f"scoville-{service.pin[:_NAME_CHARS].lower()}"
    return ServiceInfo(
        SERVICE,
        f"{name}.{SERVICE}",
        port=service.port,
        properties=dict(service.entries),
        server=f"{name}.local.",
        parsed_addresses=[*service.addresses],
    )
