"""Train the two-moons classifier: 1,500 points of the plane, 2-5-5-5-2, ReLU between layers.

Usage:
    python train.py               read moons.csv, train, write two_moons.npz
    python train.py --make-data   write moons.csv first

Needs torch and scikit-learn (the latter only for --make-data).  Seeds, data and a single thread fix the run; another
release of torch may round differently on the way and end in other weights.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

HERE = Path(__file__).parent
SEED = 37
STEPS = 1500


def make_data(path: Path) -> None:
    """Write the points, each number so that reading it gives the same float64."""
    from sklearn.datasets import make_moons

    points, labels = make_moons(1500, noise=0.05, random_state=SEED)
    with path.open("w", newline="", encoding="utf-8") as stream:
        rows = csv.writer(stream, lineterminator="\n")
        rows.writerow(["x1", "x2", "label"])
        rows.writerows(
            [*map(repr, point), label] for point, label in zip(points.tolist(), labels.tolist(), strict=True)
        )


def read_data(path: Path) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the points as float32, shape (1500, 2), and their labels."""
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    return torch.tensor(table[:, :2]).float(), torch.tensor(table[:, 2]).long()


def train(points: torch.Tensor, labels: torch.Tensor) -> tuple[nn.Sequential, float]:
    """Return the trained model and its last loss."""
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    model = nn.Sequential(
        nn.Linear(2, 5), nn.ReLU(), nn.Linear(5, 5), nn.ReLU(), nn.Linear(5, 5), nn.ReLU(), nn.Linear(5, 2)
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
    loss = torch.zeros(())
    for _ in range(STEPS):
        loss = functional.cross_entropy(model(points), labels)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    return model.eval(), loss.item()


def main() -> None:
    """Train and write the weights."""
    parser = argparse.ArgumentParser(description="Train the two-moons classifier.")
    parser.add_argument("--make-data", action="store_true", help="write moons.csv first")
    if parser.parse_args().make_data:
        make_data(HERE / "moons.csv")
    points, labels = read_data(HERE / "moons.csv")
    model, loss = train(points, labels)
    accuracy = (model(points).argmax(dim=1) == labels).float().mean().item()
    linear = [layer for layer in model if isinstance(layer, nn.Linear)]
    weights = {f"W{k}": layer.weight.detach().numpy() for k, layer in enumerate(linear, start=1)}
    biases = {f"b{k}": layer.bias.detach().numpy() for k, layer in enumerate(linear, start=1)}
    np.savez(HERE / "two_moons.npz", **weights, **biases)
    print(f"final loss {loss:.2e}, accuracy {accuracy:.2%} on {len(points)} points")


if __name__ == "__main__":
    main()
