"""The module has the names of Graphcore's PopART, so that scripts written for PopART run unchanged on the simulated machine.

    import popart

    builder = popart.Builder()
    x = builder.addInputTensor(popart.TensorInfo("FLOAT", [4]))
    y = builder.aiOnnx.relu([x])
    session = popart.InferenceSession(builder.getModelProto(), popart.DataFlow(1, {y: popart.AnchorReturnType("All")}),
                                      popart.DeviceManager().createIpuModelDevice({}))

The module shares only names and their documented meaning with PopART. A feature that is not simulated raises an error that names it.
Needs numpy and libtilescope.so.
"""

from tilescope._library import library as _library

from ._builder import Builder  # noqa: F401
from ._optimizers import SGD, Adam, Adaptive, ClipNormSettings, ConstSGD, Optimizer  # noqa: F401
from ._options import (AccumulateOuterFragmentSettings, AutomaticLossScalingSettings, DeviceInfo, DeviceManager, Patterns, SessionOptions,  # noqa: F401
                       TensorLocation, TensorLocationSettings)
from ._session import InferenceSession, PyStepIO, PyStepIOCallback, PyWeightsIO, TrainingSession  # noqa: F401
from ._transformer import GraphTransformer  # noqa: F401
from ._types import *  # noqa: F401,F403
from ._types import warn_once


def versionString():
    """Of the simulator."""
    return _library().tilescope_version().decode()


def versionNumber():
    return tuple(int(word) for word in versionString().split(".")[:3])


def packageHash():
    return versionString()


class Logger:
    """A Python logger with PopART's names for levels."""

    _levels = {"TRACE": 5, "DEBUG": 10, "INFO": 20, "WARN": 30, "ERR": 40, "ERROR": 40, "CRITICAL": 50, "OFF": 100}

    def __init__(self, name):
        import logging
        self._logger = logging.getLogger("popart" if name in ("", "all") else "popart:" + name)
        self.debug, self.info, self.warn = self._logger.debug, self._logger.info, self._logger.warning
        self.error, self.critical = self._logger.error, self._logger.critical

    def setLevel(self, level):
        self._logger.setLevel(self._levels.get(str(level).upper(), level))


def getLogger(name="all"):
    return Logger(name)


def initializePoplarDebugInfo(fileName, format="json"):  # noqa: A002
    """Writes no file: reports have the debug contexts."""
    warn_once("initializePoplarDebugInfo writes no file here: a session's getReport().debugContexts has the contexts")


def closePoplarDebugInfo():
    pass


_INSTEAD = {
    "DebugInfo": "a session's getReport().debugContexts has the contexts", "getSupportedOperations": "tilescope-cli list has the operators",
    "getSupportedOperationsDefinition": "tilescope-cli list has the operators", "NumericsReport": "compare the models that modelToHost() saves",
}


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    advice = _INSTEAD.get(name)
    raise AttributeError("popart.%s is not simulated, or there is no such name%s" % (name, ": " + advice if advice else ""), name=name)


defaultAiOnnxOpset, defaultAiOnnxMlOpset, defaultAiGraphcoreOpset = 10, 1, 1
