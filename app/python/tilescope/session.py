"""A session: a model that is compiled once for the simulated machine and run many times, with its weights and optimiser state kept.

    import numpy, tilescope.session

    session = tilescope.session.Session(open("model.onnx", "rb").read())
    session.set("machine", "gc200")
    outputs = session.run({"x": numpy.zeros((1, 3), numpy.float32)})

Options are those of `tilescope-cli run`. Needs numpy and libtilescope.so.
"""

import atexit
import ctypes
import os
import weakref

import numpy

from ._library import Tensor, TilescopeError, library

# Numbers of TensorProto.DataType.
TYPES = {1: numpy.float32, 2: numpy.uint8, 3: numpy.int8, 4: numpy.uint16, 5: numpy.int16, 6: numpy.int32, 7: numpy.int64,
         9: numpy.bool_, 10: numpy.float16, 11: numpy.float64, 12: numpy.uint32, 13: numpy.uint64}
KINDS = ("parameter", "statistic", "state", "constant")

_open = weakref.WeakSet()


@atexit.register
def _close_all():
    """Closes all sessions: a session that closes writes the reports that the environment requests."""
    for session in list(_open):
        session.close()


class Port:
    """An input, an output or a weight: name, dtype, shape, transfers in a run, kind (of a weight)."""

    __slots__ = ("name", "dtype", "shape", "transfers", "kind")

    def __init__(self, tensor):
        self.name = tensor.name.decode()
        if tensor.type not in TYPES:
            raise TilescopeError("%s: numpy has no type for number %d of ONNX" % (self.name, tensor.type))
        self.dtype = numpy.dtype(TYPES[tensor.type])
        self.shape = tuple(tensor.shape[i] for i in range(tensor.rank))
        self.transfers, self.kind = tensor.transfers, KINDS[tensor.kind]

    def __repr__(self):
        return "Port(%s %s %s x %d)" % (self.name, self.dtype, list(self.shape), self.transfers)


def ipus_for(count):
    """Number of IPUs of the smallest machine with at least this many: a power of two."""
    return 1 << (max(1, count) - 1).bit_length()


def _without_rate(word):
    """A word of the option group without its learning rate, for comparisons."""
    return word.partition("=")[0] if ":learning-rate=" in word else word


class Session:
    """`model`: bytes of an .onnx file, or its path."""

    def __init__(self, model, name="model"):
        self._library = library()
        self._handle = None
        if isinstance(model, (bytes, bytearray)):
            self._handle = self._library.tilescope_open(bytes(model), len(model), name.encode())
        else:
            self._handle = self._library.tilescope_open_file(os.fsencode(model))
        if not self._handle:
            self._fail()
        self._ports = {}
        _open.add(self)

    def _fail(self):
        raise TilescopeError(self._library.tilescope_last_error().decode("utf-8", "replace"))

    def _call(self, function, *arguments):
        if not self._handle:
            raise TilescopeError("the session is closed")
        if getattr(self._library, "tilescope_" + function)(self._handle, *arguments):
            self._fail()

    def close(self):
        if self._handle:
            handle, self._handle = self._handle, None
            self._library.tilescope_close(handle)

    __del__ = close

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def set(self, option, value):
        """Sets an option of `tilescope-cli run`, named without its dashes; a list sets each of its values."""
        for one in value if isinstance(value, (list, tuple)) else [value]:
            word = ("1" if one else "0") if isinstance(one, bool) else repr(one) if isinstance(one, float) else str(one)
            self._call("set", option.encode(), word.encode())
        if option not in ("learning-rate", "group"):
            self._ports.clear()

    def change(self, before, after):
        """Changes the options `before` to the options `after` by setting those that differ. A change of only learning rates, also of a group, does
        not compile again."""
        for option, value in after.items():
            if option != "group" and before.get(option) != value:
                self.set(option, value)
        for option in set(before) - set(after):
            self.set(option, "")
        old, new = before.get("group", []), after.get("group", [])
        if old != new and [_without_rate(word) for word in old] != [_without_rate(word) for word in new]:
            self.set("group", "")
            self.set("group", new)
        else:
            self.set("group", [word for word in new if word not in old])

    def compile(self):
        self._ports.clear()
        self._call("compile")

    def _list(self, kind):
        if kind in self._ports:
            return self._ports[kind]
        if not self._handle:
            raise TilescopeError("the session is closed")
        count = getattr(self._library, "tilescope_%s_count" % kind)(self._handle)
        if count < 0:
            self._fail()
        ports, tensor = {}, Tensor()
        for index in range(count):
            self._call(kind, index, ctypes.byref(tensor))
            port = Port(tensor)
            ports[port.name] = port
        self._ports[kind] = ports
        return ports

    @property
    def inputs(self):
        """The inputs as ports by name, in the model's order; compiles if needed."""
        return self._list("input")

    @property
    def outputs(self):
        return self._list("output")

    @property
    def weights(self):
        return self._list("weight")

    def value(self, name):
        """The port of any value of the model, from type inference only."""
        tensor = Tensor()
        self._call("value", name.encode(), ctypes.byref(tensor))
        return Port(tensor)

    def write_input(self, name, value):
        """Sets all transfers of a run. The number of elements and the type must be the input's."""
        port = self._port("input", name)
        array = numpy.asarray(value, order="C")
        if array.dtype != port.dtype:
            raise TilescopeError("%s: the value is %s, the input is %s" % (name, array.dtype, port.dtype))
        self._call("write_input", name.encode(), array.ctypes.data, array.nbytes)

    def read_output(self, name, into=None):
        """The output of the last run: an array of (transfers, shape of one transfer …)."""
        port = self._port("output", name)
        array = numpy.empty((port.transfers,) + port.shape, port.dtype) if into is None else into
        self._call("read_output", name.encode(), array.ctypes.data, array.nbytes)
        return array

    def execute(self):
        self._call("run")

    def run(self, inputs):
        """Runs the model with inputs by name. Returns the outputs by name; an output with one transfer has the shape of that transfer."""
        for name, value in inputs.items():
            self.write_input(name, value)
        self.execute()
        outputs = {name: self.read_output(name) for name in self.outputs}
        return {name: array[0] if len(array) == 1 else array for name, array in outputs.items()}

    def _port(self, kind, name):
        ports = self._list(kind)
        if name not in ports:
            raise TilescopeError("no %s has this name: %s" % (kind, name))
        return ports[name]

    def read_weight(self, name):
        port = self._port("weight", name)
        array = numpy.empty(port.shape, port.dtype)
        self._call("read_weight", name.encode(), array.ctypes.data, array.nbytes)
        return array

    def write_weight(self, name, value):
        port = self._port("weight", name)
        array = numpy.asarray(value, order="C")
        if array.dtype != port.dtype or array.shape != port.shape:
            raise TilescopeError("%s: the value is %s %s, the weight is %s %s" % (
                name, array.dtype, list(array.shape), port.dtype, list(port.shape)))
        self._call("write_weight", name.encode(), array.ctypes.data, array.nbytes)

    def save_model(self, path):
        self._call("save_model", os.fsencode(path))

    def report(self, path):
        self._call("report", os.fsencode(path))

    @property
    def cycles(self):
        """Cycles of all runs since the last compilation."""
        return self._library.tilescope_cycles(self._handle)

    @property
    def run_cycles(self):
        return self._library.tilescope_run_cycles(self._handle)

    @property
    def clock(self):
        """The clock of the machine in Hz."""
        return self._library.tilescope_clock(self._handle)

    @property
    def notes(self):
        notes = []
        while True:
            note = self._library.tilescope_note(self._handle, len(notes))
            if note is None:
                return notes
            notes.append(note.decode("utf-8", "replace"))
