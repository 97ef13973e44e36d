"""Games of other packages, as both ends run them: guarded, in sentences that never fail, in the users' languages."""
