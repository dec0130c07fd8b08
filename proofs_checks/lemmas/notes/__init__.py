"""Seed 001, the notes *Expressivity and Depth*."""
