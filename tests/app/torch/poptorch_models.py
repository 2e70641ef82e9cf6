"""Models by poptorch as by file: parameters without dimensions, ties, frozen ones, buffers, a loss around the model, groups of parameters, paths
of modules in the report; operators that torch's exporter lacks, PopTorch's own, and options that act.

    poptorch_models.py LIBRARY TILESCOPE_CLI FOLDER

Exits with 77 (skipped) if torch is not installed."""

import collections
import copy
import os
import pathlib
import subprocess
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


class Block(nn.Module):
    """A factor without dimensions, a frozen layer, a buffer that is read."""

    def __init__(self):
        super().__init__()
        self.grow, self.scale = nn.Linear(6, 8), nn.Parameter(torch.tensor(1.5))
        self.frozen = nn.Linear(8, 8).requires_grad_(False)
        self.register_buffer("mask", torch.tensor([1.0, 0, 1, 1, 0, 1, 1, 1]))

    def forward(self, x):
        return self.frozen(torch.relu(self.grow(x)) * self.scale) * self.mask


class Net(nn.Module):
    """Words in, words out of the same table."""

    def __init__(self):
        super().__init__()
        self.table, self.body = nn.Embedding(9, 6), nn.Sequential(Block(), nn.Linear(8, 6))
        self.head = nn.Linear(6, 9, bias=False)
        self.head.weight = self.table.weight

    def forward(self, words):
        return self.head(self.body(self.table(words)))


class WithLoss(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, words, labels):
        scores = self.net(words)
        return scores, F.cross_entropy(scores.flatten(0, 1), labels.flatten())


def groups(net, kind):
    """An optimiser with values of their own for two groups; the frozen layer is in none."""
    vectors = [one for one in net.parameters() if one.requires_grad and one.dim() < 2]
    matrices = [one for one in net.parameters() if one.requires_grad and one.dim() >= 2]
    given = [{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "lr": 0.03}]
    return kind(given, lr=0.1, momentum=0.9) if kind is torch.optim.SGD else kind(given, lr=0.01)


def against_torch():
    torch.manual_seed(5)
    words, labels = torch.randint(0, 9, (4, 3)), torch.randint(0, 9, (4, 3))
    for kind in (torch.optim.SGD, torch.optim.AdamW):
        ours = Net()
        theirs = copy.deepcopy(ours)
        model = poptorch.trainingModel(WithLoss(ours), optimizer=groups(ours, kind))
        optimiser, update = groups(ours, kind), groups(theirs, kind)
        losses = []
        for step in range(10):
            for one in (optimiser, update):  # the rate of one group falls
                one.param_groups[1]["lr"] = 0.03 / (1 + step)
            model.setOptimizer(optimiser)
            losses.append(float(model(words, labels)[1]))
            update.zero_grad()
            loss = WithLoss(theirs)(words, labels)[1]
            loss.backward()
            update.step()
            check(abs(losses[-1] - float(loss)) < 1e-4, "%s: loss of step %d: %g, torch %g" % (kind.__name__, step, losses[-1], loss))
        for (name, a), b in zip(ours.named_parameters(), theirs.parameters()):
            check(torch.allclose(a, b, atol=1e-4), "%s: %s" % (kind.__name__, name))
        check(ours.head.weight is ours.table.weight, "the tie is kept")
    return model, ours


def paths(model, program, folder):
    report = os.path.join(folder, "models.tsr")
    model.report(report)
    asked = subprocess.run([program, "query", report, "select name from operation", "--format", "csv"], stdout=subprocess.PIPE, check=True)
    names = asked.stdout.decode()
    for part in ("/fwd/net/body/body.0/grow/", "/bwd/net/head/", "/fwd/net/body/body.1/"):
        check(part in names, "operations of %s in: %s" % (part, names))


class Calls(nn.Module):
    """forward() is a function."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *given):
        return self.function(*given)


def on_machine(function, *given, options=None):
    return poptorch.inferenceModel(Calls(function), options)(*given)


def operators():
    x = torch.randn(4, 5)
    index = torch.tensor([[0, 2, 0, 1, 2], [2, 2, 1, 0, 0]])
    cases = {
        "cumprod": lambda a: torch.cumprod(a, 1), "nansum": lambda a: torch.nansum(torch.where(a > 0, a, a / 0 * 0), 0),
        "count_nonzero": lambda a: torch.count_nonzero(a > 0, dim=1), "addmv": lambda a: torch.addmv(a[:, 0], a, a[0], beta=2, alpha=3),
        "bilinear": lambda a: F.bilinear(a, a, torch.ones(2, 5, 5)), "take_along_dim": lambda a: torch.take_along_dim(a, index.T[:4, :1], 1),
        "poisson": lambda a: F.poisson_nll_loss(a, a.abs()), "triplet": lambda a: F.triplet_margin_loss(a, 2 * a, a + 1),
        "soft margin": lambda a: F.soft_margin_loss(a, a.sign()),
        "roll": lambda a: torch.roll(a, (7, -2), (0, 1)), "roll of all": lambda a: a.roll(3),
        "bucketize": lambda a: torch.bucketize(a, torch.tensor([-1.0, 0.0, 0.5])),
        "index_reduce": lambda a: torch.index_reduce(a, 0, torch.tensor([0, 0, 3]), a[:3] * 2, "amax"),
    }
    for reduce in ("sum", "prod", "mean", "amax", "amin"):
        for own in (True, False):
            cases["scatter_reduce %s %s" % (reduce, own)] = lambda a, reduce=reduce, own=own: torch.scatter_reduce(
                a, 0, index, 3 * a[:2], reduce, include_self=own)
    for name, function in cases.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = function(x)
        check(torch.allclose(on_machine(function, x), expected.to(torch.int32) if expected.dtype == torch.int64 else expected, atol=1e-5,
                             equal_nan=True), name)
    looped = on_machine(lambda a, b: poptorch.for_loop(5, lambda u, v: (u * 0.5 + v, v + 1), [a, b]), x, x)
    a, b = x, x
    for _ in range(5):
        a, b = a * 0.5 + b, b + 1
    check(torch.allclose(looped[0], a, atol=1e-4) and torch.allclose(looped[1], b), "for_loop")
    for yes in (True, False):
        chosen = on_machine(lambda c, a: poptorch.cond(c > 0, lambda u: u + 1, [a], lambda u: u * 2, [a])[0],
                            torch.tensor([1.0 if yes else -1.0]), x)
        check(torch.allclose(chosen, x + 1 if yes else x * 2), "cond %s" % yes)
    model = poptorch.inferenceModel(Calls(lambda a, start: poptorch.dynamic_slice(a, 1, start, 2)))
    for start in (0, 3):
        check(torch.equal(model(x, torch.tensor([start], dtype=torch.int32)), x[:, start:start + 2]), "dynamic_slice from %d" % start)
    updated = on_machine(lambda a, start: poptorch.dynamic_update(a, -a[:, :1], 1, start, 1), x, torch.tensor([2], dtype=torch.int32))
    expected = x.clone()
    expected[:, 2] = -x[:, 0]
    check(torch.equal(updated, expected), "dynamic_update")


Pair = collections.namedtuple("Pair", "left right")


class Own:
    def __init__(self, a, b):
        self.a, self.b = a, b


class OwnParser(poptorch.ICustomArgParser):
    def yieldTensors(self, struct):
        yield struct.a
        yield struct.b

    def reconstruct(self, original_structure, tensor_iterator):
        return Own(next(tensor_iterator), next(tensor_iterator))


def arguments():
    x, y = torch.randn(3), torch.randn(3)
    check(torch.equal(on_machine(lambda p: Pair(p.left - p.right, p.left).left, Pair(x, y)), x - y), "a named tuple")
    model = poptorch.inferenceModel(Calls(lambda d: {"difference": d["b"] - d["a"]}))
    for given in ({"a": x, "b": y}, {"b": y, "a": x}):
        check(torch.equal(model(given)["difference"], y - x), "a dictionary in any order")
    poptorch.registerCustomArgParser(Own, OwnParser())
    answer = on_machine(lambda o: Own(o.a - o.b, o.a), Own(x, y))
    check(isinstance(answer, Own) and torch.equal(answer.a, x - y), "a type of one's own")


class Stopped(nn.Module):
    """Two layers before a place where no gradient goes back, and a table whose padding is not trained."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(3, 3), nn.Linear(3, 3), nn.Linear(3, 3)
        self.table = nn.Embedding(4, 3, padding_idx=1)

    def forward(self, x, words):
        with torch.no_grad():
            low = self.b(x)
        y = self.c(self.a(x).detach() + low + x) + self.table(words)
        return y, poptorch.identity_loss((y * y).sum(), "none")


def gradients_that_stop():
    torch.manual_seed(6)
    ours = Stopped()
    theirs, x, words = copy.deepcopy(ours), torch.randn(5, 3), torch.tensor([0, 1, 2, 3, 1])
    model = poptorch.trainingModel(ours, optimizer=torch.optim.SGD(ours.parameters(), lr=0.01))
    update = torch.optim.SGD(theirs.parameters(), lr=0.01)
    for _ in range(2):
        model(x, words)
        update.zero_grad()
        theirs(x, words)[1].backward()
        update.step()
    for (name, a), b in zip(ours.named_parameters(), theirs.parameters()):
        check(torch.allclose(a, b, atol=1e-5), "a gradient that stops: %s" % name)

    def changes(y):
        y += 1
        z = y.clone()
        y *= 2
        return z

    given = x.clone()
    check(torch.allclose(poptorch.inferenceModel(Calls(changes))(given), x + 1) and torch.allclose(given, 2 * x + 2),
          "an argument that forward() changes")


class Twins(nn.Module):
    """Two weights and two buffers of the same values."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Parameter(torch.ones(3)), nn.Parameter(torch.ones(3))
        self.register_buffer("c", torch.ones(3))
        self.register_buffer("d", torch.ones(3))

    def forward(self, x):
        return x * self.a * self.c + self.b * self.d


def twins():
    """Values that are equal when the model is compiled and differ later."""
    model, x = Twins(), torch.arange(3.0)
    inference = poptorch.inferenceModel(model, poptorch.Options().updatableNamedBuffers(["c"]))
    check(torch.equal(inference(x), model(x)), "twins")
    with torch.no_grad():
        model.a.mul_(5)
        inference.copyWeightsToDevice()
        check(torch.equal(inference(x), model(x)), "one of two equal weights changes: %s" % inference(x))
        model.c.mul_(7)
        model.d.mul_(11)
        inference.copyNamedBuffersToDevice()
        check(torch.equal(inference(x), 35 * x + 1), "the buffer that is named is copied: %s" % inference(x))

    def fails(y):
        raise KeyError("of the model")

    try:
        on_machine(fails, x)
    except KeyError as error:
        check("of the model" in str(error), "an exception of forward() comes as it is")
    without = poptorch.inferenceModel(model)
    without(x)
    refused("updatableNamedBuffers", without.copyNamedBuffersToDevice)


def options():
    x, wide = torch.randn(256, 1024), nn.Linear(1024, 1024)
    cycles = []
    for share in (0.6, 0.05):
        choice = poptorch.Options()
        choice.setAvailableMemoryProportion({"IPU0": share})
        model = poptorch.inferenceModel(wide, choice)
        check(torch.allclose(model(x), wide(x), atol=1e-3), "the share of memory changes no value")
        cycles.append(model.cycleCount())
    check(cycles[0] != cycles[1], "the share of memory changes the plan: %s cycles" % cycles)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            poptorch.Options().broadcastBuffers(False)
    check(len(caught) == 1 and "broadcastBuffers" in str(caught[0].message), "an option without effect is reported once")
    refused("gradientAccumulation to 1", lambda: poptorch.inferenceModel(wide, _accumulating()))
    model = poptorch.inferenceModel(wide)
    model(x)
    refused("expected torch.Size([256, 1024]) but got torch.Size([2, 1024])", lambda: model(x[:2]))
    model = poptorch.inferenceModel(Calls(lambda *given: given[0] + 1))
    model(x)
    refused("compiled for 1 input tensors, it is called with 2", lambda: model(x, x))
    refused("only supported in inference", lambda: poptorch.trainingModel(Calls(lambda a: poptorch.for_loop(2, lambda u: u, [a])),
                                                                          optimizer=torch.optim.SGD(wide.parameters(), lr=1))(x))
    refused("poptorch.CPU is not simulated", lambda: poptorch.CPU(wide, "wide"))
    refused("list of tensors", lambda: on_machine(lambda a: poptorch.for_loop(2, lambda u: u, a), x))


def _accumulating():
    choice = poptorch.Options()
    choice.Training.gradientAccumulation(2)
    return choice


class Counts(torch.utils.data.IterableDataset):
    def __iter__(self):
        return iter(torch.arange(10.0).unsqueeze(1))

    def __len__(self):
        return 10


class Broken(torch.utils.data.Dataset):
    def __getitem__(self, index):
        raise ValueError("no element %d" % index)

    def __len__(self):
        return 4


def loaders():
    """Batches of a call: parts of processes, a sampler of one's own, batches that are put together."""
    data, seen = torch.arange(12.0), []
    for process in range(3):
        choice = poptorch.Options().deviceIterations(2).randomSeed(1)
        choice.Distributed.configureProcessId(process, 3)
        seen += [one for batch in poptorch.DataLoader(choice, data, batch_size=2, shuffle=True) for one in batch.tolist()]
        refused("several processes", lambda choice=choice: poptorch.inferenceModel(nn.Linear(1, 1), choice)(torch.ones(2, 1)))
    check(sorted(seen) == data.tolist() and seen != data.tolist(), "three processes share a data set")
    pairs = torch.utils.data.BatchSampler(torch.utils.data.SequentialSampler(data), 5, False)
    loader = poptorch.DataLoader(poptorch.Options().deviceIterations(2), data, batch_sampler=pairs, drop_last=False)
    check([len(batch) for batch in loader] == [10, 2] and len(loader) == 2, "batches of a sampler")
    for drops, sizes in ((True, [4, 4]), (False, [4, 4, 2])):
        loader = poptorch.DataLoader(poptorch.Options(), Counts(), batch_size=4, drop_last=drops, rebatched_worker_size=3,
                                     mode=poptorch.DataLoaderMode.AsyncRebatched)
        check([len(batch) for batch in loader] == sizes and len(loader) == len(sizes), "batches that are put together")
    refused("no element 0", lambda: poptorch.AsynchronousDataAccessor(poptorch.DataLoader(poptorch.Options(), Broken())))


class Words(nn.Module):
    """Encoder and decoder with a mask that follows from a size, bags of words, a norm without weights."""

    def __init__(self):
        super().__init__()
        self.words, self.bags = nn.Embedding(20, 8), nn.EmbeddingBag(20, 8, mode="mean")
        self.transformer = nn.Transformer(8, 2, 1, 1, 16, dropout=0.0, batch_first=True)
        self.out = nn.Linear(8, 3)

    def forward(self, x, target):
        words = self.words(x)
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1])
        y = self.transformer(words, words, tgt_mask=mask).mean(1) + F.layer_norm(self.bags(x), (8,))
        y = self.out(y)
        return y, F.cross_entropy(y, target)


class Noisy(nn.Module):
    """A variational encoder and a random slope: what is drawn has no gradient, what is scaled by it has."""

    def __init__(self):
        super().__init__()
        self.mean, self.deviation, self.slope = nn.Linear(6, 4), nn.Linear(6, 4), nn.RReLU()

    def forward(self, x):
        deviation = torch.exp(0.5 * self.deviation(x))
        drawn = self.mean(x) + deviation * torch.randn_like(deviation) + torch.rand_like(deviation)
        return self.slope(drawn), poptorch.identity_loss((drawn * drawn).mean(), "none")


def words_and_noise():
    torch.manual_seed(5)
    ours, x, target = Words(), torch.randint(0, 20, (4, 6)), torch.arange(4) % 3
    theirs = copy.deepcopy(ours)
    choice = poptorch.Options()
    choice.anchorTensor("bags", "bags.weight")
    model = poptorch.trainingModel(ours, choice, torch.optim.SGD(ours.parameters(), lr=0.1))
    update = torch.optim.SGD(theirs.parameters(), lr=0.1)
    for _ in range(3):
        loss = model(x, target)[1]
        update.zero_grad()
        expected = theirs(x, target)[1]
        expected.backward()
        update.step()
        check(abs(float(loss - expected)) < 1e-5, "a transformer: %g instead of %g" % (loss, expected))
    check(torch.allclose(model.getAnchoredTensor("bags"), theirs.bags.weight, atol=1e-5), "a weight as an anchor")
    model.destroy()
    noisy = Noisy()
    before = [one.detach().clone() for one in noisy.parameters()]
    model = poptorch.trainingModel(noisy, poptorch.Options().randomSeed(1), torch.optim.SGD(noisy.parameters(), lr=0.1))
    first = float(model(torch.ones(5, 6))[1])
    for _ in range(8):
        last = float(model(torch.ones(5, 6))[1])
    check(all(not torch.equal(a, b) for a, b in zip(before, noisy.parameters())) and last < first, "noise trains: %g, %g" % (first, last))
    model.destroy()
    for parameter in theirs.parameters():
        parameter.requires_grad = False
    frozen, before = poptorch.trainingModel(theirs), [one.detach().clone() for one in theirs.parameters()]
    for _ in range(2):
        check(abs(float(frozen(x, target)[1] - theirs(x, target)[1])) < 1e-5, "a frozen model runs in training")
    check(all(torch.equal(a, b) for a, b in zip(before, theirs.parameters())), "and stays as it is")
    frozen.destroy()


def modes_of_modules():
    """A module in eval() stays in it in training: a frozen norm keeps its statistics, its dropout drops nothing."""
    torch.manual_seed(6)
    ours, x, target = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Dropout(0.9), nn.Linear(8, 3), nn.BatchNorm1d(3)), torch.randn(8, 6), torch.arange(8) % 3
    ours[1].running_mean.fill_(0.3), ours[1].eval(), ours[2].eval()
    wrapped = Loss(ours)
    theirs = copy.deepcopy(wrapped)
    model = poptorch.trainingModel(wrapped, optimizer=torch.optim.SGD(wrapped.parameters(), lr=0.1))
    update = torch.optim.SGD(theirs.parameters(), lr=0.1)
    for _ in range(3):
        loss, expected = model(x, target)[1], theirs(x, target)[1]
        update.zero_grad()
        expected.backward()
        update.step()
        check(abs(float(loss - expected)) < 1e-5, "modules in eval(): %g instead of %g" % (loss, expected))
    model.copyWeightsToHost()
    for name, value in theirs.state_dict().items():
        check(torch.allclose(wrapped.state_dict()[name].float(), value.float(), atol=1e-5), "modules in eval(): %s" % name)
    check(not ours[1].training and ours[4].training, "modes are kept")
    model.destroy()


class Loss(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x, target):
        y = self.model(x)
        return y, F.cross_entropy(y, target)


os.makedirs(sys.argv[3], exist_ok=True)
modes_of_modules()
words_and_noise()
trained, _ = against_torch()
paths(trained, sys.argv[2], sys.argv[3])
operators()
arguments()
gradients_that_stop()
twins()
loaders()
options()
checks.finish()
