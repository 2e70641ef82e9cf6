"""Common parts of all objects: properties that are read on first use, and lists whose elements are made on demand."""

from collections.abc import Sequence

_print_length = 10
_missing = object()


def set_print_length(length):
    global _print_length
    _print_length = max(0, int(length))


def lazy(get):
    """A read-only property that keeps its value. A property, because scripts look for them with dir() and isinstance()."""
    key = "_" + get.__name__ + "_kept"

    def kept(self):
        value = self.__dict__.get(key, _missing)
        if value is _missing:
            value = self.__dict__[key] = get(self)
        return value

    return property(kept, doc=get.__doc__)


class Facts:
    """An object of a few values that are known from the start; subclasses name them in order in `_names`."""

    _names = ()

    def __init__(self, *values):
        self._values = values

    def __init_subclass__(cls, **named):
        super().__init_subclass__(**named)
        for i, name in enumerate(cls.__dict__.get("_names", ())):
            setattr(cls, name, property(lambda self, i=i: self._values[i]))

    def __eq__(self, other):
        return type(other) is type(self) and other._values == self._values

    def __hash__(self):
        return hash(self._values)

    def __repr__(self):
        return "%s(%s)" % (type(self).__name__, ", ".join("%s=%r" % pair for pair in zip(self._names, self._values)))


class LazyList(Sequence):
    """A list of `size` elements; make(i) gives one. Made elements are kept if they are few."""

    _most_kept = 1 << 17

    def __init__(self, size, make):
        self._size, self._make = size, make
        self._made = {} if size <= self._most_kept else None

    def __len__(self):
        return self._size

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self._size))]
        if index < 0:
            index += self._size
        if not 0 <= index < self._size:
            raise IndexError("index %d of a list of %d" % (index, self._size))
        if self._made is None:
            return self._make(index)
        made = self._made.get(index)
        if made is None:
            made = self._made[index] = self._make(index)
        return made

    def __iter__(self):
        return map(self.__getitem__, range(self._size))

    def __repr__(self):
        shown = [repr(element) for element in self[:_print_length]]
        return "[%s%s]" % (", ".join(shown), ", ..." if self._size > len(shown) else "")
