"""The binary encoding of SSH (RFC 4251, section 5), used by keys and signatures."""

from typing import Final

_WORD: Final = 4


class Reader:
    """Reads fields one after the other. Raises ValueError if the bytes end too early."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def take_bytes(self, count: int) -> bytes:
        """Read that many bytes."""
        end = self._at + count
        if end > len(self._data):
            raise ValueError("it is incomplete")
        taken, self._at = self._data[self._at : end], end
        return taken

    def read_number(self) -> int:
        """Read a uint32."""
        return int.from_bytes(self.take_bytes(_WORD))

    def read_string(self) -> bytes:
        """Read a string."""
        return self.take_bytes(self.read_number())

    def read_integer(self) -> int:
        """Read an mpint."""
        return int.from_bytes(self.read_string(), signed=True)

    def check_end(self) -> None:
        """Check that nothing follows. Raises ValueError."""
        if self._at != len(self._data):
            raise ValueError("there is data after its end")


def write_string(data: bytes) -> bytes:
    """Write a string."""
    return len(data).to_bytes(_WORD) + data
