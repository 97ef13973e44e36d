"""A tournament as a value: who takes part, who plays whom, and who leads."""
