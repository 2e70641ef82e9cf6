"""Executables of popart and poptorch in files.

A compilation here takes less than a second, so a file holds what it was compiled from, and is checked when it is loaded: a zip of
`executable.json` (kind, version of the simulator, fingerprint of model and options) and parts by name.
"""

import hashlib
import io
import json
import os
import zipfile

from ._library import library

_NAME = "executable.json"


class ExecutableError(Exception):
    """The file is not an executable, or was compiled from something else."""


def fingerprint(*parts):
    """A digest of bytes and JSON values."""
    digest = hashlib.sha256()
    for part in parts:
        data = bytes(part) if isinstance(part, (bytes, bytearray)) else json.dumps(part, sort_keys=True, default=str).encode()
        digest.update(b"%d:" % len(data) + data)
    return digest.hexdigest()


def write(target, kind, mark, parts):
    """Writes an executable. `target`: a path or a binary stream; `parts`: bytes by name."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(_NAME, json.dumps({"kind": kind, "version": library().tilescope_version().decode(), "fingerprint": mark}))
        for name, part in parts.items():
            file.writestr(name, part)
    if hasattr(target, "write"):
        target.write(data.getvalue())
        return
    folder = os.path.dirname(os.fspath(target))
    if folder:
        os.makedirs(folder, exist_ok=True)
    with open(target, "wb") as file:
        file.write(data.getvalue())


def read(source, kind, mark=None):
    """The parts by name. If `mark` is given, the file must be of the same model and options."""
    data = source.read() if hasattr(source, "read") else open(source, "rb").read()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            head = json.loads(file.read(_NAME))
            parts = {name: file.read(name) for name in file.namelist() if name != _NAME}
    except (zipfile.BadZipFile, KeyError, ValueError):
        raise ExecutableError("%s is not an executable of the simulator" % (source if isinstance(source, (str, os.PathLike)) else "the stream")) from None
    if head.get("kind") != kind:
        raise ExecutableError("the executable is one of %s, not of %s" % (head.get("kind"), kind))
    if mark is not None and head.get("fingerprint") != mark:
        raise ExecutableError("the executable was compiled for another model or with other options")
    return parts
