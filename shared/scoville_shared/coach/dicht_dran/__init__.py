"""The coach of Dicht dran."""
