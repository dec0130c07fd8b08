"""Ready networks by name: what `exactregions make KIND` writes.

A kind says which options it takes, so that one that it would ignore is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from exactregions.analysis import constructions, families
from exactregions.analysis.random_networks import random_network
from exactregions.domains import Box, Domain
from exactregions.errors import InputError
from exactregions.network import Network

__all__ = ["KINDS", "Kind", "make"]


@dataclass(frozen=True, slots=True)
class Kind:
    """What can be made.

    Attributes
    ----------
    summary : str
        One line.
    options : tuple of str
        Options that it needs.
    build : callable
        From the values of the options to a network.
    optional : tuple of str
        Options that it takes but has defaults for.
    domain : Domain, optional
        The domain that the network is meant for, where that is not the whole space.
    """

    summary: str
    options: tuple[str, ...]
    build: Callable[..., Network]
    optional: tuple[str, ...] = ()
    domain: Domain | None = None


def _split(widths: Sequence[int]) -> tuple[int, tuple[int, ...]]:
    if len(widths) < 2:
        raise InputError("widths are the input's and at least one hidden layer's", where="--widths")
    return widths[0], tuple(widths[1:])


def _fold(widths: Sequence[int]) -> Network:
    return constructions.fold(*_split(widths))


def _serra(widths: Sequence[int]) -> Network:
    return constructions.serra_fold(*_split(widths))


def _random(widths: Sequence[int], **options: Any) -> Network:
    seed = options.pop("seed", 0)
    return random_network(*_split(widths), rng=seed, **options)


def _zonotope(inputs: int, size: int, teeth: int, depth: int = 1) -> Network:
    return constructions.zonotope(inputs, size, teeth, depth)


def _family(build: Callable[[int], Any]) -> Callable[..., Network]:
    def made(size: int) -> Network:
        network: Network = build(size).network()
        return network

    return made


def _parallel(sizes: Sequence[int], inputs: int) -> Network:
    return families.parallel(sizes, inputs).network()


def _exceptional(name: str) -> Callable[..., Network]:
    def made() -> Network:
        return families.exceptional(name).network()

    return made


KINDS: Mapping[str, Kind] = {
    "tent": Kind("the tent map composed with itself; 2^depth pieces on (0, 1)", ("depth",), constructions.tent,
                 domain=Box([0], [1])),
    "fold": Kind("Montufar's fold: prod floor(n_l/d)^d r(n_L, d) cells or more", ("widths",), _fold),
    "serra": Kind("Serra's zigzags: prod (floor(n_l/d) + 1)^d r(n_L, d) cells or more", ("widths",), _serra),
    "zonotope": Kind("Arora's zonotope of SIZE generators, folded by sawtooths", ("inputs", "size", "teeth"), _zonotope,
                     optional=("depth",)),
    "random": Kind("random weights by a law and a seed", ("widths",), _random, optional=("law", "seed", "activation")),
    **{name: Kind((build.__doc__ or "").split("\n", 1)[0].rstrip("."), ("size",), _family(build))
       for name, build in families.FAMILIES.items()},
    **{name.lower(): Kind(f"the reflection arrangement of {name}", (), _exceptional(name))
       for name in ("F4", "E6", "E7", "E8")},
    "generic": Kind("SIZE hyperplanes in general position", ("size", "inputs"),
                    lambda size, inputs: families.generic(size, inputs).network()),
    "generic-central": Kind("SIZE hyperplanes through 0, otherwise in general position", ("size", "inputs"),
                            lambda size, inputs: families.generic_central(size, inputs).network()),
    "parallel": Kind("families of parallel hyperplanes of the given sizes", ("sizes", "inputs"), _parallel),
    "cycle": Kind("graphical arrangement of a cycle", ("size",),
                  lambda size: families.graphical(size, [(i, (i + 1) % size) for i in range(size)]).network()),
}  # fmt: skip


def make(kind: str, **options: Any) -> tuple[Network, Domain | None]:
    """Build a network by name.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    options
        Those that are None count as not given.

    Returns
    -------
    (Network, Domain or None)
        The domain that it is meant for, if not the whole space.

    Raises
    ------
    InputError
        For an unknown kind, and for an option that is missing or that the kind does not take.

    Examples
    --------
    >>> network, domain = make("tent", depth=5)
    >>> network.widths, str(domain)
    ((2, 2, 2, 2, 2), '(0, 1)')
    """
    if kind not in KINDS:
        raise InputError(f"no kind {kind!r}", remedy=f"choose one of {', '.join(sorted(KINDS))}")
    chosen = KINDS[kind]
    given = {name: value for name, value in options.items() if value is not None}
    for name in chosen.options:
        if name not in given:
            raise InputError(f"{kind} needs --{name}", where="make")
    for name in given:
        if name not in (*chosen.options, *chosen.optional):
            raise InputError(f"{kind} takes no --{name}", where="make")
    return chosen.build(**given), chosen.domain
