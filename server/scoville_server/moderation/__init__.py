"""How a server is looked after: who may, whom they banned from what, what they did, and what was reported. Pure."""
