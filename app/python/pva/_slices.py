"""The executions of steps, decoded from the timelines of the IPUs."""

from array import array
from itertools import accumulate
from operator import add

from ._packed import deltas, first_deltas, first_varints, varints

STEP_BITS = 32  # of a program step's id
_SCOPE = 8  # the activity of named spans around steps
_MOST_SLICES = 16384  # of a chunk
_FIRST_READ = 256  # of a chunk, if few may be wanted


class Slices:
    """The slices of all IPUs that are steps, ordered by start. `firsts` has the index of the first slice of each step.

    The slices of one execution begin in the same cycle on all IPUs and their I/O tiles. With `until`, only slices that begin before that
    cycle are read: the first steps of a long execution.
    """

    def __init__(self, file, target, step_of_profile, until=None):
        ipus, found = {}, []  # found: start, whether it lasts and program step in one number; track; cycles; profile
        self._until = 1 << 62 if until is None else until
        for track, ipu in file.rows("track", "id:int ipu:int?", "WHERE kind IN ('ipu', 'ipu_io') ORDER BY id"):
            if ipu is None or not 0 <= ipu < target.numIPUs:
                raise file.damaged("a track names an IPU that the machine does not have")
            ipus[track] = ipu
            for chunk in file.rows("slice_chunk", "slices:int first_tick:int end_tick:int gaps:blob durations:blob categories:blob"
                                   " refs:blob", "WHERE track_id = ? AND first_tick < ? ORDER BY depth, chunk", (track, self._until)):
                found += self._decode(file, chunk, track, step_of_profile)
        if until is not None:
            found = [slice_ for slice_ in found if slice_[0] < until << STEP_BITS + 1]
        found.sort()
        self.starts = array("q", [key >> STEP_BITS + 1 for key, _, _, _ in found])
        self.steps = array("q", [key & (1 << STEP_BITS) - 1 for key, _, _, _ in found])
        self.ipus = array("i", [ipus[track] for _, track, _, _ in found])
        self.cycles = array("q", [cycles for _, _, cycles, _ in found])
        self.profiles = array("q", [profile for _, _, _, profile in found])
        self.firsts = array("q", self._first_of_each(found))

    @property
    def step_count(self):
        return len(self.firsts) - 1

    def start_of_step(self, index):
        return self.starts[self.firsts[index]]

    def first_step_from(self, cycle):
        """The first step that begins in this cycle or later."""
        low, high = 0, self.step_count
        while low < high:
            middle = (low + high) // 2
            if self.start_of_step(middle) < cycle:
                low = middle + 1
            else:
                high = middle
        return low

    def _times(self, file, chunk):
        """How many slices of a chunk to read, their ends and their durations."""
        count, first, end, gaps, durations = chunk[:5]
        known = count if end < self._until else min(count, _FIRST_READ)
        while True:
            read = first_varints if known < count else varints
            lengths = read(durations, known, "slice_chunk.durations")
            ends = list(accumulate(map(add, read(gaps, known, "slice_chunk.gaps"), lengths), initial=first))
            del ends[0]
            if known == count and ends[-1] != end:
                raise file.damaged("the last slice of a chunk does not end at the end of the chunk")
            if known == count or ends[-1] >= self._until:
                return known, ends, lengths
            known = min(count, 4 * known)

    def _decode(self, file, chunk, track, step_of_profile):
        count, first, end, _, _, categories, refs = chunk
        if not 0 < count <= _MOST_SLICES or len(categories) != count or not 0 <= first <= end < 1 << 62:
            raise file.damaged("a chunk of slices has an impossible size")
        known, ends, durations = self._times(file, chunk)
        refs = (first_deltas if known < count else deltas)(refs, known, "slice_chunk.refs")
        try:
            return [((stop - cycles << 1 | (cycles > 0)) << STEP_BITS | step_of_profile[profile], track, cycles, profile)
                    for stop, cycles, category, profile
                    in zip(ends, durations, categories, refs)
                    if profile >= 0 and category != _SCOPE]
        except KeyError as missing:
            raise file.damaged("step profile %s is missing" % missing) from None

    @staticmethod
    def _first_of_each(found):
        last, tracks = None, set()
        for i, (key, track, _, _) in enumerate(found):
            if key != last or track in tracks:  # a step of 0 cycles may run twice in a cycle
                yield i
                last, tracks = key, {track}
            else:
                tracks.add(track)
        yield len(found)
