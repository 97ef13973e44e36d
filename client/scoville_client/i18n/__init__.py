"""Languages: catalogs, and events, errors, dates and options as text."""
