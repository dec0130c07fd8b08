"""What the checks share: the subject, its audit, hypotheses, and exact routes independent of the engines."""
