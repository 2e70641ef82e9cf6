"""What the tests of popart and poptorch share. Importing it names the library (the first word of the command line) and finds the packages; a test
whose packages are not installed ends with 77 (skipped).

    import checks
    np, torch = checks.need("numpy", "torch")
    import poptorch
    …
    checks.finish()
"""

import importlib
import os
import pathlib
import sys

sys.dont_write_bytecode = True
os.environ["TILESCOPE_LIBRARY"] = sys.argv[1]
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "app" / "python"))
failures = []


def need(*names):
    """These modules."""
    try:
        found = [importlib.import_module(name) for name in names]
    except ImportError as missing:
        print("skipped: %s" % missing)
        sys.exit(77)
    return found if len(found) > 1 else found[0]


def check(holds, what):
    if not holds:
        failures.append(what)
        print("FAIL:", what)


def refused(text, call, errors=(RuntimeError, AttributeError, TypeError, ValueError)):
    """The call ends with an error that has this text."""
    try:
        call()
    except errors as error:
        check(text in str(error), "'%s' is in: %s" % (text, error))
    else:
        check(False, "%s is refused" % text)


def finish():
    print("%d failed" % len(failures) if failures else "all agree")
    sys.exit(bool(failures))
