"""What crosses the wire: typed messages, and a MessagePack-RPC connection that holds no I/O."""
