"""Values and names that models, sessions and optimisers share."""

import enum
import warnings

import numpy

from ._enums import *  # noqa: F401,F403
from ._enums import DTYPES as _DTYPES
from ._enums import AnchorReturnTypeId, CommGroupType, ExchangeStrategy, ReplicatedStreamMode, TileSet, VariableRetrievalMode


class popart_exception(RuntimeError):  # noqa: N801
    """The exception that PopART's sessions raise."""


def _exceptions(parent, *names):
    for name in names:
        globals()[name] = type(name, (parent,), {"__module__": __name__})


_exceptions(popart_exception, "popart_internal_exception", "popart_runtime_error", "poplar_exception", "poplibs_exception")
_exceptions(globals()["poplar_exception"], "poplar_runtime_error")
_exceptions(globals()["poplar_runtime_error"], "poplar_application_runtime_error", "poplar_system_runtime_error")
_exceptions(globals()["poplar_system_runtime_error"], "poplar_recoverable_runtime_error", "poplar_unrecoverable_runtime_error",
            "poplar_unknown_runtime_error")


class OutOfMemoryException(popart_exception):
    """The model does not fit; getReport() and getSummaryReport() of the session show where."""

    def __init__(self, text, summary=lambda: "", path=""):
        super().__init__(text)
        self._summary, self._path = summary, path

    def getSummaryReport(self):
        return self._summary()

    def getProfilePath(self):
        """The path of the report that the engine options request; "" without one."""
        return self._path


def not_simulated(what):
    raise popart_exception("%s is not simulated" % what)


_warned = set()


def warn_once(text):
    if text not in _warned:
        _warned.add(text)
        warnings.warn(text, stacklevel=3)


_WORDS = {dtype: word for word, dtype in _DTYPES.items()}


def dtype_of(word):
    if isinstance(word, (type, numpy.dtype)) and not isinstance(word, enum.EnumMeta):
        name = numpy.dtype(word).name
        if name in _WORDS:
            return numpy.dtype(name)
    name = getattr(word, "name", word)
    if name not in _DTYPES:
        raise popart_exception("the type %s is not simulated" % name)
    return numpy.dtype(_DTYPES[name])


def word_of(dtype):
    return _WORDS[numpy.dtype(dtype).name]


class TensorInfo:
    """Type and shape: TensorInfo("FLOAT", [2, 3]), or those of an array: TensorInfo(array)."""

    def __init__(self, dtype, shape=None):
        if isinstance(dtype, numpy.ndarray) and shape is None:
            dtype, shape = dtype.dtype, dtype.shape
        if shape is None:
            raise TypeError("TensorInfo takes a type and a shape, or an array")
        self.dtype, self._shape = dtype_of(dtype), [size if isinstance(size, str) else int(size) for size in shape]

    def shape(self):
        return list(self._shape)

    def rank(self):
        return len(self._shape)

    def nelms(self):
        return int(numpy.prod(self._shape, dtype=numpy.int64))

    def data_type(self):
        return word_of(self.dtype)

    def data_type_lcase(self):
        return self.dtype.name

    def __eq__(self, other):
        return isinstance(other, TensorInfo) and (self.dtype, self._shape) == (other.dtype, other._shape)

    __hash__ = None

    def __repr__(self):
        return "TensorInfo(%s, %s)" % (word_of(self.dtype), self._shape)


class AnchorReturnType:
    """Which values of a tensor leave the machine: "All", "Final", "Sum", or "EveryN" with its period."""

    def __init__(self, anchorTypeString="All", returnPeriod=None, tileSet=TileSet.Compute, exchangeStrategy=ExchangeStrategy.JustInTime):
        period = returnPeriod
        if isinstance(period, TileSet):  # the period is left out
            period, tileSet, exchangeStrategy = None, period, tileSet if isinstance(tileSet, ExchangeStrategy) else exchangeStrategy
        word = str(anchorTypeString).upper()
        if word not in ("ALL", "FINAL", "EVERYN", "SUM"):
            raise popart_exception("Invalid anchor return type ID supplied: %s" % anchorTypeString)
        if word == "EVERYN" and period is None:
            raise popart_exception("Must specify return period with option 'EVERYN'")
        if word != "EVERYN" and period is not None:
            raise popart_exception("A return period should not be supplied for this anchor return type")
        if period is not None and int(period) < 1:
            raise popart_exception("Anchor return period must be greater than zero")
        self.kind, self._period, self._place = word, int(period or 1), (tileSet, exchangeStrategy)

    def id(self):
        return {"ALL": AnchorReturnTypeId.All, "FINAL": AnchorReturnTypeId.Final, "EVERYN": AnchorReturnTypeId.EveryN,
                "SUM": AnchorReturnTypeId.Sum}[self.kind]

    def rp(self):
        return self._period

    def tileSet(self):
        return self._place[0]

    def exchangeStrategy(self):
        return self._place[1]

    def __repr__(self):
        return "AnchorReturnType(%s)" % self.kind


class InputSettings:
    """How an input is sent. No effect here: the array says whether an input has one value for all replicas, or one for each."""

    def __init__(self, *given, **named):
        given = list(given) + list(named.values())
        self._words = {type(one): one for one in given}

    def tileSet(self):
        return self._words.get(TileSet, TileSet.Compute)

    def exchangeStrategy(self):
        return self._words.get(ExchangeStrategy, ExchangeStrategy.JustInTime)

    def replicatedStreamMode(self):
        return self._words.get(ReplicatedStreamMode, ReplicatedStreamMode.Replicate)


class InputShapeInfo:
    """Types and shapes of inputs that the model itself does not fix."""

    def __init__(self):
        self._infos = {}

    def add(self, name, info):
        self._infos[name] = info

    def get(self, name):
        return self._infos[name]

    def has(self, name):
        return name in self._infos

    def items(self):
        return self._infos.items()


class DebugContext(str):
    """The name of an operator or a tensor."""

    def __new__(cls, name="", *_, **__):
        return super().__new__(cls, getattr(name, "name", name) if isinstance(name, (str, DebugContext)) else "")


class DataFlow:
    """Batches per step, and the tensors that leave the machine: DataFlow(2, {output: AnchorReturnType("All")})."""

    def __init__(self, batches_per_step=1, anchors=(), default=None, *_):
        self._batches = int(batches_per_step)
        if isinstance(anchors, dict):
            self.kinds = dict(anchors)
        else:
            self.kinds = {name: default or AnchorReturnType("All") for name in anchors}

    def batchesPerStep(self):
        return self._batches

    def setBatchesPerStep(self, batches):
        self._batches = int(batches)

    def anchors(self):
        return list(self.kinds)

    def isAnchored(self, name):
        return name in self.kinds

    def nAnchors(self):
        return len(self.kinds)

    def art(self, name):
        return self.kinds[name]


class CommGroup:
    def __init__(self, type=CommGroupType.All, replicaGroupSize=0):  # noqa: A002
        self.type, self.replicaGroupSize = CommGroupType(type), int(replicaGroupSize)


class VariableSettings:
    """Says how replicas share a variable: VariableSettings([CommGroup], [VariableRetrievalMode]), or (stride, group size, mode). Sessions simulate
    only variables that all replicas share."""

    def __init__(self, *given, stride=0, groupSize=0, mode=None, sharedVariableDomain_=None, retrievalMode_=None):
        numbers = [one for one in given if isinstance(one, int) and not isinstance(one, VariableRetrievalMode)]
        groups = [one for one in list(given) + [sharedVariableDomain_] if isinstance(one, CommGroup)]
        modes = [one for one in list(given) + [mode, retrievalMode_] if isinstance(one, VariableRetrievalMode)]
        self.stride, self.size = (numbers + [stride, groupSize])[:2] if numbers or groupSize else (0, 0)
        self.group, self.mode = (groups + [CommGroup()])[0], (modes + [VariableRetrievalMode.OnePerGroup])[0]

    def isUsingCommGroup(self):
        return self.size == 0

    def getSharedVariableDomain(self):
        return self.group

    def getCommGroupType(self):
        return self.group.type

    def getRetrievalMode(self):
        return self.mode

    def getStride(self):
        return self.stride

    def getGroupSize(self):
        return self.size or self.group.replicaGroupSize

    def groups(self, replicas):
        """Number of replicas of each group."""
        if not self.isUsingCommGroup():
            stride, size = self.stride, self.size
        elif self.group.type == CommGroupType.All:
            stride, size = 1, replicas
        elif self.group.type == CommGroupType.Ungrouped:
            stride, size = 1, 1
        else:
            size = self.group.replicaGroupSize
            stride = 1 if self.group.type == CommGroupType.Consecutive else replicas // size
        if size < 1 or replicas % (size * max(1, stride)):
            raise popart_exception("%d replicas cannot be split into groups of %d with a stride of %d" % (replicas, size, stride))
        starts = [block + first for block in range(0, replicas, size * stride) for first in range(stride)]
        return [[start + stride * place for place in range(size)] for start in starts]

    def getGroupCount(self, replicas):
        return len(self.groups(replicas))

    def getRealGroupSize(self, replicas):
        return len(self.groups(replicas)[0])

    def getGroupRepresentative(self, group):
        """The first replica of a group, for any number of replicas."""
        consecutive = self.size and self.stride == 1 or self.group.type == CommGroupType.Consecutive
        return group * self.getGroupSize() if consecutive else 0 if self.isUsingCommGroup() and self.group.type == CommGroupType.All else group

    def numReplicasReturningVariable(self, replicas):
        return replicas if self.mode == VariableRetrievalMode.AllReplicas else self.getGroupCount(replicas)

    def shapeOnHost(self, shape, replicas):
        """The shape on the host: with the number of groups first, if there are several."""
        count = self.numReplicasReturningVariable(replicas)
        return ([count] if count > 1 else []) + list(shape)

    def shapeOnReplica(self, shape, replicas, name=""):
        count, shape = self.getGroupCount(replicas), list(shape)
        if count == 1:
            return shape
        if not shape or shape[0] != count:
            raise popart_exception("the variable %s of the shape %s needs %d as its first dimension, one for each group" % (name, shape, count))
        return shape[1:]


def _prefix(name, word):
    def prefix():
        return word

    prefix.__name__ = prefix.__qualname__ = "reserved%sPrefix" % name
    globals()[prefix.__name__] = prefix


for _name, _word in (("Gradient", "Gradient___"), ("UpdatedVar", "UpdatedVar___"), ("Accl", "Accl___"), ("Accl1", "Accl1___"),
                     ("Accl2", "Accl2___"), ("Accl3", "Accl3___"), ("Accum", "Accum___"), ("Step", "Step___"),
                     ("Stashed", "Stashed___"), ("Restored", "Restored___"), ("LossScaling", "lossScaling_"),
                     ("RandomSeed", "randomSeed___"), ("RemoteArg", "RemoteArg___")):
    _prefix(_name, _word)
GRADIENT, UPDATED, ACCUMULATED = "Gradient___", "UpdatedVar___", "Accum___"
