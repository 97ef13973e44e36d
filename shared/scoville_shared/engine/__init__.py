"""The game engine: the game contract, the checked entrance, verifiable randomness, codecs and phrases."""
