"""Commands that users type, and that keys and the palette refer to: one registry for every front end."""
