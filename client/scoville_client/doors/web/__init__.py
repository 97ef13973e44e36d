"""Browser door: the client in a page. An HTTP server that hosts a session for every page on a WebSocket."""
