"""A cluster in a box: several whole servers, their shared journal and their users in one process, in virtual time.

`world` has processes, time and the network; `engine` the shared journal; `node` one server; `players` the users.
`plans` draws faults from a seed, `runs` runs and shrinks them, and `checker` judges what the users saw.
"""
