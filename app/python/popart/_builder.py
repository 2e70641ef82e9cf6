"""Models as bytes of ONNX, node by node."""

import contextlib
import os

import numpy

from tilescope import onnx_bytes
from tilescope._library import TilescopeError
from tilescope.session import Session

from . import _graphcore_ops, _weights
from ._opsets import AiGraphcore, AiOnnx
from ._types import InputSettings, RecomputeType, TensorInfo, VariableSettings, not_simulated, popart_exception, warn_once, word_of


def _words(given):
    """Positional parameters as a TensorInfo and names: addInputTensor("FLOAT", [2], "x") and addInputTensor(info, "x")."""
    given = list(given)
    if given and not isinstance(given[0], TensorInfo):
        return TensorInfo(given[0], given[1]), given[2:]
    return given[0], given[1:]


def _name_in(words):
    for word in words:
        if not isinstance(word, (str, InputSettings, VariableSettings)):
            raise TypeError("%r is not a name" % (word,))
    return next((word for word in words if isinstance(word, str)), None)


class Builder:
    """Builder(): an empty model; Builder(bytes or path): one to add to."""

    def __init__(self, modelProtoOrFilename=None, opsets=None, builderCore=None):
        self._fixed_opset = (opsets or {}).get("ai.onnx") if opsets else None
        self._opset, self._nodes, self._initialisers, self._inputs, self._outputs = self._fixed_opset, [], {}, {}, []
        self._functions, self._calls, self._insides, self._names, self._scopes, self._places = {}, {}, {}, set(), [], []
        self._ipus, self._stages, self._recomputed, self._checkpoints = {}, {}, [], []  # by output
        self._base, self._base_model, self._parent, self._graph_name = b"", None, None, "BuilderGraph"
        self._inference, self._from_parent = None, []
        self._stored = {}  # initialisers stored in separate files, as TensorProtos of the model
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

    def addInputTensor(self, *given, settings=None, debugContext=None, debugPrefix=None):
        info, words = _words(given)
        name = self._unique(debugContext or debugPrefix or _name_in(words) or "input")
        self._inputs[name] = info
        return name

    def addUntypedInputTensor(self, name="input", **_):
        if self._parent is None:
            raise popart_exception("Can not add untyped tensors to the top-level graph. Use Builder::addInputTensor instead.")
        name = self._unique(name or "input")
        self._inputs[name] = None
        return name

    def addInputTensorFromParentGraph(self, name):
        self._names.add(name)
        self._from_parent.append(name)

    def addInitializedInputTensor(self, value, *words, debugContext=None, debugPrefix=None):
        for word in words:
            if isinstance(word, VariableSettings) and not (word.isUsingCommGroup() and word.group.type.name == "All"):
                self._grouped = True  # the session rejects it; a builder alone may describe it
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
        nodes = (self._base_model.nodes if self._base_model else []) + [_Outputs(entry[2]) for entry in self._nodes]
        return [name for node in nodes for name in node.outputs if name]

    def isInitializer(self, name):
        return name in self._initialisers or bool(self._base_model and name in self._base_model.initialisers)

    # ---- nodes

    @property
    def aiOnnx(self):
        return self.aiOnnxOpset(self._fixed_opset or (self._parent or self)._opset or 10)

    def aiOnnxOpset(self, opset):
        root = self._parent or self
        if root._opset is None:
            root._opset = opset
        if root._opset != opset:
            raise popart_exception("Invalid opset 'aiOnnxOpset%d' selected. Opset for domain ai.onnx already defined as %d" % (
                opset, root._opset))
        return AiOnnx(self, opset)

    def __getattr__(self, name):
        if name.startswith("aiOnnxOpset") and name[11:].isdigit():
            return self.aiOnnxOpset(int(name[11:]))
        raise AttributeError("Builder.%s is not simulated, or there is no such method" % name)

    @property
    def aiGraphcore(self):
        return AiGraphcore(self)

    aiGraphcoreOpset1 = aiGraphcore

    def _require(self, kind, names):
        root = self._parent or self
        for name in names:
            if not isinstance(name, str):
                raise TypeError("%s(): incompatible function arguments: %r is not a tensor" % (kind.lower(), name))
            if name and name not in self._names and name not in root._names:
                raise popart_exception("%s: the model has no tensor '%s'" % (kind, name))

    def _node(self, kind, inputs, count, attributes, domain=""):
        outputs = [self._unique("%s:%d" % (kind, index)) for index in range(count)]
        name = outputs[0].replace(":0", "")
        self._nodes.append([kind, list(inputs), outputs, attributes, domain, name])
        self._inference = None
        for key, value in self._places:
            if key == "recompute":
                self.recomputeOutput(outputs, value)
            else:
                self._place(key, outputs, value)
        return outputs

    def _call(self, kind, inputs, count, attributes, nodes):
        root = self._parent or self
        body, opset, newer = [], root._opset or 10, 1
        for operator, reads, writes, own in nodes:
            domain, _, operator = operator.rpartition(":")
            if not domain and _graphcore_ops.least_opset(operator, reads, own) > opset:
                domain, newer = "ai.tilescope", _graphcore_ops.OPSET
            body.append(onnx_bytes.node(operator, reads, writes, own, domain))
        opsets = {"": opset, "ai.tilescope": newer}
        number, name = 1, kind
        while True:
            made = onnx_bytes.function(name, "ai.graphcore", [str(i) for i in range(len(inputs))],
                                       ["y%d" % i for i in range(count)], body, opsets)
            if root._functions.setdefault(name, made) == made:
                first = next(node for node in nodes if node[0] != "Constant")
                root._insides[name] = (first[2][0], 1)
                break
            number += 1
            name = "%s_%d" % (kind, number)
        return self._node(name, inputs, count, {}, "ai.graphcore")

    def _call_graph(self, args, count, callee):
        root, own = self._parent or self, list(callee._inputs) + callee._from_parent
        if len(args) != len(own) and own:
            raise popart_exception("the called graph has %d inputs, but the call gives %d" % (len(own), len(args)))
        made = {name for entry in callee._nodes for name in entry[2]} | set(own) | set(callee._initialisers)
        outer = sorted({name for entry in callee._nodes for name in entry[1] if name and name not in made})
        nodes = [onnx_bytes.node("Constant", [], [name], {"value": value}) for name, value in callee._initialisers.items()]
        nodes += [onnx_bytes.node(kind, inputs, outputs, attributes, domain) for kind, inputs, outputs, attributes, domain, _ in callee._nodes]
        outputs = callee._outputs[:count]
        opsets = {"": root._opset or 10, "ai.graphcore": 1}
        name = "Call_%s" % callee._graph_name if root._functions.get("Call_%s" % callee._graph_name) is None else None
        body = onnx_bytes.function("", "ai.graphcore", own + outer, outputs, nodes, opsets)
        for known, content in root._calls.items():
            if content == body:
                name = known
        if name is None or (name not in root._calls and name in root._functions):
            name = "Call_%d" % len(root._calls)
        root._calls[name] = body
        inner = [root._insides.get(entry[0], ("", 1))[1] for entry in callee._nodes if entry[4] == "ai.graphcore"]
        root._insides[name] = (next((entry[2][0] for entry in callee._nodes if entry[0] != "Constant"), ""), 1 + sum(inner))
        root._functions[name] = onnx_bytes.function(name, "ai.graphcore", own + outer, outputs, nodes, opsets)
        return self._node(name, (args if own else []) + outer, len(outputs), {}, "ai.graphcore")

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

    def getVirtualGraph(self, names=None):
        """The IPU of a tensor, or of the current scope."""
        return self._placed("ipu", self._ipus, names, "Virtual graph")

    def getPipelineStage(self, names=None):
        return self._placed("stage", self._stages, names, "Pipeline stage")

    def hasVirtualGraph(self, names=None):
        return self._first(names) in self._ipus if names else self._in_scope("ipu") is not None

    def hasPipelineStage(self, names=None):
        return self._first(names) in self._stages if names else self._in_scope("stage") is not None

    def _in_scope(self, key):
        return next((value for kind, value in reversed(self._places) if kind == key), None)

    @staticmethod
    def _first(names):
        return names if isinstance(names, str) else next(iter(names))

    def _placed(self, key, table, names, what):
        if names is None:
            value = self._in_scope(key)
            if value is None:
                raise popart_exception("%s not set in current scope" % what)
            return value
        name = self._first(names)
        if name not in table:
            raise popart_exception("%s has no %s" % (name, what))
        return table[name]

    def recomputeOutput(self, names, value=RecomputeType.Recompute):
        """Recomputes the named tensors, or those created in `with recomputeOutput(type):`."""
        if isinstance(names, RecomputeType):
            return self._during("recompute", names)
        if value != RecomputeType.Checkpoint:
            self._recomputed += [names] if isinstance(names, str) else list(names)
        return None

    recomputeOutputInBackwardPass = recomputeOutput

    def checkpointOutput(self, names):
        copies = [self._node("Identity", [name], 1, {})[0] for name in names]
        self._checkpoints += copies
        return copies

    # ---- shapes and attributes

    def _port(self, name):
        known = self._inputs.get(name)
        if known is not None:
            return known.dtype, known.shape()
        if name in self._initialisers:
            return self._initialisers[name].dtype, list(self._initialisers[name].shape)
        if self._inference is None:
            try:
                self._inference = Session(_weights.inside(self._model_bytes({})))
            except TilescopeError as error:
                raise popart_exception(str(error)) from None
        if name not in self._names:
            raise popart_exception("%s is not an input or output tensor. Must be one of the tensors of the model" % name)
        try:
            port = self._inference.value(name)
        except TilescopeError as error:
            raise popart_exception(str(error)) from None
        return port.dtype, list(port.shape)

    def _dtype(self, name):
        """The type of a value; float if the value belongs to the enclosing graph."""
        info = self._inputs.get(name)
        if info is not None:
            return info.dtype
        if self._parent and name not in self._initialisers:
            return numpy.dtype("float32")
        return self._port(name)[0]

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
        attributes = self._entry(outputs)[3]
        if name in attributes:
            raise popart_exception("Node already has attribute %s." % name)
        attributes[name] = value

    def removeNodeAttribute(self, name, outputs):
        self._attribute_of(name, outputs)
        self._entry(outputs)[3].pop(name)

    def nodeHasAttribute(self, name, outputs):
        return name in self._entry(outputs)[3]

    def getAllNodeAttributeNames(self, outputs):
        return sorted(self._entry(outputs)[3])

    def _attribute_of(self, name, outputs):
        attributes = self._entry(outputs)[3]
        if name not in attributes:
            raise popart_exception("Node does not have an attribute %s." % name)
        return attributes[name]

    # ---- the model

    def _output_types(self):
        """The types of the outputs whose type is known. onnx.checker requires them; a graph inside another one has none."""
        types = {}
        for name in self._outputs if self._parent is None else ():
            try:
                types[name] = self._port(name)
            except popart_exception:
                pass  # a session reports the fault
        return types

    def _graph_bytes(self, types=()):
        parts = []
        for kind, inputs, outputs, attributes, domain, name in self._nodes:
            parts.append(onnx_bytes.block(1, onnx_bytes.node(kind, inputs, outputs, attributes, domain, name)))
        if not self._base:
            parts.append(onnx_bytes.block(2, self._graph_name))
        parts += [onnx_bytes.block(5, self._stored.get(name) or _weights.typed(name, value)) for name, value in self._initialisers.items()]
        for name, info in self._inputs.items():
            shown = onnx_bytes.block(1, name) if info is None else onnx_bytes.value(name, info.dtype, info.shape())
            parts.append(onnx_bytes.block(11, shown))
        parts += [onnx_bytes.block(12, onnx_bytes.value(name, *types[name]) if name in types else onnx_bytes.block(1, name))
                  for name in self._outputs]
        return b"".join(parts)

    def getModelProto(self):
        """The bytes of the model, together with the builder, from which sessions take the placement of nodes."""
        return BuiltModel(self._model_bytes(self._output_types()), self)

    def _model_bytes(self, types):
        functions = [onnx_bytes.block(25, one) for one in self._functions.values()]
        if self._base and not (self._nodes or self._initialisers or self._inputs or self._outputs):
            return self._base
        if self._base:
            data = self._base + onnx_bytes.block(7, self._graph_bytes(types)) + b"".join(functions)
            if self._functions and "ai.graphcore" not in self._base_model.opsets:
                data += onnx_bytes.block(8, onnx_bytes.opset("ai.graphcore", 1))
        else:
            opsets = {"": self._opset or 10}
            if self._functions:
                opsets["ai.graphcore"] = 1
            data = onnx_bytes.model(self._graph_bytes(types), opsets, self._functions.values())
        return data

    def saveModelProto(self, path):
        with open(path, "wb") as file:
            file.write(self.getModelProto())

    def saveInitializersExternally(self, ids, fn):
        """Moves the values of these initialisers to the file `fn`, to which the model then refers."""
        saved = _weights.tensors(_weights.saved_externally(self._model_bytes({}), ids, fn))
        self._stored.update({name: saved[name] for name in ids if name in self._initialisers})
        if self._base:
            self._base = _weights.changed(self._base, lambda part: saved[_weights.name_of(part)])


def _without_effect(name):
    def accept(self, *_, **__):
        warn_once("Builder.%s has no effect here" % name)

    setattr(Builder, name, accept)


# These choose plans of PopLibs or rewritings of PopART; here the session's options do.
for _name in ("setAvailableMemoryProportion", "setPartialsType", "setSerializeMatMul", "setInplacePreferences", "setEnableConvDithering",
              "excludePatterns", "schedulePriority", "outlineAttributes", "outputTensorLocation", "commGroup"):
    _without_effect(_name)


def _attribute_reader(method, what, kinds):
    many = "Vector" in method

    def read(self, name, outputs):
        value = self._attribute_of(name, outputs)
        parts = list(value) if isinstance(value, (list, tuple)) else [value]
        if isinstance(value, (list, tuple)) != many or not all(isinstance(part, kinds) for part in parts):
            raise popart_exception("Node attribute %s is not %s." % (name, "a list of %ss" % what if many else "a %s" % what))
        return value

    setattr(Builder, method, read)


for _word, _what, _kinds in (("Int64", "integer", (int, numpy.integer)), ("Float", "float", (float, numpy.floating)),
                             ("String", "string", str)):
    for _method in ("get%sNodeAttribute", "get%sVectorNodeAttribute"):
        _attribute_reader(_method % _word, _what, _kinds)


class _Outputs:
    def __init__(self, outputs):
        self.outputs = outputs


class BuiltModel(bytes):
    """Bytes of a model, with the IPUs and stages of its nodes."""

    def __new__(cls, data, builder):
        made = super().__new__(cls, data)
        made.ipus, made.stages = dict(builder._ipus), dict(builder._stages)
        made.checkpoints, made.recomputed = list(builder._checkpoints), list(builder._recomputed)
        made.insides = dict(builder._insides)  # by function: the first value that it makes, and the number of functions in it
        made.grouped = getattr(builder, "_grouped", False)
        return made


def model_bytes(given):
    """The bytes of a model, given as bytes or as a path. Other files of the model are in the path's folder."""
    if isinstance(given, (bytes, bytearray)):
        return given
    path = os.fspath(given)
    if not os.path.exists(path):
        raise popart_exception("the model file does not exist: %s" % path)
    with open(path, "rb") as file:
        return _weights.located(file.read(), os.path.dirname(os.path.abspath(path)))


__all__ = ["Builder", "BuiltModel", "model_bytes", "word_of"]
