"""What every game is made of: the contract, labelled chance, the one entrance, codecs and phrases."""
