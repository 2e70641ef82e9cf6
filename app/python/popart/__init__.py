"""The names of Graphcore's PopART, so that scripts written for it run unchanged on the simulated machine.

    import popart

    builder = popart.Builder()
    x = builder.addInputTensor(popart.TensorInfo("FLOAT", [4]))
    y = builder.aiOnnx.relu([x])
    session = popart.InferenceSession(builder.getModelProto(), popart.DataFlow(1, {y: popart.AnchorReturnType("All")}),
                                      popart.DeviceManager().createIpuModelDevice({}))

Only names and their documented meaning are shared. What is not simulated raises an error that names it. Needs numpy and libtilescope.so.
"""

from tilescope._library import library as _library

from ._builder import Builder  # noqa: F401
from ._optimizers import SGD, Adam, Adaptive, ClipNormSettings, ConstSGD, Optimizer  # noqa: F401
from ._options import (AccumulateOuterFragmentSettings, DeviceInfo, DeviceManager, Patterns, SessionOptions,  # noqa: F401
                       TensorLocation, TensorLocationSettings)
from ._session import InferenceSession, PyStepIO, PyStepIOCallback, PyWeightsIO, TrainingSession  # noqa: F401
from ._types import *  # noqa: F401,F403


def versionString():
    """Of the simulator."""
    return _library().tilescope_version().decode()


def getLogger(name=""):
    import logging
    return logging.getLogger("popart" + (":" + name if name else ""))


defaultAiOnnxOpset = 10
