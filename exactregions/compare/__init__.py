"""Other implementations against the truth: their list of regions in, agreement or counterexamples out."""

from exactregions.compare.pattern_files import compare_file, read_patterns
from exactregions.compare.report import comparison_facts, comparison_lines

__all__ = ["compare_file", "comparison_facts", "comparison_lines", "read_patterns"]
