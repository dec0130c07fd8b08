"""The examples in docstrings run, and the README's are what they say."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import exactregions

OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
MODULES = sorted(
    info.name
    for info in pkgutil.walk_packages(exactregions.__path__, "exactregions.")
    if not info.name.endswith("__main__")
)


@pytest.mark.parametrize("name", ["exactregions", *MODULES])
def test_docstring_examples(name):
    result = doctest.testmod(importlib.import_module(name), optionflags=OPTIONS)
    assert result.failed == 0


def test_there_are_docstring_examples():
    finder = doctest.DocTestFinder()
    modules = [importlib.import_module(name) for name in MODULES]
    assert sum(bool(test.examples) for module in modules for test in finder.find(module)) > 20


def test_readme_examples():
    result = doctest.testfile(str(Path("README.md").resolve()), module_relative=False, optionflags=OPTIONS)
    assert result.failed == 0
    assert result.attempted > 5
