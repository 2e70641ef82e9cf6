"""Compares operators through poptorch with torch itself, by the samples that torch ships for its own tests. For development: no test runs it.

    torch_forms.py LIBRARY [--name PART] [--samples N] [--gradients]

Each operator runs in a process of its own. The last lines count: equal, refused (with an error) and different, which must be none."""

import argparse
import collections
import multiprocessing
import os
import pathlib
import random
import sys
import types
import unittest
import warnings

asked = argparse.ArgumentParser()
asked.add_argument("library")
asked.add_argument("--name", default="")
asked.add_argument("--samples", type=int, default=6)
asked.add_argument("--gradients", action="store_true")
asked = asked.parse_args()
os.environ["TILESCOPE_LIBRARY"] = asked.library
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "app" / "python"))
sys.modules.setdefault("expecttest", types.SimpleNamespace(TestCase=unittest.TestCase, ACCEPT=False))  # of torch's tests, unused here
warnings.simplefilter("ignore")
import torch  # noqa: E402
from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402

import poptorch  # noqa: E402
from poptorch._export import flat, unflat  # noqa: E402

torch.set_num_threads(1)
RANDOM = ("dropout", "rand", "normal", "bernoulli", "multinomial", "uniform", "cauchy", "exponential", "geometric", "empty", "rrelu")


class Calls(torch.nn.Module):
    def __init__(self, function, form, count, weights=None, learned=()):
        super().__init__()
        self.function, self.form, self.count, self.weights = function, form, count, weights
        self.learned = torch.nn.ParameterList(torch.nn.Parameter(one.detach().clone()) for one in learned)

    def result(self, tensors):
        args, kwargs = unflat(self.form, tensors)
        made = []
        flat(self.function(*args, **kwargs), made)
        return made

    def forward(self, *tensors):
        tensors = list(self.learned) + list(tensors)
        made = self.result(tensors)
        if self.weights is None:
            return tuple(made)
        loss = sum((one * weight).sum() for one, weight in zip(made, self.weights) if one.is_floating_point())
        return poptorch.identity_loss(loss, "none")


def samples_of(op):
    torch.manual_seed(0)
    random.seed(0)
    found = list(op.sample_inputs("cpu", torch.float32, requires_grad=False))
    if len(found) > asked.samples:
        found = random.Random(op.formatted_name).sample(found, asked.samples)
    for sample in found:
        tensors = []
        form = flat(([sample.input] + list(sample.args), dict(sample.kwargs)), tensors)
        if tensors and all(one.numel() for one in tensors) and all(not one.is_complex() and one.dtype != torch.float64 for one in tensors):
            yield form, [one.detach() for one in tensors]


def differs(value, expected):
    """How a value differs from torch's, or None."""
    if expected.dtype == torch.int64:
        expected = expected.to(torch.int32)
    if value.shape != expected.shape:
        return "shape %s, torch %s" % (list(value.shape), list(expected.shape))
    if value.dtype != expected.dtype:
        return "type %s, torch %s" % (value.dtype, expected.dtype)
    if not torch.allclose(value.double(), expected.double(), rtol=2e-3, atol=2e-4, equal_nan=True):
        return "values %s, torch %s" % (value.flatten()[:4].tolist(), expected.flatten()[:4].tolist())
    return None


def forward(op, form, tensors):
    model = Calls(op.op, form, len(tensors))
    with torch.no_grad():
        expected = model.result([one.clone() for one in tensors])
    made = poptorch.inferenceModel(model)(*[one.clone() for one in tensors])
    for value, right in zip(made if isinstance(made, tuple) else (made,), expected):
        fault = differs(value, right)
        if fault:
            return fault
    return None


def backward(op, form, tensors):
    own = [one for one in tensors if one.is_floating_point()]
    if not own or tensors[:len(own)] != own:
        return "skipped"
    model = Calls(op.op, form, len(tensors), learned=own)
    rest = tensors[len(own):]
    with torch.no_grad():
        made = model.result(list(model.learned) + rest)
    floating = [one for one in made if one.is_floating_point()]
    if not floating:
        return "skipped"
    model.weights = [torch.randn(one.shape) if one.is_floating_point() else None for one in made]
    loss = model(*rest)
    if not loss.requires_grad:
        return "skipped"
    gradients = torch.autograd.grad(loss, list(model.learned), allow_unused=True)
    before = [one.detach().clone() for one in model.learned]
    trained = poptorch.trainingModel(model, optimizer=torch.optim.SGD(model.parameters(), lr=1.0))
    trained(*rest)
    for one, first, gradient in zip(model.learned, before, gradients):
        fault = differs(one.detach(), first - (0 if gradient is None else gradient))
        if fault:
            return fault
    return None


def check(op, answers):
    torch.set_num_threads(1)
    for form, tensors in samples_of(op):
        shapes = [list(one.shape) for one in tensors]
        rest = str(unflat(form, ["x"] * len(tensors)))[:120]
        try:
            fault = (backward if asked.gradients else forward)(op, form, tensors)
            if fault == "skipped":
                continue
            answers.put(("equal" if fault is None else "DIFFERENT", "%s %s: %s" % (shapes, rest, fault)))
        except Exception as error:  # an error is said by name: that is not a wrong value
            answers.put(("refused", "%s: %s" % (type(error).__name__, str(error).split("\n")[0][:160])))


def run(op):
    answers = multiprocessing.SimpleQueue()
    process = multiprocessing.Process(target=check, args=(op, answers))
    process.start()
    process.join(60)
    if process.exitcode is None:
        process.kill()
    found = []
    while not answers.empty():
        found.append(answers.get())
    if process.exitcode != 0:
        found.append(("DIFFERENT", "the process ended with %s" % process.exitcode))
    return found


total = collections.Counter()
for op in op_db:
    if asked.name not in op.formatted_name or any(word in op.name for word in RANDOM) or torch.float32 not in op.dtypes:
        continue
    if asked.gradients and not op.supports_autograd:
        continue
    told = collections.Counter()
    for kind, text in run(op):
        total[kind] += 1
        told[kind] += 1
        if kind == "DIFFERENT" or told[kind] == 1 and kind == "refused":
            print(kind, op.formatted_name, text, flush=True)
print(dict(total))
sys.exit(bool(total["DIFFERENT"]))
