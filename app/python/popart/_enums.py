"""Values of options, under PopART's names."""

import enum

DTYPES = {"FLOAT": "float32", "FLOAT16": "float16", "DOUBLE": "float64", "INT8": "int8", "INT16": "int16", "INT32": "int32",
          "INT64": "int64", "UINT8": "uint8", "UINT16": "uint16", "UINT32": "uint32", "UINT64": "uint64", "BOOL": "bool"}
DataType = enum.Enum("DataType", [(word, word) for word in DTYPES])


def _names(title, words):
    return enum.IntEnum(title, [(word, index) for index, word in enumerate(words.split())])


_WORDS = """
AccumulateOuterFragmentSchedule Scheduler Serial OverlapCycleOptimized OverlapMemoryOptimized
AdamMode Adam AdamNoBias Lamb LambNoBias AdaMax
AdaptiveMode AdaGrad RMSProp CenteredRMSProp AdaDelta
AnchorReturnTypeId Final EveryN All Sum
AutodiffStitchStrategy RecomputeMinimal RecomputeAllNonInputs AddFwdOutputs SafeAddFwdOutputs
BatchSerializationBatchSchedule Scheduler Isomorphic OverlapOnIo OverlapOnCompute
BatchSerializationMethod UnrollDynamic UnrollStatic Loop
BatchSerializationTransformContext Fwd Bwd
CommGroupType All Consecutive Orthogonal Ungrouped
DeviceConnectionType Always OnDemand Never
DeviceSelectionCriterion First Random
DeviceType IpuModel Cpu Ipu OfflineIpu Sim
ExchangeStrategy JustInTime OverlapInnerLoop OverlapLoops OverlapStep
ExecutionPhaseIOSchedule Preload OnDemand
ExecutionPhaseSchedule Interleaving Batch BatchClusteredIO
GradientTensorTrackingMethod ConvAndMatmulGradients AllNonViewChangingGradientTensors GradientsOfUserSpecifiedTensors
InitType NoInit Zero
Instrumentation Outer Inner
IrSerializationFormat JSON
MeanReductionStrategy Running Post
MergeVarUpdateType Off All AutoTight AutoLoose
PatternsLevel NoPatterns Minimal Default All
RecomputationType NoRecompute Standard NormOnly RecomputeAll Pipeline
RecomputeType Undefined Checkpoint Recompute Recomputed
ReductionType Mean NoReduction Sum
ReplicatedStreamMode Replicate Broadcast
ReplicatedTensorSharding Off On
SGDAccumulatorAndMomentum Combined Separate
ScatterReduction Sum Max Min Mul NoReduction
SubgraphCopyingStrategy OnEnterAndExit JustInTime
SyncPattern Full SinglePipeline ReplicaAndLadder
SyntheticDataMode Off Zeros RandomNormal RandomUniform
TensorRemapType FwdBwdReverse FwdBwd Fwd
TensorStorage OnChip OffChip
TileSet Compute IO
VariableRetrievalMode OnePerGroup AllReduceReplicas AllReplicas
VirtualGraphMode Off Manual Auto ExecutionPhases
WeightDecayMode Decay L2Regularization
"""
for _line in _WORDS.strip().split("\n"):
    _title, _, _members = _line.partition(" ")
    globals()[_title] = _names(_title, _members)
for _kind, _word in ((RecomputationType, "NoRecompute"), (CommGroupType, "Ungrouped")):  # noqa: F821
    setattr(_kind, "None", _kind[_word])
__all__ = ["DTYPES", "DataType"] + [line.split()[0] for line in _WORDS.strip().split("\n")]
