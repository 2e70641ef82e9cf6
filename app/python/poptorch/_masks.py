"""Indexing with masks, without tensors whose shape depends on data."""

import contextlib

import torch

from . import _views
from ._enums import not_simulated


def _is_mask(index):
    return isinstance(index, torch.Tensor) and index.dtype in (torch.bool, torch.uint8)


def _numbers(mask):
    """For each element of a mask, the number of chosen elements before it."""
    return (torch.cumsum(mask.reshape(-1).to(torch.int32), 0) - 1).clamp(min=0)


def _put(x, mask, values, before, accumulate=False):
    """x with values where the mask is true; the mask begins at dimension `before` of x."""
    rest = x.dim() - before - mask.dim()
    values = torch.as_tensor(values).to(x.dtype)
    wide = mask.bool().reshape([1] * before + list(mask.shape) + [1] * rest)
    if values.dim() > rest and values.shape[values.dim() - rest - 1] != 1:  # one value per chosen element
        own = values.dim() - rest - 1
        chosen = torch.index_select(values, own, _numbers(mask))
        values = chosen.reshape(list(values.shape[:own]) + list(mask.shape) + list(values.shape[own + 1:]))
    elif values.dim() > rest:
        own = values.dim() - rest - 1
        values = values.reshape(list(values.shape[:own]) + [1] * mask.dim() + list(values.shape[own + 1:]))
    return torch.where(wide, x + values if accumulate else values, x)


def _parts(x, key):
    """(slices around the mask, the mask, the dimension where it begins); None if the key has no mask."""
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
    _views.brought_up([x, value])
    if _views.shares(x):
        _views.assign(x, key, value, _set_alone)
    else:
        _set_alone(x, key, value)


def _picks_several(key):
    """Whether the index has tensors other than a single first one, which is the only form that torch's exporter writes."""
    key = key if isinstance(key, tuple) else (key,)
    several = [number for number, index in enumerate(key) if isinstance(index, (torch.Tensor, list))]
    return several not in ([], [0]) or len(key) > 1 and several == [0] and any(not isinstance(index, slice) for index in key[1:])


def _placed(x, key, value, accumulate=False):
    """x with values at the elements that a key of tensors picks, by their numbers in the flattened tensor."""
    places = torch.arange(x.numel()).reshape(x.shape)[key]
    value = torch.as_tensor(value).to(x.dtype).expand(places.shape).reshape(-1)
    flat, places = x.reshape(-1), places.reshape(-1)
    return (torch.scatter_add if accumulate else torch.scatter)(flat, 0, places, value).reshape(x.shape)


def _set_alone(x, key, value):
    plain, parts = torch._C._TensorBase.__setitem__, _parts(x, key)
    if parts is None:
        if _picks_several(key):
            _views.copied(x, _placed(x, key, value))
        else:
            plain(x, key, value)
        return
    view, mask, before = parts
    if all(index == slice(None) for index in view):
        _views.copied(x, _put(x, mask, value, before))
    else:
        plain(x, tuple(view), _put(x[tuple(view)], mask, value, before))


@contextlib.contextmanager
def assigned():
    """While active, this module handles x[mask] = value. A mode for torch's functions does not see all assignments."""
    torch.Tensor.__setitem__, torch.Tensor.__getitem__ = _set_item, _views.read
    try:
        yield
    finally:
        del torch.Tensor.__setitem__, torch.Tensor.__getitem__


def index_put(x, indices, values, accumulate=False):
    indices = tuple(indices)
    masks = [index for index in indices if _is_mask(index)]
    if not masks:
        return _placed(x, tuple(slice(None) if index is None else index for index in indices), values, accumulate)
    if len(masks) > 1 or any(index is not None and not _is_mask(index) for index in indices):
        not_simulated("an index of a mask together with other tensors")
    return _put(x, masks[0], values, next(number for number, index in enumerate(indices) if index is not None), accumulate)


def index_put_(x, indices, values, accumulate=False):
    return _views.copied(x, index_put(x, indices, values, accumulate))


def masked_scatter(x, mask, source):
    mask = mask.expand(x.shape) if mask.dim() <= x.dim() else mask
    x = x.expand(mask.shape)
    return torch.where(mask, torch.index_select(source.reshape(-1), 0, _numbers(mask)).reshape(x.shape), x)


def masked_scatter_(x, mask, source):
    return _views.copied(x, masked_scatter(x, mask, source))
