"""Executables in files. A file holds the source of the compiled model."""

import io
import pickle

import torch

from tilescope import executable

from ._enums import Error


def _dumped(what, value):
    try:
        data = io.BytesIO()
        torch.save(value, data)
        return data.getvalue()
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise Error("%s cannot be written to a file: %s" % (what, error)) from None


def _loaded(data):
    try:
        return torch.load(io.BytesIO(data), weights_only=False)
    except TypeError:  # torch 1.13 has no such argument
        return torch.load(io.BytesIO(data))


def save(executor, filename, export_model):
    form = _dumped("the arguments", {"form": executor._form, "shapes": executor._shapes, "training": executor._training,
                                     "kind": type(executor._model).__qualname__})
    parts = {"call.pt": form}
    if export_model:
        optimizer = executor._optimizer if executor._training else None
        parts["model.pt"] = _dumped("the model", {"model": executor._model, "options": executor._options, "optimizer": optimizer})
    executable.write(filename, "poptorch", "", parts)


def _read(filename):
    try:
        return executable.read(filename, "poptorch")
    except executable.ExecutableError as error:
        raise Error(str(error)) from None


def _compile(executor, call):
    executor._compile(call["form"], [torch.zeros(shape, dtype=dtype) for shape, dtype in call["shapes"]])


def load_into(executor, filename):
    call = _loaded(_read(filename)["call.pt"])
    if call["kind"] != type(executor._model).__qualname__ or call["training"] != executor._training:
        raise Error("the executable is of %s of %s" % ("training" if call["training"] else "inference", call["kind"]))
    _compile(executor, call)


def load(filename, edit_opts_fn=None):
    """Compiles the model of a file that compileAndExport() or save() wrote. `edit_opts_fn` may change its options first."""
    from ._executor import PoplarExecutor
    parts = _read(filename)
    if "model.pt" not in parts:
        raise Error("the file has no model: it was written with export_model=False, so call loadExecutable() of a model")
    kept, call = _loaded(parts["model.pt"]), _loaded(parts["call.pt"])
    if edit_opts_fn:
        edit_opts_fn(kept["options"])
    executor = PoplarExecutor(kept["model"], kept["options"], call["training"], kept["optimizer"])
    _compile(executor, call)
    return executor
