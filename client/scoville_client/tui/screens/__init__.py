"""The screens: each arranges widgets and turns what they report into what the session is asked."""
