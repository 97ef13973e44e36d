"""Policies of No Thanks!: weights of the playout kernel's rule, found by the cross-entropy method.

Each was trained against all before it, at tables of three to five, for the mean of its shares of wins and the worst of
them. Together they are the opponents that a searching bot expects.
"""

CAUTIOUS = (50, -100, 0, 0, 0, 0, 0, 0, 100, 0, 0)
"""Takes a card when that costs nothing."""

PATIENT = (1050, -100, 0, 0, 0, 0, 0, 0, 100, 0, -50)
"""Takes a card that costs at most ten points, less half a point for each own chip."""

TRAINED = (
    (543, -100, 3, -727, 40, 77, 15, -14, 134, -30, -29),
    (590, -100, -4, -839, 132, 27, 152, 67, 171, -21, -24),
    (443, -100, 9, -795, 243, 3, 180, 206, 199, -25, -35),
    (361, -100, 19, -901, 432, 10, 285, 196, 220, -14, -40),
)
"""The generations of the training, the first one first."""

EVOLVED = (353, -100, 53, -1300, 0, 0, 0, 0, 234, 0, -53)
"""Pays more for cards early in a round and counts chips on them twice: close to RaggedR's published rule."""

POPULATION = (TRAINED[2], CAUTIOUS, PATIENT, TRAINED[0], TRAINED[1], TRAINED[3], EVOLVED)
"""Opponents of a searching bot; it expects itself to go on as the first one."""

WEIGHTS = tuple(weight for policy in POPULATION for weight in policy)
