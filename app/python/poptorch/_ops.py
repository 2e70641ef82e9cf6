"""Operators and blocks that models call. Marks are nodes of ONNX with an attribute of ours, which the executor finds in the exported model."""

import contextlib
import functools

import torch

from ._enums import not_simulated
from ._options import warn_once

try:
    from torch.overrides import TorchFunctionMode
except ImportError:
    from torch.overrides import TorchFunctionModeMeta as TorchFunctionMode  # noqa: F401

_state = {"tracing": False, "losses": [], "pending": None}


def isRunningOnIpu():
    """Whether a model is being traced for the machine."""
    return _state["tracing"]


class _Mark(torch.autograd.Function):
    @staticmethod
    def forward(context, x, kind, text):
        return x.clone()

    @staticmethod
    def backward(context, gradient):
        return gradient, None, None

    @staticmethod
    def symbolic(g, x, kind, text):
        made = g.op("Identity", x, **{"tilescope_%s_s" % kind: text})
        made.setType(x.type())
        return made


def mark(x, kind, text):
    return _Mark.apply(x, kind, text)


class _MarkBlocks(TorchFunctionMode):
    """The first operator after the beginning of a block reads a mark."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if _state["pending"] is None or function is _Mark.apply:
            return function(*args, **kwargs)
        args = list(args)
        for index, given in enumerate(args):
            if isinstance(given, torch.Tensor) and not isinstance(given, torch.nn.Parameter) and given.is_floating_point():
                text, _state["pending"] = _state["pending"], None
                args[index] = mark(given, "block", text)
                break
        return function(*args, **kwargs)


class Block(torch.nn.Module):
    """`with Block("name", ipu_id=1):`, or Block.start("name", ipu_id=1)."""

    _next = 0

    def __init__(self, user_id=None, ipu_id=None):
        super().__init__()
        self._name, self._ipu = user_id, ipu_id

    @staticmethod
    def useAutoId():
        Block._next = 0

    @staticmethod
    def start(user_id=None, ipu_id=None):
        if _state["tracing"]:
            name = user_id if user_id is not None else str(Block._next)
            Block._next += user_id is None
            _state["pending"] = "%s\n%s" % (name, "" if ipu_id is None else int(ipu_id))

    def __enter__(self):
        Block.start(self._name, self._ipu)

    def __exit__(self, *_):
        return False


def BeginBlock(layer_to_call, user_id=None, ipu_id=None):
    """The block begins at the call of the layer; returns the layer."""
    if not isinstance(layer_to_call, torch.nn.Module):
        return BlockFunction(user_id, ipu_id)(layer_to_call)

    def begin(module, inputs):
        Block.start(user_id, ipu_id)

    layer_to_call._tilescope_block = layer_to_call.register_forward_pre_hook(begin)
    return layer_to_call


def removeBlocks(module):
    for layer in module.modules():
        hook = layer.__dict__.pop("_tilescope_block", None)
        if hook is not None:
            hook.remove()


def BlockFunction(user_id=None, ipu_id=None):
    def decorate(function):
        @functools.wraps(function)
        def called(*args, **kwargs):
            with Block(user_id, ipu_id):
                return function(*args, **kwargs)

        return called

    return decorate


def identity_loss(x, reduction="none"):
    """Marks the loss that training minimises."""
    if reduction not in ("sum", "mean", "none"):
        raise ValueError("the reduction %s is not sum, mean or none" % reduction)
    loss = x.sum() if reduction == "sum" else x.mean() if reduction == "mean" else x.clone()
    if _state["tracing"]:
        _state["losses"].append((loss, True))
    return loss


def ipu_print_tensor(tensor, title="", print_gradient=True, summarize_threshold=1000, edge_items=3, max_line_width=80, digits=4,
                     float_format="auto", separator=" ", open_bracket="(", close_bracket=")"):
    """The value is printed after each call of the model. Gradients are not printed."""
    return mark(tensor, "print", title or "tensor") if _state["tracing"] else tensor


def recomputationCheckpoint(*tensors):
    """Keeps the tensors for the backward pass if the model recomputes."""
    if not _state["tracing"]:
        return tensors[0] if len(tensors) == 1 else tensors
    marked = [mark(tensor, "checkpoint", "1") for tensor in tensors]
    return marked[0] if len(marked) == 1 else tuple(marked)


def nop(tensor):
    return tensor.clone()


def set_available_memory(tensor, available_memory_proportion):
    """Has no effect: only an option sets the share, for all operators together."""
    warn_once("poptorch.set_available_memory has no effect here")
    return tensor


def serializedMatMul(lhs, rhs, mode=None, factor=0, keep_precision=False):
    warn_once("poptorch.serializedMatMul is one product here")
    return torch.matmul(lhs, rhs)


def set_overlap_for_input(tensors, mode):
    return tensors


def set_overlap_for_output(tensors, mode):
    return tensors


def dynamic_slice(tensor, dim, start, size, step=1):
    not_simulated("poptorch.dynamic_slice")


def _refused(name):
    def refuse(*_, **__):
        not_simulated("poptorch." + name)

    refuse.__name__ = name
    return refuse


ctc_beam_search_decoder, for_loop, cond, custom_op = (_refused(name) for name in ("ctc_beam_search_decoder", "for_loop", "cond", "custom_op"))
dynamic_update, fps, nearest, CPU, MultiConv = (_refused(name) for name in ("dynamic_update", "fps", "nearest", "CPU", "MultiConv"))


@contextlib.contextmanager
def NameScope(name):
    yield
