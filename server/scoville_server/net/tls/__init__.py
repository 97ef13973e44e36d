"""TLS on the server's port: recognized by the first byte, driven in memory below the connection driver."""
