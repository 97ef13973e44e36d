"""The link between two nodes: requests of one node's users about tables of the other one, and what these tables send."""
