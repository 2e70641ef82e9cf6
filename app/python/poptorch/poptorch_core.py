"""The errors under the name of the module that has them in PopTorch."""

from ._enums import Error, RecoverableError, UnrecoverableError  # noqa: F401
