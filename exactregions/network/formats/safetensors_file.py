"""safetensors files: tensors by name, without code; read like the state_dict of a plain stack of Linear layers.

The file's own metadata may state the activation under the key ``activation``, in the JSON form of a network.
"""

from __future__ import annotations

from pathlib import Path

from exactregions.domains import Domain
from exactregions.errors import FormatError, UnsupportedError
from exactregions.network.formats.json_text import chosen_activation, parse_json
from exactregions.network.formats.state_dict import from_state_dict, require_torch
from exactregions.network.network import Network

__all__ = ["read"]


def read(path: Path, *, selector: str | None = None, activation: object = None) -> tuple[Network, Domain | None]:
    """Read a plain stack of Linear layers."""
    require_torch()  # its tensors hold bfloat16, which NumPy does not know
    try:
        import safetensors
    except ImportError:
        raise UnsupportedError("reading this needs safetensors", remedy="pip install 'exactregions[torch]'") from None
    if selector is not None:
        raise FormatError("the file holds one network", where=f"#{selector}", remedy="leave the # part away")
    try:
        with safetensors.safe_open(path, framework="pt") as archive:
            mapping = {name: archive.get_tensor(name) for name in archive.keys()}  # noqa: SIM118  (not a dict)
            stated = (archive.metadata() or {}).get("activation")
    except safetensors.SafetensorError as error:
        raise FormatError(f"not a readable safetensors file: {error}") from None
    if stated is not None:
        stated = parse_json(stated, where="metadata, activation") if stated[:1] in '[{"' else stated
    return from_state_dict(mapping, activation=chosen_activation(stated, activation, default=None)), None
