"""Users at tables of another node: their requests cross the link between both, and theirs are answered there."""
