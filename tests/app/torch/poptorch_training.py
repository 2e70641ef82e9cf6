"""poptorch trains like torch: 6 modules with SGD, momentum and Adam, 20 steps, losses and weights to 1e-5; further calls of scripts.

    poptorch_training.py LIBRARY FOLDER

Exits with 77 (skipped) if torch is not installed."""

import copy
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))
import checks
from checks import check, refused

checks.need("numpy", "torch")
import poptorch
import torch
from torch import nn
from torch.nn import functional as F

STEPS, TOLERANCE = 20, 1e-5

class Dense(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(6, 8), nn.Linear(8, 4)

    def forward(self, x, target):
        out = self.b(torch.tanh(self.a(x)))
        return out, F.cross_entropy(out, target)


class Convolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(4, 3, 3))
        self.head = nn.Linear(3, 4)

    def forward(self, x, target):
        out = self.head(self.body(x).mean((2, 3)))
        return F.log_softmax(out, 1), F.nll_loss(F.log_softmax(out, 1), target)


class Normed(nn.Module):
    """A batch norm, whose statistics follow too, and a layer norm."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(6, 8, bias=False)  # a norm takes what it would add
        self.batch, self.layer, self.out = nn.BatchNorm1d(8), nn.LayerNorm(8), nn.Linear(8, 1)

    def forward(self, x, target):
        out = self.out(self.layer(F.gelu(self.batch(self.inner(x)))))
        return out, F.mse_loss(out[:, 0], target.float())


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(11, 8)
        self.block = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
        self.register_buffer("mask", torch.triu(torch.full((5, 5), -1e4), 1))

    def forward(self, x, target):
        out = self.block(self.words(x), self.mask) @ self.words.weight.t()  # tied
        return out, F.cross_entropy(out.flatten(0, 1), target.flatten(), label_smoothing=0.1)


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.out = nn.LSTM(3, 5, batch_first=True), nn.Linear(5, 1)

    def forward(self, x, target):
        out = self.out(self.inner(x)[0][:, -1])[:, 0]
        return out, F.binary_cross_entropy_with_logits(out, target)


class OneNumber(nn.Module):
    """A parameter without dimensions, a frozen one, and a loss of one's own."""

    def __init__(self):
        super().__init__()
        self.bias, self.fixed = nn.Parameter(torch.zeros(())), nn.Parameter(torch.ones(3), requires_grad=False)

    def forward(self, x, target):
        out = x * self.fixed + self.bias
        return out, poptorch.identity_loss((out - target) ** 2, "mean")


def cases():
    labels = torch.tensor([0, 3, 1, 2, 1, 0])
    return [(Dense, torch.randn(6, 6), labels), (Convolutions, torch.randn(6, 1, 8, 8), labels), (Normed, torch.randn(6, 6), labels),
            (Attention, torch.randint(0, 11, (3, 5)), torch.randint(0, 11, (3, 5))), (Recurrent, torch.randn(4, 6, 3), torch.rand(4).round()),
            (OneNumber, torch.randn(4, 3), torch.randn(4, 3))]


OPTIMISERS = {"sgd": lambda p: torch.optim.SGD(p, lr=0.05, weight_decay=0.01), "momentum": lambda p: torch.optim.SGD(p, lr=0.02, momentum=0.9),
              "adam": lambda p: torch.optim.Adam(p, lr=0.01),
              "rmsprop": lambda p: torch.optim.RMSprop(p, lr=0.005, alpha=0.9, eps=1e-4, momentum=0.5, centered=True, weight_decay=0.01)}


def train(kind, x, target, optimiser):
    torch.manual_seed(1)
    ours = kind()
    theirs = copy.deepcopy(ours)
    model = poptorch.trainingModel(ours, optimizer=optimiser([p for p in ours.parameters() if p.requires_grad]))
    update = optimiser([p for p in theirs.parameters() if p.requires_grad])
    theirs.train()
    worst, slopes = 0.0, {}
    for _ in range(STEPS):
        loss = float(model(x, target)[1])
        update.zero_grad()
        expected = theirs(x, target)[1]
        expected.backward()
        for name, parameter in theirs.named_parameters():
            if parameter.grad is not None:
                slopes[name] = torch.maximum(slopes.get(name, torch.zeros(())), parameter.grad.abs())
        update.step()
        worst = max(worst, abs(loss - float(expected)) / max(1.0, abs(float(expected))))
    weights = 0.0
    for (name, a), (_, b) in zip(ours.state_dict().items(), theirs.state_dict().items()):
        if name in slopes:  # Adam makes steps of the noise where a gradient is 0, as that of the bias of keys
            a, b = (torch.where(slopes[name] > 1e-7, one, torch.zeros(())) for one in (a, b))
        if a.is_floating_point() or name.endswith("num_batches_tracked"):
            weights = max(weights, float((a - b).abs().max() / b.abs().max().clamp(min=1)))
    model.destroy()
    return worst, weights


def training():
    torch.manual_seed(0)
    for kind, x, target in cases():
        for name, optimiser in OPTIMISERS.items():
            worst, weights = train(kind, x, target, optimiser)
            print("%-14s %-9s losses %.1e weights %.1e" % (kind.__name__, name, worst, weights))
            check(worst <= TOLERANCE and weights <= TOLERANCE, "%s with %s" % (kind.__name__, name))


def accumulation():
    """Two iterations of three micro-batches are two steps of the mean gradient; Sum is three times that."""
    for reduction in (poptorch.ReductionType.Mean, poptorch.ReductionType.Sum):
        torch.manual_seed(2)
        ours, x, target = Dense(), torch.randn(12, 6), torch.arange(12) % 4
        theirs = copy.deepcopy(ours)
        options = poptorch.Options().deviceIterations(2).outputMode(poptorch.OutputMode.All)
        options.Training.gradientAccumulation(3).accumulationAndReplicationReductionType(reduction)
        model = poptorch.trainingModel(ours, options, torch.optim.SGD(ours.parameters(), lr=0.1))
        out, losses = model(x, target)
        check(out.shape == (12, 4) and losses.shape == (6,), "shapes of all outputs")
        update = torch.optim.SGD(theirs.parameters(), lr=0.1)
        for half in range(2):
            update.zero_grad()
            for micro in range(3):
                at = slice(6 * half + 2 * micro, 6 * half + 2 * micro + 2)
                loss = theirs(x[at], target[at])[1]
                check(abs(float(loss) - float(losses[3 * half + micro])) < 1e-5, "a loss of a micro-batch")
                (loss / (3 if reduction == poptorch.ReductionType.Mean else 1)).backward()
            update.step()
        check(torch.allclose(ours.a.weight, theirs.a.weight, atol=1e-6), "accumulation, %s" % reduction.name)
        model.destroy()


def replicas():
    torch.manual_seed(3)
    ours, x, target = Dense(), torch.randn(8, 6), torch.arange(8) % 4
    theirs = copy.deepcopy(ours)
    model = poptorch.trainingModel(ours, poptorch.Options().replicationFactor(2), torch.optim.SGD(ours.parameters(), lr=0.1))
    out, losses = model(x, target)
    check(out.shape == (8, 4) and losses.shape == (2,), "outputs of both replicas")
    update = torch.optim.SGD(theirs.parameters(), lr=0.1)
    theirs(x, target)[1].backward()
    update.step()
    check(torch.allclose(ours.b.weight, theirs.b.weight, atol=1e-6), "the mean over two replicas")
    model.destroy()


def stages(folder, ipus=(0, 1), machine=2):
    """Two blocks on two IPUs as a pipeline, other IPUs are idle; the report has torch's modules as layers."""

    class Staged(Dense):
        def forward(self, x, target):
            poptorch.Block.start("first", ipu_id=ipus[0])
            x = torch.tanh(self.a(x))
            with poptorch.Block("second", ipu_id=ipus[1]):
                out = self.b(x)
                return out, F.cross_entropy(out, target)

    torch.manual_seed(4)
    ours, x, target = Staged(), torch.randn(16, 6), torch.arange(16) % 4
    theirs = copy.deepcopy(ours)
    options = poptorch.Options()
    options.Training.gradientAccumulation(8)
    options.autoRoundNumIPUs(max(ipus) + 1 != machine)
    model = poptorch.trainingModel(ours, options, torch.optim.SGD(ours.parameters(), lr=0.1))
    model(x, target)
    for micro in range(8):
        (theirs(x[2 * micro:2 * micro + 2], target[2 * micro:2 * micro + 2])[1] / 8).backward()
    torch.optim.SGD(theirs.parameters(), lr=0.1).step()
    check(torch.allclose(ours.a.weight, theirs.a.weight, atol=1e-6), "a pipeline of two stages")
    model.report(os.path.join(folder, "staged.tsr"))
    import pva
    report = pva.openReport(os.path.join(folder, "staged.tsr"))
    check(report.compilation.target.numIPUs == machine, "IPUs in the report")
    active = {i for step in report.execution.steps for i, part in enumerate(step.ipus) if part.cycles}
    check(active == set(ipus), "IPUs that work: %s" % active)
    names = " ".join(context.name for context in report.debugContexts)
    check("Gemm" in names or "MatMul" in names, "operators in the report")
    check(model.cycleCount() > 0 and model.getLatency()[0] > 0 and model.getPerfCounters()["output"][0][0] > 0, "cycles of a call")
    model.destroy()


def rates_and_states():
    """A scheduler changes the learning rate between calls, and training continues from a saved state."""
    torch.manual_seed(5)
    ours, x, target = Dense(), torch.randn(6, 6), torch.arange(6) % 4
    theirs = copy.deepcopy(ours)
    optimiser = poptorch.optim.Adam(ours.parameters(), lr=0.01)
    model = poptorch.trainingModel(ours, optimizer=optimiser)
    update = torch.optim.Adam(theirs.parameters(), lr=0.01)
    for step in range(6):
        for one in (optimiser, update):
            one.param_groups[0]["lr"] = 0.01 / (1 + step)
        model.setOptimizer(optimiser)
        model(x, target)
        update.zero_grad()
        theirs(x, target)[1].backward()
        update.step()
        if step == 2:  # the state moves to a new model
            state = optimiser.state_dict()
            model.destroy()
            optimiser = poptorch.optim.Adam(ours.parameters(), lr=0.01)
            optimiser.load_state_dict(state)
            model = poptorch.trainingModel(ours, optimizer=optimiser)
    check(torch.allclose(ours.a.weight, theirs.a.weight, atol=1e-5), "rates that change, a state that is loaded")
    inference = poptorch.inferenceModel(Half())
    check(inference(x.half()).dtype == torch.float16, "fp16")
    check(torch.equal(poptorch.inferenceModel(inference)(x), inference(x.half())), "inputs that are rounded to fp16")
    model.destroy()


class Half(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(6, 3).half()

    def forward(self, x):
        return self.inner(x)


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("i", torch.zeros(1))

    def forward(self):
        self.i += 1
        return self.i


def executables(folder):
    """A file has the module, its optimiser and its weights as they are; another module is refused."""
    x, target, path = torch.randn(6, 6), torch.arange(6) % 4, os.path.join(folder, "dense.poptorch")
    first = Dense()
    optimiser = torch.optim.SGD(first.parameters(), lr=0.1)
    model = poptorch.trainingModel(first, optimizer=optimiser)
    model.compileAndExport(path, x, target)
    model(x, target)
    model.save(path)
    model(x, target)
    loaded = poptorch.load(path)
    loaded(x, target)
    check(loaded.isCompiled() and torch.allclose(loaded.model.a.weight, first.a.weight, atol=1e-6), "a model of a file goes on where it was saved")
    other = poptorch.trainingModel(Dense(), optimizer=None)
    other.loadExecutable(path)
    check(other.isCompiled(), "an executable is loaded into a model of its kind")
    for text, call in (("Dense", lambda: poptorch.inferenceModel(nn.Linear(6, 3)).loadExecutable(path)), ("not an executable", lambda: poptorch.load(__file__))):
        refused(text, call)


def state_and_refusals():
    counter = Counter()
    model = poptorch.inferenceModel(counter)
    check([float(model()), float(model())] == [1.0, 2.0] and float(counter.i) == 2, "a buffer that forward() changes")

    dense, x, target = Dense(), torch.randn(6, 6), torch.arange(6) % 4
    refused("Adam with amsgrad", lambda: poptorch.trainingModel(dense, optimizer=torch.optim.Adam(dense.parameters(), amsgrad=True))(x, target))
    refused("Couldn't find a loss", lambda: poptorch.trainingModel(nn.Linear(6, 2))(x))
    model = poptorch.trainingModel(dense)
    model(x, target)
    refused("the same shapes", lambda: model(x[:3], target[:3]))


training()
accumulation()
replicas()
os.makedirs(sys.argv[2], exist_ok=True)
stages(sys.argv[2])
stages(sys.argv[2], (1, 2), 4)
rates_and_states()
executables(sys.argv[2])
state_and_refusals()
checks.finish()
