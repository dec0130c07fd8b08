"""Settings for all tests: exact arithmetic takes as long as it takes, so hypothesis sets no deadline."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("exact", deadline=None)
settings.load_profile("exact")
