"""Values and names that models, sessions and optimisers share."""

import enum
import warnings

import numpy


class popart_exception(RuntimeError):  # noqa: N801
    """What PopART's sessions raise."""


class poplar_exception(popart_exception):  # noqa: N801
    pass


class OutOfMemoryException(popart_exception):
    """The model does not fit; getReport() and getSummaryReport() of the session say where."""


def not_simulated(what):
    raise popart_exception("%s is not simulated" % what)


_warned = set()


def warn_once(text):
    if text not in _warned:
        _warned.add(text)
        warnings.warn(text, stacklevel=3)


_DTYPES = {"FLOAT": "float32", "FLOAT16": "float16", "DOUBLE": "float64", "INT8": "int8", "INT16": "int16", "INT32": "int32",
           "INT64": "int64", "UINT8": "uint8", "UINT16": "uint16", "UINT32": "uint32", "UINT64": "uint64", "BOOL": "bool"}
_WORDS = {dtype: word for word, dtype in _DTYPES.items()}


def dtype_of(word):
    name = getattr(word, "name", word)
    if name not in _DTYPES:
        raise popart_exception("the type %s is not simulated" % name)
    return numpy.dtype(_DTYPES[name])


def word_of(dtype):
    return _WORDS[numpy.dtype(dtype).name]


class TensorInfo:
    """Type and shape: TensorInfo("FLOAT", [2, 3])."""

    def __init__(self, dtype, shape=()):
        self.dtype, self._shape = dtype_of(dtype), [size if isinstance(size, str) else int(size) for size in shape]

    def shape(self):
        return list(self._shape)

    def rank(self):
        return len(self._shape)

    def nelms(self):
        return int(numpy.prod(self._shape, dtype=numpy.int64))

    def data_type(self):
        return word_of(self.dtype)

    data_type_lcase = property(lambda self: lambda: self.dtype.name)

    def __repr__(self):
        return "TensorInfo(%s, %s)" % (word_of(self.dtype), self._shape)


def _names(title, words):
    return enum.IntEnum(title, [(word, index) for index, word in enumerate(words.split())])


ReductionType = _names("ReductionType", "Mean NoReduction Sum")
VirtualGraphMode = _names("VirtualGraphMode", "Off Manual Auto ExecutionPhases")
RecomputationType = _names("RecomputationType", "None_ Standard NormOnly Pipeline RecomputeAll")
RecomputeType = _names("RecomputeType", "Undefined Checkpoint Recompute Recomputed")
AdamMode = _names("AdamMode", "Adam AdamNoBias AdaMax Lamb LambNoBias")
AdaptiveMode = _names("AdaptiveMode", "AdaGrad RMSProp CenteredRMSProp AdaDelta")
WeightDecayMode = _names("WeightDecayMode", "Decay L2Regularization")
SGDAccumulatorAndMomentum = _names("SGDAccumulatorAndMomentum", "Combined Separate")
SyntheticDataMode = _names("SyntheticDataMode", "Off Zeros RandomNormal RandomUniform")
TensorStorage = _names("TensorStorage", "OnChip OffChip")
ReplicatedTensorSharding = _names("ReplicatedTensorSharding", "Off On")
SyncPattern = _names("SyncPattern", "Full SinglePipeline ReplicaAndLadder")
DeviceConnectionType = _names("DeviceConnectionType", "Always OnDemand Never")
DeviceSelectionCriterion = _names("DeviceSelectionCriterion", "First Random")
DeviceType = _names("DeviceType", "IpuModel Cpu Ipu OfflineIpu Sim")
MeanReductionStrategy = _names("MeanReductionStrategy", "Running Post")
TileSet = _names("TileSet", "Compute IO")
ExchangeStrategy = _names("ExchangeStrategy", "JustInTime OverlapInnerLoop OverlapLoops OverlapStep")
PatternsLevel = _names("PatternsLevel", "NoPatterns Minimal Default All")
CommGroupType = _names("CommGroupType", "All Consecutive Orthogonal None_")
VariableRetrievalMode = _names("VariableRetrievalMode", "OnePerGroup AllReduceReplicas AllReplicas")
InitType = _names("InitType", "NoInit Zero")
DataType = enum.Enum("DataType", [(word, word) for word in _DTYPES])
for _kind in (RecomputationType, CommGroupType):
    setattr(_kind, "None", _kind.None_)


class AnchorReturnType:
    """Which values of a tensor leave the machine: "All", "Final", "Sum", or "EveryN" with its period."""

    def __init__(self, kind="All", period=1, tile_set=None, exchange_strategy=None):
        if isinstance(period, TileSet):  # the period is left out
            period = 1
        word = str(kind).upper()
        if word not in ("ALL", "FINAL", "EVERYN", "SUM"):
            raise popart_exception("%s is not a type of anchor: ALL, FINAL, EVERYN or SUM" % kind)
        self.kind, self._period = word, int(period)

    def rp(self):
        return self._period

    def __repr__(self):
        return "AnchorReturnType(%s)" % self.kind


class DataFlow:
    """Batches of a step, and the tensors that leave the machine: DataFlow(2, {output: AnchorReturnType("All")})."""

    def __init__(self, batches_per_step=1, anchors=(), default=None, *_):
        self._batches = int(batches_per_step)
        if isinstance(anchors, dict):
            self.kinds = dict(anchors)
        else:
            self.kinds = {name: default or AnchorReturnType("All") for name in anchors}
        for name, kind in self.kinds.items():
            if kind.kind == "EVERYN" and (kind.rp() < 1 or self._batches % kind.rp()):
                raise popart_exception("EveryN of %s: %d does not divide the %d batches of a step" % (name, kind.rp(), self._batches))

    def batchesPerStep(self):
        return self._batches

    def setBatchesPerStep(self, batches):
        self._batches = int(batches)

    def anchors(self):
        return list(self.kinds)

    def nAnchors(self):
        return len(self.kinds)

    def art(self, name):
        return self.kinds[name]


class CommGroup:
    def __init__(self, type=CommGroupType.All, replicaGroupSize=0):  # noqa: A002
        self.type, self.replicaGroupSize = CommGroupType(type), int(replicaGroupSize)


class VariableSettings:
    """How replicas share a variable. Sessions simulate variables that all replicas share."""

    def __init__(self, sharedVariableDomain=None, retrievalMode=VariableRetrievalMode.OnePerGroup):
        if isinstance(sharedVariableDomain, VariableRetrievalMode):
            sharedVariableDomain, retrievalMode = None, sharedVariableDomain
        self.group, self.mode = sharedVariableDomain or CommGroup(), VariableRetrievalMode(retrievalMode)

    def getSharedVariableDomain(self):
        return self.group

    def getRetrievalMode(self):
        return self.mode

    def getGroupCount(self, replicas):
        if self.group.type == CommGroupType.All:
            return 1
        return replicas if self.group.type == CommGroupType.None_ else replicas // self.group.replicaGroupSize

    def numReplicasReturningVariable(self, replicas):
        return replicas if self.mode == VariableRetrievalMode.AllReplicas else self.getGroupCount(replicas)


reservedGradientPrefix = lambda: "Gradient___"  # noqa: E731
reservedUpdatedVarPrefix = lambda: "UpdatedVar___"  # noqa: E731
reservedAcclPrefix = lambda: "Accl___"  # noqa: E731
reservedAccumPrefix = lambda: "Accum___"  # noqa: E731
reservedStepPrefix = lambda: "Step___"  # noqa: E731
