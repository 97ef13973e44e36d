"""One process of a cluster: how it joins, waits, takes over, and gets another key; copies into a cluster and back."""
