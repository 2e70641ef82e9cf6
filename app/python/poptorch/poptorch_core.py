"""Errors under the name of the module that contains them in PopTorch."""

from ._enums import Error, RecoverableError, UnrecoverableError  # noqa: F401
from ._ops import isRunningOnIpu as isCompilingWithDispatcher  # noqa: F401


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError("poptorch.poptorch_core.%s is not simulated, or there is no such name" % name)
