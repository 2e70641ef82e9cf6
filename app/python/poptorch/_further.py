"""Further functions that torch's exporter lacks, as others that it has."""

import math

import torch
from torch.nn import functional as F

from . import _views
from ._ops import without_gradient


class _Operator(torch.autograd.Function):
    """A function of one tensor that becomes an operator of ONNX."""

    @staticmethod
    def forward(context, x, name):
        return getattr(torch, name)(x)

    @staticmethod
    def symbolic(g, x, name):
        return g.op(name.capitalize(), x).setType(x.type())


def _operator(name):
    return lambda input: _Operator.apply(input, name)


def _floating(x):
    return x if x.is_floating_point() else x.float()


def _addcdiv(input, tensor1, tensor2, *, value=1):
    return input + value * tensor1 / tensor2


def _addr(input, vec1, vec2, *, beta=1, alpha=1):
    product = alpha * (vec1.unsqueeze(1) * vec2.unsqueeze(0))
    return product if beta == 0 else beta * input + product


def _addbmm(input, batch1, batch2, *, beta=1, alpha=1):
    product = alpha * torch.matmul(batch1, batch2).sum(0)
    return product if beta == 0 else beta * input + product


def _copysign(input, other):
    size = input.abs()
    return torch.where(other >= 0, size, -size) if isinstance(other, torch.Tensor) else size if math.copysign(1, other) > 0 else -size


def _running(choose):
    def run(input, dim):
        parts = input.unbind(dim) if input.dim() else (input,)
        values, places = [parts[0]], [torch.zeros_like(parts[0], dtype=torch.int32)]
        for number, part in enumerate(parts[1:], 1):
            better = part >= values[-1] if choose is torch.maximum else part <= values[-1]
            values.append(torch.where(better, part, values[-1]))
            places.append(torch.where(better, torch.full_like(places[-1], number), places[-1]))
        return (torch.stack(values, dim), torch.stack(places, dim)) if input.dim() else (values[0], places[0])

    return run


def _diff(input, n=1, dim=-1, prepend=None, append=None):
    parts = [one for one in (prepend, input, append) if one is not None]
    value = torch.cat(parts, dim) if len(parts) > 1 else input
    for _ in range(n):
        size = value.shape[dim]
        later, earlier = value.narrow(dim, 1, size - 1), value.narrow(dim, 0, size - 1)
        value = later.logical_xor(earlier) if value.dtype == torch.bool else later - earlier
    return value


def _diag_embed(input, offset=0, dim1=-2, dim2=-1):
    size = int(input.shape[-1]) + abs(offset)
    rows = torch.arange(input.shape[-1]) + max(0, -offset)
    columns = torch.arange(input.shape[-1]) + max(0, offset)
    choice = torch.zeros(input.shape[-1], size * size)
    choice[torch.arange(input.shape[-1]), rows * size + columns] = 1
    flat = torch.matmul(_floating(input), choice).to(input.dtype)
    return torch.movedim(flat.reshape(list(input.shape[:-1]) + [size, size]), (-2, -1), (dim1, dim2))


def _diag(input, diagonal=0):
    return _diag_embed(input, diagonal) if input.dim() == 1 else torch.diagonal(input, diagonal)


def _isclose(input, other, rtol=1e-5, atol=1e-8, equal_nan=False):
    near = (input == other) | ((input - other).abs() <= atol + rtol * other.abs())
    return near | (torch.isnan(input) & torch.isnan(other)) if equal_nan else near


def _heaviside(input, values):
    input, values = torch.broadcast_tensors(input, values)
    return torch.where(input == 0, values, (input > 0).to(input.dtype))


def _logaddexp(input, other):
    away = torch.where(input == other, torch.zeros_like(input), (input - other).abs())  # both values may be infinite
    return torch.maximum(input, other) + torch.log(1 + torch.exp(-away))


def _logaddexp2(input, other):
    return _logaddexp(input * math.log(2), other * math.log(2)) / math.log(2)


def _kthvalue(input, k, dim=-1, keepdim=False):
    values, places = torch.sort(input, dim)
    values, places = values.narrow(dim, k - 1, 1), places.narrow(dim, k - 1, 1)
    return torch.return_types.kthvalue((values, places) if keepdim else (values.squeeze(dim), places.squeeze(dim)))


def _median(input, dim=None, keepdim=False):
    if dim is None:
        return torch.sort(input.reshape(-1), 0)[0][(int(input.numel()) - 1) // 2]
    return torch.return_types.median(tuple(_kthvalue(input, (int(input.shape[dim]) + 1) // 2, dim, keepdim)))


def _meshgrid(*tensors, indexing="ij"):
    tensors = tensors[0] if isinstance(tensors[0], (list, tuple)) else tensors
    tensors = [one.reshape(-1) for one in tensors]
    swapped = indexing == "xy" and len(tensors) > 1
    if swapped:
        tensors[0], tensors[1] = tensors[1], tensors[0]
    shape = [len(one) for one in tensors]
    grids = [one.reshape([1] * number + [-1] + [1] * (len(tensors) - number - 1)).expand(shape) for number, one in enumerate(tensors)]
    if swapped:
        grids[0], grids[1] = grids[1], grids[0]
    return tuple(grids)


def _trunc(input):
    return torch.where(input < 0, torch.ceil(input), torch.floor(input)) if input.is_floating_point() else input


def _sinc(input):
    turned = input * math.pi
    safe = torch.where(input == 0, torch.ones_like(turned), turned)
    return torch.where(input == 0, torch.ones_like(turned), torch.sin(safe) / safe)


def _xlogy(input, other):
    """0 where the input is 0, but the gradient there is the logarithm of a positive number."""
    input = input if isinstance(input, torch.Tensor) else torch.full_like(other, input)
    other = other if isinstance(other, torch.Tensor) else torch.full_like(input, other)
    input, other = torch.broadcast_tensors(_floating(input), _floating(other))
    return input * torch.log(torch.where((input == 0) & (other <= 0), torch.ones_like(other), other))


def _logit(input, eps=None):
    input = input if eps is None else input.clamp(eps, 1 - eps)
    return torch.log(input / (1 - input))


def _round(input, decimals=0):
    return torch.round(input * 10.0 ** decimals) / 10.0 ** decimals if decimals else torch.round(input)


def _index_add(input, dim, index, source, *, alpha=1):
    return torch.scatter_add(input, dim, _wide(index, dim, source), source if alpha == 1 else source * alpha)


def _index_copy(input, dim, index, source):
    return torch.scatter(input, dim, _wide(index, dim, source), source)


def _index_fill(input, dim, index, value):
    shape = list(input.shape)
    shape[dim] = index.numel()
    filled = value.to(input.dtype).expand(shape) if isinstance(value, torch.Tensor) else torch.full(shape, value, dtype=input.dtype)
    return torch.scatter(input, dim, _wide(index, dim, filled), filled)


def _wide(index, dim, like):
    shape = [1] * like.dim()
    if shape:
        shape[dim] = -1
    return index.reshape(shape).expand(like.shape)


def _select_scatter(input, src, dim, index):
    return _slice_scatter(input, src.unsqueeze(dim), dim, index % input.shape[dim], index % input.shape[dim] + 1)


def _slice_scatter(input, src, dim=0, start=None, end=None, step=1):
    rows = torch.arange(input.shape[dim])[slice(start, end, step)]
    return torch.scatter(input, dim, _wide(rows, dim, src), src)


def _stack(dim, least):
    def stacked(tensors):
        return torch.cat([_at_least(one, least) for one in tensors], 0 if dim == 1 and tensors[0].dim() < 2 and least == 1 else dim)

    return stacked


def _at_least(x, least):
    if isinstance(x, (list, tuple)):
        return tuple(_at_least(one, least) for one in x)
    if x.dim() >= least:
        return x
    if least == 3 and x.dim() == 2:
        return x.unsqueeze(2)
    x = x.reshape(1, -1) if least > 1 else x.reshape(1)
    return x.unsqueeze(2) if least == 3 else x


def _column_stack(tensors):
    return torch.cat([one.reshape(-1, 1) if one.dim() < 2 else one for one in tensors], 1)


def _tile(input, *dims):
    dims = list(dims[0]) if len(dims) == 1 and isinstance(dims[0], (list, tuple)) else list(dims)
    return input.repeat([1] * (input.dim() - len(dims)) + dims)


def _split_at(default):
    def split(input, indices_or_sections, dim=None):
        dim = dim if dim is not None else default(input)
        if isinstance(indices_or_sections, torch.Tensor):
            indices_or_sections = indices_or_sections.tolist()
        size = int(input.shape[dim])
        if isinstance(indices_or_sections, int):
            count = indices_or_sections
            lengths = [size // count + (number < size % count) for number in range(count)]
            ends = [sum(lengths[:number]) for number in range(1, count)]
        else:
            ends = list(indices_or_sections)
        whole = [slice(None)] * (dim % input.dim())
        return tuple(input[tuple(whole + [slice(begin, end)])] for begin, end in zip([0] + ends, ends + [size]))

    return split


def _unflatten(input, dim, sizes, *_):
    dim %= input.dim()
    return input.reshape(list(input.shape[:dim]) + list(sizes) + list(input.shape[dim + 1:]))


def _sum_to_size(input, *size):
    size = list(size[0]) if len(size) == 1 and not isinstance(size[0], int) else list(size)
    lead = input.dim() - len(size)
    dims = list(range(lead)) + [lead + number for number, one in enumerate(size) if one == 1 and input.shape[lead + number] != 1]
    return (input.sum(dims, True) if dims else input).reshape(size)


def _nanmean(input, dim=None, keepdim=False, *, dtype=None):
    input = input if dtype is None else input.to(dtype)
    known = ~torch.isnan(input)
    value = torch.where(known, input, torch.zeros_like(input))
    if dim is None:
        return value.sum() / known.to(input.dtype).sum()
    return value.sum(dim, keepdim) / known.to(input.dtype).sum(dim, keepdim)


def _trace(input):
    return torch.diagonal(input).sum()


def _kron(input, other):
    rank = max(input.dim(), other.dim())
    one, two = (x.reshape([1] * (rank - x.dim()) + list(x.shape)) for x in (input, other))
    shape = [m * n for m, n in zip(one.shape, two.shape)]
    for number in range(rank):
        one, two = one.unsqueeze(2 * number + 1), two.unsqueeze(2 * number)
    return (one * two).reshape(shape)


def _inner(input, other):
    return input * other if input.dim() == 0 or other.dim() == 0 else torch.matmul(input, other.reshape(-1, other.shape[-1]).T).reshape(
        list(input.shape[:-1]) + list(other.shape[:-1]))


def _rot90(input, k=1, dims=(0, 1)):
    k %= 4
    if k == 0:
        return input.clone()
    if k == 2:
        return torch.flip(input, list(dims))
    turned = torch.flip(input, [dims[1] if k == 1 else dims[0]])
    return turned.transpose(*dims)


def _trapezoid(y, x=None, *, dx=1, dim=-1):
    size = y.shape[dim]
    mean = (y.narrow(dim, 1, size - 1) + y.narrow(dim, 0, size - 1)) / 2
    if x is None:
        return (mean * dx).sum(dim)
    width = _diff(x) if x.dim() == 1 else _diff(x, dim=dim)
    if x.dim() == 1:
        shape = [1] * y.dim()
        shape[dim] = -1
        width = width.reshape(shape)
    return (mean * width).sum(dim)


def _threshold(input, threshold, value, inplace=False):
    return torch.where(input > threshold, input, torch.full_like(input, value))


def _hypot(input, other):
    return (input * input + other * other).sqrt()


def _feature_dropout(input, p=0.5, training=True, inplace=False):
    if not training:
        return input
    kept = torch.rand(list(input.shape[:2]) + [1] * (input.dim() - 2)) >= p
    return torch.where(kept, input / (1 - p), torch.zeros_like(input))


def _alpha_dropout(by_feature):
    def drop(input, p=0.5, training=False, inplace=False):
        if not training:
            return input
        least = -1.7580993408473766  # of SELU
        kept = torch.rand(list(input.shape[:2]) + [1] * (input.dim() - 2) if by_feature else input.shape) >= p
        scale = ((1 - p) * (1 + p * least * least)) ** -0.5
        return torch.where(kept, input, torch.full_like(input, least)) * scale - scale * least * p

    return drop


def _gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1):
    gumbel = -torch.log(-torch.log(torch.rand(logits.shape).clamp(min=1e-30, max=1 - 1e-7)))
    soft = torch.softmax((logits + gumbel) / tau, dim)
    if not hard:
        return soft
    index = torch.argmax(soft, dim, keepdim=True)
    chosen = torch.scatter(torch.zeros_like(soft), dim, index, 1.0)
    return without_gradient(chosen - soft) + soft


_bernoulli_of_torch = torch.bernoulli


def _bernoulli(input, p=None, **_):
    return _bernoulli_of_torch(input) if p is None else (torch.rand(input.shape) < p).to(input.dtype)


def _bernoulli_(input, p=0.5, **_):
    return _views.copied(input, (torch.rand(input.shape) < p).to(input.dtype))


def _randint_like(input, low, high=None, **_):
    low, high = (0, low) if high is None else (low, high)
    return (torch.floor(torch.rand(input.shape) * (high - low)) + low).to(input.dtype)


def _random_(input, low=0, to=None, **_):
    low, to = (0, low) if to is None else (low, to)
    return _views.copied(input, _randint_like(input, low, to))


def _same(input):
    return input


def _scaled(factor):
    return lambda input: _floating(input) * factor


_NAMED = {
    "acosh": _operator("acosh"), "asinh": _operator("asinh"), "atanh": _operator("atanh"), "cosh": _operator("cosh"), "sinh": _operator("sinh"),
    "addcdiv": _addcdiv, "addr": _addr, "addbmm": _addbmm, "copysign": _copysign,
    "cummax": _running(torch.maximum), "cummin": _running(torch.minimum), "deg2rad": _scaled(math.pi / 180),
    "rad2deg": _scaled(180 / math.pi), "diff": _diff, "diag": _diag, "diag_embed": _diag_embed,
    "diagflat": lambda input, offset=0: _diag_embed(input.reshape(-1), offset),
    "frac": lambda input: input - _trunc(input), "trunc": _trunc, "fix": _trunc, "isclose": _isclose,
    "fliplr": lambda input: torch.flip(input, [1]), "flipud": lambda input: torch.flip(input, [0]), "heaviside": _heaviside,
    "isin": lambda elements, test, **_: (elements.unsqueeze(-1) == test.reshape(-1)).to(torch.int32).sum(-1) > 0,
    "ldexp": lambda input, other: input * torch.pow(torch.full_like(_floating(other), 2.0), other), "logaddexp": _logaddexp,
    "logaddexp2": _logaddexp2, "logical_not": lambda input: input == 0 if input.dtype != torch.bool else ~input, "kthvalue": _kthvalue,
    "median": _median, "positive": _same, "vdot": lambda input, other: (input * other).sum(), "sinc": _sinc, "xlogy": _xlogy,
    "logit": _logit, "round": _round, "index_add": _index_add, "index_copy": _index_copy, "index_fill": _index_fill,
    "select_scatter": _select_scatter, "slice_scatter": _slice_scatter, "ravel": lambda input: input.reshape(-1), "tile": _tile,
    "exp2": lambda input: torch.exp(_floating(input) * math.log(2)), "expm1": lambda input: torch.exp(input) - 1,
    "erfc": lambda input: 1 - torch.erf(input), "sgn": lambda input: torch.sign(input), "signbit": lambda input: input < 0,
    "isposinf": lambda input: torch.isinf(input) & (input > 0), "isneginf": lambda input: torch.isinf(input) & (input < 0),
    "nanmean": _nanmean, "trace": _trace, "kron": _kron, "inner": _inner, "rot90": _rot90, "hypot": _hypot, "msort": lambda input: torch.sort(input, 0)[0],
    "unflatten": _unflatten, "sum_to_size": _sum_to_size, "narrow_copy": lambda input, dim, start, length: input.narrow(dim, start, length),
    "tensor_split": _split_at(lambda input: 0), "hsplit": _split_at(lambda input: 0 if input.dim() == 1 else 1),
    "vsplit": _split_at(lambda input: 0), "dsplit": _split_at(lambda input: 2), "meshgrid": _meshgrid,
    "hstack": _stack(1, 1), "vstack": _stack(0, 2), "row_stack": _stack(0, 2), "dstack": _stack(2, 3), "column_stack": _column_stack,
    "atleast_1d": lambda *x: _at_least(x[0] if len(x) == 1 else x, 1), "atleast_2d": lambda *x: _at_least(x[0] if len(x) == 1 else x, 2),
    "atleast_3d": lambda *x: _at_least(x[0] if len(x) == 1 else x, 3), "trapezoid": _trapezoid, "trapz": _trapezoid,
}
FUNCTIONS = {getattr(owner, name): function for name, function in _NAMED.items() for owner in (torch, torch.Tensor, torch.special)
             if hasattr(owner, name)}
FUNCTIONS.update({F.threshold: _threshold, F.dropout2d: _feature_dropout, F.dropout3d: _feature_dropout, F.alpha_dropout: _alpha_dropout(False),
                  F.feature_alpha_dropout: _alpha_dropout(True), F.gumbel_softmax: _gumbel_softmax, torch.bernoulli: _bernoulli,
                  torch.Tensor.bernoulli: _bernoulli, torch.Tensor.bernoulli_: _bernoulli_, torch.randint_like: _randint_like,
                  torch.Tensor.random_: _random_, torch.Tensor.mT.__get__: lambda input: input.transpose(-2, -1),
                  torch.Tensor.H.__get__: lambda input: input.transpose(0, 1), torch.Tensor.mH.__get__: lambda input: input.transpose(-2, -1)})
