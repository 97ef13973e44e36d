"""The daily deal as values: the calendar, the deals of a day, attempts and results."""
