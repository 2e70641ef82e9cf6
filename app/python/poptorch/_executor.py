"""The model on the machine: the result of inferenceModel() and trainingModel()."""

import contextlib
import os
import sys
import weakref

import torch

from tilescope._library import TilescopeError
from tilescope.session import Session

from . import _files, optim
from ._enums import Error, OutputMode, ReductionType, not_simulated
from ._export import bound, flat, unflat
from ._options import Options, warn_once
from ._places import cut, ipus_of
from ._precision import exported

_NOT_COMPILED = "Model has not been compiled or has been destroyed."


def _epoch(tensor):
    """The number of times that a value from the machine has replaced the host's value."""
    return getattr(tensor, "_tilescope_epoch", 0)


class PoplarExecutor:
    """Calls run the model on the machine. The weights of the torch module are updated after each call of a training model."""

    def __init__(self, model, options=None, training=False, optimizer=None):
        if options is not None and not isinstance(options, Options):
            raise Error("options are of the type %s, not poptorch.Options" % type(options).__name__)
        model = model._model if isinstance(model, PoplarExecutor) else model
        self._model, self._options, self._training = model, (options or Options()).clone(), training
        if self._options.defaultOutputMode():
            self._options.output_mode = OutputMode.Final if training else OutputMode.All
        if not training and self._options.Training.gradient_accumulation != 1:
            raise Error("You must set poptorch.Options().Training.gradientAccumulation to 1 or leave it as its default value (1) when "
                        "running a poptorch.inferenceModel().")
        self._optimizer = optimizer or (optim.SGD(self._all_parameters(), lr=0.01) if training else None)
        self._session, self._exported, self._shapes, self._form, self._seen = None, None, None, None, {}
        self._modes = {module: module.training for module in model.modules()}
        self._attach_optimizer()

    def _all_parameters(self):
        parameters = list(self._model.parameters())
        if not parameters:
            raise Error("the model has no parameters to train")
        return parameters

    # Other attributes are looked up in the module.
    def __getattr__(self, name):
        if name.startswith("_") or "_model" not in self.__dict__:
            raise AttributeError("poptorch.PoplarExecutor.%s is not simulated, or there is no such name" % name)
        return getattr(self._model, name)

    model = property(lambda self: self._model)
    options = property(lambda self: self._options)

    # ---- arguments

    def _split(self, tensors):
        """One micro-batch of each tensor, for the trace."""
        factor = self._options.factor
        if factor == 1:
            return [tensor.detach().clone() for tensor in tensors]  # copies, because forward() may change them
        parts = []
        for tensor in tensors:
            if tensor.dim() == 0 or tensor.shape[0] % factor:
                raise Error("the first dimension of an input of the shape %s is not a multiple of %d (iterations x replicas x accumulation)" % (
                    list(tensor.shape), factor))
            parts.append(tensor.detach()[:tensor.shape[0] // factor].clone())
        return parts

    # ---- compiling

    def compile(self, *args, **kwargs):
        tensors = []
        args, kwargs = bound(self._model, args, kwargs)
        form = flat((args, kwargs), tensors)
        self._compile(form, tensors)

    def isCompiled(self):
        return self._session is not None

    isAttachedToDevice = isCompiled

    @contextlib.contextmanager
    def _own_modes(self):
        """Like PopTorch, ignores model.eval() after trainingModel(model); eval() of a module inside the model has an effect."""
        modes = {module: module.training for module in self._model.modules()}
        if self._model.training != self._modes[self._model]:
            for module, mode in self._modes.items():
                module.training = mode
        try:
            yield
        finally:
            for module, mode in modes.items():
                module.training = mode

    def _compile(self, form, tensors):
        if self._options.Distributed.numProcesses > 1:
            not_simulated("a model of several processes (replicationFactor has all replicas in one)")
        parts = self._split(tensors)
        try:
            with self._own_modes():
                self._exported, self._half = exported(self._model, lambda given: unflat(form, given), parts, self._training)
            if self._exported.states and self._options.factor != 1:
                not_simulated("a buffer that forward() changes (%s) over several batches of a call" % ", ".join(self._exported.states))
            session = Session(self._exported.data, type(self._model).__name__)
            for option, value in self._settings().items():
                session.set(option, value)
            session.compile()
        except TilescopeError as error:
            self._exported = None
            raise Error(str(error)) from None
        self._session = session
        self._shapes, self._form = [(tensor.shape, tensor.dtype) for tensor in tensors], form
        self._write_statistics()
        self._note_weights()
        for note in session.notes:
            if note.startswith("engine option"):
                warn_once(note)
        if self._training and getattr(self._optimizer, "_loaded", None):
            self._write_optimiser_state(self._optimizer._loaded)

    def _settings(self):
        o = self._options
        settings = {"machine": os.environ.get("TILESCOPE_MACHINE") or "gc200", "replicas": o.replication_factor,
                    "ipus": ipus_of(o.replication_factor, o, type(self._model).__name__), "batches-per-step": o.device_iterations, "shard": "none",
                    "report-folder": "training" if self._training else "inference"}
        if self._half:
            settings["precision"] = "fp16"
        if o.Precision.half_partials:
            settings["partials"] = "half"
        if o.memory_share is not None:
            settings["available-memory"] = o.memory_share
        if o.random_seed is not None:
            settings["seed"] = o.random_seed
        if o.TensorLocations.tiles:
            settings["io-tiles"] = o.TensorLocations.tiles
        engine = dict(o._Popart.engine)
        if o.Precision.stochastic:
            engine["prng.enableStochasticRounding"] = "true"
        if o.Precision.exceptions:
            engine["debug.floatPointOpException"] = "true"
        if o.profile_dir is not None:
            engine.update({"autoReport.all": "true", "autoReport.directory": o.profile_dir})
        if engine:
            settings["engine-option"] = ["%s=%s" % pair for pair in engine.items()]
        if o._Popart.options.get("enableOutlining") is False:
            settings["no-outline"] = True
        settings.update(self._training_settings() if self._training else {})
        settings.update(cut(self._exported, o, self._training, type(self._model).__name__))
        return settings

    def _training_settings(self):
        o = self._options
        accumulation = o.Training.gradient_accumulation
        settings = {"train": True, "loss": "output", "loss-output": self._exported.loss,
                    "reduction": "sum" if o.Training.reduction == ReductionType.Sum else "mean"}
        if accumulation > 1:
            settings["accumulation"] = accumulation
        trained = self._trained_names()
        settings["parameters"] = trained
        if o.TensorLocations.off:
            settings["offload"] = ",".join(o.TensorLocations.off)
        if o.TensorLocations.shard_state and o.replication_factor > 1:
            settings["shard-state"] = True
        if self._exported.checkpoints:
            settings.update({"recompute": "checkpoints", "checkpoint": self._exported.checkpoints})
        mode = o.output_mode
        if mode == OutputMode.Final:
            settings["anchor"] = "final"
        elif mode == OutputMode.Sum:
            settings["anchor"] = "sum"
        gradients = [name[len("Gradient___"):] for name in o.anchored.values() if name.startswith("Gradient___")]
        if not trained and not gradients:
            warn_once("forward() uses none of the optimiser's parameters: the gradient of its loss leaves the machine here")
            gradients = [self._exported.loss]
            settings["freeze"] = list(self._exported.model.initialisers)  # otherwise it would choose parameters to train
        if gradients:
            settings["gradient-of"] = gradients
        if o.Training.automatic_loss_scale:
            settings["automatic-loss-scale"] = True
        settings.update(self._settings_of(self._optimizer))
        return settings

    def _settings_of(self, optimizer):
        """The optimiser's settings, with the names that parameters have in the model's file."""
        known = set(self._exported.model.initialisers)
        return optim.settings(optimizer, {id(parameter): name for name, parameter in self._model.named_parameters() if name in known})

    def _trained_names(self):
        """The optimiser's parameters, by their names in the model's file."""
        wanted = {id(parameter) for group in self._optimizer.param_groups for parameter in group["params"] if parameter.requires_grad}
        named = [(name, parameter) for name, parameter in self._model.named_parameters() if id(parameter) in wanted]
        if wanted and not named:
            raise Error("the optimiser has no parameter of this model")
        return [name for name, _ in named if name in self._exported.model.initialisers]

    # ---- weights

    def _tensors(self):
        """The parameters and buffers of the torch module that the session has, by name. Tied ones occur once."""
        known = self._session.weights
        everything = dict(self._model.named_parameters())
        everything.update(self._model.named_buffers())
        return {name: tensor for name, tensor in everything.items() if name in known}

    def _note_weights(self):
        self._seen = {name: _epoch(tensor) for name, tensor in self._tensors().items()}

    def _write_statistics(self):
        """Writes the module's statistics to the machine: those in the file are one batch ahead, because the trace ran the norms once."""
        for name, tensor in self._tensors().items():
            if self._session.weights[name].kind == "statistic":
                self._session.write_weight(name, tensor.detach().numpy())

    def _count_batches(self):
        ports = self._session.weights
        for name, module in self._model.named_modules():
            mean = ports.get((name + "." if name else "") + "running_mean")
            if mean is not None and mean.kind == "statistic" and module.num_batches_tracked is not None:
                module.num_batches_tracked += self._options.device_iterations

    def copyWeightsToHost(self):
        """Copies weights from the machine into the torch module."""
        self._require_compiled()
        ports = self._session.weights
        with torch.no_grad():
            for name, tensor in self._tensors().items():
                if ports[name].kind in ("parameter", "statistic"):
                    tensor.data.copy_(torch.from_numpy(self._session.read_weight(name)).reshape(tensor.shape))
                    tensor._tilescope_epoch = _epoch(tensor) + 1
        self._note_weights()

    def copyWeightsToHostIfNeeded(self):
        return False

    def copyWeightsToDevice(self):
        """Copies weights from the torch module to the machine."""
        self._require_compiled()
        for name, tensor in self._tensors().items():
            port = self._session.weights[name]
            value = tensor.detach().cpu().numpy().astype(port.dtype).reshape(port.shape)
            self._session.write_weight(name, value)
        self._note_weights()

    def copyNamedBuffersToDevice(self):
        """Copies the buffers of Options.updatableNamedBuffers from the torch module to the machine."""
        self._require_compiled()
        buffers, names = dict(self._model.named_buffers()), self._options.updatable_buffers
        if not names:
            raise Error("copyNamedBuffersToDevice() needs the buffers' names: use poptorch.Options.updatableNamedBuffers()")
        for name in names:
            if name not in buffers:
                raise Error("the model has no buffer %s, which poptorch.Options.updatableNamedBuffers() names" % name)
            if name in self._session.weights:
                port = self._session.weights[name]
                self._session.write_weight(name, buffers[name].detach().cpu().numpy().astype(port.dtype).reshape(port.shape))

    def _follow_host(self):
        """Copies the weights to the machine if another model of the same module has changed them meanwhile."""
        if any(_epoch(tensor) != self._seen.get(name) for name, tensor in self._tensors().items()):
            self.copyWeightsToDevice()

    # ---- the optimiser

    def _attach_optimizer(self):
        if isinstance(self._optimizer, optim.Optimizer):
            self._optimizer._executor = weakref.ref(self)

    def setOptimizer(self, optimizer):
        if not self._training:
            raise Error("an inference model has no optimiser")
        before = self._settings_of(self._optimizer) if self._session else {}
        frozen = self._trained_names() if self._session else None
        self._optimizer = optimizer
        self._attach_optimizer()
        if not self._session:
            return
        after = self._settings_of(optimizer)
        self._session.change(getattr(self, "_optimiser_settings", before), after)
        if self._trained_names() != frozen:
            self._session.set("parameters", "")
            self._session.set("parameters", self._trained_names())
        self._optimiser_settings = after

    def _optimiser_state(self):
        if not self._session:
            return None
        return {name: torch.from_numpy(self._session.read_weight(name)) for name, port in self._session.weights.items()
                if port.kind == "state" and name != "learningRate"}

    def _write_optimiser_state(self, state):
        for name, value in state.items():
            if name in self._session.weights and self._session.weights[name].kind == "state":
                self._session.write_weight(name, value.numpy())

    # ---- running

    def _require_compiled(self):
        if self._session is None:
            raise Error(_NOT_COMPILED)

    def __call__(self, *args, **kwargs):
        tensors = []
        args, kwargs = bound(self._model, args, kwargs)
        form = flat((args, kwargs), tensors)
        if self._session is None:
            self._compile(form, tensors)
        else:
            self._require_same(tensors)
        try:
            return self._run(tensors)
        except TilescopeError as error:
            raise Error(str(error)) from None

    def _require_same(self, tensors):
        given = [(tensor.shape, tensor.dtype) for tensor in tensors]
        if len(given) != len(self._shapes):
            raise Error("the model was compiled for %d input tensors, it is called with %d" % (len(self._shapes), len(given)))
        for number, (now, compiled) in enumerate(zip(given, self._shapes)):
            for one, other in zip(now, compiled):
                if one != other:
                    raise Error("input %d differs from the one that the model was compiled for: expected %s but got %s. Every call must have "
                                "the same shapes and types, so use drop_last" % (number, other, one))

    def _run(self, tensors):
        session, exported = self._session, self._exported
        self._follow_host()
        if self._training:
            self._optimiser_settings = (self._optimiser_settings if hasattr(self, "_optimiser_settings") else
                                        self._settings_of(self._optimizer))
        ports = session.inputs
        for name, tensor in zip(exported.inputs, tensors):
            if name in ports:
                session.write_input(name, tensor.detach().cpu().contiguous().numpy().astype(ports[name].dtype, copy=False))
        buffers = dict(self._model.named_buffers())
        for name, (source, _) in exported.states.items():
            session.write_input(source, buffers[name].detach().numpy())
        session.execute()
        if self._options.log_cycles:
            print("[poptorch] Total number of IPU cycles: %d" % session.run_cycles, file=sys.stderr)
        with torch.no_grad():
            for name, (_, result) in exported.states.items():
                buffers[name].copy_(torch.from_numpy(session.read_output(result)[-1]))
        with torch.no_grad():
            for place, index in enumerate(exported.changed):  # the caller sees the changes that forward() makes to its arguments
                value = self._output(exported.outputs[exported.after + place])
                if value.shape == tensors[index].shape:
                    tensors[index].copy_(value)
        for title, name in exported.prints:
            for value in session.read_output(name):
                print("%s: %s" % (title, torch.from_numpy(value)))
        if self._training:
            self.copyWeightsToHost()
            self._count_batches()
        given = [self._output(name) for name in exported.outputs[:exported.count]]
        return unflat(exported.form, given)

    def _output(self, name):
        values = torch.from_numpy(self._session.read_output(name))
        o = self._options
        replicas = o.replication_factor
        if self._half and values.is_floating_point():
            values = values.half()
        if values.dtype == torch.int64:  # the machine has no 64-bit integers
            values = values.int()
        on_device = self._training and o.output_mode in (OutputMode.Final, OutputMode.Sum)
        if not on_device and o.output_mode == OutputMode.Final:
            values = values[-replicas:]
        elif not on_device and o.output_mode == OutputMode.Sum:
            values = values.reshape((-1, replicas) + values.shape[1:]).sum(0)
        elif o.output_mode == OutputMode.EveryN:
            steps = values.reshape((o.device_iterations, -1) + values.shape[1:])
            values = steps[o.output_return_period - 1::o.output_return_period].reshape((-1,) + values.shape[1:])
        if len(values) == 1:
            return values[0]
        return values if values.dim() == 1 else values.reshape((-1,) + values.shape[2:])

    # ---- what else scripts ask

    def getTensorNames(self):
        self._require_compiled()
        names = list(self._exported.model.initialisers) + list(self._exported.model.inputs)
        for node in self._exported.model.nodes:
            names += node.outputs
        return names + (["Gradient___" + name for name in self._trained_names()] if self._training else [])

    def getAnchoredTensor(self, short_name):
        self._require_compiled()
        name = self._options.anchored.get(short_name)
        if name is None:
            raise Error("no tensor is anchored as %s" % short_name)
        name = name[len("UpdatedVar___"):] if name.startswith("UpdatedVar___") else name
        if name in self._tensors():  # a parameter or buffer, with its value after the last call
            return torch.from_numpy(self._session.read_weight(name).copy())
        if name not in self._session.outputs:
            not_simulated("the anchor %s" % name)
        return self._output(name)

    def cycleCount(self):
        """Cycles of the last call."""
        self._require_compiled()
        cycles = self._session.run_cycles
        if cycles < 0:
            raise Error("the model was not called yet")
        return cycles

    def getLatency(self):
        """Minimum, maximum and mean time of the last call on the machine's clock, in seconds. They are equal, because a call is one run."""
        seconds = self.cycleCount() / self._session.clock
        return seconds, seconds, seconds

    getComputeLatency = getLatency

    def getHostIpuLatency(self):
        warn_once("transfers between host and IPU are part of getComputeLatency() here")
        return 0.0, 0.0, 0.0

    getIpuHostLatency = getHostIpuLatency

    def getPerfCounters(self):
        """Times of the last call on the machine's clock, in seconds: input (requested), input_complete, output (requested), output_complete. Each
        is a list with one list per tensor, which has one time per transfer. A call is one run: inputs get the time of its begin, outputs of its end."""
        if self._session is None:
            return {name: [[]] for name in ("input", "input_complete", "output", "output_complete")}
        o, cycles, clock = self._options, self.cycleCount(), self._session.clock
        end = self._session.cycles / clock
        begin = end - cycles / clock
        kept = {OutputMode.Final: o.replication_factor, OutputMode.Sum: o.replication_factor,
                OutputMode.EveryN: o.factor // o.output_return_period}.get(o.output_mode, o.factor)

        def inputs():
            return [[begin] * o.factor for _ in self._shapes]

        def outputs():
            return [[end] * kept for _ in range(self._exported.count)]

        return {"input": inputs(), "input_complete": inputs(), "output": outputs(), "output_complete": outputs()}

    def report(self, path):
        """A report of the model and its first calls."""
        self._require_compiled()
        self._session.report(path)

    def attachToDevice(self):
        pass

    detachFromDevice = attachToDevice

    def destroy(self):
        """Closes the session, which writes its reports. Another call compiles again."""
        if self._session:
            self._session.close()
            self._session = None

    def save(self, filename, export_model=True, save_rng_state=True):
        """Writes the compiled model: its source, and with export_model the module with its weights and optimiser."""
        self._require_compiled()
        _files.save(self, filename, export_model)

    def compileAndExport(self, filename, *args, export_model=True, save_rng_state=True, **kwargs):
        if not self.isCompiled():
            self.compile(*args, **kwargs)
        self.save(filename, export_model, save_rng_state)

    def loadExecutable(self, filename):
        """Compiles as before save(); the weights are the module's current ones."""
        _files.load_into(self, filename)

    @property
    def rng_state(self):
        not_simulated("the state of the random numbers")

    def train(self, mode=True):
        self._model.train(mode)
        self._modes = {module: module.training for module in self._model.modules()}
        return self

    def eval(self):
        return self.train(False)

