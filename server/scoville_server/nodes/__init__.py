"""Seams between nodes: members of a cluster, the bus, owners of tables, connections of users; today of one process."""
