"""Transformations of a network that keep its patterns, and when there are no others that keep its function."""

# the order of these imports is the order of the table
from proofs_checks.lemmas.rescaling import bias_scaling  # isort: skip
from proofs_checks.lemmas.rescaling import neuron_symmetries  # isort: skip
from proofs_checks.lemmas.rescaling import no_hidden_symmetries  # isort: skip

__all__ = ["bias_scaling", "neuron_symmetries", "no_hidden_symmetries"]
