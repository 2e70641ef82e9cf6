"""Finds and starts tilescope-cli."""

import os
import shutil
import subprocess
import sys


class ProgramError(RuntimeError):
    """tilescope-cli is missing, or cannot do what was requested; the text says why."""


def path():
    """The path of tilescope-cli: TILESCOPE_CLI, a program beside the running one, or the one in PATH."""
    beside = os.path.join(os.path.dirname(os.path.realpath(sys.argv[0] or ".")), "tilescope-cli")
    found = os.environ.get("TILESCOPE_CLI") or (beside if os.path.exists(beside) else shutil.which("tilescope-cli"))
    if not found:
        raise ProgramError("tilescope-cli is not in PATH: install it, or name it in the environment variable TILESCOPE_CLI")
    return found


def output(*arguments):
    """The output of the command. Exit code 1 is an answer (e.g. a budget does not hold), 2 is an error."""
    environment = {key: value for key, value in os.environ.items() if key not in ("TILESCOPE_TRACE", "PVTI_OPTIONS")}
    try:  # without the variables that would make it record itself, too
        ran = subprocess.run([path(), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    except OSError as reason:
        raise ProgramError("tilescope-cli does not start: %s" % reason) from None
    if ran.returncode not in (0, 1):
        raise ProgramError(ran.stderr.decode("utf-8", "replace").strip() or "tilescope-cli ended with %d" % ran.returncode)
    return ran.stdout.decode("utf-8", "replace")
