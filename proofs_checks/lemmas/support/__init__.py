"""What the checks share: the subject under check, its audit, hypotheses, and exact routes independent of the engines."""
