"""Every request, reply, event and notice of the protocol; docs/protocol.md is tested against these modules.

A request's params are an array with at most one map; `METHODS` names the map that each method takes and its reply.
The protocol knows no game: options, moves, facts and Views are plain maps.
"""

from scoville_shared.protocol.messages.accounts import *
from scoville_shared.protocol.messages.admin import *
from scoville_shared.protocol.messages.base import *
from scoville_shared.protocol.messages.calendars import *
from scoville_shared.protocol.messages.chat import *
from scoville_shared.protocol.messages.clubs import *
from scoville_shared.protocol.messages.daily import *
from scoville_shared.protocol.messages.digests import *
from scoville_shared.protocol.messages.doors import *
from scoville_shared.protocol.messages.events import *
from scoville_shared.protocol.messages.greeting import *
from scoville_shared.protocol.messages.lobby import *
from scoville_shared.protocol.messages.methods import *
from scoville_shared.protocol.messages.players import *
from scoville_shared.protocol.messages.puzzles import *
from scoville_shared.protocol.messages.tables import *
from scoville_shared.protocol.messages.tournaments import *
