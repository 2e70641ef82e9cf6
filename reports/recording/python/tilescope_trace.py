"""Records what a Python program does around the machine: slices of time, instants, counters and heatmaps, of every thread.

    import tilescope_trace as trace

    train = trace.Channel("train")
    with trace.scope(train, "epoch", {"number": 3}):
        ...
    @trace.traced(train)
    def load(): ...
    trace.instrument(dataset, ["__getitem__"], train)
    trace.Graph("Loss", "%").add_series("training").add(0.25)

Recording is switched on by the environment variable TILESCOPE_TRACE (or PVTI_OPTIONS), a JSON object with the optional keys
"enable", "directory", "file", "channels", "duration" (seconds) and "limit" (bytes), or by start(). Without it a call costs
one comparison. The file (*.tsrec) is whole at any moment: a process that is killed loses nothing it had recorded.
`tilescope-cli import FILE` and the window open it; files of several processes may be imported together.

The layout of the file is that of recording_format.h. Needs nothing but Python 3.8 on Linux.
"""

import atexit
import bisect
import contextlib
import functools
import inspect
import json
import mmap
import os
import stat
import struct
import sys
import threading
from time import monotonic_ns as _now, strftime, time_ns

__all__ = [
    "Channel", "Graph", "Heatmap", "Series", "begin", "end", "file_name", "instant", "instrument", "is_recording",
    "lost_events", "name_thread", "scope", "start", "stop", "traced",
]

_MAGIC, _VERSION = 0x0000315443455354, 1
_HEADER_BYTES, _CHUNK_BYTES, _CHUNK_HEADER_BYTES = 4096, 65536, 32
_CHUNK_MAGIC = 0x4B4E4843
_MOST_STRING_BYTES, _MOST_STRINGS = 32768, 8192
_MOST_SECONDS = 1e9
_SUFFIX = "suffix of the default name"  # a key of the options that no user sets
(_BEGIN, _END, _END_NAMED, _INSTANT, _STRING, _THREAD_NAME, _METADATA, _SERIES, _SAMPLE, _HEATMAP,
 _HEATMAP_SAMPLE) = range(1, 12)

_word_pair = struct.Struct("<QII")
_word = struct.Struct("<Q")
_used = struct.Struct("<I")


def _padded(count):
    return (count + 7) // 8 * 8


def _complain(words):
    """Prints one line on standard error, without print(): a signal handler must not call it while the program prints."""
    try:
        os.write(2, ("tilescope_trace: %s\n" % words).encode("utf-8", "replace"))
    except OSError:
        pass


class _Recording:
    """The open file; a process has one at a time."""

    def __init__(self, options):
        self.options = options
        channels = options.get("channels")
        self.channels = {name for name in channels if isinstance(name, str)} if isinstance(channels, list) else None
        directory = options.get("directory") or "."
        program = os.path.basename(sys.argv[0]) if sys.argv and sys.argv[0] else "python"
        default = "%s_%s_%d%s" % (program, strftime("%Y%m%d-%H%M%S"), os.getpid(), options.get(_SUFFIX, ".tsrec"))
        self.name = os.path.join(directory, options.get("file") or default)
        self.lock = threading.Lock()
        self.chunks, self.threads, self.lost, self.full = 0, 0, 0, False
        self.limit = options.get("limit") or 0
        duration = options.get("duration") or 0
        if not 0 <= duration < _MOST_SECONDS:  # NaN is rejected, too
            duration = 0
        if os.path.lexists(self.name) and not stat.S_ISREG(os.lstat(self.name).st_mode):  # a device, a pipe, a link
            raise OSError("%s is not a regular file" % self.name)
        self.file = os.open(self.name + ".part", os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        os.posix_fallocate(self.file, 0, _HEADER_BYTES)
        self.header = mmap.mmap(self.file, _HEADER_BYTES)
        unix, self.start = time_ns(), _now()
        self.deadline = self.start + int(duration * 1e9) if duration > 0 else None
        name = program.encode("utf-8", "replace")[:256]
        struct.pack_into("<QIIqqqQII256s", self.header, 0, _MAGIC, _VERSION, _CHUNK_BYTES, os.getpid(), unix, self.start, 0, 0,
                         len(name), name)
        os.replace(self.name + ".part", self.name)  # so that a file with this name always has a header

    def new_chunk(self, thread, sequence):
        """A mapped chunk, or None at the limit or on a full disk."""
        with self.lock:
            if self.full:
                return None
            at = _HEADER_BYTES + self.chunks * _CHUNK_BYTES
            try:
                if self.limit and at + _CHUNK_BYTES > self.limit:
                    raise OSError("the limit of %d bytes is reached" % self.limit)
                os.posix_fallocate(self.file, at, _CHUNK_BYTES)
                chunk = mmap.mmap(self.file, _CHUNK_BYTES, offset=at)
            except (OSError, ValueError) as reason:
                self.full = True
                _complain("%s: later events are left out: %s" % (self.name, reason))
                return None
            self.chunks += 1
            struct.pack_into("<IIIIqq", chunk, 0, _CHUNK_MAGIC, thread, sequence, 0, threading.get_native_id(), 0)
            return chunk

    def new_thread(self):
        with self.lock:
            self.threads += 1
            return self.threads - 1

    def lose(self):
        with self.lock:
            self.lost += 1
            struct.pack_into("<Q", self.header, 40, self.lost)

    def close(self):
        struct.pack_into("<I", self.header, 48, 1)
        os.close(self.file)


class _ThreadLog(threading.local):
    """The chunk that this thread writes into, and the numbers of the strings it has defined.

    A signal handler, or a __del__ that the garbage collector calls, may record in the middle of an event of the same thread. The
    new event waits in `pending` until the interrupted one is complete.
    """

    recording = None
    busy = False

    def __init__(self):
        self.pending = []

    def attach(self, recording):
        self.recording = recording
        self.thread, self.sequence, self.last = recording.new_thread(), 0, 0
        self.strings, self.defined = {}, set()
        self.next_chunk()
        name = threading.current_thread().name
        if threading.current_thread() is not threading.main_thread() and not name.startswith("Thread-"):
            self.write(_word_pair.pack(_THREAD_NAME, self.string(name), 0))

    def next_chunk(self):
        self.chunk = self.recording.new_chunk(self.thread, self.sequence)
        self.at = _CHUNK_HEADER_BYTES
        self.sequence += 1

    def write(self, record):
        """Writes the whole record or nothing, even if an exception (KeyboardInterrupt) interrupts: a reader sees only the bytes that `used`
        counts. False if the record is lost: the recording is full, or the record is larger than a chunk."""
        end = self.at + len(record)
        if len(record) > _CHUNK_BYTES - _CHUNK_HEADER_BYTES:
            self.recording.lose()
            return False
        if self.chunk is None or end > _CHUNK_BYTES:
            if self.chunk is not None:
                self.next_chunk()
            if self.chunk is None:
                self.recording.lose()
                return False
            end = self.at + len(record)
        self.chunk[self.at:end] = record
        self.at = end
        _used.pack_into(self.chunk, 12, end - _CHUNK_HEADER_BYTES)
        return True

    def string(self, text):
        number = self.strings.get(text)
        if number is not None:
            return number
        if len(self.strings) >= _MOST_STRINGS:
            self.strings.clear()
        number = len(self.strings)
        encoded = str(text).encode("utf-8", "replace")[:_MOST_STRING_BYTES]
        self.write(_word_pair.pack(_STRING, number, len(encoded)) + encoded.ljust(_padded(len(encoded)), b"\0"))
        self.strings[text] = number  # after its definition is written
        return number

    def record(self, recording, event, time, arguments):
        if self.recording is not recording:
            self.attach(recording)
        self.last = max(self.last, time)  # a deferred event is older than the one that it interrupted
        event(self, self.last - recording.start, *arguments)

    def drain(self):
        while self.pending:
            recording, event, time, arguments = self.pending.pop(0)
            if recording is _recording:
                self.record(recording, event, time, arguments)


def _metadata(value):
    """The record that follows an event; empty if there is none."""
    if value is None:
        return b""
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    encoded = text.encode("utf-8", "replace")[:_MOST_STRING_BYTES]
    return _word_pair.pack(_METADATA, len(encoded), 0) + encoded.ljust(_padded(len(encoded)), b"\0")


_recording = None
_log = _ThreadLog()
_last_name = ""


def _is_within_an_event():
    """Whether this call interrupts an event. `busy` is not enough: it stays set if an exception ended the event."""
    frame = sys._getframe(2)
    while frame is not None:
        if frame.f_code is _record.__code__:
            return True
        frame = frame.f_back
    return False


def _record(event, *arguments):
    """Calls event(log, time since the start, *arguments): now, or after the event that this call interrupts is complete. False if nothing
    is being recorded."""
    recording = _recording
    if recording is None:
        return False
    log, time = _log, _now()
    if recording.deadline is not None and time > recording.deadline:
        stop()
        return False
    if log.busy and _is_within_an_event():
        log.pending.append((recording, event, time, arguments))
        return True
    try:
        log.busy = True
        log.record(recording, event, _now(), arguments)
        log.drain()
    except Exception:  # the __str__ of a label may raise: one event is lost, and the program continues
        recording.lose()
    finally:
        log.busy = False
    while log.pending:  # events that came between drain() and the reset of `busy`
        try:
            log.busy = True
            log.drain()
        finally:
            log.busy = False
    return True


def start(options=None):
    """Opens a recording. `options` has the keys of TILESCOPE_TRACE. Returns False if the file cannot be made."""
    global _recording, _last_name
    stop()
    options = dict(options or {})
    if not options.get("enable", True):
        return False
    try:
        _recording = _Recording(options)
    except Exception as reason:  # the environment must never end the program
        _complain("cannot make the recording: %s" % reason)
        return False
    _last_name = _recording.name
    return True


def stop():
    """Ends the recording; later events are not recorded."""
    global _recording
    recording, _recording = _recording, None
    if recording is not None:
        recording.close()


def is_recording():
    return _recording is not None


def file_name():
    """The file that is being written, or was last written."""
    return _last_name


def lost_events():
    """Events left out because the limit was reached or the disk was full."""
    return _recording.lost if _recording is not None else 0


class Channel:
    """A source of events, shown in its own colour."""

    def __init__(self, name, enabled=True):
        self.name, self.enabled = name, enabled

    def enable(self, enabled=True):
        self.enabled = enabled

    def is_active(self):
        recording = _recording
        return recording is not None and self.enabled and (recording.channels is None or self.name in recording.channels)


def _write_pair(log, time, kind, channel, label, metadata):
    names = log.string(label), log.string(channel.name)
    log.write(_word_pair.pack(time << 8 | kind, *names) + metadata)


def _pair(kind, channel, label, metadata=None):
    if not channel.is_active():
        return False
    return _record(_write_pair, kind, channel, label, _metadata(metadata))


def begin(channel, label, metadata=None):
    """Begins a slice that end() closes. `metadata`: JSON text, or a value that json can write."""
    _pair(_BEGIN, channel, label, metadata)


def end(channel, label):
    """Closes the innermost open slice of this thread with this channel and label."""
    _pair(_END_NAMED, channel, label)


def instant(channel, label, metadata=None):
    _pair(_INSTANT, channel, label, metadata)


def _write_thread_name(log, _, name):
    log.write(_word_pair.pack(_THREAD_NAME, log.string(name), 0))


def name_thread(name):
    _record(_write_thread_name, name)


def _write_end(log, time):
    log.write(_word.pack(time << 8 | _END))


class scope:
    """One slice for the body of a `with` statement. May be used again and within itself."""

    def __init__(self, channel, label, metadata=None):
        self._channel, self._label, self._metadata = channel, label, metadata
        self._open = []

    def __enter__(self):
        self._open.append(_pair(_BEGIN, self._channel, self._label, self._metadata))
        return self

    def __exit__(self, *unused):
        if self._open.pop():
            _record(_write_end)
        return False


def traced(channel, label=None):
    """A decorator: each call of the function is a slice.

    In a generator each step to the next value is a slice, because the time between steps is the caller's. The slice of a coroutine lasts
    from the await to the coroutine's end, and includes the time in which other coroutines run.
    """

    def wrap(function):
        name = label or getattr(function, "__qualname__", repr(function))
        if inspect.isgeneratorfunction(function):
            call = lambda *arguments, **named: _traced_steps(function(*arguments, **named), channel, name)
        elif inspect.iscoroutinefunction(function):

            async def call(*arguments, **named):
                with _named_scope(channel, name):
                    return await function(*arguments, **named)

        elif inspect.isasyncgenfunction(function):

            async def call(*arguments, **named):
                values = function(*arguments, **named)
                try:
                    while True:
                        with _named_scope(channel, name):
                            try:
                                value = await values.__anext__()
                            except StopAsyncIteration:
                                return
                        yield value
                finally:
                    await values.aclose()

        else:

            def call(*arguments, **named):
                with scope(channel, name):
                    return function(*arguments, **named)

        return functools.wraps(function)(call)

    return wrap


def _traced_steps(generator, channel, name):
    """The generator, with a slice around each of its steps."""
    resume, argument = generator.send, None
    while True:
        with scope(channel, name):
            try:
                value = resume(argument)
            except StopIteration as stop:
                return stop.value
        try:
            resume, argument = generator.send, (yield value)
        except GeneratorExit:
            generator.close()
            raise
        except BaseException as error:
            resume, argument = generator.throw, error


@contextlib.contextmanager
def _named_scope(channel, name):
    """A slice within which other slices of the thread may begin and end: it is closed by its name, not as the innermost."""
    begin(channel, name)
    try:
        yield
    finally:
        end(channel, name)


def instrument(obj, methods, channel):
    """Makes each call of the named methods of `obj` (an object, class or module) a slice. Returns `obj`.

    Python looks up special methods such as __getitem__ in the class, so the object gets a class of its own that traces them.
    """
    names = [methods] if isinstance(methods, str) else list(methods)
    owner = type(obj).__name__ if not isinstance(obj, type) else obj.__name__
    special = {}
    for name in names:
        label = "%s.%s" % (getattr(obj, "__name__", owner), name)
        stored = inspect.getattr_static(obj, name)
        if not isinstance(obj, type) and name.startswith("__") and hasattr(type(obj), name):
            special[name] = traced(channel, label)(getattr(type(obj), name))
        elif isinstance(obj, type) and isinstance(stored, (staticmethod, classmethod)):
            setattr(obj, name, type(stored)(traced(channel, label)(stored.__func__)))
        else:
            setattr(obj, name, traced(channel, label)(getattr(obj, name)))
    if special:
        obj.__class__ = type(owner, (type(obj),), special)
    return obj


_numbers = threading.RLock()
_series, _heatmaps = [], []


class Series:
    """One curve of a graph."""

    def __init__(self, graph, unit, name):
        self._graph, self._unit, self._name = graph, unit, name
        with _numbers:
            self._number = len(_series)
            _series.append(name)

    def add(self, value):
        _record(self._write, float(value))

    def _write(self, log, time, value):
        key = ("series", self._number)
        if key not in log.defined:
            names = log.string(self._graph), log.string(self._unit), log.string(self._name)
            log.write(struct.pack("<QIIII", _SERIES, self._number, *names))
            log.defined.add(key)
        log.write(struct.pack("<QIId", time << 8 | _SAMPLE, self._number, 0, value))


class Graph:
    """Curves that share an axis. `unit` is shown beside the axis, e.g. "%"."""

    def __init__(self, name, unit=""):
        self._name, self._unit = name, unit

    def add_series(self, name):
        return Series(self._name, self._unit, name)


class Heatmap:
    """A histogram over time. `edges` ascend; values below the first and above the last edge have separate bins."""

    def __init__(self, name, edges, unit=""):
        self._name, self._edges, self._unit = name, [float(edge) for edge in edges], unit
        with _numbers:
            self._number = len(_heatmaps)
            _heatmaps.append(name)

    def add(self, values):
        if _recording is None:
            return
        counts = [0] * (len(self._edges) + 1)
        for value in values:
            value = float(value)
            if value == value:
                counts[bisect.bisect_right(self._edges, value)] += 1
        _record(self._write, counts)

    def _write(self, log, time, counts):
        key = ("heatmap", self._number)
        if key not in log.defined:
            names = log.string(self._name), log.string(self._unit)
            if not log.write(struct.pack("<QIIII%dd" % len(self._edges), _HEATMAP, self._number, len(self._edges), *names, *self._edges)):
                return  # a histogram without edges has no bins
            log.defined.add(key)
        packed = struct.pack("<QII%dI" % len(counts), time << 8 | _HEATMAP_SAMPLE, self._number, len(counts), *counts)
        log.write(packed.ljust(_padded(len(packed)), b"\0"))


def _options_of(text):
    """The options in TILESCOPE_TRACE; a text that is not a JSON object switches recording on with defaults."""
    try:
        options = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(options, dict):
        return {}
    kinds = {"enable": (bool, str, int, float), "directory": str, "file": str, "channels": list, "duration": (int, float),
             "limit": int}
    known = {key: value for key, value in options.items() if isinstance(value, kinds.get(key, ()))}
    if isinstance(known.get("enable"), str):
        known["enable"] = known["enable"] not in ("false", "0")
    return known


def _start_in_child():
    """Makes a forked process record to a separate file."""
    global _recording, _log
    if _recording is None:
        return
    options = dict(_recording.options)
    if options.get("file"):
        options["file"] += ".%d" % os.getpid()
    os.close(_recording.file)
    _recording, _log = None, _ThreadLog()
    start(options)


def _start_as_libpvti(options):
    """Scripts that set PVTI_OPTIONS look for *.pvti in a folder that need not exist before."""
    if options.get("enable", True):
        try:
            os.makedirs(options.get("directory") or ".", exist_ok=True)
        except OSError:
            pass  # start() reports that it cannot make the file
    start(dict(options, **{_SUFFIX: ".pvti"}))


if "TILESCOPE_TRACE" in os.environ:
    start(_options_of(os.environ["TILESCOPE_TRACE"]))
elif "PVTI_OPTIONS" in os.environ:
    _start_as_libpvti(_options_of(os.environ["PVTI_OPTIONS"]))
atexit.register(stop)
os.register_at_fork(after_in_child=_start_in_child)
