"""Policies of No Thanks!: weights of the playout kernel's rules (`kernel.wants_card` and `counting.wants_card`).

The simple ones know the cards and their own chips; those that count know all players' chips and the cards to come.
"""

from math import log
from typing import Final

from scoville_shared.bots.no_thanks import counting, kernel

CAUTIOUS: Final = (50, -100, 0, 0, 0, 0, 0, 0, 100, 0, 0)
"""Takes a card when that costs nothing."""

PATIENT: Final = (1050, -100, 0, 0, 0, 0, 0, 0, 100, 0, -50)
"""Takes a card that costs at most ten points, less half a point for each own chip."""

TRAINED: Final = (
    (543, -100, 3, -727, 40, 77, 15, -14, 134, -30, -29),
    (590, -100, -4, -839, 132, 27, 152, 67, 171, -21, -24),
    (443, -100, 9, -795, 243, 3, 180, 206, 199, -25, -35),
    (361, -100, 19, -901, 432, 10, 285, 196, 220, -14, -40),
)
"""Found by the cross-entropy method, the first one first.

Each was trained against all before it, at tables of three to five, for the mean of its shares of wins and the worst of
them.
"""

EVOLVED: Final = (353, -100, 53, -1300, 0, 0, 0, 0, 234, 0, -53)
"""Pays more for cards early in a round and counts chips on them twice: close to RaggedR's published rule."""

POPULATION: Final = (TRAINED[2], CAUTIOUS, PATIENT, TRAINED[0], TRAINED[1], TRAINED[3], EVOLVED)
"""Simple players; the trained one that plays best against all of them comes first."""

COUNTING: Final = (
    (-34284, -1000, 771, 15514, 5318, 7765, 2795, 869, 3849, 3174, -424, -60,
     375, -976, 880, 17680, -1853, 197, -726, -157, 605, 4043, 12463),
    (-27748, -1000, 568, 14524, 6098, 5999, 11992, 1332, 3165, 2514, -416, -56,
     628, -677, 495, 14308, -1958, 185, -155, -136, 609, 2088, 10417),
    (-30182, -1000, 490, 15455, 4572, 7248, 3763, 2235, 3076, 2667, -340, -57,
     604, -813, 856, 16886, -2180, 222, 367, -139, 732, 1292, 11207),
)  # fmt: skip
"""Generations of policy iteration, the first one first.

Each was fitted to tens of thousands of decisions of bots that search, which expected the policies before it: by a
logistic regression of whether taking was better, in which a decision counts by how much.
"""

_ZEROS: Final = (0,) * (counting.FEATURES - kernel.FEATURES)

EVERYBODY: Final = (*((*policy, *_ZEROS) for policy in POPULATION), *COUNTING)
"""All policies, as policies that count."""

ANSWERS: Final = (
    (-35217, -1000, 715, 16212, 5658, 7467, 5489, 3391, 3638, 4147, -364, -104,
     460, -1044, 718, 11638, -2128, 319, 457, -166, 1240, -783, 3554),
    (-34665, -1000, 690, 14900, 2739, 8734, 2779, 2719, 3346, 3302, -19, -129,
     126, -966, 605, 19360, -2032, 218, 334, -117, 682, 266, 10698),
)  # fmt: skip
"""Policies that exploit weaker ones: they win 49 % against three of `TRAINED[2]` and 94 % against three `CAUTIOUS`.

Each was found by the cross-entropy method against three players of that policy. Nobody is expected to play so, but a
bot may go on by them.
"""

BEST: Final = len(EVERYBODY) - 1
"""The number of the policy that plays best."""

PRIOR: Final = (1.0,) * len(POPULATION) + (1.0, 2.0, 4.0)
"""How likely each policy is where nothing is known of a player: half of them count."""

WEIGHTS: Final = tuple(weight for policy in POPULATION for weight in policy)
"""The weights of the simple players."""

LIKE_STRONG: Final = (
    -10706, -1000, 1315, 6421, 2943, 555, 707, 4865, 3442, 6978, -1163, -153,
    -24, -2181, 1025, 11817, -1175, 320, -4359, -92, 151, 763, 5268,
)  # fmt: skip
"""How bots of the level strong decide among themselves, fitted by `scripts/bench opponents` to 10,580 of their answers.

A search cannot be foretold by a rule: its answers vary around this one (see `VAGUE` of the coach).
"""

LIKE_EARLIER_MASTER: Final = (
    -47964, -1000, 82, 24121, -503, 15107, 16654, 3929, 4622, 503, -508, -157,
    1274, -1743, 1950, 25084, -2473, 466, 820, -211, 986, -1764, 19422,
)  # fmt: skip
"""How masters decided before they expected opinions, fitted to 4,767 of their answers: what they still expect."""

STRONG, EARLIER_MASTER = len(EVERYBODY), len(EVERYBODY) + 1
"""Their numbers."""

EXPECTED: Final = (*EVERYBODY, LIKE_STRONG, LIKE_EARLIER_MASTER)
"""All policies by which a master expects opponents to play."""

PRIOR_OF_EXPECTED: Final = (*PRIOR, 4.0, 4.0)
"""How likely each of them is."""

OWN: Final = (*EXPECTED, *ANSWERS)
"""All policies by which a bot may go on itself, those of `EXPECTED` first."""

LIKE_MASTER: Final = (
    -34466, -1000, 424, 15694, 4069, 5944, 16278, 3587, 4073, 9734, 7, -65,
    575, -822, 890, 13559, -1533, 235, -7734, -143, 1003, 5306, 6963,
)  # fmt: skip
"""How masters decide among themselves, fitted to 18,124 of their answers, at tables of three to seven.

Only the coach expects it: what masters expect of each other is part of how they decide, and would change the answers
that this was fitted to.
"""

MASTER: Final = len(OWN)
"""Its number."""

STANDING: Final = (*(0 for _ in OWN), 108)
"""By how much a point of lead makes a card appeal more, for each policy, fitted together with the rule for masters.

Masters play for the win: who leads takes what is safe, who is behind waits for better cards. So they undo a part of
what differs early in a round, which the other features do not foretell.
"""

VAGUE: Final = {STRONG: 9_336, EARLIER_MASTER: 12_843, MASTER: 1_000}
"""By how many thousandths of a point opinions of a card vary around the policies of bots that search (see `SPREAD`)."""

LEANING: Final = (*(0 for _ in OWN), 1)
"""Whether each policy has leanings; one that has them has a point of 1,000 and varies by a point."""

LEANINGS: Final = (
    (-1472, 8252), (-8270, 8029), (-15242, 10037), (-16799, 10706),
    (-921, 4238), (-1542, 5130), (-4776, 6691), (-12081, 9814),
    (-917, 2230), (-2960, 3346), (-17, 6245), (-5389, 6022),
    (5127, 7038), (-2388, 1784), (-783, 2230), (-6186, 11821),
    (-1640, 8922), (-9148, 8252), (-13040, 9368), (-14224, 12713),
    (-2718, 4907), (-4899, 5799), (-4947, 7583), (-12228, 11152),
    (224, 3569), (-3009, 5130), (-1028, 7360), (-8083, 6468),
    (125, 1784), (-2287, 3346), (-721, 5576), (-3988, 7360),
    (-6507, 10929), (-4885, 6691), (-6351, 8922), (-12067, 11821),
    (-608, 5576), (-1511, 5576), (-3690, 8029), (-14263, 13159),
    (-1165, 3123), (-3334, 4461), (-5821, 6468), (-7604, 6691),
    (-3032, 3792), (-4730, 4907), (-4508, 5353), (-9470, 8475),
    (-93, 8698), (-5590, 8922), (-3924, 8029), (-7706, 13828),
    (-968, 8029), (-4869, 2899), (-5581, 7360), (-12762, 10483),
    (-2213, 5353), (-4417, 4461), (-8375, 6914), (-18023, 11821),
    (-2706, 1784), (-14579, 8252), (-10054, 5576), (-12572, 7360),
)  # fmt: skip
"""How masters differ from their rule for each kind of card, and by how much they vary (see `leanings.kind_of_card`).

Both are in thousandths of a point; the cheapest kind, the last cards and the fewest chips come first. They were fitted
together with the rule. With few chips, cheap cards and many cards to come masters hardly differ from each other; with
dear cards and many chips they differ by five times as much, and wait longer than the rule does.
"""

VARIED: Final = 4_000
"""By how much a master expects those of other players to vary around theirs."""

EXACT: Final = (CAUTIOUS, PATIENT)
"""Rules that a person can keep to exactly; who waits for free cards takes no other ones."""

OPINIONS: Final = (
    *(0 if policy in EXACT else VARIED for policy in POPULATION),
    *(VARIED for _ in COUNTING),
    VAGUE[STRONG],
    VAGUE[EARLIER_MASTER],
    *(0 for _ in ANSWERS),
)
"""By how much opinions vary around each policy of `OWN`; nobody is expected to play by the last ones."""

SPREAD: Final = tuple(round(1000 * log((2 * place + 1) / (511 - 2 * place))) for place in range(256))
"""Equally likely opinions of a card, those of the logistic distribution, in thousandths of a point."""

COUNTING_WEIGHTS: Final = tuple(weight for policy in (*OWN, LIKE_MASTER) for weight in policy)
"""The weights of all players, of the policies that exploit them, and of the masters whom the coach expects."""
