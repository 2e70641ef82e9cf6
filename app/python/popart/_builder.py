"""Models as bytes of ONNX, node by node."""

import contextlib
import os

import numpy

from tilescope import onnx_bytes
from tilescope._library import TilescopeError
from tilescope.session import Session

from . import _graphcore_ops, _onnx_ops
from ._types import TensorInfo, VariableSettings, dtype_of, not_simulated, popart_exception, word_of


def _words(given):
    """Positional parameters as a TensorInfo and names: addInputTensor("FLOAT", [2], "x") and addInputTensor(info, "x")."""
    given = list(given)
    if given and not isinstance(given[0], TensorInfo):
        return TensorInfo(given[0], given[1]), given[2:]
    return given[0], given[1:]


def _name_in(words):
    return next((word for word in words if isinstance(word, str)), None)


class _AiOnnx:
    def __init__(self, builder, opset):
        self._builder, self._opset = builder, opset

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
            inputs = list(named.pop("args", None) or given.pop(0))
        values, outputs = {}, 1
        for name, default in form.parameters:
            value = given.pop(0) if given else named.pop(name, default)
            if value is _onnx_ops.REQUIRED:
                if name == "num_outputs":
                    value = 1
                else:
                    raise TypeError("aiOnnx.%s needs %s" % (method, name))
            if name == "num_outputs":
                outputs = int(value)
            elif value is not _onnx_ops.ABSENT and value is not None and not (isinstance(value, (list, tuple)) and not value):
                values[name] = value
        if named or len(given) > 1:  # one more is a debug name
            raise TypeError("aiOnnx.%s has no parameter %s" % (method, ", ".join(named) or given[1:]))
        if method == "topk":
            outputs = 2
        elif method == "dynamicquantizelinear":
            outputs = 3
        made = self._builder._node(form.kind, inputs, outputs, _attributes(method, values))
        return made if form.many else made[0]


def _attributes(method, values):
    if method == "cast":
        return {"to": onnx_bytes.TYPES[dtype_of(values["to"]).name]}
    if method == "upsample" and "height_scale" in values:
        return values
    attributes = {}
    for name, value in values.items():
        if isinstance(value, Builder):
            value = onnx_bytes.Graph(value._graph_bytes())
        elif isinstance(value, bool):
            value = int(value)
        attributes[name] = value
    return attributes


class _AiGraphcore:
    def __init__(self, builder):
        self._builder = builder

    def __getattr__(self, method):
        if method.startswith("__"):
            raise AttributeError(method)
        made = _graphcore_ops.SIMULATED.get(method)
        if made is None:
            not_simulated("aiGraphcore." + method)

        def add(args, *given, **named):
            named.pop("debugContext", None), named.pop("debugPrefix", None)
            given = [value for value in given if not (isinstance(value, str) and method != "depthtospace")]
            if "lambda" in named:
                named["lambda_"] = named.pop("lambda")
            args = [args] if isinstance(args, str) else list(args)
            kind, attributes, nodes, outputs = made(self._builder, args, *given, **named)
            wanted = outputs if isinstance(outputs, int) else outputs[0]
            names = self._builder._call(kind, args, wanted, attributes, nodes)
            return names[0] if isinstance(outputs, int) and outputs == 1 else names + [""] * (outputs[1] - len(names))

        return add


class Builder:
    """Builder(): an empty model; Builder(bytes or path): one to add to."""

    def __init__(self, modelProtoOrFilename=None, opsets=None, builderCore=None):
        self._fixed_opset = (opsets or {}).get("ai.onnx") if opsets else None
        self._opset, self._nodes, self._initialisers, self._inputs, self._outputs = self._fixed_opset, [], {}, {}, []
        self._functions, self._names, self._scopes, self._places = {}, set(), [], []
        self._ipus, self._stages, self._recomputed, self._checkpoints = {}, {}, [], []  # by output
        self._base, self._base_model, self._parent, self._graph_name = b"", None, None, "BuilderGraph"
        self._inference = None
        if modelProtoOrFilename is not None:
            self._base = model_bytes(modelProtoOrFilename)
            self._base_model = onnx_bytes.Model(self._base)
            self._opset = self._base_model.opsets.get("", self._opset)
            for node in self._base_model.nodes:
                self._names.update(node.outputs)
            self._names.update(self._base_model.inputs), self._names.update(self._base_model.initialisers)

    # ---- names

    def _unique(self, name):
        root = self._parent or self
        base = "/".join(self._scopes + [name])
        name, number = base, 0
        while name in root._names or name in self._names:
            number += 1
            name = "%s/%d" % (base, number)
        self._names.add(name), root._names.add(name)
        return name

    @contextlib.contextmanager
    def nameScope(self, name):
        self._scopes.append(name)
        try:
            yield
        finally:
            self._scopes.pop()

    def getNameScope(self, name=""):
        return "".join(scope + "/" for scope in self._scopes) + name

    def setGraphName(self, name):
        self._graph_name = name

    # ---- inputs and outputs

    def addInputTensor(self, *given, debugContext=None, debugPrefix=None):
        info, words = _words(given)
        name = self._unique(debugContext or debugPrefix or _name_in(words) or "input")
        self._inputs[name] = info
        return name

    def addUntypedInputTensor(self, name="input", **_):
        name = self._unique(name or "input")
        self._inputs[name] = None
        return name

    def addInputTensorFromParentGraph(self, name):
        self._names.add(name)

    def addInitializedInputTensor(self, value, *words, debugContext=None, debugPrefix=None):
        for word in words:
            if isinstance(word, VariableSettings) and word.group.type.name != "All":
                self._grouped = True  # refused by the session: a builder alone may describe it
        name = self._unique(debugContext or debugPrefix or _name_in(words) or "init_input")
        self._initialisers[name] = numpy.array(value)
        return name

    def addOutputTensor(self, name):
        self._outputs.append(name)

    def getInputTensorIds(self):
        return list(self._base_model.inputs if self._base_model else []) + list(self._inputs) + list(self._initialisers)

    def getOutputTensorIds(self):
        return (list(self._base_model.outputs) if self._base_model else []) + list(self._outputs)

    def getTrainableTensorIds(self):
        return [name for name, value in self._initialisers.items() if value.dtype.kind == "f"]

    def getValueTensorIds(self):
        return sorted(self._names)

    def isInitializer(self, name):
        return name in self._initialisers or bool(self._base_model and name in self._base_model.initialisers)

    # ---- nodes

    @property
    def aiOnnx(self):
        return self.aiOnnxOpset(self._fixed_opset or self._opset or 11)

    def aiOnnxOpset(self, opset):
        root = self._parent or self
        if root._opset is None:
            root._opset = opset
        if root._opset != opset:
            raise popart_exception("the model has opset %d, so it can have no operators of opset %d" % (root._opset, opset))
        return _AiOnnx(self, opset)

    def __getattr__(self, name):
        if name.startswith("aiOnnxOpset") and name[11:].isdigit():
            return self.aiOnnxOpset(int(name[11:]))
        raise AttributeError("Builder has no %s, or it is not simulated" % name)

    @property
    def aiGraphcore(self):
        return _AiGraphcore(self)

    aiGraphcoreOpset1 = aiGraphcore

    def _node(self, kind, inputs, count, attributes, domain=""):
        outputs = [self._unique("%s:%d" % (kind, index)) for index in range(count)]
        name = outputs[0].replace(":0", "")
        self._nodes.append([kind, list(inputs), outputs, attributes, domain, name])
        self._inference = None
        for key, value in self._places:
            self._place(key, outputs, value)
        return outputs

    def _call(self, kind, inputs, count, attributes, nodes):
        root = self._parent or self
        body = []
        for operator, reads, writes, own in nodes:
            domain, _, operator = operator.rpartition(":")
            body.append(onnx_bytes.node(operator, reads, writes, own, domain))
        opsets = {"": _graphcore_ops.OPSET, "ai.tilescope": 1}
        number, name = 1, kind
        while True:
            made = onnx_bytes.function(name, "ai.graphcore", [str(i) for i in range(len(inputs))],
                                       ["y%d" % i for i in range(count)], body, opsets)
            if root._functions.setdefault(name, made) == made:
                break
            number += 1
            name = "%s_%d" % (kind, number)
        return self._node(name, inputs, count, {}, "ai.graphcore")

    def reshape_const(self, aiOnnx, args, shape, debugContext=None, **_):
        return aiOnnx.reshape([args[0], aiOnnx.constant(numpy.array(list(shape), numpy.int64))])

    def customOp(self, opName="", *_, **__):
        not_simulated("the custom operator %s" % opName)

    def createSubgraphBuilder(self):
        inner = Builder()
        inner._parent, inner._fixed_opset, inner._opset = self._parent or self, self._fixed_opset, self._opset
        return inner

    # ---- where nodes run

    def _place(self, key, names, value):
        names = [names] if isinstance(names, str) else list(names)
        table = {"ipu": self._ipus, "stage": self._stages}[key]
        for name in names:
            table[name] = int(value)

    @contextlib.contextmanager
    def _during(self, key, value):
        self._places.append((key, value))
        try:
            yield
        finally:
            self._places.pop()

    def virtualGraph(self, *given):
        """virtualGraph(outputs, ipu), or `with virtualGraph(ipu):`."""
        return self._during("ipu", given[0]) if len(given) == 1 else self._place("ipu", *given)

    def pipelineStage(self, *given):
        return self._during("stage", given[0]) if len(given) == 1 else self._place("stage", *given)

    def executionPhase(self, *_):
        not_simulated("executionPhase")

    def getVirtualGraph(self, names):
        return self._placed(self._ipus, names, "virtual graph")

    def getPipelineStage(self, names=None):
        return self._placed(self._stages, names, "pipeline stage")

    def hasVirtualGraph(self, names=None):
        return bool(names) and self._first(names) in self._ipus

    def hasPipelineStage(self, names=None):
        return bool(names) and self._first(names) in self._stages

    @staticmethod
    def _first(names):
        return names if isinstance(names, str) else next(iter(names))

    def _placed(self, table, names, what):
        name = self._first(names)
        if name not in table:
            raise popart_exception("%s has no %s" % (name, what))
        return table[name]

    def recomputeOutput(self, names, value=None):
        self._recomputed += [names] if isinstance(names, str) else list(names)

    recomputeOutputInBackwardPass = recomputeOutput

    def checkpointOutput(self, names):
        copies = [self._node("Identity", [name], 1, {})[0] for name in names]
        self._checkpoints += copies
        return copies

    # Settings of single operators: only the options of the session have an effect on plans.
    def setAvailableMemoryProportion(self, *_):
        pass

    setPartialsType = setSerializeMatMul = setInplacePreferences = setEnableConvDithering = excludePatterns = schedulePriority = \
        outlineAttributes = setAvailableMemoryProportion

    # ---- shapes and attributes

    def _port(self, name):
        known = self._inputs.get(name)
        if known is not None:
            return known.dtype, known.shape()
        if name in self._initialisers:
            return self._initialisers[name].dtype, list(self._initialisers[name].shape)
        if self._inference is None:
            try:
                self._inference = Session(self.getModelProto())
            except TilescopeError as error:
                raise popart_exception(str(error)) from None
        try:
            port = self._inference.value(name)
        except TilescopeError as error:
            raise popart_exception(str(error)) from None
        return port.dtype, list(port.shape)

    def _dtype(self, name):
        """Float if the value belongs to the graph around this one."""
        return numpy.dtype("float32") if self._parent else self._port(name)[0]

    def getTensorShape(self, name):
        return [int(size) for size in self._port(name)[1]]

    def getTensorDtypeString(self, name):
        return self._port(name)[0].name

    def _entry(self, names):
        name = self._first(names)
        for entry in self._nodes:
            if name in entry[2]:
                return entry
        raise popart_exception("no node makes %s" % name)

    def addNodeAttribute(self, name, value, outputs):
        self._entry(outputs)[3][name] = value

    def removeNodeAttribute(self, name, outputs):
        self._entry(outputs)[3].pop(name)

    def nodeHasAttribute(self, name, outputs):
        return name in self._entry(outputs)[3]

    def getAllNodeAttributeNames(self, outputs):
        return sorted(self._entry(outputs)[3])

    def _attribute_of(self, name, outputs):
        attributes = self._entry(outputs)[3]
        if name not in attributes:
            raise popart_exception("the node of %s has no attribute %s" % (self._first(outputs), name))
        return attributes[name]

    getInt64NodeAttribute = getFloatNodeAttribute = getStringNodeAttribute = getInt64VectorNodeAttribute = \
        getFloatVectorNodeAttribute = getStringVectorNodeAttribute = _attribute_of

    # ---- the model

    def _graph_bytes(self):
        parts = []
        for kind, inputs, outputs, attributes, domain, name in self._nodes:
            parts.append(onnx_bytes.block(1, onnx_bytes.node(kind, inputs, outputs, attributes, domain, name)))
        if not self._base:
            parts.append(onnx_bytes.block(2, self._graph_name))
        parts += [onnx_bytes.block(5, onnx_bytes.tensor(name, value)) for name, value in self._initialisers.items()]
        for name, info in self._inputs.items():
            shown = onnx_bytes.block(1, name) if info is None else onnx_bytes.value(name, info.dtype, info.shape())
            parts.append(onnx_bytes.block(11, shown))
        parts += [onnx_bytes.block(12, onnx_bytes.block(1, name)) for name in self._outputs]
        return b"".join(parts)

    def getModelProto(self):
        """Bytes of the model, with the builder, from which sessions take the placement of nodes."""
        functions = [onnx_bytes.block(25, one) for one in self._functions.values()]
        if self._base:
            data = self._base + onnx_bytes.block(7, self._graph_bytes()) + b"".join(functions)
            if self._functions and "ai.graphcore" not in self._base_model.opsets:
                data += onnx_bytes.block(8, onnx_bytes.opset("ai.graphcore", 1))
        else:
            opsets = {"": self._opset or 11}
            if self._functions:
                opsets["ai.graphcore"] = 1
            data = onnx_bytes.model(self._graph_bytes(), opsets, self._functions.values())
        return BuiltModel(data, self)

    def saveModelProto(self, path):
        with open(path, "wb") as file:
            file.write(self.getModelProto())

    def saveInitializersExternally(self, *_):
        not_simulated("saveInitializersExternally")


class BuiltModel(bytes):
    """Bytes of a model, with the IPUs and stages of its nodes."""

    def __new__(cls, data, builder):
        made = super().__new__(cls, data)
        made.ipus, made.stages = dict(builder._ipus), dict(builder._stages)
        made.checkpoints, made.recomputed = list(builder._checkpoints), list(builder._recomputed)
        made.grouped = getattr(builder, "_grouped", False)
        return made


def model_bytes(given):
    """The bytes of a model, from bytes or from a path. External data beside the path is not read."""
    if isinstance(given, (bytes, bytearray)):
        return given
    path = os.fspath(given)
    if not os.path.exists(path):
        raise popart_exception("the model file does not exist: %s" % path)
    with open(path, "rb") as file:
        return file.read()


__all__ = ["Builder", "BuiltModel", "model_bytes", "word_of"]
