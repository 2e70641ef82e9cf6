"""Finds and loads libtilescope.so, whose functions app/capi/tilescope.h documents."""

import ctypes
import os

_API_VERSION = 1  # minimum version that this package needs


class TilescopeError(RuntimeError):
    """An error of the simulator; the text says what was wrong or missing, and where."""


class Tensor(ctypes.Structure):
    """tilescope_tensor of tilescope.h."""

    _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_int32), ("rank", ctypes.c_int32),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("bytes", ctypes.c_int64), ("transfers", ctypes.c_int64),
                ("kind", ctypes.c_int32)]


_FUNCTIONS = {
    "tilescope_api_version": (ctypes.c_int, ()),
    "tilescope_version": (ctypes.c_char_p, ()),
    "tilescope_last_error": (ctypes.c_char_p, ()),
    "tilescope_open": (ctypes.c_void_p, (ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p)),
    "tilescope_open_file": (ctypes.c_void_p, (ctypes.c_char_p,)),
    "tilescope_close": (None, (ctypes.c_void_p,)),
    "tilescope_set": (ctypes.c_int, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)),
    "tilescope_compile": (ctypes.c_int, (ctypes.c_void_p,)),
    "tilescope_run": (ctypes.c_int, (ctypes.c_void_p,)),
    "tilescope_cycles": (ctypes.c_int64, (ctypes.c_void_p,)),
    "tilescope_run_cycles": (ctypes.c_int64, (ctypes.c_void_p,)),
    "tilescope_clock": (ctypes.c_double, (ctypes.c_void_p,)),
    "tilescope_note": (ctypes.c_char_p, (ctypes.c_void_p, ctypes.c_int64)),
    "tilescope_save_model": (ctypes.c_int, (ctypes.c_void_p, ctypes.c_char_p)),
    "tilescope_report": (ctypes.c_int, (ctypes.c_void_p, ctypes.c_char_p)),
}
_FUNCTIONS["tilescope_value"] = (ctypes.c_int, (ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(Tensor)))
for _kind in ("input", "output", "weight"):
    _FUNCTIONS["tilescope_%s_count" % _kind] = (ctypes.c_int64, (ctypes.c_void_p,))
    _FUNCTIONS["tilescope_" + _kind] = (ctypes.c_int, (ctypes.c_void_p, ctypes.c_int64, ctypes.POINTER(Tensor)))
for _action in ("write_input", "read_output", "read_weight", "write_weight"):
    _FUNCTIONS["tilescope_" + _action] = (ctypes.c_int, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t))


def _candidates():
    """Possible libraries: only TILESCOPE_LIBRARY if it is set; else that of the SDK or source tree of this file, then the system's."""
    named = os.environ.get("TILESCOPE_LIBRARY")
    if named:
        return [named]
    here = os.path.dirname(os.path.realpath(__file__))
    tree, sdk = (os.path.normpath(os.path.join(here, *[".."] * steps)) for steps in (3, 2))
    beside = [os.path.join(sdk, "lib", "libtilescope.so.0"), os.path.join(tree, "build", "lib", "libtilescope.so.0")]
    return [path for path in beside if os.path.exists(path)] + ["libtilescope.so.0"]


_loaded = None


def library():
    """The library with its functions declared; loaded at the first call."""
    global _loaded
    if _loaded is not None:
        return _loaded
    reasons = []
    for candidate in _candidates():
        try:
            found = ctypes.CDLL(candidate)
            break
        except OSError as reason:
            reasons.append(str(reason))
    else:
        raise TilescopeError("libtilescope.so.0 cannot be loaded: install tilescope's library, or name it in the environment "
                             "variable TILESCOPE_LIBRARY (%s)" % "; ".join(reasons))
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(found, name)
        function.restype, function.argtypes = result, arguments
    if found.tilescope_api_version() < _API_VERSION:
        raise TilescopeError("%s has version %d of the interface, %d is needed" % (
            candidate, found.tilescope_api_version(), _API_VERSION))
    _loaded = found
    return found
