"""Values of options."""

import enum


class Error(RuntimeError):
    """The simulator rejects a request."""


RecoverableError = UnrecoverableError = Error


def not_simulated(what):
    raise Error("%s is not simulated" % what)


def _names(title, words):
    return enum.IntEnum(title, [(word, index) for index, word in enumerate(words.split())])


MeanReductionStrategy = _names("MeanReductionStrategy", "Running Post PostAndLoss")
DataLoaderMode = _names("DataLoaderMode", "Sync Async AsyncRebatched")
SharingStrategy = _names("SharingStrategy", "SharedMemory FileSystem Fork ForkServer")
OutputMode = _names("OutputMode", "Final EveryN All Sum Default")
ConnectionType = _names("ConnectionType", "Always OnDemand Never")
HalfFloatCastingBehavior = _names("HalfFloatCastingBehavior", "FloatDowncastToHalf HalfUpcastToFloat Default")
ReductionType = _names("ReductionType", "Sum Mean NoReduction")
SyncPattern = _names("SyncPattern", "Full SinglePipeline ReplicaAndLadder")
Liveness = _names("Liveness", "AlwaysLive OffChipAfterFwd OffChipAfterFwdNoOverlap OffChipAfterEachPhase")
AutoStage = _names("AutoStage", "SameAsIpu AutoIncrement")
MultiConvPlanType = _names("MultiConvPlanType", "Parallel Serial")
CommGroupType = _names("CommGroupType", "All Consecutive Orthogonal NoGrouping")
VariableRetrievalMode = _names("VariableRetrievalMode", "OnePerGroup AllReplicas")


class OverlapMode(enum.Enum):
    NoOverlap = "no_overlap"
    OverlapAccumulationLoop = "overlap_accumulation_loop"
    OverlapDeviceIterationLoop = "overlap_device_iteration_loop"


class MatMulSerializationMode(enum.Enum):
    InputChannels = "input_channels"
    ReducingDim = "reducing_dim"
    OutputChannels = "output_channels"
    Disabled = "none"
