"""Faulty games of strangers, as wheels: checked one by one, then all of them at once beside healthy ones."""
