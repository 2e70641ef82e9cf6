"""The names of Graphcore's libpvti module, so that scripts written for it run unchanged and record with tilescope_trace.

Only names and their documented meaning are shared."""

import tilescope_trace as _trace

_channels = {}


class Metadata(str):
    """JSON text that belongs to an event."""


def createJsonMetadata(text):
    return Metadata(text)


def createTraceChannel(name, enabled=True):
    channel = _trace.Channel(name, enabled)
    _channels[name] = channel
    return channel


TraceChannel = createTraceChannel


def enableTraceChannel(channel):
    channel.enable(True)


def disableTraceChannel(channel):
    channel.enable(False)


def checkTraceChannel(channel):
    return channel.is_active()


def listTraceChannels():
    return {name: channel.enabled for name, channel in _channels.items()}


listTraceChannel = listTraceChannels


def getCurrentTraceFilename():
    return _trace.file_name()


def closeTrace():
    _trace.stop()


class Tracepoint(_trace.scope):
    """A slice for the body of a `with` statement."""

    def __init__(self, channel, label, metadata=None):
        super().__init__(channel, label, metadata)

    @staticmethod
    def begin(channel, label, metadata=None):
        _trace.begin(channel, label, metadata)

    @staticmethod
    def end(channel, label):
        _trace.end(channel, label)

    @staticmethod
    def event(channel, label, metadata=None):
        _trace.instant(channel, label, metadata)


def ThreadName(name):
    _trace.name_thread(name)


class Client:
    """Kept for scripts that hold one to keep the library alive."""


class _Series:
    def __init__(self, series, enabled):
        self._series, self._enabled = series, enabled

    def add(self, value):
        if self._enabled:
            self._series.add(value)


class Graph:
    def __init__(self, name, unit="", enable=True):
        self._graph, self._enabled = _trace.Graph(name, unit), enable

    def addSeries(self, name):
        return _Series(self._graph.add_series(name), self._enabled)


HeatmapDouble = _trace.Heatmap


def instrument(obj, methods, channel):
    return _trace.instrument(obj, methods, channel)


def instrument_fn(channel):
    return _trace.traced(channel)
