#!python
"""The command `quintain` of a wheel that is handed out: the package's extension is a program too."""

import os
import signal
import sys
from importlib.util import find_spec

(folder,) = find_spec("quintain").submodule_search_locations
program = os.path.join(folder, "_quintain.abi3.so")
# Python ignores these, and programs inherit that.
for number in (signal.SIGPIPE, signal.SIGXFSZ):
    signal.signal(number, signal.SIG_DFL)
os.execv(program, sys.argv)
