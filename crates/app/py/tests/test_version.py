"""The version that the package tells."""

import pathlib
import re
import subprocess
import sys

import quintain


def test_the_version_is_told_without_the_packages_metadata():
    program = (
        "import importlib.metadata as metadata\n"
        "def none(name): raise metadata.PackageNotFoundError(name)\n"
        "metadata.version = none\n"
        "import quintain\n"
        "print(quintain.__version__)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    manifest = (pathlib.Path(__file__).parents[4] / "Cargo.toml").read_text()
    version = re.search(r'^version = "(.*)"$', manifest, re.MULTILINE).group(1)
    assert done.stdout.strip() == version
    assert quintain.__version__ != "0.0.0"
