"""Random numbers of the playout kernels: 32-bit xorshift, and drawing cards and policies by it.

The functions use only the part of Python that numba compiles (see `bots.machine`). The same state gives the same
numbers in plain Python and compiled.
"""

from collections.abc import MutableSequence, Sequence

Numbers = MutableSequence[int]


def next_random(rng: Numbers) -> int:
    """Return a random number of 32 bits (xorshift); `rng` holds the state, which is not zero."""
    # Marsaglia's triple (13, 17, 5) runs through all 2**32 - 1 states; a kernel needs speed and repetition, no secrets.
    word = rng[0]
    # Masked to 32 bits, since Python's numbers would grow.
    word ^= (word << 13) & 0xFFFFFFFF
    word ^= word >> 17
    word ^= (word << 5) & 0xFFFFFFFF
    rng[0] = word
    return word


def shuffle_front(cards: Numbers, size: int, count: int, rng: Numbers) -> None:
    """Bring a random choice of `count` of the first `size` cards to the front, in random order."""
    for place in range(count):
        # Not quite even, by some parts of 2**32, which no playout notices; drawing fairly would take another loop.
        other = place + next_random(rng) % (size - place)
        kept = cards[place]
        cards[place] = cards[other]
        cards[other] = kept


def draw_policies(policies: Numbers, known: Sequence[int], population: int, rng: Numbers) -> None:
    """Put into `policies` the known one of each seat, or where that is -1 a random one below `population`."""
    for seat in range(len(policies)):
        policies[seat] = known[seat] if known[seat] >= 0 else next_random(rng) % population
