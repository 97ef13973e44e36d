"""Every method of the wire, as the server answers it: one room a subject, each with its `HANDLERS`."""
