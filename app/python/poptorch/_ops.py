"""Operators and blocks that models call. Marks are nodes of ONNX with an attribute of ours, which the executor finds in the exported model."""

import contextlib
import functools

import torch

from ._enums import Error, not_simulated
from ._options import warn_once
from ._views import is_change, tensors_in

try:
    from torch.overrides import TorchFunctionMode
except ImportError:
    from torch.overrides import TorchFunctionModeMeta as TorchFunctionMode  # noqa: F401

_state = {"tracing": False, "losses": [], "pending": None, "training": False, "no_grad": 0}


def isRunningOnIpu():
    """Whether the model is being traced for the machine."""
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


class _Detach(torch.autograd.Function):
    """The value without a gradient; torch's exporter would ignore detach()."""

    @staticmethod
    def forward(context, x):
        return x.clone()

    @staticmethod
    def backward(context, gradient):
        return None

    @staticmethod
    def symbolic(g, x):
        return g.op("ai.tilescope::Detach", x).setType(x.type())


def without_gradient(x):
    return _Detach.apply(x) if _state["training"] and isinstance(x, torch.Tensor) and x.is_floating_point() else x


@contextlib.contextmanager
def no_grad_noted():
    """Counts how deep the model is inside torch.no_grad()."""
    enter, leave = torch.no_grad.__enter__, torch.no_grad.__exit__

    def entered(self):
        _state["no_grad"] += 1
        return enter(self)

    def left(self, *given):
        _state["no_grad"] -= 1
        return leave(self, *given)

    _state["no_grad"] = 0
    torch.no_grad.__enter__, torch.no_grad.__exit__ = entered, left
    try:
        yield
    finally:
        torch.no_grad.__enter__, torch.no_grad.__exit__ = enter, leave
        _state["no_grad"] = 0


_QUESTIONS = ("size", "numel", "__len__")  # in a trace, these return tensors, too


class _MarkBlocks(TorchFunctionMode):
    """Gives a mark to the first operator after the beginning of a block."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        text = _state["pending"]
        if text is None or function is _Mark.apply or is_change(function):  # otherwise the marked copy would be changed, not the tensor
            return function(*args, **kwargs)
        args = list(args)
        for index, given in enumerate(args):
            if isinstance(given, torch.Tensor) and not isinstance(given, torch.nn.Parameter) and given.is_floating_point():
                _state["pending"] = None
                args[index] = mark(given, "block", text)
                break
        result = function(*args, **kwargs)
        is_question = isinstance(result, torch.Size) or next(tensors_in(result), None) is None or getattr(function, "__name__", "") in _QUESTIONS
        if is_question and _state["pending"] is None:
            _state["pending"] = text
        return result


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
    """The block begins when the layer is called. Returns the layer."""
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
    """Prints the value after each call of the model. Gradients are not printed."""
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
    """Has no effect: only an option sets the proportion, for all operators together."""
    warn_once("poptorch.set_available_memory has no effect here")
    return tensor


def serializedMatMul(lhs, rhs, mode=None, factor=0, keep_precision=False):
    warn_once("poptorch.serializedMatMul is one product here")
    return torch.matmul(lhs, rhs)


def set_overlap_for_input(tensors, mode):
    return tensors


def set_overlap_for_output(tensors, mode):
    return tensors


def _rows(start, size, step=1):
    return torch.arange(0, size, step) + (start.reshape(-1) if isinstance(start, torch.Tensor) else start)


class _Rows(torch.autograd.Function):
    """Picks rows by number. During tracing, numbers may be out of range, because the values do not matter."""

    @staticmethod
    def forward(context, x, dim, rows):
        return torch.index_select(x, dim, rows.clamp(0, x.shape[dim] - 1))

    @staticmethod
    def symbolic(g, x, dim, rows):
        shape = x.type().sizes()
        made = g.op("Gather", x, rows, axis_i=dim)
        return made.setType(x.type().with_sizes(shape[:dim] + rows.type().sizes() + shape[dim + 1:]) if shape else x.type())


class _RowsSet(torch.autograd.Function):
    @staticmethod
    def forward(context, x, dim, rows, source):
        return torch.scatter(x, dim, rows.clamp(0, x.shape[dim] - 1), source)

    @staticmethod
    def symbolic(g, x, dim, rows, source):
        return g.op("ScatterElements", x, rows, source, axis_i=dim).setType(x.type())


def _on_machine(dtype):
    return {torch.int64: torch.int32, torch.float64: torch.float32}.get(dtype, dtype)


def _check_slice(size):
    if size == 0:
        raise Error("The start and end of a slice must be different.")
    if size < 0:
        raise Error("Taking a slice of a tensor with the end less than the start is not supported.")


def dynamic_slice(tensor, dim, start, size, step=1):
    """Elements start … start + size of a dimension, where start may change from call to call."""
    _check_slice(size)
    rows = _rows(start, size, step)
    return _Rows.apply(tensor, dim % tensor.dim(), rows) if _state["tracing"] else torch.index_select(tensor, dim, rows)


def dynamic_update(input, src, dim, start, size):
    """The input with elements start … start + size of a dimension replaced by those of src."""
    _check_slice(size)
    if _state["tracing"]:
        if input.dim() != src.dim():
            raise Error("input and src tensors must have same dimensionality. (%d) vs (%d)" % (input.dim(), src.dim()))
        if input.dtype != src.dtype:
            raise Error("input and src tensor must have same dtype. (%s vs %s)" % (input.dtype, _on_machine(src.dtype)))
    shape = [1] * input.dim()
    shape[dim] = -1
    rows = _rows(start, size).reshape(shape).expand(src.shape)
    return _RowsSet.apply(input, dim % input.dim(), rows, src) if _state["tracing"] else torch.scatter(input, dim, rows, src)


def _tensors_in(inputs, name):
    if not isinstance(inputs, list):
        raise ValueError("poptorch.%s expects input tensors (inputs) to be a list of tensors. (Object is not a list)" % name)
    if not all(isinstance(one, torch.Tensor) for one in inputs):
        raise ValueError("poptorch.%s expects input tensors (inputs) to be a list of tensors. (Object contains non-tensor types)" % name)
    return list(inputs)


def _as_list(outputs):
    return list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]


def for_loop(count, body, inputs):
    """Runs the body `count` times, each time with the last outputs. Here each iteration becomes separate operators."""
    if _state["training"]:
        raise Error("poptorch.for_loop() is only supported in inference")
    values = [value.clone() for value in _tensors_in(inputs, "for_loop")]
    warn_once("poptorch.for_loop is unrolled here: the program has the operators of each iteration")
    for _ in range(count):
        outputs = _as_list(body(*values))
        if len(outputs) != len(values):
            raise Error("the body of poptorch.for_loop needs one output per input, has %d inputs and %d outputs" % (len(values), len(outputs)))
        values = outputs
    return values


def cond(condition, then_body, then_inputs, else_body, else_inputs):
    """The outputs of one of two bodies. Here both run, and one is chosen."""
    if _state["training"]:
        raise Error("poptorch.cond() is only supported in inference")
    warn_once("both bodies of poptorch.cond run here, and the outputs of one are taken")
    one, other = (_as_list(body(*[value.clone() for value in _tensors_in(inputs, "cond")]))
                  for body, inputs in ((then_body, then_inputs), (else_body, else_inputs)))
    if len(one) != len(other):
        raise Error("the bodies of poptorch.cond must have equally many outputs, not %d and %d" % (len(one), len(other)))
    return [torch.where(condition.bool(), a, b) for a, b in zip(one, other)]


class MultiConv:
    """Convolutions that the chip may plan together. Here they run one after the other."""

    _open = False

    def _plan(self, *_, **__):
        warn_once("the plan of poptorch.MultiConv has no effect here: its convolutions run one after the other")
        return self

    availableMemoryProportions = partialsTypes = planType = perConvReservedTiles = cycleBackOff = enableConvDithering = _plan

    def __enter__(self):
        if MultiConv._open:
            raise Error("poptorch.MultiConv cannot be nested")
        MultiConv._open = True
        self._plan()
        return self

    def __exit__(self, *_):
        MultiConv._open = False
        return False


def _refused(name):
    def refuse(*_, **__):
        not_simulated("poptorch." + name)

    refuse.__name__ = name
    return refuse


ctc_beam_search_decoder, custom_op, fps, nearest, CPU = (_refused(name) for name in (
    "ctc_beam_search_decoder", "custom_op", "fps", "nearest", "CPU"))


@contextlib.contextmanager
def NameScope(name):
    yield
