"""Keeps in-place changes of tensors that share elements with other tensors, while a model is traced.

torch's exporter loses these changes: after `row = x[1]` and `row += 1` its x is unchanged. Here an in-place change makes a new value. Each
tensor that shares the elements gets its part of the new value when it is used again. A trace knows a tensor by its value, which torch._C sets
and gets.
"""

import contextlib
import math
import weakref

import torch

_in_place = {"__%s__" % word for word in "iadd isub imul itruediv ifloordiv imod ipow iand ior ixor ilshift irshift".split()}
_groups = {}  # by the tensor that owns the elements


class _Group:
    """The views of one tensor. `version` counts changes; a view with an older version is not current."""

    def __init__(self, base):
        self.base, self.version, self.members = base, 0, {}
        with _untraced():
            size = max(1, _reach(base))
            self.places = torch.full((size,), -1, dtype=torch.int64)  # for each element in memory, its number in the base
            self.places.as_strided(base.shape, base.stride()).copy_(torch.arange(base.numel()).reshape(base.shape))

    def add(self, tensor):
        self.members[id(tensor)] = (weakref.ref(tensor), self.version)

    def is_old(self, tensor):
        known = self.members.get(id(tensor))
        return known is not None and known[0]() is tensor and known[1] != self.version

    def has_views(self):
        return any(reference() is not None for reference, _ in self.members.values())

    def numbers(self, tensor):
        """Where the tensor's elements are in the base: (first, None) for a contiguous run, else (None, numbers)."""
        with _untraced():
            found = self.places.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset() - self.base.storage_offset()).reshape(-1)
            if found.numel() and bool((found == torch.arange(found.numel()) + found[0]).all()):
                return int(found[0]), None
            return None, found.clone()

    def current(self, tensor):
        """The tensor's part of the base, as a value of the trace."""
        first, numbers = self.numbers(tensor)
        flat = self.base.reshape(-1)
        shape = _sizes(tensor)
        part = flat[first:first + math.prod(shape)] if numbers is None else torch.index_select(flat, 0, numbers)
        return part.reshape(shape)

    def changed(self, tensor, value):
        """Sets the tensor's elements to those of `value`, which is not in the group."""
        if tensor is self.base:
            whole = value
        else:
            first, numbers = self.numbers(tensor)
            flat, new = self.base.reshape(-1), value.reshape(-1)
            if numbers is not None:
                flat = torch.scatter(flat, 0, numbers, new)
            else:
                count, end = math.prod(_sizes(self.base)), first + math.prod(_sizes(tensor))
                parts = [flat[:first]] * (first > 0) + [new] + [flat[end:]] * (end < count)
                flat = torch.cat(parts) if len(parts) > 1 else new
            whole = flat.reshape(_sizes(self.base))
        with _untraced(), torch.no_grad():
            tensor.copy_(value)
        self.version += 1
        _set_value(self.base, whole)
        if tensor is not self.base:
            _set_value(tensor, value)
            self.add(tensor)


def _sizes(tensor):
    """Sizes as numbers, which the trace does not record."""
    with _untraced():
        return list(tensor.shape)


def _reach(tensor):
    return 1 + sum((size - 1) * step for size, step in zip(tensor.shape, tensor.stride())) if tensor.numel() else 0


@contextlib.contextmanager
def _untraced():
    state = torch._C._get_tracing_state()
    torch._C._set_tracing_state(None)
    try:
        yield
    finally:
        torch._C._set_tracing_state(state)


def _set_value(tensor, source):
    torch._C._set_value_trace(tensor, torch._C._get_value_trace(source))


def _is_traced():
    return torch._C._get_tracing_state() is not None


@contextlib.contextmanager
def followed():
    _groups.clear()
    try:
        yield
    finally:
        _groups.clear()


def _owner(tensor):
    return tensor._base if tensor._is_view() else tensor


def _group_of(tensor):
    return _groups.get(id(_owner(tensor)))


def tensors_in(value):
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from tensors_in(one)
    elif isinstance(value, dict):
        for one in value.values():
            yield from tensors_in(one)


def brought_up(args):
    """Called before a function: updates its arguments to their current values."""
    if not _groups or not _is_traced():
        return
    for tensor in tensors_in(args):
        group = _group_of(tensor)
        if group is not None and group.is_old(tensor):
            _set_value(tensor, group.current(tensor))
            group.add(tensor)


def noted(result):
    """Called after a function: records results that are views."""
    if not _is_traced():
        return
    for tensor in tensors_in(result):
        if tensor._is_view() and tensor.layout == torch.strided:
            base = tensor._base
            group = _groups.get(id(base))
            if group is None:
                group = _groups[id(base)] = _Group(base)
            if id(tensor) not in group.members or group.members[id(tensor)][0]() is not tensor:
                group.add(tensor)


def is_change(function):
    name = getattr(function, "__name__", "")
    return name in _in_place or name.endswith("_") and not name.endswith("__") and name != "requires_grad_"


def shares(tensor):
    """Whether other tensors share the tensor's elements."""
    if not isinstance(tensor, torch.Tensor) or not _is_traced():
        return False
    group = _group_of(tensor)
    return group is not None and (tensor is not group.base or group.has_views())


def called(function, tensor, *args, **named):
    """A function that changes its first argument."""
    return SPECIAL[function](tensor, *args, **named) if function in SPECIAL else change(tensor, lambda copy: function(copy, *args, **named))


def change(tensor, function):
    """function(copy) changes a copy. All tensors that share the elements then have the new values."""
    copy = tensor.clone()
    function(copy)
    _group_of(tensor).changed(tensor, copy)
    return tensor


def copied(tensor, source, non_blocking=False):
    """tensor.copy_(source); torch's exporter supports it only for views."""
    source = source if isinstance(source, torch.Tensor) else torch.tensor(source)
    if not _is_traced():
        return torch._C._TensorBase.copy_(tensor, source)
    value, group = source.to(tensor.dtype).expand(_sizes(tensor)).clone(), _group_of(tensor)
    if group is not None:
        group.changed(tensor, value)
        return tensor
    with _untraced(), torch.no_grad():
        tensor.copy_(value)
    _set_value(tensor, value)
    return tensor


def filled(tensor, value):
    return copied(tensor, value)


def read(tensor, key):
    """tensor[key]; a mode for functions of torch does not see it."""
    brought_up([tensor, key])
    result = torch._C._TensorBase.__getitem__(tensor, key)
    noted(result)
    return result


SPECIAL = {torch.Tensor.copy_: copied, torch.Tensor.fill_: filled, torch.fill_: filled}


def assign(tensor, key, value, plain):
    """tensor[key] = value."""
    with _untraced():
        part = tensor[key] if not _picks(key) else None
        is_part = part is not None and (part._is_view() or part is tensor)
    if not is_part:
        change(tensor, lambda copy: plain(copy, key, value))
        return
    if isinstance(value, torch.Tensor) and value._is_view() and _owner(value) is _owner(tensor) and _same(value, part):
        return  # for x[1] += 1, the value has been changed already
    value = value.to(tensor.dtype) if isinstance(value, torch.Tensor) else torch.full((), value, dtype=tensor.dtype)
    shape = _sizes(part)
    value = value.reshape(_sizes(value)[max(0, value.dim() - len(shape)):])
    # `part` is new, but it shares its elements with the group
    _group_of(tensor).changed(part, value.expand(shape).clone())
    if tensor is not _group_of(tensor).base:
        brought_up([tensor])


def _picks(key):
    return any(isinstance(one, (torch.Tensor, list)) for one in (key if isinstance(key, tuple) else (key,)))


def _same(a, b):
    with _untraced():
        return a.shape == b.shape and a.stride() == b.stride() and a.storage_offset() == b.storage_offset()
