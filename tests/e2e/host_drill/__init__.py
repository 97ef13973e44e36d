"""What a host does in a year, to real servers."""
