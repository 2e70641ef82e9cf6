"""Eighty-four models by torch and, exported to ONNX, on the simulated machine: outputs of inference, losses and weights of five steps of training.

    models.py LIBRARY [NAME …]

Prints a line for each model: the largest difference of outputs from torch in fp32, relative to the largest output (at least 0.1), and of losses and weights
from torch in fp64 after five steps of SGD, momentum and AdamW. A difference counts if it is also ten times that of torch in fp32: deep
networks with batch norms of few elements amplify the rounding of their first layers. Exits with 77 (skipped) where torch is not installed; models of torchvision are skipped by name without it."""

import copy
import io
import os
import pathlib
import sys
import time
import warnings

os.environ["TILESCOPE_LIBRARY"] = sys.argv[1]
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "app" / "python"))
try:
    import numpy
    import torch
    from torch import nn
except ImportError as missing:
    print("skipped: %s" % missing)
    sys.exit(77)
from tilescope.session import Session
from zoo import MODELS

STEPS = 5
BUFFERS = "*anchors"  # of a model of zoo.py; a file does not tell such a buffer from a parameter
MOST = {"outputs": 1e-4, "losses": 1e-4, "weights": 1e-3}
OPTIMISERS = {
    "sgd": (lambda p: torch.optim.SGD(p, 0.05), {"optimiser": "sgd", "learning-rate": 0.05}),
    "momentum": (lambda p: torch.optim.SGD(p, 0.02, momentum=0.9), {"optimiser": "sgd", "learning-rate": 0.02, "momentum": 0.9}),
    # The epsilon is above the rounding of gradients that are zero but for it, as those of a bias before a batch norm.
    "adamw": (lambda p: torch.optim.AdamW(p, 0.005, eps=1e-3), {"optimiser": "adamw", "learning-rate": 0.005, "weight-decay": 0.01, "epsilon": 1e-3}),
}


class WithLoss(nn.Module):
    def __init__(self, model, loss, count):
        super().__init__()
        self.model, self.loss, self.count = model, loss, count

    def forward(self, *given):
        return self.loss(self.model(*given[:self.count]), given[self.count])


def without_chance(model):
    """Sets the rates of all kinds of dropout to 0."""
    for module in model.modules():
        for name in ("p", "dropout", "drop_prob", "dropout_p"):
            if isinstance(getattr(module, name, None), float):
                setattr(module, name, 0.0)
    return model


def exported(model, given, training):
    target = io.BytesIO()
    kept = copy.deepcopy(model.state_dict())
    mode = torch.onnx.TrainingMode.TRAINING if training else torch.onnx.TrainingMode.EVAL
    torch.onnx.export(model, tuple(given), target, input_names=["input%d" % i for i in range(len(given))], output_names=["output"],
                      opset_version=17, training=mode, do_constant_folding=not training)
    model.load_state_dict(kept)
    return target.getvalue()


def run(session, given):
    values = {"input%d" % i: one.numpy() for i, one in enumerate(given)}
    ports = session.inputs
    return session.run({name: value.astype(ports[name].dtype) for name, value in values.items() if name in ports})


def difference(a, b, least=0.1):
    a, b = numpy.asarray(a, numpy.float64), numpy.asarray(b, numpy.float64)
    return float(abs(a - b).max() / max(least, abs(b).max())) if a.shape == b.shape else float("inf")


def inference(model, given):
    model = copy.deepcopy(model).eval()
    with torch.no_grad():
        expected = model(*given)
    with Session(exported(model, given, False)) as session:
        return difference(run(session, given)["output"], expected.numpy(), 1e-6)


def training(model, options, make):
    """Differences of losses and weights. The batches differ from step to step."""
    net, loss, batches = model
    ours = WithLoss(copy.deepcopy(net), loss, len(batches[0]) - 1).train()
    theirs = [copy.deepcopy(ours), copy.deepcopy(ours).double()]
    data = exported(ours, batches[0], True)
    trained = [by_torch(one, batches, make) for one in theirs]
    losses = []
    with Session(data) as session:
        for name, value in dict(options, train=True, loss="output").items():
            session.set(name, value)
        if any(name.endswith(BUFFERS[1:]) for name, _ in ours.named_buffers()):
            session.set("buffers", BUFFERS)
        session.compile()
        state = ours.state_dict()
        for name, port in session.weights.items():
            if port.kind == "statistic" and name in state:  # the export ran the norms once
                session.write_weight(name, state[name].numpy())
        for given in batches:
            losses.append(float(run(session, given)["output"]))
        weights = {name: session.read_weight(name) for name, port in session.weights.items() if port.kind in ("parameter", "statistic")}
    for name, one in ours.named_parameters():
        if name not in weights and not torch.equal(one.double(), trained[1][1][name]):
            raise ValueError("%s is not trained" % name)
    known = [name for name in weights if name in trained[1][1]]
    worst = [difference(weights[name], trained[1][1][name]) for name in known]
    wrong = [name for name in known if exceeds(weights[name], *(values[name] for _, values in trained), MOST["weights"])]
    if exceeds(losses, *(values for values, _ in trained), MOST["losses"]):
        wrong.append("losses")
    return difference(losses, trained[1][0]), max(worst), wrong


def by_torch(model, batches, make):
    """Losses of the steps, and all tensors after them."""
    update, losses, kind = make(model.parameters()), [], next(model.parameters()).dtype
    torch.set_default_dtype(kind)
    for given in batches:
        update.zero_grad()
        loss = model(*[one.to(kind) if one.is_floating_point() else one for one in given])
        loss.backward()
        update.step()
        losses.append(float(loss))
    torch.set_default_dtype(torch.float32)
    return losses, {name: one.detach().double() for name, one in list(model.named_parameters()) + list(model.named_buffers())}


def exceeds(value, single, double, most):
    found = difference(value, double)
    return not (found <= most or found <= 10 * difference(single, double))


def varied(given, target, step):
    """Another batch of the same kind: rows in another order, numbers moved a little."""
    turned = [one.roll(step, 0) if one.dim() else one for one in list(given) + [target]]
    return [one + 0.01 * step if one.is_floating_point() and one.dim() > 1 and i < len(given) else one for i, one in enumerate(turned)]


def main():
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)  # threads of torch and of the simulator would wait for each other
    bad = skipped = 0
    print("%-20s %-24s %8s  %9s  %s" % ("kind", "model", "weights", "inference", "losses and weights: " + ", ".join(OPTIMISERS)))
    for name, (kind, make) in MODELS.items():
        if len(sys.argv) > 2 and name not in sys.argv[2:]:
            continue
        torch.manual_seed(3)
        began = time.time()
        try:
            net, given, loss, target = make()
        except ImportError as missing:
            skipped += 1
            print("%-20s %-24s skipped: %s" % (kind, name, missing))
            continue
        net = without_chance(net)
        batches = [varied(given, target, step) for step in range(STEPS)] if loss else []
        faults, cells = [], []
        try:
            outputs = inference(net, given)
            cells.append("%9.1e" % outputs)
            faults += ["outputs"] if not outputs <= MOST["outputs"] else []
        except Exception as error:
            faults.append("inference: %s" % error)
        for word, (torchs, options) in OPTIMISERS.items() if loss else ():
            try:
                losses, weights, wrong = training((net, loss, batches), options, torchs)
                cells.append("%.1e %.1e" % (losses, weights))
                if wrong:
                    faults.append("%s (%s)" % (word, ", ".join(wrong[-3:])))
            except Exception as error:
                faults.append("%s: %s" % (word, str(error).split("\n")[0][:200]))
        if not loss:
            cells.append("inference only")
        bad += bool(faults)
        print("%-20s %-24s %8d  %s  %.1f s %s" % (kind, name, sum(one.numel() for one in net.parameters()), "  ".join(cells), time.time() - began,
                                                 "FAIL " + "; ".join(faults) if faults else ""), flush=True)
    print("%d models differ, %d skipped" % (bad, skipped))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
