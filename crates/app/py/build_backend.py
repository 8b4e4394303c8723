"""How the package is built (PEP 517): maturin makes the wheel, and the command is put into it.

The command is a program, since it starts itself again as the supervisor of programs that play.
`maturin develop` asks nobody here, and so installs the package alone.

As a rule it is a program of its own with the features of `cargo run --release`, on any system, so that
a first `pip install .` ends soon. What maturin is given is given to the command too, in
`MATURIN_PEP517_ARGS`. Where that has the extension's feature `command` (`scripts/wheels`, for wheels
that are handed out), the extension itself is the program, with all features, and a script begins it.
"""

import argparse
import json
import os
import re
import shutil
import struct
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
    command = None if "command" in options(config_settings).features else build_command(config_settings)
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
    parser.add_argument("--features", action="append", default=[])
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
    more = os.environ.get("QUINTAIN_COMMAND_FEATURES")
    words += ["--features", ",".join(filter(None, ["wheel", more]))]
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
    """Puts the command among the scripts of a wheel: a program, or what begins the extension as one."""
    with tempfile.TemporaryDirectory() as folder:
        run_wheel("unpack", "--dest", folder, wheel)
        (unpacked,) = Path(folder).iterdir()
        scripts = unpacked / f"{unpacked.name}.data" / "scripts"
        scripts.mkdir(parents=True, exist_ok=True)
        if command:
            shutil.copy(command, scripts)
        else:
            (extension,) = unpacked.glob("quintain/_quintain*.so")
            let_python_be_missing(extension)
            script = scripts / "quintain"
            shutil.copy(Path(__file__).with_name("run_extension.py"), script)
            script.chmod(0o755)
        wheel.unlink()
        run_wheel("pack", "--dest-dir", wheel.parent, unpacked)


def let_python_be_missing(extension):
    """Makes Python's symbols weak, so that the extension can be executed where there is no Python.

    What weak symbols stand for may be missing, and where Python loads the extension it is there. No
    linker has an option for that. (ELF of 64 bits: the header, the table of sections, the symbols.)
    """
    data = bytearray(extension.read_bytes())
    if data[:6] != b"\x7fELF\x02\x01":
        sys.exit(f"{extension.name}: only ELF of 64 bits, little endian, can be extension and program")
    (table,) = struct.unpack_from("<Q", data, 0x28)
    size, count = struct.unpack_from("<HH", data, 0x3A)
    # Name, type, flags, address, offset, size, link, information, alignment, size of an entry.
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, table + size * i) for i in range(count)]
    dynamic_symbols, undefined, weak = 11, 0, 2
    (symbols,) = (section for section in sections if section[1] == dynamic_symbols)
    names = sections[symbols[6]][4]
    for symbol in range(symbols[4], symbols[4] + symbols[5], symbols[9]):
        name, information, _, section = struct.unpack_from("<IBBH", data, symbol)
        if section == undefined and data.startswith((b"Py", b"_Py"), names + name):
            data[symbol + 4] = weak << 4 | information & 0xF
    extension.write_bytes(data)


def run_wheel(*words):
    subprocess.run([sys.executable, "-m", "wheel", *words], check=True)
