"""Indexing with masks, without tensors whose shape depends on data."""

import contextlib

import torch

from ._enums import not_simulated


def _is_mask(index):
    return isinstance(index, torch.Tensor) and index.dtype in (torch.bool, torch.uint8)


def _numbers(mask):
    """For each element of a mask, how many before it are chosen."""
    return (torch.cumsum(mask.reshape(-1).to(torch.int32), 0) - 1).clamp(min=0)


def _put(x, mask, values, before, accumulate=False):
    """x with values where the mask, whose first dimension is `before` of x, is true."""
    rest = x.dim() - before - mask.dim()
    values = torch.as_tensor(values).to(x.dtype)
    wide = mask.bool().reshape([1] * before + list(mask.shape) + [1] * rest)
    if values.dim() > rest and values.shape[values.dim() - rest - 1] != 1:  # a value for each chosen element
        own = values.dim() - rest - 1
        chosen = torch.index_select(values, own, _numbers(mask))
        values = chosen.reshape(list(values.shape[:own]) + list(mask.shape) + list(values.shape[own + 1:]))
    elif values.dim() > rest:
        own = values.dim() - rest - 1
        values = values.reshape(list(values.shape[:own]) + [1] * mask.dim() + list(values.shape[own + 1:]))
    return torch.where(wide, x + values if accumulate else values, x)


def _parts(x, key):
    """(slices before the mask, the mask, whether they choose all of x): None if the key has no mask."""
    key = list(key) if isinstance(key, (tuple, list)) and not isinstance(key, torch.Tensor) else [key]
    masks = [index for index in key if _is_mask(index)]
    if not masks:
        return None
    if len(masks) > 1 or any(index is None or isinstance(index, torch.Tensor) and not _is_mask(index) for index in key):
        not_simulated("an index of a mask together with other tensors")
    if Ellipsis in [index for index in key if not isinstance(index, torch.Tensor)]:
        at = next(number for number, index in enumerate(key) if index is Ellipsis)
        taken = sum(index.dim() if _is_mask(index) else 1 for index in key) - 1
        key[at:at + 1] = [slice(None)] * (x.dim() - taken)
    at = next(number for number, index in enumerate(key) if _is_mask(index))
    view = key[:at] + [slice(None)] * masks[0].dim() + key[at + 1:]
    return view, masks[0], sum(not isinstance(index, int) for index in key[:at])


def _set_item(x, key, value):
    plain, parts = torch._C._TensorBase.__setitem__, _parts(x, key)
    if parts is None:
        plain(x, key, value)
        return
    view, mask, before = parts
    if all(index == slice(None) for index in view):
        x.copy_(_put(x, mask, value, before))
    else:
        plain(x, tuple(view), _put(x[tuple(view)], mask, value, before))


@contextlib.contextmanager
def assigned():
    """Inside, x[mask] = value is what this module makes of it. A mode for functions of torch does not see all assignments."""
    torch.Tensor.__setitem__ = _set_item
    try:
        yield
    finally:
        del torch.Tensor.__setitem__


def index_put(x, indices, values, accumulate=False):
    indices = tuple(indices)
    masks = [index for index in indices if _is_mask(index)]
    if not masks:
        return torch.ops.aten.index_put(x, indices, values, accumulate)
    if len(masks) > 1 or any(index is not None and not _is_mask(index) for index in indices):
        not_simulated("an index of a mask together with other tensors")
    return _put(x, masks[0], values, next(number for number, index in enumerate(indices) if index is not None), accumulate)


def index_put_(x, indices, values, accumulate=False):
    return x.copy_(index_put(x, indices, values, accumulate))


def masked_scatter(x, mask, source):
    mask = mask.expand(x.shape) if mask.dim() <= x.dim() else mask
    x = x.expand(mask.shape)
    return torch.where(mask, torch.index_select(source.reshape(-1), 0, _numbers(mask)).reshape(x.shape), x)


def masked_scatter_(x, mask, source):
    return x.copy_(masked_scatter(x, mask, source))
