"""Programs that check what exactregions claims: a trusted certificate checker, and one lemma a module.

`checker`, `networks` and `__main__` use the standard library only, so that a certificate can be checked on any machine
that has Python; ``FORMAT.md`` specifies the file they read.
"""
