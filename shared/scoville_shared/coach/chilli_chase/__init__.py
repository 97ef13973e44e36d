"""The coach of Chilli Chase."""
