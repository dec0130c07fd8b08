"""What follows from a list of cells, or from the shape of a network: bounds, counts, the function, its topology."""
