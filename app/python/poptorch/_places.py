"""Where the blocks of a model run, as options of a session."""

from tilescope.session import ipus_for

from ._enums import AutoStage, Error
from ._options import PipelinedExecution


def cut(exported, options, training, name):
    blocks, strategy = exported.blocks, options.execution_strategy
    if not isinstance(strategy, PipelinedExecution):
        raise Error("this execution strategy is not simulated: PipelinedExecution and ShardedExecution are")
    parts = []
    for index, (node, block, ipu) in enumerate(blocks):
        place = strategy.ipu_of(block, ipu)
        if place is None:
            place = index if strategy.auto == AutoStage.AutoIncrement else 0
        if not parts or parts[-1][1] != place:
            parts.append((node, place))
    if not parts or (len(parts) == 1 and parts[0][1] == 0):
        return {}
    if parts[0][1] != 0 and parts[0][0] != exported.model.nodes[0].name:
        parts.insert(0, (None, 0))  # nodes before the first block
    words = ["@%d" % parts[0][1]] + ["%s@%d" % part for part in parts[1:]]
    ipus = max(place for _, place in parts) + 1  # IPUs without a block are idle
    settings = {"shard": ",".join(words), "ipus": ipus_of(options.replication_factor * ipus, options, name)}
    if strategy.pipelined:
        settings["pipeline"] = len(parts)
        _require_full(len(parts), options, training)
        if not training:
            settings.update({"accumulation": options.device_iterations, "batches-per-step": 1})
    return settings


def _require_full(parts, options, training):
    """Requires enough micro-batches to fill the pipeline: one per part; in training one per pass of a part, where the last part has only one."""
    count = 2 * parts - 1 if training else parts
    name = "Training.gradientAccumulation" if training else "deviceIterations"
    given = options.Training.gradient_accumulation if training else options.device_iterations
    if given < count:
        more = " Please note that a model with %d pipeline stages in PopTorch will have an additional %d stages when training." % (
            parts, count - parts) if training else ""
        raise Error("poptorch.Options().%s must be greater than or equal to the number of pipeline stages (%d) when using "
                    "poptorch.PipelinedExecution.%s" % (name, count, more))


def ipus_of(count, options, name):
    whole = ipus_for(count)
    if count != whole and not options.rounds_ipus:
        raise Error("%s: The model specifies the use of %d IPUs, however PopTorch must reserve a minimum of %d in order to allow the model to run, "
                    "because PopTorch must reserve a power of 2 or maximum of 64 IPUs per process. Please reconfigure your model to use a "
                    "different number of IPUs or set poptorch.Options().autoRoundNumIPUs(True)." % (name, count, whole))
    return whole
