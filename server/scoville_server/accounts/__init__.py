"""How somebody proves who they are: tokens, claimed names, passwords, keys of SSH. Knows no event loop."""
