"""Operators through poptorch with torch's own values and gradients: those that torch's exporter lacks or writes with other values.

    poptorch_operators.py LIBRARY

Exits with 77 (skipped) where torch is not installed."""

import copy
import pathlib
import sys
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))
import checks
from checks import check, refused

checks.need("numpy", "torch")
import poptorch
import torch
from torch import nn
from torch.nn import functional as F

warnings.simplefilter("ignore")

class Calls(nn.Module):
    def __init__(self, function, *learned):
        super().__init__()
        self.function = function
        self.learned = nn.ParameterList(nn.Parameter(one.clone()) for one in learned)

    def forward(self, *given):
        return self.function(*self.learned, *given)


def same(a, b):
    b = b.to(torch.int32) if b.dtype == torch.int64 else b
    return a.shape == b.shape and a.dtype == b.dtype and torch.allclose(a.double(), b.double(), rtol=1e-4, atol=1e-5, equal_nan=True)


def assigned(x, mask, value):
    x = x.clone()
    x[mask] = value
    return x


def assigned_within(x, mask):
    x = x.clone()
    x[:, mask] = 7.0
    x[1:3, mask] = x[1:3, :3] * 2
    return x


def values():
    torch.manual_seed(7)
    x, y, rows = torch.randn(4, 5), torch.randn(4, 5), torch.randn(3, 5)
    square, cube, line = torch.randn(4, 4), torch.randn(4, 3, 2), torch.randn(5)
    mask, columns = torch.tensor([True, False, True, True]), torch.tensor([True, False, True, True, False])
    image, odd = torch.randn(2, 3, 7, 5), torch.randn(2, 3, 10)
    numbers = torch.tensor([7, -7, 3, -3])
    forms = {
        "remainder": (torch.remainder, torch.tensor([6.0, -6, 5, 0]), torch.tensor([0.3, 0.3, -2, 1])), "% of a number": (lambda a: a % 0.25, x),
        "cross_entropy of one sample": (lambda a: F.cross_entropy(a, torch.tensor(2), label_smoothing=0.1) + F.cross_entropy(a, torch.softmax(a, 0)), line),
        "nll_loss of one sample": (lambda a: F.nll_loss(a, torch.tensor(1), reduction="none"), line),
        "circular padding that cuts": (lambda a: F.pad(a[None, None], (-1, 2, 2, -2), "circular"), x),
        "layer_norm without weights": (lambda a: F.layer_norm(a, (5,)), x), "group_norm of rows": (lambda a: F.group_norm(a, 5), odd[0]),
        "max with indices": (lambda a: torch.max(a, 1)[1], x), "atan2 of all quarters": (torch.atan2, torch.tensor([0.0, 1, -1, 2, -2, 0]), torch.tensor([-1.0, 0, 0, -1, -3, 0])),
        "a mask of lower rank, a number": (lambda a, m: assigned(a, m, 3.0), x, mask),
        "a mask of lower rank, equal sides": (lambda a, m: assigned(a, m, 3.0), square, mask),
        "a mask of lower rank, a row": (assigned, x, mask, line),
        "a mask of lower rank, a row each": (assigned, x, mask, rows),
        "a mask of lower rank, three dimensions": (lambda a, m: assigned(a, m, 1.0), cube, mask),
        "a mask of the last dimension": (assigned_within, x, columns),
        "index_put with a mask": (lambda a, m: a.index_put((m,), torch.tensor(1.0), accumulate=True), x, mask),
        "masked_scatter": (lambda a, b: a.masked_scatter(a > 0, b), x, y),
        "pairwise_distance 3": (lambda a, b: F.pairwise_distance(a, b, 3, keepdim=True), x, y),
        "pairwise_distance of vectors": (F.pairwise_distance, line, line + 1),
        "cosine_similarity": (lambda a, b: F.cosine_similarity(a[None], b[:, None], dim=-1), x, y),
        "floor_divide": (lambda a, b: torch.floor_divide(a, b), x, y), "//": (lambda a: a // 0.5, x),
        "// of integers": (lambda a: a // 2, numbers), "log10": (torch.log10, torch.tensor(50.0)), "any": (lambda a: (a * 0.01).any(1), x),
        "all": (lambda a: (a * 0.01).all(), x), "var": (lambda a: torch.var(a, dim=None, unbiased=True, keepdim=True), x),
        "softplus": (lambda a: F.softplus(a, beta=3, threshold=0.2), x), "adaptive_avg_pool2d": (
            lambda a: F.adaptive_avg_pool2d(a, (3, None)), image),
        "adaptive_max_pool1d": (lambda a: F.adaptive_max_pool1d(a, 4), odd), "pad": (lambda a: F.pad(a, (2, 1), "circular"), odd),
        "pad2": (lambda a: F.pad(a, (2, 1, 0, 3), "circular"), image),
        "interpolate": (lambda a: F.interpolate(a, scale_factor=1.7, mode="bilinear", align_corners=True), image),
        "interpolate by area": (lambda a: F.interpolate(a, size=(3, 2), mode="area"), image),
        "atan2": (torch.atan2, x, y), "addcdiv": (lambda a, b: torch.addcdiv(a, b, a * a + 1, value=0.5), x, y), "asinh": (torch.asinh, x),
        "cosh": (torch.cosh, x), "diff": (torch.diff, x), "diag": (torch.diag, line), "diag_embed": (torch.diag_embed, x),
        "frac": (torch.frac, x), "trunc": (torch.trunc, 3 * x), "isclose": (lambda a: torch.isclose(a, a + 1e-9), x),
        "logaddexp": (torch.logaddexp, x, y), "median": (lambda a: torch.median(a, 1)[0], x), "kthvalue": (lambda a: torch.kthvalue(a, 2)[0], x),
        "meshgrid": (lambda a, b: torch.meshgrid(a, b, indexing="xy")[0], line, line), "index_add": (
            lambda a, b: a.index_add(0, torch.tensor([0, 2, 0, 1]), b), x, y),
        "index_fill": (lambda a: a.index_fill(1, torch.tensor([0, 3]), 2.0), x), "cummax": (lambda a: torch.cummax(a, 1)[0], x),
        "slice_scatter": (lambda a, b: torch.slice_scatter(a, b[:, :2], 1, 1, 5, 2), x, y), "hstack": (lambda a, b: torch.hstack([a, b]), x, y),
        "tile": (lambda a: torch.tile(a, (2, 1, 3)), x), "kron": (torch.kron, x[:2], y[:, :2]), "rot90": (lambda a: torch.rot90(a, 3), x),
        "heaviside": (torch.heaviside, torch.tensor([-1.0, 0, 2]), torch.tensor([0.5, 0.5, 0.5])), "sinc": (torch.sinc, x),
        "tensor_split": (lambda a: torch.tensor_split(a, 3, 1)[1], x), "xlogy": (torch.xlogy, x.abs(), y.abs()),
        "where with a number": (lambda a: torch.where(a > 0, a, 0.5) + a.where(a < 1, torch.tensor(2.0)), x),
        "where with two numbers": (lambda a: torch.where(a > 0, 1.5, -1) * a, x), "where with integers": (lambda a: torch.where(a > 0, a, 9), numbers),
        "where with an integer tensor and a number": (lambda a: torch.where(a > 0, a, 0.5), numbers),
        "repeat_interleave": (lambda a: a.repeat_interleave(3, 1), cube), "repeat_interleave of all": (lambda a: torch.repeat_interleave(a, 2), x),
        "repeat_interleave by rows": (lambda a: torch.repeat_interleave(a, torch.tensor([1, 3, 0, 2]), dim=0), x),
        "repeat_interleave, numbers of rows": (lambda a: torch.repeat_interleave(torch.tensor([1, 3, 0, 2])) + a[:6].to(torch.int32), torch.arange(7.0)),
        "repeat_interleave of a known size": (lambda a, n: torch.repeat_interleave(a, n.int(), 0, output_size=6), x, torch.tensor([1.0, 3, 0, 2])),
        "t of a vector": (lambda a: a.t() + 1, line), "t of a matrix": (lambda a: torch.t(a), x),
    }
    for p in (0.0, 0.5, 1.0, 2.0, 3.0, float("inf")):
        forms["cdist %g" % p] = (lambda a, b, p=p: torch.cdist(a, b, p=p), x, y[:3])
        forms["pdist %g" % p] = (lambda a, p=p: F.pdist(a, p), x)
    for name, (function, *given) in forms.items():
        expected = function(*given)
        check(same(poptorch.inferenceModel(Calls(function))(*given), expected), name)
    for text, function in (("shapes depend on it", lambda a: torch.masked_select(a, a > 0)), ("output_size", lambda a: torch.repeat_interleave(
            a, (a[:, 0] > 0).int(), 0)), ("max_norm", lambda a: F.embedding(
            torch.tensor([0, 1]), a, max_norm=1.0)), ("a mask together", lambda a: assigned(a, (mask, torch.tensor([0, 1, 2])), 1.0))):
        refused(text, lambda function=function: poptorch.inferenceModel(Calls(function))(x), poptorch.Error)


def gradients():
    """One step of SGD with a rate of 1 subtracts the gradient."""
    torch.manual_seed(8)
    x, y, zeros = torch.randn(4, 5), torch.randn(4, 5), torch.zeros(4, 5)
    few = torch.tensor([[1.0, 3, 3, 0, 0], [2, 2, 2, 2, 0], [0, 1, 0, -1, 0], [5, 1, 5, 1, 5]])
    forms = {
        "amax with ties": (lambda a: a.amax(1), few), "amin with ties": (lambda a: a.amin(0), few), "max of all": (lambda a: a.max(), few),
        "maximum with ties": (torch.maximum, few, torch.relu(few - 1)), "prod with zeros": (lambda a: a.prod(1), few),
        "norm of order 3": (lambda a: a.norm(3, 1), x), "norm of all": (lambda a: a.norm(), few), "norm at zero": (lambda a: a.norm(dim=1), zeros), "pow of zero": (lambda a, b: (a.abs() + 0) ** b, few, (few == 1).float() + 1),
        "clamp": (lambda a, b, c: torch.clamp(a, b, c), x, torch.tensor(-0.4), torch.tensor(0.3)), "cdist to itself": (torch.cdist, few, few[:2]),
        "a mask of lower rank": (lambda a, b: assigned(a, torch.tensor([True, False, True, True]), b), x, y[:3]),
        "cosine_similarity": (F.cosine_similarity, x, y), "interpolate": (lambda a: F.interpolate(
            a.reshape(1, 1, 4, 5), scale_factor=1.7, mode="bilinear", align_corners=True), x),
        "adaptive_avg_pool1d": (lambda a: F.adaptive_avg_pool1d(a[None], 3), x), "atan2": (torch.atan2, x, y), "asinh": (torch.asinh, x),
        "softplus": (lambda a: F.softplus(a, beta=3, threshold=0.2), x), "median": (lambda a: torch.median(a, 1)[0], x),
    }
    # Values at which a function has a kink, a pole or a tie.
    ends, others = torch.tensor([0.0, 1, -1, 2, -2.5, 0.5, 3]), torch.tensor([1.0, 0, -1, -2, 0, 2, -0.5])
    forms.update({
        "atan2 on the axes": (torch.atan2, ends, others), "atan2 on the other axes": (torch.atan2, others, ends), "selu": (F.selu, ends),
        "softplus at zero": (F.softplus, ends), "logsigmoid of large numbers": (lambda a: F.logsigmoid(40 * a), ends),
        "binary cross-entropy of certain classes": (lambda a: F.binary_cross_entropy(torch.sigmoid(60 * a), (others > 0).float()), ends),
        "binary cross-entropy of large numbers": (lambda a: F.binary_cross_entropy_with_logits(60 * a, (others > 0).float()), ends),
        "fmax of equal numbers": (torch.fmax, ends, ends), "fmin of equal numbers": (torch.fmin, ends, ends), "std of equal numbers": (lambda a: (0 * a + 1).std(), ends),
        "max of a dimension with ties": (lambda a: a.max(1)[0], few), "min of a dimension with ties": (lambda a: torch.min(a, dim=0, keepdim=True).values, few),
        "xlogy": (torch.xlogy, ends.abs(), others.abs()), "clamp at its bounds": (torch.clamp, ends, others - 1, others + 1),
        "conv1d, the same size": (lambda a, w: F.conv1d(a[None], w, padding="same", dilation=3), x, torch.randn(2, 4, 2)),
        "conv2d, the valid part": (lambda a, w: F.conv2d(a[None, None], w, padding="valid"), x, torch.randn(2, 1, 2, 3)),
        "avg_pool2d with a divisor": (lambda a: F.avg_pool2d(a[None, None], 2, 1, 1, divisor_override=3), x),
        "cosine_embedding_loss": (lambda a, b: F.cosine_embedding_loss(a, b, torch.tensor([1, -1, -1, 1]), 0.1), x, y),
        "multi_margin_loss": (lambda a: F.multi_margin_loss(a, torch.tensor([1, 0, 4, 2]), 2, 0.8, torch.arange(1.0, 6), reduction="sum"), x),
        "cross_entropy with weights and smoothing": (lambda a: F.cross_entropy(a, torch.tensor([1, 0, 4, 2]), torch.arange(1.0, 6), ignore_index=4,
                                                                                label_smoothing=0.3), x),
        "cross_entropy with weights and probabilities": (lambda a: F.cross_entropy(a, torch.softmax(y, 1), torch.arange(1.0, 6)), x),
        "pow with whole exponents": (lambda a: a ** 2 + a ** 1 + a ** 0 + a ** 3, ends), "pow of a number": (lambda a: 2.0 ** a, ends)})
    for name, (function, *learned) in forms.items():
        weights = torch.randn(function(*learned).shape)
        ours = Calls(lambda *given, f=function, w=weights: poptorch.identity_loss((f(*given) * w).sum(), "none"), *learned)
        theirs = copy.deepcopy(ours)
        poptorch.trainingModel(ours, optimizer=torch.optim.SGD(ours.parameters(), lr=1.0))()
        update = torch.optim.SGD(theirs.parameters(), lr=1.0)
        theirs().backward()
        update.step()
        for number, (a, b) in enumerate(zip(ours.learned, theirs.learned)):
            check(same(a.detach(), b.detach()), "gradient %d of %s" % (number, name))


def drawn(function, *given, options=None):
    return poptorch.inferenceModel(Calls(function), options)(*given)


def random_numbers():
    deviations, nothing = torch.linspace(0, 4, 20000), torch.zeros(20000)
    for name, function in (("normal", lambda a, s: torch.normal(a, s)), ("normal of a number", lambda a, s: torch.normal(0.0, s)),
                           ("normal_", lambda a, s: torch.empty_like(a).normal_(0, 1) * s)):
        value = drawn(function, nothing, deviations)
        for begin in range(0, 20000, 5000):
            part, expected = value[begin:begin + 5000], deviations[begin:begin + 5000].square().mean().sqrt()
            check(abs(part.std() / expected - 1) < 0.1, "%s: a deviation of %g instead of %g" % (name, part.std(), expected))
    ends = drawn(lambda a: torch.empty_like(a).uniform_(1, 3), nothing)
    check(1 <= ends.min() < 1.01 and 2.99 < ends.max() <= 3 and abs(ends.mean() - 2) < 0.03, "uniform_")
    channels = drawn(lambda a: F.dropout2d(a.reshape(100, 50, 2, 2) + 1, 0.3, True), nothing).reshape(5000, 4)
    check(bool((channels == channels[:, :1]).all()) and abs((channels == 0).float().mean() - 0.3) < 0.03, "dropout2d drops channels")
    seeds = []
    for seed in (1, 1, 2):
        choice = poptorch.Options()
        choice.randomSeed(seed)
        seeds.append(drawn(lambda a: torch.rand_like(a), nothing, options=choice))
    check(torch.equal(seeds[0], seeds[1]) and not torch.equal(seeds[0], seeds[2]), "randomSeed changes the numbers")


def masks_of_replicas():
    choice = poptorch.Options()
    choice.replicationFactor(4)
    value = drawn(lambda a: F.dropout(a, 0.5, True), torch.ones(4, 1000), options=choice)
    for number in range(1, 4):
        check(abs((value[number] != value[0]).float().mean() - 0.5) < 0.1, "replica %d has a mask of its own" % number)


values()
gradients()
random_numbers()
masks_of_replicas()
checks.finish()
