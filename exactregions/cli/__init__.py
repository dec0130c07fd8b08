"""The command line: thin over the library; parse, call, print.  `common` says what goes where, and the exit codes."""

from __future__ import annotations

from typing import Any

import click

from exactregions import __version__
from exactregions.cli import enumerating, proving, studying
from exactregions.cli.common import fail
from exactregions.errors import ExactRegionsError, InputError

__all__ = ["main"]


class _Commands(click.Group):
    """A group whose errors are one line on standard error with the exit codes of the module's docstring."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command and turn its exceptions into exit codes."""
        try:
            return super().invoke(ctx)
        except InputError as error:
            fail(str(error), 2)
        except ExactRegionsError as error:
            fail(str(error), 3)
        except KeyboardInterrupt:
            fail("interrupted", 130)
        except MemoryError:
            fail("out of memory; nothing was decided", 3)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="exactregions")
def main() -> None:
    """Count, list and prove the activation regions of piecewise-linear networks, exactly."""


for _module in (enumerating, proving, studying):
    for _name in _module.__all__:
        main.add_command(getattr(_module, _name))
