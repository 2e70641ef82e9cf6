"""The types of a model: all fp16, or mixed."""

import contextlib

import torch

from ._enums import not_simulated
from ._export import export
from ._options import warn_once


def is_half(model, tensors):
    """Whether the whole model is in fp16."""
    own, given = ({one.dtype for one in group if one.is_floating_point()} for group in (list(model.parameters()), tensors))
    if own == {torch.float16} and torch.float32 in given:
        warn_once("a model in fp16 rounds its inputs in fp32 to fp16")
        return True
    return own | given == {torch.float16}


@contextlib.contextmanager
def _in_float(model):
    halves = [one for one in list(model.parameters()) + list(model.buffers()) if one.dtype == torch.float16]
    for one in halves:
        one.data = one.data.float()
    try:
        yield
    finally:
        for one in halves:
            one.data = one.data.half()


def exported(model, arguments, tensors, training):
    """The exported model, and whether it was traced in fp32 and an option must make it fp16. Tracing in fp32 is needed where torch lacks an fp16
    operation on the host. Otherwise each value keeps its type. `arguments`: makes the arguments from tensors."""
    half = is_half(model, tensors)
    if not (half and any(one.dtype == torch.float32 for one in tensors)):
        try:
            return export(model, *arguments(tensors), training), False
        except RuntimeError as error:
            if "'Half'" not in str(error):
                raise
            if not half:
                not_simulated("a model with fp16 and fp32 values in which torch computes %s" % str(error).split(" ")[0].strip('"'))
    with _in_float(model):
        return export(model, *arguments([one.float() if one.dtype == torch.float16 else one for one in tensors]), training), True
