"""Exported games on this side of the wire: opened, checked, stepped through, told, recorded and gone on with."""
