"""The executions of steps, decoded from the timelines of the IPUs."""

from array import array
from itertools import accumulate
from operator import add

from ._packed import deltas, varints

STEP_BITS = 32  # of a program step's id
_SCOPE = 8  # the activity of named spans around steps
_MOST_SLICES = 16384  # of a chunk


class Slices:
    """The slices of all IPUs that are steps, in order of their start; `firsts` says where those of each step begin.

    The slices of one execution begin in the same cycle on all IPUs and their I/O tiles.
    """

    def __init__(self, file, target, step_of_profile):
        ipus, found = {}, []  # found: start, whether it lasts and program step in one number; track; cycles; profile
        for track, ipu in file.rows("track", "id:int ipu:int?", "WHERE kind IN ('ipu', 'ipu_io') ORDER BY id"):
            if ipu is None or not 0 <= ipu < target.numIPUs:
                raise file.damaged("a track is of an IPU that the machine does not have")
            ipus[track] = ipu
            for chunk in file.rows("slice_chunk", "slices:int first_tick:int end_tick:int gaps:blob durations:blob categories:blob"
                                   " refs:blob", "WHERE track_id = ? ORDER BY depth, chunk", (track,)):
                found += self._decode(file, chunk, track, step_of_profile)
        found.sort()
        self.starts = array("q", [key >> STEP_BITS + 1 for key, _, _, _ in found])
        self.steps = array("q", [key & (1 << STEP_BITS) - 1 for key, _, _, _ in found])
        self.ipus = array("i", [ipus[track] for _, track, _, _ in found])
        self.cycles = array("q", [cycles for _, _, cycles, _ in found])
        self.profiles = array("q", [profile for _, _, _, profile in found])
        self.firsts = array("q", self._first_of_each(found))

    @staticmethod
    def _decode(file, chunk, track, step_of_profile):
        count, first, end, gaps, durations, categories, refs = chunk
        if not 0 < count <= _MOST_SLICES or len(categories) != count or not 0 <= first <= end < 1 << 62:
            raise file.damaged("a chunk of slices has an impossible size")
        durations = varints(durations, count, "slice_chunk.durations")
        ends = list(accumulate(map(add, varints(gaps, count, "slice_chunk.gaps"), durations), initial=first))
        if ends.pop(0) != first or ends[-1] != end:
            raise file.damaged("the slices of a chunk do not end where it does")
        try:
            return [((stop - cycles << 1 | (cycles > 0)) << STEP_BITS | step_of_profile[profile], track, cycles, profile)
                    for stop, cycles, category, profile
                    in zip(ends, durations, categories, deltas(refs, count, "slice_chunk.refs"))
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
