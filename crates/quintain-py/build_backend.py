"""How the package is built (PEP 517): maturin makes the wheel, and the command is put into it.

The command has to be a program of its own and no entry point into the extension, since it starts
itself again as the supervisor of programs that play. `maturin develop` asks nobody here, and so
installs the package alone.

What maturin is given is given to the command too, in `MATURIN_PEP517_ARGS`: `scripts/wheels`
builds for other machines so. With the profile `wheel`, of what is handed out, the command has all its
features; otherwise those of `cargo run --release`, so that a first `pip install .` ends soon.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import maturin
from maturin import (
    get_requires_for_build_sdist,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]


def get_requires_for_build_wheel(config_settings=None):
    requires = maturin.get_requires_for_build_wheel(config_settings)
    if options(config_settings).zig:
        requires += ["cargo-zigbuild", "ziglang"]
    return requires


get_requires_for_build_editable = get_requires_for_build_wheel


def build_sdist(sdist_directory, config_settings=None):
    """All that is under version control: maturin takes only what the extension needs."""
    listed = subprocess.run(["git", "ls-files", "-z"], stdout=subprocess.PIPE, text=True, check=True)
    with tempfile.TemporaryDirectory() as folder:
        metadata = prepare_metadata_for_build_wheel(folder, config_settings)
        release = metadata.removesuffix(".dist-info")
        name = f"{release}.tar.gz"
        # Links become copies: not every installer makes links.
        with tarfile.open(Path(sdist_directory, name), "w:gz", dereference=True) as archive:
            for file in filter(None, listed.stdout.split("\0")):
                archive.add(file, f"{release}/{file}", filter=of_nobody)
            archive.add(Path(folder, metadata, "METADATA"), f"{release}/PKG-INFO", filter=of_nobody)
    return name


def of_nobody(entry):
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    command = build_command(config_settings)
    name = maturin.build_wheel(wheel_directory, config_settings, metadata_directory)
    add_command(Path(wheel_directory, name), command)
    return name


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    command = build_command(config_settings)
    name = maturin.build_editable(wheel_directory, config_settings, metadata_directory)
    add_command(Path(wheel_directory, name), command)
    return name


def options(config_settings):
    """Those of maturin's options that are the command's too."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--zig", action="store_true")
    parser.add_argument("--target")
    parser.add_argument("--compatibility", "--manylinux")
    parser.add_argument("--profile", default=maturin.get_config()["profile"])
    for switch in ["--locked", "--offline", "--frozen"]:
        parser.add_argument(switch, dest="cargo", action="append_const", const=switch, default=[])
    return parser.parse_known_args(maturin.get_maturin_pep517_args(config_settings))[0]


def build_command(config_settings):
    """Builds the command and returns the path of the program."""
    if not shutil.which("cargo"):
        from puccinialin import setup_rust

        os.environ.update(setup_rust())
    chosen = options(config_settings)
    words = ["cargo", "zigbuild" if chosen.zig else "build", "--package", "quintain-cli", "--bin", "quintain"]
    words += ["--profile", chosen.profile, *chosen.cargo]
    words += ["--features", "wheel,full" if chosen.profile == "wheel" else "wheel"]
    if chosen.target:
        # Zig links against the version of glibc that the wheel's tag promises.
        promise = re.fullmatch(r"manylinux_(\d+)_(\d+)", chosen.compatibility or "")
        glibc = ".{}.{}".format(*promise.groups()) if chosen.zig and promise else ""
        words += ["--target", chosen.target + glibc]
    print("Running `{}`".format(" ".join(words)), flush=True)
    done = subprocess.run(
        [*words, "--message-format", "json-render-diagnostics"], stdout=subprocess.PIPE, check=False
    )
    if done.returncode:
        sys.exit(f"the command could not be built: cargo returned {done.returncode}")
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    return next(message["executable"] for message in messages if message.get("executable"))


def add_command(wheel, command):
    """Puts the program among the scripts of a wheel."""
    with tempfile.TemporaryDirectory() as folder:
        run_wheel("unpack", "--dest", folder, wheel)
        (unpacked,) = Path(folder).iterdir()
        scripts = unpacked / f"{unpacked.name}.data" / "scripts"
        scripts.mkdir(parents=True, exist_ok=True)
        shutil.copy(command, scripts)
        wheel.unlink()
        run_wheel("pack", "--dest-dir", wheel.parent, unpacked)


def run_wheel(*words):
    subprocess.run([sys.executable, "-m", "wheel", *words], check=True)
