"""The protocol: typed messages, and a MessagePack-RPC connection without I/O."""
