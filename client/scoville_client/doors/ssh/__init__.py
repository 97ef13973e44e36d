"""SSH door: the client for users who only have `ssh`. The only package that knows asyncssh."""
