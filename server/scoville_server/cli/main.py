"""The command `scoville-server`."""

import gc
import sys


def main() -> None:
    """Run the command line; wrong usage prints one sentence."""
    # Until the event loop runs, or another command begins: what modules make stays, so a search for garbage is in vain.
    gc.disable()
    from scoville_server.cli.output import open_streams

    open_streams()
    from scoville_server.cli.options import read_options
    from scoville_server.cli.output import print_result
    from scoville_server.cli.serving import serve
    from scoville_shared import __version__

    if sys.argv[1:] == ["--version"]:  # a server that restarts asks for it, and its users wait
        print_result(__version__)
        return
    options = read_options(sys.argv[1:])
    if options is not None:
        serve(options)
        return
    from scoville_server.cli.commands import run_command_line  # slow to load, and users wait for a start

    gc.enable()
    run_command_line()
