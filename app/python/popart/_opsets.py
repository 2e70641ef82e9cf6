"""builder.aiOnnx and builder.aiGraphcore: operators as methods."""

import numpy

from tilescope import onnx_bytes

from . import _graphcore_ops, _onnx_ops
from ._types import dtype_of, not_simulated, popart_exception, warn_once


class AiOnnx:
    def __init__(self, builder, opset):
        self._builder, self._opset = builder, opset

    def __str__(self):
        return "AiOnnx%d" % self._opset

    def constant(self, value, *_, **__):
        return self._builder._node("Constant", [], 1, {"value": numpy.asarray(value)})[0]

    def __getattr__(self, method):
        if method.startswith("__"):
            raise AttributeError(method)
        form = _onnx_ops.form(method, self._opset)
        if form is None:
            raise AttributeError("aiOnnxOpset%d has no operator %s" % (self._opset, method))

        def add(*given, **named):
            return self._add(method, form, list(given), dict(named))

        return add

    def _add(self, method, form, given, named):
        named.pop("debugContext", None), named.pop("debugPrefix", None)
        inputs = []
        if method not in _onnx_ops.WITHOUT_INPUTS:
            inputs = named.pop("args") if "args" in named else given.pop(0) if given else None
            if not isinstance(inputs, (list, tuple)):
                raise TypeError("%s(): incompatible function arguments: the first is a list of tensors" % method)
            inputs = list(inputs)
            if not inputs:
                raise popart_exception("%s has invalid number of inputs: 0" % form.kind)
            self._builder._require(form.kind, inputs)
        values, outputs = {}, 1
        for name, default in form.parameters:
            value = given.pop(0) if given else named.pop(name, default)
            if value is _onnx_ops.REQUIRED:
                if name == "num_outputs":
                    value = 1
                else:
                    raise TypeError("%s(): incompatible function arguments: %s is missing" % (method, name))
            if isinstance(value, str) and isinstance(default, (int, float)):  # the debug name, given after fewer parameters
                raise _wrong(method, value)
            if name == "num_outputs":
                outputs = int(value)
            elif name == "axes" and value is not None and method.startswith("reduce") and value is not _onnx_ops.ABSENT and not list(value):
                # An empty list means no axis: each element is reduced alone.
                inputs, values["axes"], values["keepdims"] = [self._one_more(inputs[0])], [0], 0
            elif value is not _onnx_ops.ABSENT and value is not None and not (isinstance(value, (list, tuple)) and not value):
                values.setdefault(name, _as(value, default))
                if name == "axes" and method.startswith("reduce"):
                    self._require_axes(inputs[0], value)
        if named or len(given) > 1 or (given and not isinstance(given[0], str)):  # one further word is a debug name
            raise _wrong(method, ", ".join(named) or given[-1])
        if method == "batchnormalization" and not values.get("spatial", 1):
            not_simulated("aiOnnx.batchnormalization with spatial=0")
        if method == "topk":
            outputs = 2
        elif method == "dynamicquantizelinear":
            outputs = 3
        unread = max(0, outputs - 3) if method == "batchnormalization" else 0  # the saved statistics; only a backward pass reads them
        made = self._builder._node(form.kind, inputs, outputs - unread, _attributes(method, values))
        made = made + ["%s/saved%d" % (made[0], number) for number in range(unread)]
        return made if form.many else made[0]

    def _require_axes(self, name, axes):
        try:
            rank = len(self._builder.getTensorShape(name))
        except popart_exception:  # only a session knows the shape
            return
        for axis in axes:
            if not -rank <= axis < max(rank, 1):
                raise popart_exception("Axis %d is out of acceptable range [%d, %d]" % (axis, -rank, rank - 1))

    def _one_more(self, name):
        named = {"axes": [0]} if self._opset < 13 else {}
        axes = [] if named else [self.constant(numpy.array([0], numpy.int64))]
        return self._builder._node("Unsqueeze", [name] + axes, 1, named)[0]


def _wrong(method, what):
    return TypeError("%s(): incompatible function arguments. The following argument types are supported: those of this opset, without %s" % (
        method, what))


def _as(value, default):
    """Converts a whole number to float if the parameter is real, and an array of one number to the number."""
    value = value.item() if isinstance(value, numpy.ndarray) and not value.ndim else value
    return float(value) if isinstance(default, float) and isinstance(value, (int, numpy.integer)) else value


def _attributes(method, values):
    if method == "cast":
        return {"to": onnx_bytes.TYPES[dtype_of(values["to"]).name]}
    if method == "upsample" and "height_scale" in values:
        return values
    attributes = {}
    for name, value in values.items():
        if hasattr(value, "_graph_bytes"):
            value = onnx_bytes.Graph(value._graph_bytes())
        elif isinstance(value, bool):
            value = int(value)
        attributes[name] = value
    return attributes


class AiGraphcore:
    def __init__(self, builder):
        self._builder = builder

    def __getattr__(self, method):
        if method.startswith("__"):
            raise AttributeError(method)
        special = getattr(type(self), "_" + method, None)
        if special is not None:
            return special.__get__(self)
        made = _graphcore_ops.SIMULATED.get(method)
        if made is None:
            not_simulated("aiGraphcore." + method)

        def add(args, *given, **named):
            named.pop("debugContext", None), named.pop("debugPrefix", None)
            given = [value for value in given if not (isinstance(value, str) and method not in ("depthtospace", "ctcloss"))]
            if "lambda" in named:
                named["lambda_"] = named.pop("lambda")
            args = [args] if isinstance(args, str) else list(args)
            self._builder._require(method, args)
            kind, attributes, nodes, outputs = made(self._builder, args, *given, **named)
            wanted = outputs if isinstance(outputs, int) else outputs[0]
            names = self._builder._call(kind, args, wanted, attributes, nodes)
            return names[0] if isinstance(outputs, int) and outputs == 1 else names + [""] * (outputs[1] - len(names))

        return add

    def _init(self, shape, data_type, init_type=None, batch_axis=None, debugContext=""):
        """Makes zeros; also for tensors that PopART leaves uninitialised."""
        types = {number: name for name, number in onnx_bytes.TYPES.items()}
        dtype = numpy.dtype(types[data_type]) if isinstance(data_type, int) else dtype_of(data_type)
        return self._builder._node("Constant", [], 1, {"value": numpy.zeros([int(size) for size in shape], dtype)})[0]

    def _call(self, args, num_outputs, callee, debugContext=""):
        """Calls the graph of another builder as a function."""
        return self._builder._call_graph(list(args), int(num_outputs), callee)

    def _multiconv(self, args, dilations=(), inDilations=(), pads=(), outPads=(), strides=(), availableMemoryProportions=(),
                   partialsTypes=(), planType=None, perConvReservedTiles=None, cycleBackOff=None, enableConvDithering=(),
                   debugContext=""):
        """Runs several convolutions one after the other: planning them together is not simulated."""
        if any(any(size != 1 for size in one) for one in inDilations) or any(any(one) for one in outPads):
            not_simulated("aiGraphcore.multiconv with inDilations or outPads")
        if availableMemoryProportions or partialsTypes or planType or cycleBackOff or perConvReservedTiles:
            warn_once("the plan of aiGraphcore.multiconv has no effect here: its convolutions run one after the other")
        outputs = []
        for index, one in enumerate(args):
            given = {name: list(values[index]) for name, values in (("dilations", dilations), ("pads", pads), ("strides", strides)) if values}
            self._builder._require("MultiConv", one)
            outputs += self._builder._node("Conv", list(one), 1, given)
        return outputs
