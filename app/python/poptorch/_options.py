"""Options, as settings of a session. An option that changes nothing here is accepted with a warning, once."""

import copy
import os
import warnings

from ._enums import AutoStage, Error, OutputMode, ReductionType, not_simulated

_warned = set()


def warn_once(text):
    if text not in _warned:
        _warned.add(text)
        warnings.warn(text, stacklevel=3)


class _Part:
    """Methods that are not simulated and change no figure. They print a warning and return the object."""

    _without_effect = ()

    def __getattr__(self, name):
        if name.startswith("_") or name not in self._without_effect:
            raise AttributeError("%s has no %s, or it is not simulated" % (type(self).__name__, name))

        def accept(*_, **__):
            warn_once("poptorch.Options: %s has no effect here" % name)
            return self

        return accept


class _Precision(_Part):
    _without_effect = ("halfFloatCasting", "runningStatisticsAlwaysFloat")

    def __init__(self):
        self.half_partials, self.stochastic, self.exceptions = False, False, False

    def setPartialsType(self, dtype):
        self.half_partials = "16" in str(dtype) or "half" in str(dtype)
        return self

    def enableStochasticRounding(self, enabled):
        self.stochastic = bool(enabled)
        return self

    def enableFloatingPointExceptions(self, enabled):
        self.exceptions = bool(enabled)
        return self


class _Training(_Part):
    _without_effect = ("setMeanAccumulationAndReplicationReductionStrategy", "setConvolutionDithering")

    def __init__(self):
        self.gradient_accumulation, self.reduction, self.automatic_loss_scale = 1, ReductionType.Mean, False

    def gradientAccumulation(self, gradient_accumulation):
        self.gradient_accumulation = int(gradient_accumulation)
        return self

    def accumulationAndReplicationReductionType(self, reduction_type):
        kind = reduction_type
        if kind == ReductionType.NoReduction:
            raise Error("gradients of several micro-batches need a reduction: Mean or Sum")
        self.reduction = ReductionType(kind)
        return self

    def setAutomaticLossScaling(self, enabled):
        self.automatic_loss_scale = bool(enabled)
        return self


class _Popart:
    def __init__(self):
        self.options, self.engine = {}, {}

    def set(self, key, value):
        if key == "engineOptions":
            self.engine.update(value)
        else:
            self.options[key] = value
            if key not in ("enableOutlining", "autoRecomputation"):
                warn_once("the session option %s has no effect here" % key)
        return self

    def setEngineOptions(self, engine_options):
        self.engine.update(engine_options)
        return self

    def setPatterns(self, *_, **__):
        return self


class _Distributed(_Part):
    _without_effect = ("setEnvVarNames",)
    def __init__(self):
        self.processId, self.numProcesses = 0, 1

    def disable(self):
        self.processId, self.numProcesses = 0, 1
        return self

    def configureProcessId(self, process_id, num_processes):
        """A data loader reads the part of this process; a model refuses more than one process."""
        if not 0 <= process_id < num_processes:
            raise Error("process %d of %d" % (process_id, num_processes))
        self.processId, self.numProcesses = int(process_id), int(num_processes)
        return self


class TensorLocationSettings(_Part):
    _without_effect = ("minElementsForOffChip", "minElementsForReplicatedTensorSharding", "useIOTilesToLoad", "useIOTilesToStore")

    def __init__(self):
        self.off_chip = self.sharded = False

    def useOnChipStorage(self, use=True):
        self.off_chip = not use
        return self

    def useReplicatedTensorSharding(self, use=True):
        self.sharded = bool(use)
        return self


class _TensorLocations:
    def __init__(self):
        self.tiles, self.off, self.shard_state = 0, [], False

    def numIOTiles(self, num_tiles):
        self.tiles = int(num_tiles)
        return self

    def _set(self, what, settings):
        if settings.off_chip:
            self.off.append(what)
        return self

    def setActivationLocation(self, location):
        return self._set("activations", location)

    def setWeightLocation(self, location):
        return self._set("weights", location)

    def setOptimizerLocation(self, location):
        self.shard_state |= location.sharded
        return self._set("optimiser", location)

    def setAccumulatorLocation(self, location):
        if location.off_chip:
            not_simulated("accumulators off the chip")
        return self


class Stage:
    def __init__(self, *blocks):
        self.blocks, self.ipu_id = list(blocks), None

    def ipu(self, ipu):
        self.ipu_id = int(ipu)
        return self


class PipelinedExecution:
    """Stages on separate IPUs, by AutoStage or by a Stage("block", …) for each."""

    pipelined = True

    def __init__(self, *stages):
        self.auto = stages[0] if len(stages) == 1 and isinstance(stages[0], AutoStage) else AutoStage.SameAsIpu
        self.stages = [stage if isinstance(stage, Stage) else Stage(stage) for stage in stages if not isinstance(stage, AutoStage)]

    def stage(self, block):
        for stage in self.stages:
            if block in stage.blocks:
                return stage
        raise Error("no stage has the block %s" % block)

    def ipu_of(self, block, ipu):
        """The IPU of a block: that of its stage, else the block's own."""
        for number, stage in enumerate(self.stages):
            if block in stage.blocks:
                return number if stage.ipu_id is None else stage.ipu_id
        return ipu


class ShardedExecution(PipelinedExecution):
    """The same placement as PipelinedExecution, but the parts run one after the other."""

    pipelined = False


class Phase:
    def __init__(self, *_):
        not_simulated("phased execution (ShardedExecution and PipelinedExecution are; TensorLocations keeps weights off the chip)")


class ParallelPhasedExecution(Phase):
    pass


class SerialPhasedExecution(Phase):
    pass


class Attribute:
    def __init__(self, **values):
        self.__dict__.update(values)


class ConfigFileError(Exception):
    """A line of an options file that is not an option."""


def _ignored(*_):
    pass


class Options(_Part):
    _without_effect = ("sourceLocationExcludes", "appendToLocationExcludes", "showCompilationProgressBar",
                       "relaxOptimizerAttributesChecks", "broadcastBuffers", "logDir", "maxRepeatLogs",
                       "modelName", "enableExecutableCaching", "connectionType", "syncPattern", "useIpuId",
                       "useOfflineIpuTarget", "enableStableNorm", "disableModuleNamescope")
    # The simulator does these anyway.
    _silent = {"showCompilationProgressBar", "connectionType", "logDir", "relaxOptimizerAttributesChecks",
               "enableExecutableCaching", "sourceLocationExcludes", "appendToLocationExcludes", "maxRepeatLogs", "modelName", "useIpuId"}

    def __init__(self):
        self.Precision, self.Training, self._Popart, self.Distributed = _Precision(), _Training(), _Popart(), _Distributed()
        self.TensorLocations, self.Jit = _TensorLocations(), Attribute(traceModel=_ignored)
        self.device_iterations, self.replication_factor, self.random_seed = 1, 1, None
        self.output_mode, self.output_return_period = OutputMode.Default, 1
        self.execution_strategy, self.profile_dir, self.log_cycles = PipelinedExecution(), None, False
        self.anchored = {}  # name: tensor
        self.memory_share, self.updatable_buffers, self.auto_rounds = None, [], False
        self.is_ipu_model = os.environ.get("POPTORCH_IPU_MODEL", "0") not in ("", "0")

    def __getattr__(self, name):
        if name in self._silent:
            return lambda *_, **__: self
        return _Part.__getattr__(self, name)

    _execution_strategy = property(lambda self: self.execution_strategy)

    def deviceIterations(self, device_iterations):
        self.device_iterations = int(device_iterations)
        return self

    def autoRoundNumIPUs(self, auto_round_num_ipus=True):
        """Lets a model on 3 IPUs use 4, the last of which is idle. Without it, 3 IPUs are an error, except for IPU models."""
        self.auto_rounds = bool(auto_round_num_ipus)
        return self

    def useIpuModel(self, use_model=True):
        self.is_ipu_model = bool(use_model)
        return self

    @property
    def rounds_ipus(self):
        return self.auto_rounds or self.is_ipu_model

    def updatableNamedBuffers(self, buffers):
        """The buffers that copyNamedBuffersToDevice() copies."""
        self.updatable_buffers = list(buffers)
        return self

    def setAvailableMemoryProportion(self, available_memory_proportion):
        """{"IPU0": 0.3, …}. All IPUs have the same proportion here: the smallest one."""
        shares = available_memory_proportion
        if len(set(shares.values())) > 1:
            warn_once("poptorch.Options: all IPUs have the least of the shares %s of available memory" % sorted(set(shares.values())))
        self.memory_share = float(min(shares.values()))
        return self

    def replicationFactor(self, replication_factor):
        self.replication_factor = int(replication_factor)
        return self

    def setExecutionStrategy(self, strategy):
        if isinstance(strategy, AutoStage):
            strategy = PipelinedExecution(strategy)
        self.execution_strategy = strategy
        return self

    def outputMode(self, mode, output_return_period=None):
        self.output_mode = OutputMode(mode)
        if mode == OutputMode.EveryN:
            if not output_return_period:
                raise Error("OutputMode.EveryN needs a period")
            self.output_return_period = int(output_return_period)
        return self

    def defaultOutputMode(self):
        return self.output_mode == OutputMode.Default

    def randomSeed(self, random_seed):
        self.random_seed = int(random_seed)
        return self

    def enableProfiling(self, profile_dir=None):
        self.profile_dir = profile_dir or "."
        return self

    def logCycleCount(self, log_cycle_count):
        self.log_cycles = bool(log_cycle_count)
        return self

    def enableSyntheticData(self, enabled):
        if enabled:
            warn_once("poptorch.Options: synthetic data has no effect here: data comes from the host")
        return self

    def anchorTensor(self, short_name, long_name, output_mode=None, output_return_period=1):
        self.anchored[short_name] = long_name
        return self

    def inputReplicaGrouping(self, *_):
        not_simulated("an input for each group of replicas")

    def loadFromFile(self, filepath):
        """Reads options from a file with one call per line: deviceIterations(1)."""
        import poptorch
        with open(filepath) as file:
            for line in file:
                if line.strip() and not line.lstrip().startswith("#"):
                    try:
                        eval("options." + line.strip(), {"options": self, "poptorch": poptorch})
                    except Exception as error:
                        raise ConfigFileError("%s: %s: %s" % (filepath, line.strip(), error)) from error
        return self

    def clone(self):
        return copy.deepcopy(self)

    def toDict(self):
        """The options that have an effect."""
        parts = {"device_iterations": self.device_iterations, "replication_factor": self.replication_factor,
                 "gradient_accumulation": self.Training.gradient_accumulation, "output_mode": self.output_mode.name,
                 "output_return_period": self.output_return_period, "random_seed": self.random_seed,
                 "automatic_loss_scaling": self.Training.automatic_loss_scale, "available_memory_proportion": self.memory_share,
                 "half_partials": self.Precision.half_partials, "stochastic_rounding": self.Precision.stochastic,
                 "floating_point_exceptions": self.Precision.exceptions, "io_tiles": self.TensorLocations.tiles,
                 "off_chip": list(self.TensorLocations.off), "anchored_tensors": dict(self.anchored),
                 "popart_options": dict(self._Popart.options), "engine_options": dict(self._Popart.engine)}
        return parts

    def __repr__(self):
        return "poptorch.Options(%s)" % self.toDict()

    def __eq__(self, other):
        return isinstance(other, Options) and self.toDict() == other.toDict()

    __hash__ = None

    @property
    def factor(self):
        """Number of micro-batches per call."""
        return self.device_iterations * self.replication_factor * self.Training.gradient_accumulation
