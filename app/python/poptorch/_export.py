"""A module of torch as bytes of ONNX: flat inputs and outputs, parameters under torch's own names, the loss, marks of blocks."""

import contextlib
import inspect
import io
import types
import warnings

import torch

from tilescope import onnx_bytes

from . import _losses, _masks, _missing, _views
from ._enums import Error
from ._options import warn_once
from ._ops import _MarkBlocks, _state, mark, no_grad_noted

OPSET = 17
_FACTORIES = ("arange", "empty", "full", "full_like", "linspace", "logspace", "ones", "rand", "randint", "randn", "randperm", "range",
              "tensor", "zeros", "zeros_like", "ones_like", "rand_like", "randn_like", "as_tensor")


class ICustomArgParser:
    """Tells how a custom type holds tensors: yieldTensors(value) gives them, reconstruct(value, tensors) makes a new value."""

    def yieldTensors(self, struct):  # noqa: N802
        raise NotImplementedError

    def reconstruct(self, original_structure, tensor_iterator):
        raise NotImplementedError


_parsers = {}


def registerCustomArgParser(kind, parser):  # noqa: N802
    if not isinstance(parser, ICustomArgParser):
        raise Error("the parser is of the type %s, not poptorch.ICustomArgParser" % type(parser).__name__)
    _parsers[kind] = parser


def _parser_of(value):
    return next((_parsers[kind] for kind in type(value).__mro__ if kind in _parsers), None) if _parsers else None


def flat(value, tensors):
    """Replaces each tensor in a structure by a number, and appends the tensors to the list."""
    parser = _parser_of(value)
    if parser is not None:
        return ("custom", parser, value, [flat(one, tensors) for one in parser.yieldTensors(value)])
    if isinstance(value, torch.Tensor):
        tensors.append(value)
        return ("tensor", len(tensors) - 1)
    if isinstance(value, dict):
        order = sorted(value, key=str)  # two calls may fill a dictionary in another order
        inner = {key: flat(value[key], tensors) for key in order}
        return ("dict", type(value), [(key, inner[key]) for key in value])
    if isinstance(value, (list, tuple)):
        return ("list", type(value), [flat(one, tensors) for one in value])
    return ("value", value)


def unflat(form, tensors):
    kind = form[0]
    if kind == "tensor":
        return tensors[form[1]]
    if kind == "value":
        return form[1]
    if kind == "custom":
        return form[1].reconstruct(form[2], iter([unflat(one, tensors) for one in form[3]]))
    if kind == "dict":
        inner = {key: unflat(one, tensors) for key, one in form[2]}
        return form[1](**inner) if hasattr(form[1], "__dataclass_fields__") else form[1](inner)
    inner = [unflat(one, tensors) for one in form[2]]
    return form[1](*inner) if hasattr(form[1], "_fields") else form[1](inner)


@contextlib.contextmanager
def _without_device():
    """Creates tensors of the device "ipu" on the host, because the trace runs there."""
    saved = {name: getattr(torch, name) for name in _FACTORIES if hasattr(torch, name)}
    to = torch.Tensor.to

    def plain(function):
        def made(*args, **named):
            if str(named.get("device", "")).startswith(("ipu", "xla")):
                named.pop("device")
            return function(*args, **named)

        return made

    def moved(tensor, *args, **named):
        args = [one for one in args if not (isinstance(one, str) and one.startswith(("ipu", "xla")))]
        if str(named.get("device", "")).startswith(("ipu", "xla")):
            named.pop("device")
        return to(tensor, *args, **named) if args or named else tensor

    try:
        for name, function in saved.items():
            setattr(torch, name, plain(function))
        torch.Tensor.to = moved
        yield
    finally:
        torch.Tensor.to = to
        for name, function in saved.items():
            setattr(torch, name, function)


_NORMS = (torch.nn.modules.batchnorm._NormBase,)
_OTHER_IN_TRAINING = _NORMS + (torch.nn.modules.dropout._DropoutNd,)


def _own_buffers(model):
    """Buffers other than statistics of norms, which forward() may change. By name: module, key."""
    found = {}
    for prefix, module in model.named_modules():
        if isinstance(module, _NORMS):
            continue
        for key, buffer in module._buffers.items():
            if buffer is not None:
                found[prefix + "." + key if prefix else key] = (module, key)
    return found


class Exported:
    """data: the model's bytes; model: the parsed model; inputs, outputs: names; loss: its name or None; form: structure of forward()'s result;
    states: buffers that forward() changes, with the names of their input and output; changed: inputs that forward() changes; blocks: (node, block,
    ipu); prints: (title, output)."""

    def __init__(self):
        self.changed, self.raised, self.marks, self.expected = [], None, False, 0
        self.states, self.blocks, self.prints, self.checkpoints, self.loss, self.form = {}, [], [], [], None, None


def _plain_tensors(model):
    """Tensors that are neither parameters nor buffers, with their version counters."""
    return {prefix + "." + key if prefix else key: (value, value._version) for prefix, module in model.named_modules()
            for key, value in vars(module).items() if isinstance(value, torch.Tensor)}


def export(model, args, kwargs, training):
    """Exports the module; `args` are the arguments of one micro-batch."""
    result = Exported()
    tensors = []
    call = flat((args, kwargs), tensors)
    kept = {name: value.detach().clone() for name, value in model.state_dict().items()}
    modes = {module: module.training for module in model.modules()}
    generator = torch.random.get_rng_state()
    forward, own = model.forward, "forward" in model.__dict__
    buffers, plain = _own_buffers(model), _plain_tensors(model)
    if not training:  # when training, each module keeps its mode, because eval() may have frozen a batch norm
        if any(module.training for module in model.modules() if isinstance(module, _OTHER_IN_TRAINING)):
            warn_once("an inference model runs its norms and dropouts as after eval()")
        model.train(False)
    try:
        changed = _changed_buffers(model, forward, call, tensors, buffers) if buffers else []
        with torch.no_grad():  # without a trace: restores the values
            for name, value in model.state_dict().items():
                value.copy_(kept[name])
        tensors += [buffers[name][0]._buffers[buffers[name][1]].detach().clone() for name in changed]
        _run_export(model, forward, call, tensors, training, result, [(name, *buffers[name]) for name in changed])
        for name, (tensor, version) in plain.items():
            if tensor._version != version:
                raise Error("forward() changes the tensor %s, which is not a buffer, so no call would see the change: register_buffer() it" % name)
    finally:
        if own:
            model.forward = forward
        else:
            model.__dict__.pop("forward", None)
        for module, mode in modes.items():
            module.training = mode
        with torch.no_grad():
            for name, value in model.state_dict().items():
                value.copy_(kept[name])
        torch.random.set_rng_state(generator)
    return result


def _changed_buffers(model, forward, call, tensors, buffers):
    before = {name: (id(module._buffers[key]), module._buffers[key]._version) for name, (module, key) in buffers.items()}
    originals = {name: module._buffers[key] for name, (module, key) in buffers.items()}
    with torch.no_grad(), _tracing(training=False), _without_device(), _losses.noted():
        args, kwargs = unflat(call, tensors)
        forward(*args, **kwargs)
    changed = [name for name, (module, key) in buffers.items()
               if before[name] != (id(module._buffers[key]), module._buffers[key]._version)]
    for name, (module, key) in buffers.items():
        module._buffers[key] = originals[name]
    return changed


@contextlib.contextmanager
def _tracing(training):
    _state.update(tracing=True, training=training, losses=[], pending=None)
    try:
        yield
    finally:
        _state.update(tracing=False, pending=None)


@contextlib.contextmanager
def _with_own_weights():
    """Keeps weights with equal values separate. The exporter would merge them, so that a later change of one would change all."""
    merge = getattr(torch._C, "_jit_pass_onnx_deduplicate_initializers", None)
    if merge is not None:
        torch._C._jit_pass_onnx_deduplicate_initializers = lambda graph, weights, is_train=True: merge(graph, weights, True)
    try:
        yield
    finally:
        if merge is not None:
            torch._C._jit_pass_onnx_deduplicate_initializers = merge


@contextlib.contextmanager
def _with_whole_slices():
    """Converts bounds of slices to numbers: the exporter makes a list of tensors of size(-1), which torch.tensor() rejects."""
    module = getattr(torch.onnx, "symbolic_opset10", None)
    cut = getattr(module, "_slice", None)
    if cut is None:
        yield
        return

    def whole(bounds):
        return [int(one) if isinstance(one, torch.Tensor) else one for one in bounds] if isinstance(bounds, list) else bounds

    module._slice = lambda g, input, axes, starts, ends, *rest, **named: cut(g, input, axes, whole(starts), whole(ends), *rest, **named)
    try:
        yield
    finally:
        module._slice = cut


def _run_export(model, forward, call, tensors, training, result, states):
    inputs = ["input/%d" % index for index in range(len(tensors))]

    def flat_forward(self, *given):
        saved = {}
        for (name, module, key), value in zip(states, given[len(given) - len(states):]):
            saved[name] = module._buffers[key]
            module._buffers[key] = value.clone()
        args, kwargs = unflat(call, list(given))
        _state["losses"] = []
        outputs = []
        versions = [one._version for one in given]
        try:
            with no_grad_noted():
                made = forward(*args, **kwargs)
        except Exception as error:
            result.raised = error
            raise
        result.form = flat(made, outputs)
        result.count = len(outputs)
        result.changed = [index for index in range(len(given) - len(states)) if given[index]._version != versions[index]]
        if training:
            outputs = _with_loss(outputs, result)
        result.after = len(outputs)
        outputs += [given[index] for index in result.changed]
        outputs += [module._buffers[key] for _, module, key in states]
        for name, module, key in states:
            module._buffers[key] = saved[name]
        result.expected = len(outputs)
        if result.marks:
            return tuple(mark(one, "output", str(index)) for index, one in enumerate(outputs))
        # An output that is also an input gets a separate name.
        return tuple(one.clone() if one.dtype != torch.bool else one.logical_or(one) for one in outputs)

    def followed_forward(self, *given):
        """Follows only forward(): the exporter's own functions would see 0-d tensors of a list as sequences."""
        with _MarkBlocks(), _missing.Replaced(), _masks.assigned(), _views.followed():
            return flat_forward(self, *given)

    model.forward = types.MethodType(followed_forward, model)
    target = io.BytesIO()
    mode = torch.onnx.TrainingMode.PRESERVE if training else torch.onnx.TrainingMode.EVAL
    with _tracing(training), _without_device(), _losses.noted(), _with_own_weights(), _with_whole_slices(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            torch.onnx.export(model, tuple(tensors), target, input_names=inputs, opset_version=OPSET, training=mode,
                              do_constant_folding=False, keep_initializers_as_inputs=False)
        except torch.onnx.CheckerError as error:  # the checker does not know marks, but the file is written
            if "tilescope_" not in str(error) or not target.getvalue():
                raise Error("the model cannot be exported: %s" % error) from error
        except Exception as error:
            if error is result.raised:  # an exception of forward() itself
                raise
            raise Error("the model cannot be exported: %s" % error) from error
    result.data = target.getvalue()
    result.model = onnx_bytes.Model(result.data)
    result.inputs = inputs
    result.outputs = list(result.model.outputs)
    if len(result.outputs) < result.expected and not result.marks:  # the exporter merged equal outputs
        result.marks = True
        return _run_export(model, forward, call, tensors, training, result, states)
    if training:
        result.loss = result.outputs[result.loss_index]
    first = len(result.outputs) - len(states)
    for index, (name, _, _) in enumerate(states):
        result.states[name] = (inputs[len(inputs) - len(states) + index], result.outputs[first + index])
    _read_marks(result)
    return None


def _with_loss(outputs, result):
    losses = [(loss, chosen) for loss, chosen in _state["losses"] if isinstance(loss, torch.Tensor) and loss.numel() == 1]
    chosen = [loss for loss, is_chosen in losses if is_chosen] or [loss for loss, _ in losses]
    if not chosen:
        raise Error("Couldn't find a loss in graph: forward() must call a loss of torch or poptorch.identity_loss, with one number as its result")
    for loss in reversed(chosen):
        for index, output in enumerate(outputs):
            if output is loss:
                result.loss_index = index
                return outputs
    result.loss_index = len(outputs)
    return outputs + [chosen[-1]]


def _read_marks(result):
    extra = []
    for node in result.model.nodes:
        for kind, text in node.attributes.items():
            if kind == "tilescope_block":
                name, _, ipu = text.partition("\n")
                result.blocks.append((node.name, name, int(ipu) if ipu else None))
            elif kind == "tilescope_print":
                result.prints.append((text, node.outputs[0]))
                extra.append(node.outputs[0])
            elif kind == "tilescope_checkpoint":
                result.checkpoints.append(node.outputs[0])
    if extra:
        result.data += onnx_bytes.block(7, b"".join(onnx_bytes.block(12, onnx_bytes.block(1, name)) for name in extra))


def bound(model, args, kwargs):
    """Arguments in the order of forward(), so that a call by names equals a call by position."""
    try:
        signature = inspect.signature(model.forward)
        given = signature.bind(*args, **kwargs)
    except TypeError as error:
        raise Error(str(error)) from None
    return given.args, given.kwargs
