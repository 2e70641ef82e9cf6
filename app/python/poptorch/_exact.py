"""Replaces functions that torch's exporter writes with values other than torch's by others that agree."""

import collections
import math

import torch
from torch.nn import functional as F

from . import _masks, _views
from ._enums import not_simulated
from ._ops import _state


# ---- norms and distances

def norm_of(x, p, dim, keepdim=False):
    """The p-norm along a dimension. Its gradient is 0 where the norm is 0."""
    x = x.abs()
    if p == 0:
        return (x != 0).to(x.dtype).sum(dim, keepdim)
    if p == 1:
        return x.sum(dim, keepdim)
    if p == 2:
        return torch.norm(x, 2, dim, keepdim)
    if math.isinf(p):
        return x.amax(dim, keepdim) if p > 0 else x.amin(dim, keepdim)

    def power(value, exponent):
        nothing = value == 0
        other = torch.full_like(value, 0 if exponent > 0 else float("inf"))
        return torch.where(nothing, other, torch.where(nothing, torch.ones_like(value), value) ** exponent)

    return power(power(x, p).sum(dim, keepdim), 1 / p)


def _norm(input, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    input, p = input if dtype is None else input.to(dtype), 2.0 if p in ("fro", None) else p
    if p == "nuc":
        not_simulated("a nuclear norm")
    if dim is None:
        value = norm_of(input.reshape(-1), p, 0)
        return value.reshape([1] * input.dim()) if keepdim else value
    dim = list(dim) if isinstance(dim, (tuple, list)) else dim
    return norm_of(input, p, dim, keepdim)


def _cdist(x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary"):
    return norm_of(x1.unsqueeze(-2) - x2.unsqueeze(-3), p, -1)


def _pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False):
    return norm_of(x1 - x2 + eps, p, -1, keepdim)


def _pdist(input, p=2.0):
    rows, columns = torch.triu_indices(len(input), len(input), 1)
    return norm_of(input[rows] - input[columns], p, -1)


def _dist(input, other, p=2):
    return norm_of((input - other).reshape(-1), p, 0)


def _cosine_similarity(x1, x2, dim=1, eps=1e-8):
    x1, x2 = torch.broadcast_tensors(x1, x2)
    unit = [x / (x * x).sum(dim, keepdim=True).clamp(min=eps * eps).sqrt() for x in (x1, x2)]
    return (unit[0] * unit[1]).sum(dim)


def _kept(function):
    """A reduction of all dimensions that honours keepdim."""

    def reduce(input, *args, **kwargs):
        result = function(input, *args, **kwargs)
        given = [one for one in args[1:] if not isinstance(one, bool)] + [kwargs.get("dim")]
        if not kwargs.get("keepdim") or any(one is not None for one in given):
            return result
        shape = [1] * input.dim()
        return tuple(one.reshape(shape) for one in result) if isinstance(result, tuple) else result.reshape(shape)

    return reduce


# ---- numbers

def _floor_divide(input, other):
    return torch.div(input, other, rounding_mode="floor")


def _floor_divided(input, other):
    return torch.div(other, input, rounding_mode="floor")


def _log10(input):
    return torch.log(input.float() if not input.is_floating_point() else input) * (1 / math.log(10))


def _log2(input):
    return torch.log(input.float() if not input.is_floating_point() else input) * (1 / math.log(2))


def _nan_to_num(input, nan=0.0, posinf=None, neginf=None):
    ends = torch.finfo(input.dtype) if input.is_floating_point() else None
    if ends is None:
        return input
    for place, value in ((torch.isnan(input), nan if nan is not None else 0.0), (input == float("inf"), ends.max if posinf is None else posinf),
                         (input == -float("inf"), ends.min if neginf is None else neginf)):
        input = torch.where(place, torch.full_like(input, value), input)
    return input


def softplus(input, beta=1, threshold=20):
    scaled = input * beta if beta != 1 else input
    smooth = torch.log(1 + torch.exp(scaled.clamp(max=threshold)))
    return torch.where(scaled > threshold, input, smooth / beta if beta != 1 else smooth)


def _logsigmoid(input):
    return -softplus(-input)


def atan2(input, other):
    """Divides the smaller number by the larger one, so that values and gradients are right on both axes. At the origin the gradient is NaN, like
    torch's."""
    y, x = torch.broadcast_tensors(*[one if one.is_floating_point() else one.float() for one in (input, other)])
    steep = y.abs() > x.abs()
    angle = torch.atan(torch.where(steep, x, y) / torch.where(steep, y, x))
    half = torch.where(y < 0, torch.full_like(y, -math.pi), torch.full_like(y, math.pi))
    turned = torch.where(steep, half / 2 - angle, angle + torch.where(x < 0, half, torch.zeros_like(y)))
    return torch.where((y == 0) & (x == 0), torch.zeros_like(y), turned)


def _remainder(input, other):
    """The remainder with the divisor's sign. It is exact, so it is 0 only for multiples."""
    tensors = [one for one in (input, other) if isinstance(one, torch.Tensor)]
    if not any(one.is_floating_point() for one in tensors) and not any(isinstance(one, float) for one in (input, other)):
        return torch.remainder(input, other)
    kind = torch.result_type(input, other)
    rest = torch.fmod(input if isinstance(input, torch.Tensor) else torch.full_like(other, input, dtype=kind), other)
    divisor = other if isinstance(other, torch.Tensor) else torch.full_like(rest, other)
    return torch.where((rest != 0) & ((rest < 0) != (divisor < 0)), rest + divisor, rest)


_std_of_torch, _max_of_torch, _min_of_torch, _clamp_of_torch = torch.std, torch.max, torch.min, torch.clamp


def _std(input, *args, **named):
    """The standard deviation. Its gradient is 0 where the deviation is 0, like torch's."""
    if not _state["training"]:
        return _std_of_torch(input, *args, **named)
    variance = torch.var(input, *args, **named)
    nothing = variance == 0
    return torch.where(nothing, torch.zeros_like(variance), torch.where(nothing, torch.ones_like(variance), variance).sqrt())


def _along(of_torch, arg):
    """The extreme value along a dimension. The gradient goes to the returned element, not to equal ones."""

    def largest(input, *args, **named):
        other = args[0] if args else named.get("dim")
        if not _state["training"] or not isinstance(other, int) or isinstance(other, bool) or "out" in named or not input.dim():
            return of_torch(input, *args, **named)
        keepdim = args[1] if len(args) > 1 else named.get("keepdim", False)
        indices = arg(input, other, True)
        values = input.gather(other, indices)
        return _Largest(*((values, indices) if keepdim else (values.squeeze(other), indices.squeeze(other))))

    return largest


_Largest = collections.namedtuple("max", "values indices")


def _clamp(input, min=None, max=None, **named):  # noqa: A002
    """Clamps between tensors. At a bound, the gradient goes to the input."""
    if not any(isinstance(bound, torch.Tensor) for bound in (min, max)):
        return _clamp_of_torch(input, min, max, **named)
    for bound, outside in ((min, torch.lt), (max, torch.gt)):
        if bound is not None:
            bound = bound if isinstance(bound, torch.Tensor) else torch.full_like(input, bound)
            input = torch.where(outside(input, bound), bound, input)
    return input


_any_of_torch, _all_of_torch = torch.any, torch.all


def _true(input):
    return input if input.dtype == torch.bool else input != 0


def _any(input, *args, **kwargs):
    return _any_of_torch(_true(input), *args, **kwargs) if input.dim() else _true(input)


def _all(input, *args, **kwargs):
    return ~_any(~_true(input), *args, **kwargs)


# ---- random numbers

def _normal(mean=0.0, std=1.0, size=None, *, dtype=None, **_):
    tensors = [one for one in (mean, std) if isinstance(one, torch.Tensor)]
    if not tensors:
        return torch.randn(size, dtype=dtype) * std + mean
    shape = torch.broadcast_shapes(*[one.shape for one in tensors])
    return torch.randn(shape, dtype=tensors[0].dtype) * std + mean


def _filled(draw):
    """Fills a tensor with random numbers."""
    return lambda input, *args, **named: _views.copied(
        input, draw(torch.rand(input.shape), *args, **{k: v for k, v in named.items() if k != "generator"}))


def _between(uniform, low, high):
    return uniform * (high - low) + low


def _exponential(uniform, lambd=1):
    return -torch.log(1 - uniform) / lambd


def _cauchy(uniform, median=0, sigma=1):
    return median + sigma * torch.tan(math.pi * (uniform - 0.5))


def _log_normal_(input, mean=1, std=2, **_):
    return _views.copied(input, torch.exp(torch.randn(input.shape) * std + mean))


def _normal_(input, mean=0, std=1, **_):
    return _views.copied(input, torch.randn(input.shape) * std + mean)


def _geometric(uniform, p):
    return torch.ceil(torch.log(1 - uniform) / math.log(1 - p)).clamp(min=1)


# ---- images

def _spread(value, count):
    return list(value) if isinstance(value, (tuple, list)) else [value] * count


def _ranges(size, parts):
    """Begin and end of each part of a dimension, as adaptive pooling cuts it."""
    return [(part * size // parts, -(-(part + 1) * size // parts)) for part in range(parts)]


def _adaptive(dimensions, mean, plain):
    def pool(input, output_size, return_indices=False):
        wanted = _spread(output_size, dimensions)
        sizes = [int(one) for one in input.shape[-dimensions:]]
        wanted = [size if one is None else int(one) for one, size in zip(wanted, sizes)]
        if return_indices:
            return plain(input, wanted, return_indices)
        if all(size % one == 0 for one, size in zip(wanted, sizes)) and (input.dim() == dimensions + 2 or wanted != [1] * dimensions):
            return plain(input, wanted)
        for number, (one, size) in enumerate(zip(wanted, sizes)):
            dim = number - dimensions
            parts = [input.narrow(dim, begin, end - begin) for begin, end in _ranges(size, one)] if one != size else []
            if parts:
                input = torch.cat([part.mean(dim, True) if mean else part.amax(dim, True) for part in parts], dim)
        return input

    return pool


_pad_of_torch = F.pad


def _pad(input, pad, mode="constant", value=None):
    if mode != "circular":
        return _pad_of_torch(input, pad, mode, value) if value is not None else _pad_of_torch(input, pad, mode)
    for number in range(len(pad) // 2):
        dim, (low, high) = input.dim() - 1 - number, pad[2 * number:2 * number + 2]
        size = int(input.shape[dim])
        if max(low, high) > size:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        begin, end = max(0, -low), size - max(0, -high)
        kept = input.narrow(dim, begin, end - begin)  # elements that a negative padding removes do not wrap around
        parts = [kept]
        if low > 0:
            parts.insert(0, kept.narrow(dim, end - begin - low, low))
        if high > 0:
            parts.append(kept.narrow(dim, 0, high))
        input = torch.cat(parts, dim) if len(parts) > 1 else parts[0]
    return input


_interpolate_of_torch = F.interpolate


def _interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None, antialias=False):
    if scale_factor is not None and (align_corners or recompute_scale_factor):  # the factors only determine the size
        scales = _spread(scale_factor, input.dim() - 2)
        size = [int(math.floor(int(one) * scale)) for one, scale in zip(input.shape[2:], scales)]
        scale_factor = recompute_scale_factor = None
    if antialias:
        not_simulated("interpolation with antialias")
    if mode == "area":
        dimensions = input.dim() - 2
        size = size or [int(math.floor(int(one) * scale)) for one, scale in zip(input.shape[2:], _spread(scale_factor, dimensions))]
        return FUNCTIONS[getattr(F, "adaptive_avg_pool%dd" % dimensions)](input, tuple(_spread(size, dimensions)))
    return _interpolate_of_torch(input, size, scale_factor, mode, align_corners, recompute_scale_factor)


def _upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    return _interpolate(input, size, scale_factor, mode, align_corners)


def _fmax(input, other):
    return torch.where((input >= other) | torch.isnan(other), input, other)


def _fmin(input, other):
    return torch.where((input <= other) | torch.isnan(other), input, other)


_layer_norm_of_torch, _group_norm_of_torch = F.layer_norm, F.group_norm


def _layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """Adds a weight, because the exporter's operator requires one."""
    weight = torch.ones(list(normalized_shape), dtype=input.dtype) if weight is None else weight
    return _layer_norm_of_torch(input, normalized_shape, weight, bias, eps)


def _group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    """Adds a dimension after the channels, because the exporter's operator requires one."""
    made = _group_norm_of_torch(input if input.dim() > 2 else input.unsqueeze(-1), num_groups, weight, bias, eps)
    return made if input.dim() > 2 else made.squeeze(-1)



def _same(convolution, dimensions):
    """Padding by its name: "valid", or "same", which puts an odd element at the end."""

    def convolve(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
        if not isinstance(padding, str):
            return convolution(input, weight, bias, stride, padding, dilation, groups)
        if padding == "valid":
            return convolution(input, weight, bias, stride, 0, dilation, groups)
        totals = [one * (int(size) - 1) for one, size in zip(_spread(dilation, dimensions), weight.shape[2:])]
        if any(total % 2 for total in totals):
            input = _pad_of_torch(input, [side for total in reversed(totals) for side in (0, total % 2)])
        return convolution(input, weight, bias, stride, [total // 2 for total in totals], dilation, groups)

    return convolve


def _channel_shuffle(input, groups):
    parts = input.reshape([input.shape[0], groups, input.shape[1] // groups] + list(input.shape[2:]))
    return parts.transpose(1, 2).reshape(input.shape)


_avg_pool2d_of_torch = F.avg_pool2d


def _avg_pool2d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
    if divisor_override is None:
        return _avg_pool2d_of_torch(input, kernel_size, stride, padding, ceil_mode, count_include_pad)
    if ceil_mode:
        not_simulated("avg_pool2d with divisor_override and ceil_mode")
    sizes = _spread(kernel_size, 2)
    return _avg_pool2d_of_torch(input, kernel_size, stride, padding) * (sizes[0] * sizes[1] / divisor_override)


_instance_norm_of_torch = F.instance_norm


def _instance_norm(input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.1, eps=1e-5):
    if use_input_stats and running_mean is not None:
        if _state["training"]:
            not_simulated("an instance norm that tracks statistics, in training")
        running_mean = running_var = None
    return _instance_norm_of_torch(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)


def _embedding_bag(input, weight, offsets=None, max_norm=None, norm_type=2, scale_grad_by_freq=False, mode="mean", sparse=False,
                   per_sample_weights=None, include_last_offset=False, padding_idx=None):
    """Bags that are rows of the input."""
    if input.dim() != 2:
        not_simulated("embedding_bag with offsets (with bags of one size as rows it is)")
    if max_norm is not None:
        not_simulated("max_norm of an embedding")
    if scale_grad_by_freq and _state["training"]:
        not_simulated("scale_grad_by_freq of an embedding")
    rows = F.embedding(input, weight, padding_idx)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.unsqueeze(-1)
    if padding_idx is None:
        return rows.max(1)[0] if mode == "max" else rows.sum(1) if mode == "sum" else rows.mean(1)
    kept = (input != padding_idx).unsqueeze(-1)
    if mode == "max":
        not_simulated("embedding_bag of the largest with padding_idx")
    total = torch.where(kept, rows, torch.zeros_like(rows)).sum(1)
    return total if mode == "sum" else total / kept.to(rows.dtype).sum(1).clamp(min=1)


FUNCTIONS = {F.cosine_similarity: _cosine_similarity, F.pairwise_distance: _pairwise_distance, torch.cdist: _cdist, F.pdist: _pdist,
             torch.pairwise_distance: _pairwise_distance, torch.dist: _dist, torch.Tensor.dist: _dist,
             torch.cosine_similarity: _cosine_similarity, torch.pdist: _pdist,
             F.embedding_bag: _embedding_bag, F.layer_norm: _layer_norm, F.group_norm: _group_norm, F.softplus: softplus,
             F.logsigmoid: _logsigmoid, F.pad: _pad, F.interpolate: _interpolate, F.upsample: _upsample,
             torch.Tensor.__floordiv__: _floor_divide, torch.Tensor.__rfloordiv__: _floor_divided,
             torch.Tensor.index_put: _masks.index_put, torch.Tensor.index_put_: _masks.index_put_, torch.index_put: _masks.index_put,
             torch.Tensor.masked_scatter: _masks.masked_scatter, torch.Tensor.masked_scatter_: _masks.masked_scatter_,
             torch.masked_scatter: _masks.masked_scatter,
             torch.normal: _normal, torch.Tensor.normal_: _normal_, torch.Tensor.log_normal_: _log_normal_,
             torch.Tensor.uniform_: _filled(lambda uniform, low=0, high=1, **ends: _between(uniform, ends.get("from", low), ends.get("to", high))),
             torch.Tensor.exponential_: _filled(_exponential), torch.Tensor.cauchy_: _filled(_cauchy),
             torch.Tensor.geometric_: _filled(_geometric)}
for _owner in (torch, torch.Tensor):
    FUNCTIONS.update({_owner.floor_divide: _floor_divide, _owner.log10: _log10, _owner.log2: _log2, _owner.any: _any, _owner.all: _all,
                      _owner.nan_to_num: _nan_to_num, _owner.atan2: atan2, _owner.remainder: _remainder, _owner.clamp: _clamp,
                      _owner.clip: _clamp, _owner.max: _along(_max_of_torch, torch.argmax), _owner.min: _along(_min_of_torch, torch.argmin)})
    for _name in ("arctan2", "fmax", "fmin"):
        if hasattr(_owner, _name):
            FUNCTIONS[getattr(_owner, _name)] = atan2 if _name == "arctan2" else _fmax if _name == "fmax" else _fmin
    for _name in ("var", "std", "var_mean", "std_mean"):
        if hasattr(_owner, _name):
            FUNCTIONS[getattr(_owner, _name)] = _kept(_std if _name == "std" else getattr(_owner, _name))
FUNCTIONS.update({F.conv1d: _same(F.conv1d, 1), F.conv2d: _same(F.conv2d, 2), F.conv3d: _same(F.conv3d, 3), F.avg_pool2d: _avg_pool2d,
                  F.instance_norm: _instance_norm, torch.channel_shuffle: _channel_shuffle})
FUNCTIONS.update({torch.norm: _norm, torch.Tensor.norm: _norm})
FUNCTIONS[torch.linalg.norm] = _kept(torch.linalg.norm)
FUNCTIONS[torch.linalg.vector_norm] = _kept(torch.linalg.vector_norm)
for _dimensions in (1, 2, 3):
    for _kind in ("avg", "max"):
        _plain = getattr(F, "adaptive_%s_pool%dd" % (_kind, _dimensions))
        FUNCTIONS[_plain] = _adaptive(_dimensions, _kind == "avg", _plain)
