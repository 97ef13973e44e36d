"""Drawing on a canvas of cells; shared by all boards."""
