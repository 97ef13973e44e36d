"""One-time codes of the configured admins: a user who gives one, read at the server, becomes an admin."""

import asyncio
import hmac
import secrets
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

from scoville_runtime.atomic_files import replace_file
from scoville_server.accounts.login_guesses import LogInGuesses
from scoville_server.accounts.sessions import User
from scoville_server.limits.throttle import Source
from scoville_server.moderation.admins import Admins
from scoville_shared.errors import Code, ScovilleError

FILE: Final = "admin-codes.txt"
"""The name of the file in the data folder, readable by its owner only: a line for each open code."""

# Without letters and digits that are taken for each other when a code is read out.
_ALPHABET: Final = "ABCDEFGHJKMNPQRSTVWXYZ23456789"
_GROUPS, _GROUP = 4, 5
"""Four groups of five: 98 bits."""


class CodeFile:
    """The open codes by configured name, in a file, or in memory without one. The file is read again each time."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._codes: dict[str, str] = {}

    def read_codes(self) -> dict[str, str]:
        """Return the codes by name. Raises OSError."""
        if self._path is None:
            return dict(self._codes)
        try:
            lines = self._path.read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return {}
        pairs = (line.partition(" ") for line in lines if not line.startswith("#"))
        return {name: code for code, _, name in pairs if name}

    def write_codes(self, codes: dict[str, str]) -> None:
        """Replace all codes. Raises OSError."""
        self._codes = dict(codes)
        if self._path is None:
            return
        if codes:
            lines = "".join(f"{code} {name}\n" for name, code in codes.items())
            content = f"# Each code makes one user an admin. Keep it secret.\n{lines}"
            replace_file(self._path, content.encode(), locked=True)
        else:
            self._path.unlink(missing_ok=True)


class AdminCodes:
    """Hands out a code for every configured admin who has no account yet; the user who gives it back becomes an admin.

    Args:
        admins: Who is an admin.
        file: Where the codes are.
        guesses: Counts wrong codes, like wrong passwords of one name.
    """

    def __init__(self, admins: Admins, file: CodeFile, guesses: LogInGuesses) -> None:
        self._admins = admins
        self._file = file
        self._guesses = guesses
        self._using = asyncio.Lock()

    def prepare_codes(self) -> dict[str, str]:
        """Return the codes of admins without an account, by configured name, and make missing ones.

        Raises ScovilleError `storage_lost` if they cannot be stored.
        """
        try:
            codes = self._file.read_codes()
            wanted = {name: codes.get(name) or new_code() for name in self._admins.names_without_account}
            if wanted != codes:
                self._file.write_codes(wanted)
        except OSError as error:
            raise _not_stored(error) from error
        return wanted

    async def use_code(self, user: User, code: str, source: Source, noted: Callable[[], Awaitable[None]]) -> None:
        """Make a user an admin, and let the code expire; `noted` writes it to the audit log first.

        Raises ScovilleError `not_claimed`, `wrong_code`, `slow_down`, and JournalError.
        """
        if not user.claimed:
            raise ScovilleError(Code.NOT_CLAIMED, "Claim your name first: only the owner of a name can be an admin.")
        # One at a time: of two users with the same code only one becomes an admin.
        async with self._using:
            with self._guesses.of_name(source, "", ()) as attempt:
                name = await asyncio.to_thread(self._name_of, code)
                attempt.failed = name is None
            if name is None:
                raise ScovilleError(Code.WRONG_CODE, "This admin code is wrong, or it has been used.")
            await noted()
            await self._admins.assign_name(name, user)
            await asyncio.to_thread(self.prepare_codes)

    def _name_of(self, code: str) -> str | None:
        """Find whose open code this is, whatever the case and the spaces."""
        given = "".join(filter(str.isalnum, code)).upper().encode()
        # The file may hold the code of a name that has got an account since.
        codes = {
            name: kept for name, kept in self._file.read_codes().items() if name in self._admins.names_without_account
        }
        return next((name for name, kept in codes.items() if hmac.compare_digest(_strip_hyphens(kept), given)), None)


def describe_code(folder: Path, name: str, *, new: bool) -> str:
    """Return the sentence about an open code of a server's data folder, after replacing the code if it shall be `new`.

    Raises ScovilleError `storage_lost`, and `unknown_code` if there is none.
    """
    file = CodeFile(folder / FILE)
    try:
        codes = file.read_codes()
        if name in codes and new:
            codes[name] = new_code()
            file.write_codes(codes)
    except OSError as error:
        raise _not_stored(error) from error
    if name not in codes:
        raise ScovilleError(Code.UNKNOWN_CODE, f"No code is open for {name}; start the server with --admin {name}.")
    return code_text(name, codes[name])


def code_text(name: str, code: str) -> str:
    """Return the line of the log that shows a code and how to use it."""
    return f"{name} has no admin account yet. Claim a name in the client, then type /code {code} in the chat."


def hint_text(name: str, data: Path) -> str:
    """Return the sentence that says where a code is."""
    import shlex  # late: a few users ask for a code

    command = shlex.join(["scoville-server", "admin-code", name, "--data", str(data)])
    return f"{name} has no admin account yet. This prints the code that makes one: {command}"


def _not_stored(error: OSError) -> ScovilleError:
    return ScovilleError(Code.STORAGE_LOST, f"The admin codes cannot be stored: {error.strerror or error}.")


def new_code() -> str:
    """Make a random code, in groups that are easy to read out."""
    return "-".join("".join(secrets.choice(_ALPHABET) for _ in range(_GROUP)) for _ in range(_GROUPS))


def _strip_hyphens(code: str) -> bytes:
    return code.replace("-", "").encode()
