"""The laws that every game obeys, random tables on which they are tried, and games that are kept as text."""
