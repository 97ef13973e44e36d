"""Every request, reply, event and notice of the wire, typed. docs/protocol.md is tested against these pages.

A request's params are an array with at most one map; `METHODS` says which map each method takes and what it
answers. The wire knows no game: options, moves, facts and Views cross it as plain maps.
"""

from scoville_shared.protocol.messages.accounts import *
from scoville_shared.protocol.messages.admin import *
from scoville_shared.protocol.messages.base import *
from scoville_shared.protocol.messages.chat import *
from scoville_shared.protocol.messages.events import *
from scoville_shared.protocol.messages.lobby import *
from scoville_shared.protocol.messages.methods import *
from scoville_shared.protocol.messages.notices import *
from scoville_shared.protocol.messages.people import *
from scoville_shared.protocol.messages.players import *
from scoville_shared.protocol.messages.tables import *
