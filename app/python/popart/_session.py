"""Sessions over libtilescope.so."""

import functools
import io
import os
import tempfile

import numpy

from tilescope import _program, executable, onnx_bytes
from tilescope._library import TilescopeError
from tilescope.session import Session, ipus_for

from . import _weights
from ._builder import BuiltModel, model_bytes
from ._places import as_trained, cut, with_outputs
from ._options import DeviceInfo, SessionOptions
from ._session_weights import SessionWeights
from ._types import (GRADIENT, InputShapeInfo, OutOfMemoryException, RecomputationType, ReductionType, TensorInfo, VirtualGraphMode,
                     not_simulated, popart_exception, warn_once, word_of)

_NOT_PREPARED = "Session must have been prepared before a report can be fetched"


class PyStepIO:
    """Arrays of inputs and of anchors by name."""

    def __init__(self, inputs, outputs):
        self.inputs, self.outputs = inputs, outputs

    def enableRuntimeAsserts(self, on):
        pass


class PyStepIOCallback:
    """The four functions of PopART: input(name, prefetch), input_complete(name), output(name), output_complete(name)."""

    def __init__(self, input_callback, input_complete_callback, output_callback, output_complete_callback):
        self.callbacks = (input_callback, input_complete_callback, output_callback, output_complete_callback)


class PyWeightsIO:
    def __init__(self, weights):
        self.weights = weights


class _Session(SessionWeights):
    def __init__(self, fnModel, dataFlow, deviceInfo, inputShapeInfo=None, userOptions=None, name="", loss=None, optimizer=None):
        self._flow, self._device, self._options = dataFlow, deviceInfo or DeviceInfo(), userOptions or SessionOptions()
        self._name = name
        self._loss, self._optimizer, self._prepared, self._seed = loss, optimizer, False, 0
        self._shapes, self._weights_are_there = inputShapeInfo or InputShapeInfo(), loss is None
        self._check_options()
        self._model_bytes = model_bytes(fnModel)
        self._built = self._model_bytes if isinstance(self._model_bytes, BuiltModel) else None
        self._states = {}  # optimiser state in the model, if it was trained before
        if loss is not None:
            self._model_bytes, self._states = _weights.without_states(self._model_bytes)
        self._original = bytes(self._model_bytes)
        self._model_bytes = _weights.inside(as_trained(self._model_bytes, loss is not None))
        self._model = onnx_bytes.Model(self._model_bytes)
        if self._built is not None and self._built.grouped:
            not_simulated("a variable that groups of replicas have each")
        self._check_inputs()
        self._check_anchors()
        self._host, self._dirty, self._ran, self._prepared_options = {}, set(), False, {}
        self._session = None
        self._make()
        self._check_gradients()

    # ---- making

    @property
    def options(self):
        return self._options

    dataFlow = property(lambda self: self._flow)
    replicationFactor = property(lambda self: self._replicas())
    accumulationFactor = property(lambda self: self._micro_batches())

    def _check_options(self):
        o = self._options
        if o.accumulationFactor > 1 and not o.enableGradientAccumulation:
            raise popart_exception("enableGradientAccumulation is false, but accumulationFactor > 1. Either enable gradient accumulation "
                                   "or set the accumulation factor to 1")
        if o.enableGradientAccumulation and self._loss is None:
            raise popart_exception("Gradient Accumulation only available when training")
        if o.enableDistributedReplicatedGraphs and (o.globalReplicationFactor or 1) > 1:
            not_simulated("enableDistributedReplicatedGraphs (several processes; enableReplicatedGraphs with replicatedGraphCount has all "
                          "replicas in one)")
        if o.virtualGraphMode == VirtualGraphMode.ExecutionPhases or (getattr(o.executionPhaseSettings, "phases", 0) or 0) > 1:
            not_simulated("execution by phases (virtualGraphMode Manual or Auto cuts a model over IPUs; with weightTensorLocationSettings its "
                          "weights are off the chip)")
        if o.enablePipelining and o.virtualGraphMode == VirtualGraphMode.Off:
            raise popart_exception("Pipelining requires more than 1 IPU and a virtualGraphMode of Manual or Auto")
        if o.groupNormStridedChannelGrouping:
            not_simulated("groupNormStridedChannelGrouping")
        if o.automaticLossScalingSettings.enabled:
            o.automaticLossScalingSettings.check(self._optimizer if self._loss is not None else None, o)
        for name, kind in self._flow.kinds.items():
            if self._flow.batchesPerStep() % kind.rp():
                raise popart_exception("Invalid anchor period of %s: %d does not divide the %d batches of a step" % (
                    name, kind.rp(), self._flow.batchesPerStep()))

    def _check_inputs(self):
        for name, (dtype, shape) in self._model.inputs.items():
            open_ones = [size for size in shape or () if isinstance(size, str) or size <= 0]
            if (shape is None or open_ones) and not self._shapes.has(name):
                raise popart_exception("Input tensor '%s' must be specified in InputShapeInfo, as it has shape [%s], which uses an "
                                       "unknown value '%s'." % (name, ", ".join(map(str, shape or ())), (open_ones or ["shape"])[0]))

    def _check_anchors(self):
        made = set(self._model.inputs) | set(self._model.initialisers)
        for node in self._model.nodes:
            made.update(node.outputs)
        for name in self._flow.anchors():
            plain = name[len(GRADIENT):] if name.startswith(GRADIENT) else name
            if plain not in made or (plain != name and self._loss is None):
                if "___" in plain and not name.startswith(GRADIENT):
                    not_simulated("the anchor %s" % name)
                raise popart_exception("Anchor tensor `%s' not in Ir Tensors. The model has no such tensor%s" % (
                    name, ", and an inference session has no gradients" if plain != name and self._loss is None else ""))
        if self._loss is not None and self._loss not in made:
            raise popart_exception("the loss %s is not a tensor of the model" % self._loss)

    def _check_gradients(self):
        for name in self._gradient_anchors():
            try:
                port = self._session.value(self._alias.get(name, name))
            except TilescopeError:
                continue  # the compilation reports it
            if port.dtype.kind != "f":
                raise popart_exception("Anchor tensor `%s%s' not in Ir Tensors. %s has no gradient, because it is %s" % (
                    GRADIENT, name, name, port.dtype))

    def _is_trained(self, name):
        """Whether the anchor is a trained weight, whose value is that after the update."""
        return self._loss is not None and name in self._model.initialisers and name in self._trained()

    def _gradient_anchors(self):
        return [name[len(GRADIENT):] for name in self._flow.anchors() if name.startswith(GRADIENT)]

    def _outputs(self):
        names = [name for name in self._flow.anchors() if not name.startswith(GRADIENT) and not self._is_trained(name)]
        return names + ([self._loss] if self._loss and self._loss not in names else [])

    def _make(self):
        try:
            outputs = self._aliased_outputs()  # may add nodes to the model
            self._session = Session(with_outputs(self._model_bytes, outputs), "popart")
            for option, value in self._settings().items():
                self._session.set(option, value)
        except TilescopeError as error:
            raise popart_exception(str(error)) from None

    def _aliased_outputs(self):
        outputs = self._outputs()
        direct = [name for name in outputs if name in self._model.inputs or name in self._model.initialisers]
        self._alias = {}
        if not direct:
            return outputs
        # If an input or weight is also an output, the output is a copy of it.
        extra = b"".join(onnx_bytes.block(1, onnx_bytes.node("Identity", [name], ["anchor/" + name], None, "", "anchor/" + name))
                         for name in direct)
        self._model_bytes = bytes(self._model_bytes) + onnx_bytes.block(7, extra)
        self._alias = {name: "anchor/" + name for name in direct}
        return [self._alias.get(name, name) for name in outputs]

    def _replicas(self):
        return self._options.replicatedGraphCount if self._options.enableReplicatedGraphs else 1

    def _micro_batches(self):
        return self._options.accumulationFactor if self._options.enableGradientAccumulation else 1

    def _settings(self):
        o, settings = self._options, {"machine": self._device.machine, "ipus": self._device.numIpus, "report-folder": self._name}
        settings["shape"] = ["%s=%s" % (name, "x".join(map(str, info.shape()))) for name, info in self._shapes.items()
                             if name in self._model.inputs and info.shape()]
        replicas = self._replicas()
        if replicas > 1:
            settings["replicas"] = replicas
        settings["batches-per-step"] = self._flow.batchesPerStep()
        if self._micro_batches() > 1:
            settings["accumulation"] = self._micro_batches()
        if o.virtualGraphMode == VirtualGraphMode.Off:
            settings["shard"] = "none"
            settings["ipus"] = replicas
        elif o.virtualGraphMode == VirtualGraphMode.Manual and self._built is not None:
            places, parts = cut(self._built, self._model.nodes)
            settings["shard"] = places or "none"
            used = max(self._built.ipus.values(), default=0) + 1 if places else 1
            settings["ipus"] = max(self._device.numIpus, replicas * used)  # further IPUs are idle
            if o.enablePipelining and places:
                settings["pipeline"] = parts
        elif o.enablePipelining:
            settings["pipeline"] = ipus_for(settings["ipus"]) // replicas
        if "pipeline" in settings and self._loss is not None and self._micro_batches() == 1:
            not_simulated("a pipeline that trains without gradient accumulation, whose stages read older weights "
                          "(enableGradientAccumulation with an accumulationFactor)")
        if "pipeline" in settings and self._loss is None:  # the batches of a step fill the pipeline
            settings["accumulation"], settings["batches-per-step"] = settings["batches-per-step"], 1
        settings["ipus"] = ipus_for(settings["ipus"])
        if not o.enableOutlining:
            settings["no-outline"] = True
        if o.numIOTiles:
            settings["io-tiles"] = o.numIOTiles
        settings.update(o._plan())
        engine = dict(o.engineOptions or {})
        if o.enableStochasticRounding:
            engine["prng.enableStochasticRounding"] = "true"
        if engine:
            settings["engine-option"] = ["%s=%s" % pair for pair in engine.items()]
        if self._seed:
            settings["seed"] = self._seed
        if self._loss is not None:
            settings.update(self._training_settings())
        return settings

    def _training_settings(self):
        o = self._options
        settings = {"train": True, "loss": "output", "loss-output": self._alias.get(self._loss, self._loss)}
        trained, gradients = self._trained(), self._gradient_anchors()
        if not trained and not gradients:
            warn_once("a training session without weights sends the gradient of its loss from the machine here")
            gradients = [self._loss]
        settings["parameters"] = [_exactly(name) for name in trained]
        settings["reduction"] = "mean" if o.accumulationAndReplicationReductionType == ReductionType.Mean else "sum"
        recompute = {RecomputationType.Standard: "standard", RecomputationType.NormOnly: "norm-only",
                     RecomputationType.Pipeline: "pipeline"}.get(o.autoRecomputation)
        if o.autoRecomputation == RecomputationType.RecomputeAll:
            not_simulated("autoRecomputation RecomputeAll")
        if recompute:
            settings["recompute"] = recompute
        off = [word for word, place in (("weights", o.weightTensorLocationSettings),
                                        ("optimiser", o.optimizerStateTensorLocationSettings),
                                        ("activations", o.activationTensorLocationSettings)) if place is not None and place.offChip()]
        if off:
            settings["offload"] = ",".join(off)
        kinds = {(kind.kind, kind.rp()) for kind in self._flow.kinds.values()}
        self._on_device = None
        if len(kinds) == 1 and self._loss in self._flow.kinds:
            kind, period = kinds.pop()
            if kind != "ALL" and not (kind == "EVERYN" and self._micro_batches() > 1):
                self._on_device = kind
                settings["anchor"] = {"FINAL": "final", "SUM": "sum", "EVERYN": "every:%d" % period}[kind]
        if gradients:
            settings["gradient-of"] = gradients
            settings["disable-pass"] = "all"  # so that values are those of the model as written
        if o.automaticLossScalingSettings.enabled:
            settings["automatic-loss-scale"] = True
        settings.update(self._optimizer._options(trained))
        return settings

    def _trained(self):
        """The weights that training changes. Statistics of norms are not trained: they follow the batches."""
        statistics = {name for node in self._model.nodes if node.kind.startswith("BatchNormalization") for name in node.inputs[3:5]}
        return [name for name, (dtype, _) in self._model.initialisers.items() if dtype in ("float32", "float16") and name not in statistics]

    # ---- devices and weights

    def prepareDevice(self, loadEngine=True, *_, **__):
        try:
            self._session.compile()
        except TilescopeError as error:
            self._prepared = "out of memory" in str(error)
            if self._prepared:
                raise OutOfMemoryException(str(error), self.getSummaryReport) from None
            raise popart_exception(str(error)) from None
        self._prepared = True

    def loadEngineAndConnectStreams(self):
        self._require_prepared("no compiled engine: call prepareDevice() before")

    def _require_prepared(self, text="prepareDevice() must be called before"):
        if not self._prepared:
            raise popart_exception(text)

    # ---- running

    def _anchor_shape(self, name):
        kind, shape = self._flow.kinds[name], []
        batches, micro, replicas = self._flow.batchesPerStep(), self._micro_batches(), self._replicas()
        is_weight = self._is_trained(name)
        if is_weight and kind.kind != "FINAL" and batches * micro > 1:
            not_simulated("the weight %s as an anchor in each of several batches (with AnchorReturnType(\"Final\") it is)" % name)
        port = self._session.weights[name] if is_weight else self._session.outputs[self._alias.get(name, name)]
        if kind.kind in ("ALL", "EVERYN"):
            count = batches if kind.kind == "ALL" else batches // kind.rp()
            shape += [count] if count > 1 else []
            shape += [micro] if micro > 1 else []
        shape += [replicas] if replicas > 1 else []
        is_place = port.dtype == numpy.int64 and name in self._places_of
        return shape + list(port.shape), numpy.dtype("int32") if is_place else port.dtype

    @functools.cached_property
    def _places_of(self):
        """Outputs that are indices of elements, which have 32 bits in PopART."""
        return {name for node in self._model.nodes if node.kind in ("ArgMax", "ArgMin") and not node.domain for name in node.outputs}

    def initAnchorArrays(self):
        try:
            return {name: numpy.zeros(*self._anchor_shape(name)) for name in self._flow.anchors()}
        except TilescopeError as error:
            raise popart_exception(str(error)) from None

    def _anchored(self, name):
        """The values of the last run in the shape of the anchor's type: (…, replicas, shape)."""
        kind, replicas = self._flow.kinds[name], self._replicas()
        if self._is_trained(name):
            return numpy.stack([self._session.read_weight(name)] * replicas)
        values = self._session.read_output(self._alias.get(name, name))
        if getattr(self, "_on_device", None):
            return values
        steps = values.reshape((len(values) // replicas, replicas) + values.shape[1:])  # by micro-batch, which EveryN counts
        if kind.kind == "FINAL":
            return steps[-1]
        if kind.kind == "SUM":
            return steps.sum(0, dtype=values.dtype)
        return steps[kind.rp() - 1::kind.rp()] if kind.kind == "EVERYN" else steps

    def run(self, stepio, debugName=""):
        if isinstance(stepio, str):
            not_simulated("the entry point %s of run()" % stepio)
        self._require_prepared("prepareDevice() must be called before run()")
        if not self._weights_are_there and self._trained():
            raise popart_exception("Must call weightsFromHost before run as the model has initializers and the session has been created in "
                                   "training mode")
        if isinstance(stepio, PyStepIOCallback):
            return self._run_callbacks(stepio)
        self._feed(stepio.inputs)
        try:
            self._session.execute()
        except TilescopeError as error:
            raise popart_exception(str(error)) from None
        self._ran = True
        for name, array in stepio.outputs.items():
            numpy.copyto(array, self._anchored(name).reshape(array.shape))

    def _feed(self, inputs):
        for name in inputs:
            if name not in self._model.inputs:
                raise popart_exception("The tensor '%s' has been provided as one of the inputs to the stepIO, but it is not registered as one "
                                       "of the inputs to the model. Please check your model." % name)
        for name, port in self._session.inputs.items():
            if name not in inputs:
                raise popart_exception("the input %s has no data" % name)
            value = numpy.asarray(inputs[name])
            if value.dtype != port.dtype:
                if value.dtype.kind not in "iu" or port.dtype.kind not in "iu":
                    raise popart_exception("the data of %s is %s, the input is %s" % (name, value.dtype, port.dtype))
                value = value.astype(port.dtype)
            wanted = port.transfers * int(numpy.prod(port.shape, dtype=numpy.int64))
            if value.size != wanted:
                raise popart_exception("the data of %s has %d elements, a step takes %d: %d values of %s" % (
                    name, value.size, wanted, port.transfers, list(port.shape)))
            self._session.write_input(name, value)

    def _run_callbacks(self, stepio):
        take, took, give, gave = stepio.callbacks
        inputs = {}
        for name, port in self._session.inputs.items():
            parts = []
            for _ in range(port.transfers):
                parts.append(numpy.array(take(name, False)))
                took(name)
            inputs[name] = numpy.stack(parts)
        self._feed(inputs)
        self._session.execute()
        self._ran = True
        for name in self._flow.anchors():
            values = self._anchored(name)
            shape = self._session.outputs[self._alias.get(name, name)].shape
            for value in values.reshape((-1,) + shape):
                array = give(name)
                numpy.copyto(array, value.reshape(array.shape))
                gave(name)

    def setRandomSeed(self, seed):
        self._seed = int(seed)
        if self._prepared:
            self._session.set("seed", self._seed)

    def getInfo(self, name):
        plain = name[len(GRADIENT):] if name.startswith(GRADIENT) else name
        try:
            port = self._session.value(self._alias.get(plain, plain))
        except TilescopeError as error:
            raise popart_exception(str(error)) from None
        return TensorInfo(word_of(port.dtype), port.shape)

    # ---- reports

    def getReport(self):
        """The current report, as a report of pva."""
        import pva
        self._require_prepared(_NOT_PREPARED)
        folder = tempfile.TemporaryDirectory(prefix="tilescope-")
        path = os.path.join(folder.name, "profile.pop")
        self._session.report(path)
        report = pva.openReport(path)
        report._folder = folder  # the folder is deleted together with the report
        return report

    def getSummaryReport(self, resetProfile=True):
        self._require_prepared(_NOT_PREPARED)
        with tempfile.TemporaryDirectory(prefix="tilescope-") as folder:
            path = os.path.join(folder, "profile.tsr")
            self._session.report(path)
            return _program.output("summary", path)

    def getCycleCount(self, id=""):  # noqa: A002
        """Cycles of the last run."""
        if self._session.run_cycles < 0:
            raise popart_exception("Must call run before getCycleCount.")
        if id not in ("", "inner", "outer"):
            raise popart_exception("cycle count id '%s' has not been registered: there is one of the whole run" % id)
        return self._session.run_cycles

    def getAllTensorIds(self):
        return set(self._model.inputs) | set(self._model.initialisers) | {name for node in self._model.nodes for name in node.outputs}

    getTensorIds = getAllTensorIds

    def getRandomSeed(self):
        return self._seed

    def _refused(what):  # noqa: N805
        def refuse(self, *_, **__):
            not_simulated(what)

        return refuse

    _serializeIr = getIr = _refused("PopART's intermediate representation (getReport() has the program as it was compiled)")
    # ---- executables in files

    def _mark(self):
        return executable.fingerprint(bytes(self._model_bytes), self._settings())

    def saveExecutable(self, path, savePopartMetadata=True, saveVariables=True):
        """Writes the model, the options and, with saveVariables, the current weights."""
        self._require_prepared("prepareDevice() must be called before saveExecutable()")
        parts = {}
        if saveVariables:
            values = io.BytesIO()
            numpy.savez(values, **{name: self._session.read_weight(name) for name in self._weight_names()})
            parts["weights.npz"] = values.getvalue()
        executable.write(path, "popart", self._mark(), parts)

    def compileAndExport(self, path):
        """`path` is the name of a file, or a binary stream."""
        self.prepareDevice(False)
        self.saveExecutable(path)

    def loadExecutableFromFile(self, path):
        """Checks that the executable is of this model and these options, and takes its weights."""
        try:
            parts = executable.read(path, "popart", self._mark())
        except executable.ExecutableError as error:
            raise popart_exception(str(error)) from None
        if "weights.npz" in parts:
            for name, value in numpy.load(io.BytesIO(parts["weights.npz"]), allow_pickle=False).items():
                self._host[name] = value
                self._dirty.add(name)

    loadExecutableFromStream = loadExecutable = loadExecutableFromFile

    saveVariables = _refused("variables in a file of their own: modelToHost() saves them in the model")
    getRNGState = setRNGState = _refused("the state of the random numbers")
    getSerializedGraph = _refused("Poplar's graph in a file")
    connectStreamToCallback = connectStream = connectHostFunction = _refused("a stream of PopART's own")
    broadcastWeights = _refused("several processes")
    checkInplacingAmbiguity = _refused("PopART's inplacing")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._session.close()


def _exactly(name):
    """A pattern that matches only this name."""
    return "".join("[%s]" % c if c in "*?[" else "\\\\" if c == "\\" else c for c in name)


class InferenceSession(_Session):
    def __init__(self, fnModel, dataFlow, deviceInfo=None, inputShapeInfo=None, patterns=None, userOptions=None, name="inference"):
        super().__init__(fnModel, dataFlow, deviceInfo, inputShapeInfo, userOptions, name)


class TrainingSession(_Session):
    def __init__(self, fnModel, dataFlow, loss, optimizer, deviceInfo=None, inputShapeInfo=None, patterns=None, userOptions=None,
                 name="training"):
        super().__init__(fnModel, dataFlow, deviceInfo, inputShapeInfo, userOptions, name, getattr(loss, "name", loss), optimizer)

    def updateOptimizerFromHost(self, optimizer):
        trained = self._trained()
        before, after = self._optimizer._options(trained), optimizer._options(trained)
        self._optimizer = optimizer
        self._session.change(before, after)
