"""The names of Graphcore's PopTorch, so that scripts written for it run unchanged on the simulated machine.

    import poptorch

    model = poptorch.trainingModel(torch_module_with_loss, optimizer=torch.optim.SGD(torch_module_with_loss.parameters(), lr=0.1))
    output, loss = model(inputs, labels)

The module is exported with torch.onnx; gradients, updates and times are the simulator's. Only names and their documented meaning are
shared. What is not simulated raises an error that names it. Needs torch 1.13 or later, numpy and libtilescope.so.
"""

import sys as _sys

from . import _enums as enums
from . import _options as options
from . import optim, poptorch_core  # noqa: F401
from ._data import AsynchronousDataAccessor, DataLoader  # noqa: F401
from ._enums import *  # noqa: F401,F403
from ._enums import Error, RecoverableError, UnrecoverableError  # noqa: F401
from ._executor import PoplarExecutor
from ._export import ICustomArgParser, registerCustomArgParser  # noqa: F401
from ._files import load  # noqa: F401
from ._ops import (CPU, BeginBlock, Block, BlockFunction, MultiConv, NameScope, cond, ctc_beam_search_decoder,  # noqa: F401
                   custom_op, dynamic_slice, dynamic_update, for_loop, fps, identity_loss, ipu_print_tensor, isRunningOnIpu, nearest,
                   nop, recomputationCheckpoint, removeBlocks, serializedMatMul, set_available_memory, set_overlap_for_input,
                   set_overlap_for_output)
from ._options import (Attribute, Options, ParallelPhasedExecution, Phase, PipelinedExecution, SerialPhasedExecution,  # noqa: F401
                       ShardedExecution, Stage, TensorLocationSettings)

_sys.modules.update({__name__ + ".enums": enums, __name__ + ".options": options})


def inferenceModel(model, options=None):
    """The module on the machine, in evaluation mode."""
    return PoplarExecutor(model, options, training=False)


def trainingModel(model, options=None, optimizer=None):
    """The module on the machine, in training mode: each call makes an update. Its forward() gives a loss."""
    return PoplarExecutor(model, options, training=True, optimizer=optimizer)


def ipuHardwareIsAvailable(num_ipus=1):
    """True: the simulated machine counts as hardware."""
    return num_ipus <= 16


def ipuHardwareVersion():
    """2: the simulated machine is a Mk2."""
    return 2


def setLogLevel(level):
    pass


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError("poptorch.%s is not simulated, or there is no such name" % name)
