"""Codes of words that are easy to say on the telephone: table codes such as `brave-otter`, and longer ones.

No two words of a list share their first four letters. There are some ninety thousand codes, so guessing is hopeless
with back-off after a few wrong ones; no two open tables share a code.
"""

import secrets
from collections.abc import Container

_FIRST = """
    able agile airy alert amber ample antique apt arctic autumn azure bashful beige big blithe blue bold bonny
    bouncy brave breezy bright brisk bronze bubbly busy calm candid careful caring casual central charming cheery
    chilly chubby civic classic clean clever cloudy coastal cobalt comfy cool copper coral cosmic cosy crafty creamy
    crimson crisp cuddly curious curly dainty dapper daring dashing decent deep deft desert dewy direct dizzy dotted
    double dreamy dry dusty eager early earnest eastern easy elder elegant emerald epic equal even exact extra
    fabled fair faithful famous fancy fast feathery festive fiery fine first fit flaky fluffy flying fond formal
    frank free fresh friendly frosty fruity funny fuzzy gentle giant giddy gifted glad gleaming glossy golden good
    grand grateful gray great green grinning happy hardy hasty hazel hearty hidden high hilly hollow honest hopeful
    huge humble icy ideal indigo inky ivory jade jaunty jazzy jolly jovial joyful juicy jumbo keen kind lanky large
    lasting lavender leafy lemon level light lilac lively local lofty loud loyal lucky lunar magic major maple
    marble mellow merry mighty mild mint misty modern mossy musical mystic narrow native neat new nimble noble
    northern novel nutty oaken ocean olive open orange orderly outdoor patient peachy pearly peppy perky pink plain
    playful pleasant plucky plum plush polar polite prime prompt proper proud pure purple quaint quick quiet quirky
    rapid rare ready regal rich rosy round royal ruby rugged rural rustic sandy scarlet sensible serene sharp
    shiny short shy silent silky silver simple sleepy slim smart smiling smooth snappy snowy soft solar solid sonic
    spare spicy spotted sprightly square stable starry steady stellar still stout strong sturdy sunny super sure
    sweet swift tall tame tangy tawny tender thrifty tidy timely tiny topaz tranquil tropical true trusty twin
    unique upbeat urban useful valiant vast velvet vivid warm watchful wavy western whimsical white wide wild windy
    winter wise witty wooden woolly worthy yellow young zany zesty
"""

_SECOND = """
    acorn alpaca anchor ant apple apricot arrow aspen badger bagel balloon bamboo banjo barley basil beacon bear
    beaver beetle bell berry birch biscuit bison blossom boat bonfire bottle boulder branch breeze bridge broom
    bucket buffalo bugle bunny butter cabin cactus camel canary candle canoe carrot castle cedar cello cherry
    chestnut cinnamon circle clarinet cliff clock cloud clover cobbler cocoa comet compass condor cookie cottage
    coyote crab cranberry crayon cricket crow cuckoo cupcake curtain cushion daisy dolphin donkey dove dragon drum
    duckling dumpling eagle easel echo elk ember falcon feather fennel ferret fiddle fig finch firefly flamingo
    flute forest fountain fox frog galaxy garden garlic gazelle gecko geyser gibbon ginger giraffe glacier goose
    gopher grape guitar gull hamster harbor harp hawk hazelnut hedgehog heron hill hippo holly honey hornet horse
    husky iguana island ivy jacket jaguar jasmine jelly kangaroo kayak kettle kitten kiwi koala ladder ladybird
    lagoon lantern lark laurel lemur lentil lily lion lizard llama lobster lynx magnet magpie mammoth mango marmot
    meadow melon meteor mitten mole monkey moose moth mountain mouse muffin mule mushroom mustard napkin narwhal
    nectar newt nutmeg oasis octopus onion orbit orchid oriole osprey ostrich otter owl oyster paddle pancake panda
    papaya parrot parsley peach peanut pebble pelican penguin pepper petal pheasant piano pickle pigeon pillow pine
    planet plover pocket pony poplar poppy potato prairie pretzel puffin pumpkin puzzle quail quartz rabbit raccoon
    radish rainbow raven reef reindeer ribbon river robin rocket rooster rose saddle saffron salmon sapling satchel
    scarf seal shark sheep shell sparrow spider spinach spoon squirrel stork summit swallow swan sycamore tadpole
    tapir teapot temple thicket thistle thunder tiger toad toffee tomato toucan trout trumpet tulip tunnel turnip
    turtle valley vanilla violin volcano waffle wagon walnut walrus warbler weasel whale whistle willow wombat
    woodpecker wren yak yodel zebra zeppelin
"""

FIRST, SECOND = _FIRST.split(), _SECOND.split()


TRIES = 4_096
"""Draws per length: with one free code in 300, one of them almost certainly finds it. A draw takes a microsecond."""


def draw_free_code(taken: Container[str]) -> str:
    """Draw an unpredictable free code. When codes run out, they get another first word."""
    firsts = 1
    while True:
        for _ in range(TRIES):
            if (code := draw_code(firsts + 1)) not in taken:
                return code
        firsts += 1


def draw_code(words: int) -> str:
    """Draw a code of so many words."""
    return "-".join([*(secrets.choice(FIRST) for _ in range(words - 1)), secrets.choice(SECOND)])


def read_code(written: str) -> str:
    """Normalize a code as users type it: in any case, with spaces or anything else between the words.

    >>> read_code(" Brave Otter")
    'brave-otter'
    """
    return "-".join("".join(char if char.isalpha() else " " for char in written).lower().split())
