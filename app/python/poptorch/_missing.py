"""Functions of torch that its exporter lacks, as others that it has, while a model is traced."""

import torch
from torch.nn import functional as F

from . import _exact, _further, _views
from ._enums import not_simulated
from ._losses import reduced
from ._ops import TorchFunctionMode, _state, without_gradient


def _addmv(input, mat, vec, *, beta=1, alpha=1):
    product = alpha * torch.matmul(mat, vec)
    return product if beta == 0 else beta * input + product


def _cumprod(input, dim, dtype=None):
    parts, value = [], None
    for part in (input if dtype is None else input.to(dtype)).unbind(dim):
        value = part if value is None else value * part
        parts.append(value)
    return torch.stack(parts, dim)


def _nansum(input, dim=None, keepdim=False, dtype=None):
    value = torch.where(torch.isnan(input), torch.zeros_like(input), input)
    value = value if dtype is None else value.to(dtype)
    return value.sum(list(range(value.dim())) if dim is None else dim, keepdim)


def _of_all(function):
    """Without dimensions, reduces over all of them."""
    return lambda input, dim=(), keepdim=False: function(input, list(range(input.dim())) if dim == () or dim == [] else dim, keepdim)


def _count_nonzero(input, dim=None):
    ones = (input != 0).to(torch.int32)
    return ones.sum() if dim is None else ones.sum(dim)


def _take_along_dim(input, indices, dim=None):
    if dim is None:
        return input.reshape(-1).gather(0, indices.reshape(-1))
    shape = list(torch.broadcast_shapes([n if i != dim % input.dim() else 1 for i, n in enumerate(input.shape)],
                                        [n if i != dim % input.dim() else 1 for i, n in enumerate(indices.shape)]))
    own, theirs = list(shape), list(shape)
    own[dim], theirs[dim] = input.shape[dim], indices.shape[dim]
    return input.expand(own).gather(dim, indices.expand(theirs))


def _cartesian_prod(*tensors):
    if len(tensors) == 1:
        return tensors[0]
    return torch.stack([one.reshape(-1) for one in torch.meshgrid(*tensors, indexing="ij")], 1)


def _bilinear(input1, input2, weight, bias=None):
    value = torch.einsum("...i,kij,...j->...k", input1, weight, input2)
    return value if bias is None else value + bias


def _broadcast_to(input, size):
    return input.expand(size)


class _ScatterElements(torch.autograd.Function):
    """torch's scatter_reduce that includes its own elements, as an ONNX operator."""

    @staticmethod
    def forward(context, x, dim, index, source, reduce):
        return _scatter_reduce_of_torch(x, dim, index, source, reduce, include_self=True)

    @staticmethod
    def symbolic(g, x, dim, index, source, reduce):
        word = {"sum": "add", "prod": "mul", "amax": "max", "amin": "min"}[reduce]
        return g.op("ScatterElements", x, index, source, axis_i=dim, reduction_s=word).setType(x.type())


_scatter_reduce_of_torch = torch.scatter_reduce


def _scatter_reduce(input, dim, index, src, reduce, *, include_self=True):
    dim %= max(1, input.dim())
    src = src[tuple(slice(size) for size in index.shape)]  # elements beyond the index are not used
    ones = torch.ones_like(src)
    if not include_self or reduce == "mean":
        count = _ScatterElements.apply(torch.zeros_like(input), dim, index, ones, "sum")
    if reduce == "mean":
        start = input if include_self else torch.where(count > 0, torch.zeros_like(input), input)
        total = _ScatterElements.apply(start, dim, index, src, "sum")
        count = count + 1 if include_self else count.clamp(min=1)
        return total / count if input.is_floating_point() else torch.div(total, count, rounding_mode="floor")
    if not include_self:
        first = {"sum": 0, "prod": 1, "amax": _least(input.dtype), "amin": _greatest(input.dtype)}[reduce]
        input = torch.where(count > 0, torch.full_like(input, first), input)
    return _ScatterElements.apply(input, dim, index, src, reduce)


def _least(dtype):
    return torch.finfo(dtype).min if dtype.is_floating_point else torch.iinfo(torch.int32).min


def _greatest(dtype):
    return torch.finfo(dtype).max if dtype.is_floating_point else torch.iinfo(torch.int32).max


_scatter_of_torch = torch.scatter


def _scatter(input, dim, index, src=None, *, value=None, reduce=None):
    src = value if src is None else src
    if reduce is not None:
        src = src if isinstance(src, torch.Tensor) else torch.full(index.shape, src, dtype=input.dtype)
        return _scatter_reduce(input, dim, index, src, {"add": "sum", "multiply": "prod"}[reduce])
    return _scatter_of_torch(input, dim, index, src[tuple(slice(size) for size in index.shape)] if isinstance(src, torch.Tensor) else src)


def _scatter_(input, *args, **named):
    return _views.copied(input, _scatter(input, *args, **named))


def _index_reduce(input, dim, index, source, reduce, *, include_self=True):
    shape = [1] * input.dim()
    shape[dim] = -1
    return _scatter_reduce(input, dim, index.reshape(shape).expand(source.shape), source, "sum" if reduce == "add" else reduce,
                           include_self=include_self)


def _roll(input, shifts, dims=None):
    if dims is None:
        return _roll(input.reshape(-1), shifts, 0).reshape(input.shape)
    shifts, dims = ([one] if isinstance(one, int) else list(one) for one in (shifts, dims))
    for shift, dim in zip(shifts, dims):
        if not -input.dim() <= dim < input.dim():
            raise IndexError("Dimension out of range (expected to be in range of [%d, %d], but got %d)" % (-input.dim(), input.dim() - 1, dim))
        size = input.shape[dim]
        start = -shift % size
        input = torch.cat([input.narrow(dim, start, size - start), input.narrow(dim, 0, start)], dim) if start else input
    return input


def _bucketize(input, boundaries, *, out_int32=False, right=False):
    wide = input.unsqueeze(-1)
    above = wide < boundaries if right else wide <= boundaries
    return (~above).to(torch.int32).sum(-1)  # NaN is above all boundaries


_where_of_torch = torch.where


def _where(condition, input=None, other=None):
    """Numbers take the type that torch gives the result; its exporter writes each as a double."""
    if input is None:
        return _where_of_torch(condition)
    wanted = torch.result_type(input, other)
    input, other = (one.to(wanted) if isinstance(one, torch.Tensor) else torch.tensor(one, dtype=wanted) for one in (input, other))
    return _where_of_torch(condition, input, other)


def _is_constant(tensor):
    """Whether no parameter and no input of the traced model is read for this tensor."""
    waiting, seen = [torch._C._get_value_trace(tensor)], set()
    while waiting:
        node = waiting.pop().node()
        if node.kind() == "prim::Param":
            return False
        if node not in seen:
            seen.add(node)
            waiting.extend(node.inputs())
    return True


def _repeat_interleave(input, repeats=None, dim=None, *, output_size=None):
    if repeats is None:  # the numbers of the rows of a tensor that does not exist
        input, repeats, dim = torch.arange(input.shape[0]), input, 0
    if dim is None:
        input, dim = input.reshape(-1), 0
    dim %= max(input.dim(), 1)
    shape = list(input.shape)
    if not isinstance(repeats, int):
        if output_size is None:
            if not _is_constant(repeats):
                not_simulated("repeat_interleave without output_size, with repeats that the model computes,")
            output_size = int(_untraced(torch.sum, repeats)) * (shape[dim] if repeats.numel() == 1 else 1)
        ends = repeats.reshape(-1).expand(shape[dim]).cumsum(0)
        rows = (torch.arange(output_size).unsqueeze(1) >= ends).to(torch.int32).sum(1)
        return input.index_select(dim, rows)
    wide = input.unsqueeze(dim + 1).expand(shape[:dim + 1] + [repeats] + shape[dim + 1:])
    return wide.reshape(shape[:dim] + [shape[dim] * repeats] + shape[dim + 1:])


_t_of_torch = torch.t


def _t(input):
    return _t_of_torch(input) if input.dim() == 2 else input


_embedding_of_torch = F.embedding


def _embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False):
    if max_norm is not None:
        not_simulated("an embedding with max_norm, which changes its weights")
    rows = _embedding_of_torch(input, weight, None, max_norm, norm_type, scale_grad_by_freq, sparse)
    if padding_idx is None or not _state["training"]:
        return rows
    return torch.where((input == padding_idx % weight.shape[0]).unsqueeze(-1), without_gradient(rows), rows)  # this row is not trained


_FUNCTIONS = {"roll": _roll, "repeat_interleave": _repeat_interleave, "t": _t, "detach": without_gradient, "addmv": _addmv, "cumprod": _cumprod, "nansum": _nansum, "count_nonzero": _count_nonzero,
              "take_along_dim": _take_along_dim, "scatter_reduce": _scatter_reduce, "scatter": _scatter, "scatter_": _scatter_, "index_reduce": _index_reduce,
              "broadcast_to": _broadcast_to, "amax": _of_all(torch.amax),
              "amin": _of_all(torch.amin)}
_BY_FUNCTION = {getattr(owner, name): function for name, function in _FUNCTIONS.items() for owner in (torch, torch.Tensor)
                if hasattr(owner, name)}
_BY_FUNCTION.update({torch.where: _where, torch.cartesian_prod: _cartesian_prod, F.bilinear: _bilinear, torch.bucketize: _bucketize, F.embedding: _embedding})
_BY_FUNCTION = {**_further.FUNCTIONS, **_exact.FUNCTIONS, **_BY_FUNCTION}


def _also_in_place():
    """For each name() of a tensor, defines name_(), too."""
    for name in dir(torch.Tensor):
        replaced = _BY_FUNCTION.get(getattr(torch.Tensor, name[:-1], None)) if name.endswith("_") and not name.startswith("_") else None
        if replaced is not None:
            _BY_FUNCTION.setdefault(getattr(torch.Tensor, name), lambda input, *args, f=replaced, **named: _views.copied(
                input, f(input, *args, **named)))


_also_in_place()


_SIZES = {torch.Tensor.size, torch.Tensor.shape.__get__, torch.Tensor.numel, torch.Tensor.nelement, torch.numel}


def _untraced(function, *args, **kwargs):
    """Returns sizes as numbers: the machine has the shapes of this call, and the exporter fails for some traced sizes."""
    tracer = torch._C._get_tracing_state()
    torch._C._set_tracing_state(None)
    try:
        return function(*args, **kwargs)
    finally:
        torch._C._set_tracing_state(tracer)


class Replaced(TorchFunctionMode):
    """While active, replaces torch's functions by those above. A change in place also changes all tensors that share the elements."""

    @staticmethod
    def _result(function, args, kwargs):
        first = args[0] if args else None
        if function in _views.SPECIAL:
            return _views.called(function, *args, **kwargs)
        if not _views.shares(first):
            return function(*args, **kwargs)
        if _views.is_change(function) or kwargs.get("inplace"):
            return _views.called(function, *args, **kwargs)
        before = first._version
        result = function(*args, **kwargs)
        if first._version != before:
            not_simulated("%s in place of a tensor that shares its elements with others" % getattr(function, "__name__", "a function"))
        return result

    def __torch_function__(self, function, types, args=(), kwargs=None):
        if function in _SIZES:
            return _untraced(function, *args, **(kwargs or {}))
        kwargs = dict(kwargs or {})
        out = kwargs.pop("out", None)
        if isinstance(out, torch.Tensor) and function in (torch.cumsum, torch.cumprod, torch.sum, torch.prod):
            kwargs.setdefault("dtype", out.dtype)
        _views.brought_up(args), _views.brought_up(kwargs)
        result = _BY_FUNCTION[function](*args, **kwargs) if function in _BY_FUNCTION else self._result(function, args, kwargs)
        _views.noted(result)
        if isinstance(out, torch.Tensor):
            if out.shape != result.shape:
                not_simulated("out= of another shape than the result")
            result = _views.copied(out, result)
        elif out is not None:
            not_simulated("out= of several tensors")
        if _state["no_grad"] and type(result) is torch.Tensor:
            return without_gradient(result)
        return result


# ---- losses

def _poisson_nll(input, target, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None, reduction="mean"):
    loss = torch.exp(input) - target * input if log_input else input - target * torch.log(input + eps)
    if full:  # Stirling's formula
        safe = target.clamp(min=1)
        loss = loss + torch.where(target > 1, safe * safe.log() - safe + 0.5 * (2 * torch.pi * safe).log(), torch.zeros_like(loss))
    return reduced(loss, reduction)


def _soft_margin(input, target, size_average=None, reduce=None, reduction="mean"):
    return reduced(torch.log(1 + torch.exp(-target * input)), reduction)


def _margin_ranking(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    return reduced(torch.relu(-target * (input1 - input2) + margin), reduction)


def _hinge_embedding(input, target, margin=1.0, size_average=None, reduce=None, reduction="mean"):
    zero = torch.zeros_like(input)
    loss = torch.where(target != 1, torch.relu(margin - input), zero) + torch.where(target != -1, input, zero)
    return reduced(loss, reduction)


def _triplet_margin(anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, size_average=None, reduce=None, reduction="mean"):
    def distance(a, b):
        return ((a - b + eps).abs() ** p).sum(-1) ** (1 / p)

    far = distance(anchor, negative)
    if swap:
        far = torch.minimum(far, distance(positive, negative))
    return reduced(torch.relu(distance(anchor, positive) - far + margin), reduction)


LOSSES = {"poisson_nll_loss": _poisson_nll, "soft_margin_loss": _soft_margin, "margin_ranking_loss": _margin_ranking,
          "hinge_embedding_loss": _hinge_embedding, "triplet_margin_loss": _triplet_margin}
