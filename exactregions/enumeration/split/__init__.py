"""The compiled engine: cells by their vertices, or by a vertex dictionary; every sign certified."""

from exactregions.enumeration.split.engine import SplitResult, split

__all__ = ["SplitResult", "split"]
