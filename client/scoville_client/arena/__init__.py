"""Arena: matches between programs. Every deal is played from every seat; ratings have intervals."""
