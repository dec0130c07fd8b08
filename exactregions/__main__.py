"""`python -m exactregions` is the command line."""

from exactregions.cli import main

if __name__ == "__main__":
    main(prog_name="exactregions")
