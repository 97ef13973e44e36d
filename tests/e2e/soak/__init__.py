"""Many people live at one server for a while: short in the tests, for minutes with `scripts/soak`."""
