"""Private parts of Textual that the client uses, each in one file and behind a public name.

A release of Textual may change them, and most changes fail silently: a screen stands still, or memory grows.
`tests/client/tui/textual_hooks` has a test for each file, and for `tui/terminal/driver.py`, which changes the driver.
After a new pin, read first what fails there.
"""
