"""Host traces: the timelines of a report's host processes, a .pvti file that tilescope-cli exported, or what it imports."""

import os
import shutil
import tempfile
from bisect import bisect_right
from itertools import accumulate
from operator import add

from tilescope import _program as program

from ._errors import ReportError
from ._file import Database, ReportFile, is_report, is_sqlite, read_header
from ._objects import lazy
from ._packed import deltas, varints

_INSTANTS = "instants:int first_tick:int gaps:blob names:blob categories:blob refs:blob"
_SLICES = "depth:int slices:int first_tick:int end_tick:int gaps:blob durations:blob names:blob categories:blob refs:blob"


class Event:
    """A span of time on a thread; an instant is one of 0 microseconds."""

    __slots__ = ("_source", "_start", "_duration", "_label", "_channel", "_children")

    def __init__(self, source, start, duration, label, channel):
        self._source, self._start, self._duration, self._label, self._channel = source, start, duration, label, channel
        self._children = ()

    @property
    def label(self):
        return self._source.label(self._label)

    @property
    def channel(self):
        return self._source.channel(self._channel)

    @property
    def timestamp(self):
        """Microseconds, since 1970 if the trace knows the time of day."""
        return self._start // 1000

    @property
    def duration(self):
        """Whole microseconds."""
        return self._duration // 1000

    @property
    def durationNanoseconds(self):
        return self._duration

    def children(self):
        """The events within it, without those within them."""
        return list(self._children)

    def __repr__(self):
        return "Event(%r, duration=%d)" % (self.label, self.duration)


def nested(lanes):
    """Puts events under their callers. `lanes` are lists in order of start, outer ones first; the events of one do not overlap.

    The caller of an event holds all of it and is in the nearest lane above that has such an event.
    """
    roots, above = [], []
    for lane in lanes:
        for event in lane:
            caller = next((found for found in (_holder(outer, event) for outer in reversed(above)) if found), None)
            if caller is None:
                roots.append(event)
            else:
                if not caller._children:
                    caller._children = []
                caller._children.append(event)
        above.append((lane, [event._start for event in lane]))
    for events in [roots] + [event._children for lane in lanes for event in lane if event._children]:
        events.sort(key=lambda event: event._start)
    return roots


def _holder(outer, event):
    lane, starts = outer
    at = bisect_right(starts, event._start) - 1
    if at < 0 or event._start + event._duration > lane[at]._start + lane[at]._duration:
        return None
    return lane[at]


def lanes_of(events):
    """Lanes for events that may be nested: each goes to the first free lane, below all events that contain it."""
    lanes, ends = [], []
    for event in sorted(events, key=lambda event: (event._start, -event._duration)):
        depth = 0
        while depth < len(lanes) and ends[depth] > event._start:
            depth += 1
        if depth == len(lanes):
            lanes.append([])
            ends.append(0)
        lanes[depth].append(event)
        ends[depth] = event._start + event._duration
    return lanes


class Thread:
    def __init__(self, source, key, tid, name):
        self._source, self._key, self._tid, self._name = source, key, tid, name

    @property
    def tid(self):
        return self._tid

    @property
    def name(self):
        return self._name

    @lazy
    def events(self):
        """The outermost events, in order of time; the others are their children()."""
        return self._source.events(self._key)

    def __repr__(self):
        return "Thread(%r, tid=%r)" % (self._name, self._tid)


class Process:
    def __init__(self, pid, name, threads):
        self._pid, self._name, self._threads = pid, name, threads

    @property
    def pid(self):
        return self._pid

    @property
    def name(self):
        return self._name

    @property
    def threads(self):
        return list(self._threads)

    def thread(self, tid):
        for thread in self._threads:
            if thread.tid == tid:
                return thread
        raise KeyError("process %r has no thread %r" % (self._pid, tid))

    def __repr__(self):
        return "Process(%r, pid=%r)" % (self._name, self._pid)


class Trace:
    def __init__(self, processes):
        self._processes = processes

    @property
    def processes(self):
        return list(self._processes)

    def process(self, pid):
        for process in self._processes:
            if process.pid == pid:
                return process
        raise KeyError("the trace has no process %r" % pid)

    def __repr__(self):
        return "Trace(%d processes)" % len(self._processes)


class ReportSource:
    """Threads of a report: their slices are in lanes already."""

    def __init__(self, path):
        self._file = ReportFile(path)

    def label(self, number):
        return self._file.text(number)

    def channel(self, number):
        return self._channels.get(number, "")

    @lazy
    def _channels(self):
        return dict(self._file.rows("channel", "id:int name:text"))

    def processes(self):
        has_tid = self._file.has("host_thread.tid")
        threads = {}
        for row in self._file.rows("host_thread", "process_id:int name:text track_id:int id:int" + (" tid:int?" if has_tid else ""),
                                   "ORDER BY id"):
            tid = row[4] if has_tid and row[4] is not None else row[3]
            threads.setdefault(row[0], []).append((row[2], tid, row[1]))
        found = []
        for number, name, pid, start in self._file.rows("host_process", "id:int name:text pid:int? start_unix_nanoseconds:int?",
                                                        "ORDER BY id"):
            found.append(Process(number if pid is None else pid, name,
                                 [Thread(self, (track, start or 0), tid, label) for track, tid, label in threads.get(number, ())]))
        return found

    def events(self, key):
        track, zero = key
        lanes = {}
        for depth, count, first, end, gaps, durations, names, categories, _ in self._file.rows(
                "slice_chunk", _SLICES, "WHERE track_id = ? ORDER BY depth, chunk", (track,)):
            durations = varints(durations, count, "slice_chunk.durations")
            ends = list(accumulate(map(add, varints(gaps, count, "slice_chunk.gaps"), durations), initial=first))[1:]
            if len(categories) != count or (ends and ends[-1] != end):
                raise self._file.damaged("a chunk of slices does not hold what its row says")
            labels = varints(names, count, "slice_chunk.names")
            lanes.setdefault(depth, []).extend(
                Event(self, zero + stop - duration, duration, label, channel)
                for stop, duration, label, channel in zip(ends, durations, labels, categories))
        return nested([lanes[depth] for depth in sorted(lanes)] + [self._instants(track, zero)])

    def _instants(self, track, zero):
        found = []
        for count, first, gaps, names, categories, _ in self._file.rows("instant_chunk", _INSTANTS,
                                                                        "WHERE track_id = ? ORDER BY chunk", (track,)):
            if len(categories) != count:
                raise self._file.damaged("a chunk of instants does not hold what its row says")
            ticks = list(accumulate(varints(gaps, count, "instant_chunk.gaps"), initial=first))[1:]
            found += [Event(self, zero + tick, 0, label, channel)
                      for tick, label, channel in zip(ticks, varints(names, count, "instant_chunk.names"), categories)]
        return found


class PvtiSource:
    """A .pvti file as `tilescope-cli export --format pvti` writes it."""

    def __init__(self, path):
        self._file = Database(path)
        self._labels = dict(self._file.rows("strings", "id:int string:text"))
        self._channels = dict(self._file.rows("channels", "id:int name:text"))

    def label(self, number):
        return self._labels.get(number, "")

    def channel(self, number):
        return self._channels.get(number, "")

    def processes(self):
        threads = {}
        for key, tid, process, name in self._file.rows("threads", "id:int tid:int? process_id:int name:text?", "ORDER BY id"):
            threads.setdefault(process, []).append(Thread(self, key, key if tid is None else tid, name or ""))
        return [Process(number if pid is None else pid, name or "", threads.get(number, []))
                for number, pid, name in self._file.rows("processes", "id:int pid:int? name:text?", "ORDER BY id")]

    def events(self, thread):
        rows = self._file.rows("events", "timestamp_ns:int duration_ns:int? label_id:int channel_id:int", "WHERE thread_id = ?",
                               (thread,))
        return nested(lanes_of([Event(self, start, duration or 0, label, channel) for start, duration, label, channel in rows]))


def _imported(path):
    """Opens a report made from a recording or another tool's file. The report is a temporary file, deleted already: it is read through its open
    handle."""
    folder = tempfile.mkdtemp(prefix="pva-")
    report = os.path.join(folder, "trace.tsr")
    try:
        program.output("import", path, "-o", report)
        return ReportSource(report)
    except program.ProgramError as reason:
        raise ReportError("%s: cannot be imported: %s" % (path, reason)) from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def openTrace(path):
    """Opens the host trace of a report, a .pvti file, or another file that `tilescope-cli import` reads; then it starts that program."""
    path = os.fspath(path)
    header, _ = read_header(path)
    if is_report(header):
        source = ReportSource(path)
    elif is_sqlite(header) and Database(path).has_table("events") and Database(path).has_table("strings"):
        source = PvtiSource(path)
    else:
        source = _imported(path)
    return Trace(source.processes())
