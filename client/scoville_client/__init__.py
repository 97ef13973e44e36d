"""The client: screens, line mode, sessions and transports."""
