"""Packed columns of a report: the four encodings of SCHEMA.md. A BLOB that does not hold what its row promises is a ReportError."""

import re
from bisect import bisect_right
from itertools import accumulate

from ._errors import ReportError

_MOST_VALUES = 1 << 24  # of a run-length coded column, whose size the BLOB does not bound
_each = re.compile(rb"[\x80-\xff]*[\x00-\x7f]").findall


class _Known(dict):
    """Maps the bytes of a varint to its number. Short ones are frequent, so a look-up replaces the arithmetic."""

    def __init__(self, zigzag):
        super().__init__()
        self._zigzag = zigzag

    def __missing__(self, code):
        value = 0
        for i, byte in enumerate(code):
            value |= (byte & 0x7F) << (7 * i)
        if len(code) > 10 or value >= 1 << 64:
            raise ValueError
        if self._zigzag:
            value = value >> 1 ^ -(value & 1)
        if len(code) <= 2:
            self[code] = value
        return value


_plain, _zigzag = _Known(False), _Known(True)


def _wrong(what):
    return ReportError("report is damaged: the packed column %s does not hold what its row says" % what)


def _values(blob, known, what):
    if not blob:
        return []
    if blob[-1] >= 0x80:
        raise _wrong(what)
    try:
        return [known[code] for code in _each(blob)]
    except ValueError:
        raise _wrong(what) from None


def varints(blob, count, what):
    values = _values(blob, _plain, what)
    if len(values) != count:
        raise _wrong(what)
    return values


def first_varints(blob, count, what):
    """The first values of a longer column."""
    values = _values(_whole(blob, count), _plain, what)[:count]
    if len(values) != count:
        raise _wrong(what)
    return values


def first_deltas(blob, count, what):
    values = _values(_whole(blob, count), _zigzag, what)[:count]
    if len(values) != count:
        raise _wrong(what)
    return list(accumulate(values))


def _whole(blob, count):
    """Bytes that hold `count` values of at most ten bytes each. The bytes after them are left out."""
    codes = _each(blob[:10 * count])
    return b"".join(codes[:count])


def deltas(blob, count, what):
    values = list(accumulate(_values(blob, _zigzag, what)))
    if len(values) != count:
        raise _wrong(what)
    return values


class Runs:
    """A run-length coded column: `ends` are where runs end, `values` what they hold. Expanded only on demand."""

    __slots__ = ("ends", "values")

    def __init__(self, blob, count, what):
        numbers = _values(blob, _plain, what)
        if len(numbers) % 2 or not 0 <= count <= _MOST_VALUES or 0 in numbers[::2]:
            raise _wrong(what)
        self.ends = list(accumulate(numbers[::2]))
        self.values = list(accumulate(n >> 1 ^ -(n & 1) for n in numbers[1::2]))
        if (self.ends[-1] if self.ends else 0) != count:
            raise _wrong(what)

    def __getitem__(self, index):
        return self.values[bisect_right(self.ends, index)]

    def expanded(self):
        values, at = [], 0
        for end, value in zip(self.ends, self.values):
            values += [value] * (end - at)
            at = end
        return values

    def pieces(self, first, end):
        """(length, value) of the runs within [first, end)."""
        i, at = bisect_right(self.ends, first), first
        while at < end and i < len(self.ends):
            stop = min(end, self.ends[i])
            yield stop - at, self.values[i]
            at, i = stop, i + 1

    def sum(self, first, end):
        return sum(length * value for length, value in self.pieces(first, end))


def runs(blob, count, what):
    return Runs(blob, count, what).expanded()
