"""The link between two nodes: requests of users of one of them about tables of the other one, and what these send."""
