"""Changes in place through poptorch: each tensor of the same elements has the new values, and gradients go through them.

    poptorch_views.py LIBRARY

Exits with 77 (skipped) where torch is not installed."""

import pathlib
import sys
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))
import checks
from checks import check

checks.need("numpy", "torch")
import poptorch
import torch
from torch import nn
from torch.nn import functional as F

warnings.simplefilter("ignore")


def rows_of_rows(a):
    a[1][2] += 5
    a[1][2:4] *= 2
    a[0][1] = 3
    return a


def row(a):
    t = a[1]
    t += 1
    return a, t * 2


def flat_view(a):
    t = a.view(-1)
    t[3] = 7
    return a


def transposed(a):
    t = a.transpose(0, 1)
    t[0] = 9
    a.t()[1] *= 2
    return a, t


def columns(a):
    a[:, 1:3].mul_(2)
    a[:, ::2] -= 1
    return a


def filled(a):
    a[0].fill_(3)
    a.narrow(0, 1, 1).copy_(torch.ones(1, 4))
    return a


def after(a):
    """The view is older than the change."""
    t, u = a[1], a[:, 2]
    a += 1
    a[1] = 5.0
    return t, u + t[0]


def parts(a):
    t, u = a[0], a.narrow(0, 1, 1)
    t.zero_()
    u.neg_()
    v = a[2:]
    v.abs_()
    return a


def activations(a):
    t = a.unsqueeze(0)
    t[0, 1] += 2
    torch.neg_(a[1])
    F.relu(a[2], inplace=True)
    return a + 0


def into(a):
    torch.mul(a[2], 3, out=a[0])
    return a


def picked(a):
    a[:, torch.tensor([0, 2])] = 4.0
    a[torch.tensor([0, 1]), torch.tensor([3, 1])] = 8.0
    return a


def masked(a):
    t = a[1]
    a[a > 0.5] = 0.5
    return t


def through(a):
    """Values of before and of after the change."""
    t, b = a[1], a * 3
    t *= b[0]
    return a, b, t * t


FORMS = (rows_of_rows, row, flat_view, transposed, columns, filled, after, parts, activations, picked, masked, through)


class Alone(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x + 0)


class OnCopy(nn.Module):
    """The function on a copy of x w; their sum with other weights as a loss."""

    def __init__(self, function):
        super().__init__()
        self.function, self.w = function, nn.Parameter(torch.linspace(0.5, 1.5, 12).reshape(3, 4))

    def forward(self, x):
        found = self.function(x * self.w)
        found = found if isinstance(found, tuple) else (found,)
        loss = sum((one * torch.linspace(-1, 1, one.numel()).reshape(one.shape)).sum() for one in found)
        return (*found, poptorch.identity_loss(loss, "none"))


def main():
    torch.manual_seed(9)
    x = torch.randn(3, 4)
    for function in FORMS + (into,):  # torch has no gradients of out=
        values, expected = poptorch.inferenceModel(Alone(function))(x), function(x + 0)
        values, expected = ((one,) if isinstance(one, torch.Tensor) else one for one in (values, expected))
        check(all(torch.allclose(a, b, atol=1e-5) for a, b in zip(values, expected)), "values of %s" % function.__name__)
    for function in FORMS:
        ours, theirs = OnCopy(function), OnCopy(function)
        expected = theirs(x)
        poptorch.trainingModel(ours, optimizer=torch.optim.SGD(ours.parameters(), lr=1.0))(x)
        expected[-1].backward()
        torch.optim.SGD(theirs.parameters(), lr=1.0).step()
        check(torch.allclose(ours.w, theirs.w, atol=1e-5), "gradient of %s" % function.__name__)


class Asks(nn.Module):
    """A block that begins with a question and with a change in place."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        with poptorch.Block("first", ipu_id=0):
            x = self.a(x)
        with poptorch.Block("second", ipu_id=1):
            count = x.size(0)
            x += 1
            return self.b(x) * count


def blocks():
    model, x = Asks(), torch.randn(2, 4)
    options = poptorch.Options().setExecutionStrategy(poptorch.ShardedExecution(poptorch.AutoStage.SameAsIpu))
    machine = poptorch.inferenceModel(model, options)
    check(torch.allclose(machine(x), model(x), atol=1e-5), "a block that begins with a change")
    check([name for _, name, _ in machine._exported.blocks] == ["first", "second"], "both blocks are marked")


main()
blocks()
checks.finish()
