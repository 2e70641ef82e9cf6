"""Options of a session and devices. Options that change nothing here are kept, and warned of once when they are set."""

import os

from ._types import (DeviceConnectionType, DeviceType, RecomputationType, ReductionType, SyntheticDataMode, VirtualGraphMode,
                     popart_exception, poplar_exception, warn_once)


class _Settings:
    """An object with attributes of any name, for parts of the options that are objects."""

    def __init__(self, title, **values):
        object.__setattr__(self, "_title", title)
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name, value):
        if getattr(self, name, None) != value:
            warn_once("%s.%s has no effect here" % (self._title, name))
        object.__setattr__(self, name, value)


class TensorLocation(_Settings):
    def __init__(self, storage=None, *rest, **named):
        super().__init__("TensorLocation", storage=storage)


class TensorLocationSettings(_Settings):
    def __init__(self, location=None, *rest, **named):
        storage = getattr(location, "storage", location)
        object.__setattr__(self, "_title", "TensorLocationSettings")
        object.__setattr__(self, "storage", storage)
        object.__setattr__(self, "location", location)

    def offChip(self):
        storage = getattr(self.location, "storage", self.location)
        return getattr(storage, "name", "") == "OffChip"


class AutomaticLossScalingSettings(_Settings):
    def __init__(self, enabled=False, *_, **named):
        super().__init__("automaticLossScalingSettings", **named)
        object.__setattr__(self, "enabled", bool(enabled))

    def __setattr__(self, name, value):
        if name == "enabled":
            object.__setattr__(self, name, bool(value))
        else:
            super().__setattr__(name, value)


    def check(self, optimizer, options):
        """Checks the settings for a session; `optimizer` is None if it does not train."""
        if optimizer is None:
            raise popart_exception("Automatic loss scaling: Only compatible when doing training")
        if optimizer.scale_is_constant:
            raise popart_exception("Automatic loss scaling: The optimizer must have non-const loss scaling")
        if options.enablePipelining and not options.enableGradientAccumulation:
            raise popart_exception("Automatic loss scaling is not currently supported when the 'enablePipelining' SessionOption is set to 'true', but "
                                   "the 'enableGradientAccumulation' SessionOption is set to 'false'")
        for name, place in (("thresholdUpperCountProportion", ""), ("binEdgeLocation", "[AutomaticLossScale transform] ")):
            value = getattr(self, name, None)
            if value is not None and not 0 <= value <= 1:
                raise popart_exception("%sOut of range value for '%s'. The current value is %g, but it must be within 0 and 1" % (place, name, value))


class AccumulateOuterFragmentSettings(_Settings):
    def __init__(self, schedule=None, excludedVirtualGraphs=()):
        super().__init__("accumulateOuterFragmentSettings", schedule=schedule, excludedVirtualGraphs=list(excludedVirtualGraphs))


class SessionOptions:
    """Options that have an effect are attributes from the start. Others are accepted with a warning."""

    _simulated = {
        "enablePipelining": False, "virtualGraphMode": VirtualGraphMode.Off, "enableReplicatedGraphs": False, "replicatedGraphCount": 1,
        "enableGradientAccumulation": False, "accumulationFactor": 1, "autoRecomputation": RecomputationType.NoRecompute,
        "accumulationAndReplicationReductionType": ReductionType.Sum, "enableOutlining": True, "constantWeights": True,
        "engineOptions": None, "reportOptions": None, "numIOTiles": 0, "partialsTypeMatMuls": "", "enableStochasticRounding": False,
        "weightTensorLocationSettings": None, "optimizerStateTensorLocationSettings": None, "activationTensorLocationSettings": None,
    }
    # Accepted without a warning: the simulator does this anyway, or the option controls a part that it does not have and that changes no figure.
    _silent = {"instrumentWithHardwareCycleCounter", "enableEngineCaching", "cachePath", "logDir", "exportPoplarComputationGraph",
               "enableExplicitMainLoops", "useHostCopyOps", "explicitRecomputation", "rearrangeAnchorsOnHost",
               "hardwareInstrumentations", "enablePrefetchDatastreams", "defaultBufferingDepth", "aliasZeroCopy", "compileEngine",
               "opxAliasChecking", "opxModifyChecking", "strictOpVersions", "delayVarUpdates", "looseThresholdAtPeak", "dotChecks",
               "dotOpNames", "finalDotOp", "firstDotOp", "swapLimitScheduler", "outlineThreshold", "enableOutliningCopyCostPruning",
               "groupHostSync", "subgraphCopyingStrategy", "decomposeGradSum", "kahnTieBreaker", "mergeVarUpdate",
               "transitiveClosureOptimizationThreshold", "ensureFp32LossScaleTensor", "enableSupportedDataTypeCasting",
               "enableLoadAndOffloadRNGState", "gclOptions", "convolutionOptions", "matmulOptions", "lstmOptions", "throwIfLog"}

    _empty = {"logDir": "", "cachePath": "", "dotChecks": frozenset(), "dotOpNames": True, "defaultBufferingDepth": 1}

    def __init__(self, values=None):
        for name, value in self._simulated.items():
            object.__setattr__(self, name, {} if value is None and name.endswith("tions") else value)
        for name in ("weightTensorLocationSettings", "optimizerStateTensorLocationSettings", "activationTensorLocationSettings"):
            object.__setattr__(self, name, TensorLocationSettings())
        for name in ("convolutionOptions", "matmulOptions", "gclOptions", "lstmOptions"):
            object.__setattr__(self, name, {})
        object.__setattr__(self, "syntheticDataMode", SyntheticDataMode.Off)
        object.__setattr__(self, "automaticLossScalingSettings", AutomaticLossScalingSettings())
        object.__setattr__(self, "accumulateOuterFragmentSettings", AccumulateOuterFragmentSettings())
        for name in ("batchSerializationSettings", "executionPhaseSettings", "experimentalSettings",
                     "accumulatorTensorLocationSettings"):
            object.__setattr__(self, name, _Settings(name, location=None))
        for name, value in dict(values or {}).items():
            setattr(self, name, value)

    def __setattr__(self, name, value):
        if name == "automaticLossScalingSettings":
            pass  # its member `enabled` has the effect
        elif name == "syntheticDataMode" and value != SyntheticDataMode.Off:
            warn_once("SessionOptions.syntheticDataMode has no effect here: data comes from the host")
        elif name in ("enableDistributedReplicatedGraphs", "globalReplicationFactor", "globalReplicaOffset"):
            pass  # a session of several processes is rejected later
        elif name not in self._simulated and name not in self._silent and name != "syntheticDataMode":
            warn_once("SessionOptions.%s has no effect here" % name)
        object.__setattr__(self, name, value)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._silent:
            return None
        return self._empty.get(name, False)

    def _plan(self):
        """The session's options for the plans of products and convolutions, which share them here."""
        settings = {"partials": "half"} if "half" in str(self.partialsTypeMatMuls).lower() else {}
        shares = set()
        for options in (self.matmulOptions, self.convolutionOptions):
            for name, value in options.items():
                if name == "availableMemoryProportion":
                    shares.add(float(value))
                elif name == "partialsType":
                    settings["partials"] = "half" if "half" in str(value).lower() else "float"
                else:
                    warn_once("the option %s of products and convolutions has no effect here" % name)
        if len(shares) > 1:
            warn_once("products and convolutions have one share of available memory here: %g" % min(shares))
        if shares:
            settings["available-memory"] = min(shares)
        return settings

    def explicitPipeliningEnabled(self):
        return False

    def enableExplicitIR(self, on=True):
        """No effect: PopART's explicit representation computes the same."""


class Patterns:
    """The rewritings that PopART makes. They have no effect here: `tilescope-cli passes` lists the simulator's own."""

    def __init__(self, level=None):
        object.__setattr__(self, "_set", {})

    def enablePattern(self, name, on):
        self._set[name] = bool(on)
        return self

    def isPatternEnabled(self, name):
        return self._set.get(name, True)

    def enableRuntimeAsserts(self, on):
        return self

    def __setattr__(self, name, value):
        self._set[name] = value

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self._set.get(name, True)

    @staticmethod
    def create(names):
        return Patterns()


class DeviceInfo:
    """IPUs of the simulated machine that TILESCOPE_MACHINE names (gc200)."""

    def __init__(self, ipus=1, kind=DeviceType.IpuModel, number=0, machine=None):
        self._ipus, self._kind, self.id, self._attached = int(ipus), kind, number, False
        self.machine = machine or os.environ.get("TILESCOPE_MACHINE") or "gc200"

    numIpus = property(lambda self: self._ipus)
    type = property(lambda self: self._kind)
    tilesPerIPU = property(lambda self: 1216 if self.machine == "gc2" else 1472)
    numWorkerContexts = property(lambda self: 6)
    isAttached = property(lambda self: self._attached)
    connectionType = property(lambda self: DeviceConnectionType.Always)
    version = property(lambda self: {"gc2": "ipu1", "bow": "ipu21", "c600": "ipu21"}.get(self.machine, "ipu2"))

    def attach(self):
        self._attached = True
        return True

    def detach(self):
        self._attached = False

    def tryAttachUntilTimeout(self):
        return self.attach()

    def setOnDemandAttachTimeout(self, seconds):
        pass

    def __enter__(self):
        self.attach()
        return self

    def __exit__(self, *_):
        self.detach()


class DeviceManager:
    def createIpuModelDevice(self, options=None):
        options = dict(options or {})
        for name in options:
            if name not in ("numIPUs", "tilesPerIPU", "ipuVersion", "compileIPUCode"):
                warn_once("the option %s of an IPU model has no effect here" % name)
        device = DeviceInfo(options.get("numIPUs", 1))
        version = str(options.get("ipuVersion", ""))
        if version == "ipu1":
            device.machine = "gc2"
        if int(options.get("tilesPerIPU", device.tilesPerIPU)) != device.tilesPerIPU:
            warn_once("tilesPerIPU of an IPU model has no effect here: an IPU has %d tiles" % device.tilesPerIPU)
        return device

    def createCpuDevice(self):
        return DeviceInfo(1, DeviceType.Cpu)

    def createSimDevice(self, options=None):
        return self.createIpuModelDevice(options)

    createOfflineIPUDevice = createOfflineIpuFromDeviceInfo = createSimDevice

    def acquireAvailableDevice(self, numIpus=1, *_, **__):
        device = self.tryAcquireAvailableDevice(numIpus)
        if device is None:
            raise popart_exception("Failed to acquire device with %d IPUs. Ensure that there are sufficient IPUs available: a simulated "
                                   "machine has 64" % numIpus)
        return device

    def tryAcquireAvailableDevice(self, numIpus=1, *_, **__):
        return DeviceInfo(numIpus, DeviceType.Ipu) if numIpus <= 64 else None

    def acquireDeviceById(self, id, pattern=None, connectionType=DeviceConnectionType.Always):  # noqa: A002
        """One of the 16 IPUs of the simulated pod."""
        if not 0 <= int(id) < 16:
            raise poplar_exception("No such device set id: '%s'" % id)
        return DeviceInfo(1, DeviceType.Ipu, id)

    def tryAcquireDeviceById(self, id, pattern=None, connectionType=DeviceConnectionType.Always):  # noqa: A002
        return self.acquireDeviceById(id) if 0 <= int(id) < 16 else None

    def enumerateDevices(self, *_, numIpus=1, **__):
        return [DeviceInfo(numIpus, DeviceType.Ipu, number) for number in range(16 // max(1, numIpus))]

    def setOnDemandAttachTimeout(self, seconds):
        pass
