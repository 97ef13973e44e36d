"""Parts of a finished game on the result screen."""
