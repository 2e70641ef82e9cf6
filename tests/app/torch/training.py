"""Trains modules of torch with torch and, exported to ONNX, with `tilescope-cli run --train`: losses, weights and running statistics must agree.

    training.py TILESCOPE_CLI [NAME …]

Prints a line for each module and optimiser. Exits with 77 (skipped) if torch is not installed."""

import json
import math
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy
    import torch
    from torch import nn
    from torch.nn import functional as F
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

STEPS = 5
TOLERANCE = 1e-4  # of a loss; of weights relative to the largest


class ClassToken(nn.Module):
    """A token that is expanded over the batch, positions that are added, a block of a transformer."""

    def __init__(self):
        super().__init__()
        self.cls = nn.Parameter(torch.randn(1, 1, 8) * 0.1)
        self.positions = nn.Parameter(torch.randn(1, 5, 8) * 0.1)
        self.block = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
        self.head = nn.Linear(8, 3)

    def forward(self, x):
        x = torch.cat([self.cls.expand(x.shape[0], -1, -1), x], 1) + self.positions
        return self.head(self.block(x)[:, 0])


class CausalAttention(nn.Module):
    """A mask with minus infinity that is a buffer."""

    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(8, 24)
        self.out = nn.Linear(8, 3)
        self.register_buffer("bound", torch.triu(torch.full((4, 4), -math.inf), 1))

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        weights = F.softmax(q @ k.transpose(1, 2) / math.sqrt(8) + self.bound, -1)
        return self.out((weights @ v).mean(1))


class Tied(nn.Module):
    """An embedding that is the head as well."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(11, 6)
        self.inner = nn.Linear(6, 6)
        self.head = nn.Linear(6, 11, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, tokens):
        return self.head(torch.tanh(self.inner(self.embed(tokens)).mean(1)))


class Scale(nn.Module):
    """A parameter without a dimension."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(5, 3)
        self.temperature = nn.Parameter(torch.tensor(0.7))

    def forward(self, x):
        return self.layer(x) * self.temperature.exp()


class Recurrent(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.layer = kind(4, 6, batch_first=True)
        self.head = nn.Linear(6, 3)

    def forward(self, x):
        return self.head(self.layer(x)[0][:, -1])


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 8, 3, padding=1)
        self.norm = nn.BatchNorm2d(8)
        self.second = nn.Conv2d(8, 8, 3, padding=1)
        self.head = nn.Linear(8, 3)

    def forward(self, x):
        x = self.first(x)
        return self.head((x + self.second(F.relu(self.norm(x)))).mean((2, 3)))


def images(channels=3, size=6):
    return torch.randn(4, channels, size, size)


# Name: the module and its input.
MODULES = {
    "dense": lambda: (nn.Sequential(nn.Linear(6, 10), nn.ReLU(), nn.Linear(10, 3)), torch.randn(4, 6)),
    "gelu": lambda: (nn.Sequential(nn.Linear(6, 10), nn.GELU(), nn.Linear(10, 3)), torch.randn(4, 6)),
    "silu": lambda: (nn.Sequential(nn.Linear(6, 10), nn.SiLU(), nn.Linear(10, 3)), torch.randn(4, 6)),
    "prelu": lambda: (nn.Sequential(nn.Linear(6, 10), nn.PReLU(), nn.Linear(10, 3)), torch.randn(4, 6)),
    "layer_norm": lambda: (nn.Sequential(nn.Linear(6, 10), nn.LayerNorm(10), nn.Tanh(), nn.Linear(10, 3)), torch.randn(4, 6)),
    "batch_norm_1d": lambda: (nn.Sequential(nn.Linear(6, 10), nn.BatchNorm1d(10), nn.ReLU(), nn.Linear(10, 3)), torch.randn(6, 6)),
    "convolution": lambda: (nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(32, 3)), images()),
    "depthwise": lambda: (nn.Sequential(nn.Conv2d(4, 4, 3, groups=4), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 3)), images(4)),
    "transposed": lambda: (nn.Sequential(nn.ConvTranspose2d(3, 4, 3, stride=2), nn.Sigmoid(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 3)), images()),
    "convolution_1d": lambda: (nn.Sequential(nn.Conv1d(3, 6, 3), nn.ReLU(), nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(6, 3)), torch.randn(4, 3, 9)),
    "group_norm": lambda: (nn.Sequential(nn.Conv2d(3, 8, 3), nn.GroupNorm(2, 8), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 3)), images()),
    "instance_norm": lambda: (nn.Sequential(nn.Conv2d(3, 8, 3), nn.InstanceNorm2d(8, affine=True), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 3)), images()),
    "residual": lambda: (Residual(), images()),
    "class_token": lambda: (ClassToken(), torch.randn(4, 4, 8)),
    "causal_attention": lambda: (CausalAttention(), torch.randn(4, 4, 8)),
    "tied": lambda: (Tied(), torch.randint(0, 11, (4, 5))),
    "scale": lambda: (Scale(), torch.randn(4, 5)),
    "lstm": lambda: (Recurrent(nn.LSTM), torch.randn(4, 5, 4)),
    "gru": lambda: (Recurrent(nn.GRU), torch.randn(4, 5, 4)),
    "rnn": lambda: (Recurrent(nn.RNN), torch.randn(4, 5, 4)),
}

# Losses on a plain network: words of the command line, torch's own, labels for scores.
LOSSES = {
    "bce": (["--loss", "bce"], F.binary_cross_entropy_with_logits, lambda s: torch.rand(s.shape).round()),
    "mse": (["--loss", "mse"], F.mse_loss, lambda s: torch.randn(s.shape)),
    "mae": (["--loss", "mae"], F.l1_loss, lambda s: torch.randn(s.shape)),
    "huber": (["--loss", "huber"], F.huber_loss, lambda s: 2 * torch.randn(s.shape)),
    "smoothed": (["--label-smoothing", "0.1"], lambda s, y: F.cross_entropy(s, y, label_smoothing=0.1), lambda s: torch.arange(len(s)) % 3),
    "ignored": (["--ignore-index", "1"], lambda s, y: F.cross_entropy(s, y, ignore_index=1), lambda s: torch.arange(len(s)) % 3),
    "ignored_smoothed": (["--ignore-index", "1", "--label-smoothing", "0.2"],
                         lambda s, y: F.cross_entropy(s, y, ignore_index=1, label_smoothing=0.2), lambda s: torch.arange(len(s)) % 3),
}

# Of texts: 12 steps of 5 classes for each of 3, of at most 4 labels, with repeats; 99 fills what is behind the end.
TEXTS = torch.tensor([[1, 1, 2, 3], [4, 2, 99, 99], [3, 99, 99, 99]])


def steps_loss(scores, texts):
    lengths = (texts != 99).sum(1)
    return F.ctc_loss(F.log_softmax(scores, -1).transpose(0, 1), texts.where(texts != 99, torch.tensor(0)), torch.full((3,), 12), lengths)


MODULES["steps"] = lambda: (nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 5)), torch.randn(3, 12, 6))
LOSS_OF = {"steps": (["--loss", "ctc", "--ignore-index", "99"], steps_loss, lambda s: TEXTS)}

OPTIMISERS = {
    "sgd": (lambda p: torch.optim.SGD(p, 0.1), ["--optimiser", "sgd", "--learning-rate", "0.1"]),
    "momentum": (lambda p: torch.optim.SGD(p, 0.1, momentum=0.9), ["--optimiser", "sgd", "--learning-rate", "0.1", "--momentum", "0.9"]),
    "adamw": (lambda p: torch.optim.AdamW(p, 0.01, weight_decay=0.05), ["--optimiser", "adamw", "--learning-rate", "0.01", "--weight-decay", "0.05"]),
}


def tensors_of(path):
    import onnx
    from onnx import numpy_helper

    return {t.name: numpy_helper.to_array(t) for t in onnx.load(str(path)).graph.initializer}


def compare(cli, folder, name, optimiser):
    torch.manual_seed(0)
    if name in LOSSES:
        module, x = nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 3)), torch.randn(6, 5)
        more, loss_of, labels_for = LOSSES[name]
    else:
        module, x = MODULES[name]()
        more, loss_of, labels_for = LOSS_OF.get(name, ([], F.cross_entropy, lambda s: torch.arange(len(s)) % 3))
    module.train()
    make, words = OPTIMISERS[optimiser]
    labels = labels_for(torch.empty(len(x), 3))
    torch.onnx.export(module, (x,), str(folder / "m.onnx"), input_names=["input"], output_names=["scores"], opset_version=14,
                      training=torch.onnx.TrainingMode.TRAINING, do_constant_folding=False)
    numpy.save(folder / "x.npy", x.numpy())
    numpy.save(folder / "y.npy", labels.numpy())
    before = {k: v.clone() for k, v in module.state_dict().items()}
    ran = subprocess.run(
        [cli, "run", "m.onnx", "--train", "--input", "input=x.npy", "--input", "labels=y.npy", "--iterations", str(STEPS), "--json",
         "--save-model", "saved.onnx", "--force", "-o", "m.tsr"] + words + more, cwd=folder, capture_output=True, text=True)
    if ran.returncode:
        return "FAILED: " + ran.stderr.strip()[-200:]
    answer = json.loads(ran.stdout)
    module.load_state_dict(before)
    step = make(module.parameters())
    losses = []
    # If a gradient is 0 (a bias before a norm), Adam turns its rounding errors into steps of full size.
    told = {key: torch.zeros_like(p, dtype=torch.bool) for key, p in module.named_parameters()}
    for _ in range(STEPS):
        step.zero_grad()
        loss = loss_of(module(x), labels)
        loss.backward()
        for key, p in module.named_parameters():
            told[key] |= p.grad.abs() > 1e-6
        step.step()
        losses.append(float(loss))
    off = max(abs(a - b) for a, b in zip(losses, answer["values"]["loss"]))
    saved = tensors_of(folder / "saved.onnx")
    worst, missing = 0.0, []
    for key, value in module.state_dict().items():
        if key not in saved:
            missing.append(key)
        elif torch.isfinite(value).all():
            wanted, counts = value.numpy(), numpy.ones(value.shape, bool)
            if key in told and optimiser == "adamw":
                counts = told[key].numpy()
            elif "running_mean" in key and optimiser == "adamw":
                continue  # of such a bias
            error = numpy.abs(saved[key] - wanted) * counts
            worst = max(worst, float(error.max() / max(1e-3, numpy.abs(wanted).max())))
    verdict = "ok" if off < TOLERANCE and worst < TOLERANCE else "DIFFERS"
    return f"{verdict}: losses off by {off:.1e}, weights by {worst:.1e}" + (f", not in the file: {', '.join(missing)}" if missing else "")


def main():
    cli, names = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2:] or list(MODULES) + list(LOSSES)
    bad = 0
    for name in names:
        for optimiser in OPTIMISERS:
            with tempfile.TemporaryDirectory() as folder:
                try:
                    result = compare(cli, pathlib.Path(folder), name, optimiser)
                except (RuntimeError, ValueError) as error:
                    result = "FAILED: " + str(error)[:200]
            bad += not result.startswith("ok")
            print(f"{name:18} {optimiser:10} {result}", flush=True)
    print(f"{len(names) * len(OPTIMISERS)} runs, {bad} that are not as torch's")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
