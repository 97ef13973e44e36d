"""Settings of a node of a cluster."""

from typing import Annotated, Final

from msgspec import Meta, Struct

LINK_PORT: Final = 5767
"""The usual port for links."""


class ClusterSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of a node of a cluster; without `servers` the server is alone."""

    servers: Annotated[
        tuple[str, ...],
        Meta(
            description="Addresses of the NATS servers that keep the journal of a cluster, such as "
            "`nats://USER:PASSWORD@192.0.2.7:4222`; none for a server that is alone. See scaling.md."
        ),
    ] = ()
    name: Annotated[
        str,
        Meta(
            pattern="^[A-Za-z0-9_-]{1,32}$",
            description="Name of the cluster, the same on all its nodes: that of its stream.",
        ),
    ] = "scoville"
    address: Annotated[
        str,
        Meta(
            description="HOST:PORT at which users reach this node; empty for the name of the machine and the port of "
            "the server."
        ),
    ] = ""
    link: Annotated[
        str,
        Meta(
            description="HOST:PORT in a private network, such as `10.0.0.1:5767`, at which this node takes the links "
            "of the others. With it all nodes serve, each its own tables; without it one serves, and the others wait."
        ),
    ] = ""
    system: Annotated[
        tuple[str, ...],
        Meta(
            description="The same addresses with a user of the system account, by which a node reads whether the NATS "
            "servers sync their disks. Without them it does not call itself durable."
        ),
    ] = ()
    ca_file: Annotated[
        str, Meta(description="File with the certificate authority of the NATS servers; empty for the system's.")
    ] = ""
