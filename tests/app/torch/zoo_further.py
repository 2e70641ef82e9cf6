"""Further kinds of small models of zoo.py: what has loops, lists, samples of grids, sorts, or weights that other weights make."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from zoo_parts import Wrapped, classes, huber, image, model, scored, squared


@model("point cloud")
def point_net():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.turn, self.body = nn.Linear(8, 9), nn.Sequential(nn.Conv1d(3, 8, 1), nn.BatchNorm1d(8), nn.ReLU(), nn.Conv1d(8, 16, 1), nn.ReLU())
            self.local, self.head = nn.Conv1d(3, 8, 1), nn.Linear(16, 5)

        def forward(self, points):
            x = points.transpose(1, 2)
            turn = self.turn(torch.relu(self.local(x)).max(2)[0]).reshape(-1, 3, 3) + torch.eye(3)
            return self.head(self.body(torch.bmm(turn, x)).max(2)[0])

    return Net(), [torch.randn(4, 10, 3)], F.cross_entropy, classes(4)


@model("capsules")
def capsules():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.table = nn.Conv2d(1, 8, 3, 2), nn.Parameter(torch.randn(1, 18, 3, 6, 4) * 0.3)

        @staticmethod
        def squash(s):
            size = (s * s).sum(-1, keepdim=True)
            return size / (1 + size) * s / (size + 1e-6).sqrt()

        def forward(self, x):
            parts = self.squash(self.first(x).reshape(x.shape[0], 18, 4))
            votes = (self.table @ parts[:, :, None, :, None])[..., 0]
            logits = torch.zeros(x.shape[0], 18, 3)
            for _ in range(3):
                out = self.squash((logits.softmax(2)[..., None] * votes).sum(1))
                logits = logits + (votes * out[:, None]).sum(-1)
            return (out * out + 1e-6).sum(-1).sqrt()

    return Net(), [torch.randn(3, 1, 7, 7)], F.cross_entropy, classes(3, 3)


@model("neural ODE")
def neural_ode():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.field, self.head = nn.Sequential(nn.Linear(5, 12), nn.Tanh(), nn.Linear(12, 4)), nn.Linear(4, 2)

        def slope(self, time, y):
            return self.field(torch.cat([y, torch.full_like(y[:, :1], time)], 1))

        def forward(self, y):
            step = 0.25
            for i in range(4):
                t = i * step
                a = self.slope(t, y)
                b = self.slope(t + step / 2, y + step / 2 * a)
                c = self.slope(t + step / 2, y + step / 2 * b)
                y = y + step / 6 * (a + 2 * b + 2 * c + self.slope(t + step, y + step * c))
            return self.head(y)

    return Net(), [torch.randn(6, 4)], squared, torch.randn(6, 2)


@model("splines")
def kolmogorov_arnold():
    class Layer(nn.Module):
        def __init__(self, ins, outs):
            super().__init__()
            self.base, self.spline = nn.Linear(ins, outs), nn.Parameter(torch.randn(outs, ins, 6) * 0.1)
            self.register_buffer("grid", torch.linspace(-2, 2, 6))

        def forward(self, x):
            basis = torch.exp(-(((x[..., None] - self.grid) / 0.8) ** 2))
            return self.base(F.silu(x)) + torch.einsum("bik,oik->bo", basis, self.spline)

    return nn.Sequential(Layer(4, 6), Layer(6, 2)), [torch.randn(5, 4)], squared, torch.randn(5, 2)


@model("temporal convolution")
def temporal_convolution():
    class Block(nn.Module):
        def __init__(self, ins, outs, dilation):
            super().__init__()
            self.cut = dilation * 2
            self.direction, self.size = nn.Parameter(torch.randn(outs, ins, 3)), nn.Parameter(torch.ones(outs, 1, 1))
            self.dilation = dilation
            self.same = nn.Conv1d(ins, outs, 1) if ins != outs else nn.Identity()

        def forward(self, x):
            weight = self.direction * (self.size / (self.direction ** 2).sum((1, 2), keepdim=True).sqrt())
            y = F.conv1d(x, weight, padding=self.cut, dilation=self.dilation)[:, :, :-self.cut]
            return torch.relu(torch.relu(y) + self.same(x))

    body = nn.ModuleList([Block(3, 6, 1), Block(6, 6, 2), nn.Linear(6, 5)])
    return Wrapped(body, lambda m, x: m[2](m[1](m[0](x))[:, :, -1])), [torch.randn(4, 3, 12)], F.cross_entropy, classes(4)


@model("highway")
def highway():
    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.change, self.gate = nn.Linear(8, 8), nn.Linear(8, 8)
            nn.init.constant_(self.gate.bias, -1.0)

        def forward(self, x):
            gate = torch.sigmoid(self.gate(x))
            return gate * F.elu(self.change(x)) + (1 - gate) * x

    return nn.Sequential(Layer(), Layer(), nn.Softsign(), nn.Linear(8, 3)), [torch.randn(6, 8)], F.cross_entropy, classes(6, 3)


@model("involution")
def involution():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.kernel, self.mix, self.head = nn.Conv2d(6, 9, 1), nn.Conv2d(3, 6, 1), nn.Linear(6, 4)

        def forward(self, x):
            x = self.mix(x)
            n, c, h, w = x.shape
            kernel = self.kernel(x).softmax(1).reshape(n, 1, 9, h, w)
            return self.head((F.unfold(x, 3, padding=1).reshape(n, c, 9, h, w) * kernel).sum(2).mean((2, 3)))

    return Net(), [image(6, 3)], F.cross_entropy, classes(3, 4)


@model("super-resolution")
def sub_pixel():
    body = nn.Sequential(nn.ReflectionPad2d(1), nn.Conv2d(3, 8, 3), nn.PReLU(8), nn.InstanceNorm2d(8, affine=True), nn.ReplicationPad2d(1), nn.Conv2d(8, 12, 3), nn.PixelShuffle(2))
    return body, [image(6, 2)], huber, image(12, 2)


@model("set transformer")
def induced_sets():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.points = nn.Parameter(torch.randn(1, 3, 8) * 0.5)
            self.into, self.out, self.norm = nn.MultiheadAttention(8, 2, batch_first=True), nn.MultiheadAttention(8, 2, batch_first=True), nn.LayerNorm(8)
            self.head = nn.Linear(8, 1)

        def forward(self, x):
            points = self.points.expand(x.shape[0], -1, -1)
            h = self.norm(points + self.into(points, x, x, need_weights=False)[0])
            return torch.logsumexp(self.head(x + self.out(x, h, h, need_weights=False)[0]), 1)

    return Net(), [torch.randn(4, 6, 8)], squared, torch.randn(4, 1)


@model("retention")
def retention():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.qkv, self.gate, self.out, self.norm = nn.Linear(8, 24), nn.Linear(8, 8), nn.Linear(8, 8), nn.GroupNorm(2, 8)
            self.words = nn.Embedding(11, 8)
            decay = torch.log(1 - 2.0 ** (-5 - torch.arange(2.0)))
            apart = torch.arange(6.0)[:, None] - torch.arange(6.0)
            self.register_buffer("decay_mask", torch.where(apart >= 0, torch.exp(decay[:, None, None] * apart), torch.zeros(1)))

        def forward(self, tokens):
            x = self.words(tokens)
            q, k, v = (part.reshape(-1, 6, 2, 4).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
            mixed = ((q @ k.transpose(-1, -2) * 0.5 * self.decay_mask) @ v).transpose(1, 2).reshape(-1, 8)
            x = x + self.out(F.silu(self.gate(x)) * self.norm(mixed[..., None]).reshape(-1, 6, 8))
            return x @ self.words.weight.t()

    return Net(), [torch.arange(18).reshape(3, 6) % 11], scored, (torch.arange(18).reshape(3, 6) * 5) % 11


@model("memory network")
def memory_network():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.facts, self.answers, self.asked = nn.Embedding(13, 6), nn.Embedding(13, 6), nn.Embedding(13, 6)
            self.time = nn.Parameter(torch.randn(5, 6) * 0.1)

        def forward(self, story, question):
            place = (1 - torch.arange(1.0, 5.0)[:, None] / 4) - torch.arange(1.0, 7.0) / 6 * (1 - 2 * torch.arange(1.0, 5.0)[:, None] / 4)
            u = self.asked(question).sum(1)
            for _ in range(2):
                weights = ((self.facts(story) * place).sum(2) + self.time) @ u[:, :, None]
                u = u + ((self.answers(story) * place).sum(2) * weights.softmax(1)).sum(1)
            return u @ self.answers.weight.t()

    return Net(), [torch.arange(60).reshape(3, 5, 4) % 13, torch.arange(12).reshape(3, 4) % 13], F.cross_entropy, classes(3, 13)


@model("forecast")
def basis_expansion():
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.body, self.back, self.ahead = nn.Sequential(nn.Linear(12, 10), nn.ReLU(), nn.Linear(10, 10), nn.ReLU()), nn.Linear(10, 4), nn.Linear(10, 4)
            times = torch.arange(16.0) / 16
            self.register_buffer("waves", torch.stack([torch.ones(16), times, torch.cos(2 * math.pi * times), torch.sin(2 * math.pi * times)]))

        def forward(self, x):
            h = self.body(x)
            return self.back(h) @ self.waves[:, :12], self.ahead(h) @ self.waves[:, 12:]

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks = nn.ModuleList([Block(), Block()])

        def forward(self, x):
            total = torch.zeros(x.shape[0], 4)
            for block in self.blocks:
                back, ahead = block(x)
                x, total = x - back, total + ahead
            return total

    return Net(), [torch.randn(5, 12)], huber, torch.randn(5, 4)


@model("mixture density")
def mixture_density():
    def likelihood(out, y):
        chance, centre, width = out.chunk(3, -1)
        width = F.softplus(width) + 1e-2
        return -torch.logsumexp(chance.log_softmax(-1) - ((y - centre) / width) ** 2 / 2 - torch.log(width), -1).mean()

    return nn.Sequential(nn.Linear(3, 10), nn.Hardswish(), nn.Linear(10, 12)), [torch.randn(7, 3)], likelihood, torch.randn(7, 1)


@model("hypernetwork")
def hypernetwork():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.code, self.maker, self.bias = nn.Embedding(4, 5), nn.Linear(5, 24), nn.Linear(5, 4)

        def forward(self, x, task):
            code = self.code(task)
            return torch.baddbmm(self.bias(code)[:, None], x, self.maker(code).reshape(-1, 6, 4))[:, 0]

    return Net(), [torch.randn(4, 1, 6), torch.arange(4)], F.cross_entropy, classes(4, 4)


@model("sparse attention")
def sparsemax():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.score, self.values, self.head = nn.Linear(6, 6), nn.Linear(6, 6), nn.Linear(6, 3)

        def forward(self, x):
            scores = self.score(x)
            sorted_, _ = torch.topk(scores, 6, dim=-1)
            ranks = torch.arange(1.0, 7.0)
            support = (1 + ranks * sorted_ > sorted_.cumsum(-1)).to(scores.dtype)
            count = support.sum(-1, keepdim=True)
            limit = ((sorted_ * support).sum(-1, keepdim=True) - 1) / count
            return self.head(torch.relu(scores - limit) * self.values(x))

    return Net(), [torch.randn(5, 6)], F.cross_entropy, classes(5, 3)


@model("optical flow")
def warped():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.flow, self.features = nn.Conv2d(6, 2, 3, padding=1), nn.Conv2d(3, 4, 3, padding=1)

        def forward(self, a, b):
            ys, xs = torch.linspace(-1, 1, 7)[:, None].expand(7, 7), torch.linspace(-1, 1, 7).expand(7, 7)
            grid = torch.stack([xs, ys], -1) + 0.3 * torch.tanh(self.flow(torch.cat([a, b], 1))).permute(0, 2, 3, 1)
            return F.grid_sample(self.features(b), grid, padding_mode="border", align_corners=True) - self.features(a)

    return Net(), [image(7, 2), image(7, 2)], squared, torch.randn(2, 4, 7, 7)


@model("optical flow")
def mirrored():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.where, self.features = nn.Linear(4, 32), nn.Conv2d(3, 4, 1)

        def forward(self, a, code):
            grid = 1.4 * torch.tanh(self.where(code)).reshape(-1, 4, 4, 2)
            near = F.grid_sample(self.features(a), grid, mode="nearest", padding_mode="reflection", align_corners=False)
            return near + F.grid_sample(self.features(a), grid, padding_mode="reflection", align_corners=False)

    return Net(), [image(6, 2), torch.randn(2, 4)], squared, torch.randn(2, 4, 4, 4)


@model("structured prediction")
def random_field():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.scores, self.moves = nn.Linear(5, 4), nn.Parameter(torch.randn(4, 4) * 0.3)

        def forward(self, x):
            scores = self.scores(x)
            total = scores[:, 0]
            for step in range(1, 6):
                total = torch.logsumexp(total[:, :, None] + self.moves + scores[:, step, None], 1)
            best = scores[:, 0, 0]
            for step in range(1, 6):
                best = best + scores[:, step, step % 4] + self.moves[(step - 1) % 4, step % 4]
            return torch.logsumexp(total, 1) - best

    return Net(), [torch.randn(3, 6, 5)], lambda out, y: (out * y).mean(), torch.ones(3)


@model("pyramid")
def parts_of_unequal_size():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.mix, self.head = nn.Linear(6, 6), nn.Linear(6, 3)

        def forward(self, x):
            a, b, c = torch.tensor_split(self.mix(x), (1, 3), dim=1)
            return self.head(a.sum(1) + b.mean(1) * c.amax(1))

    return Net(), [torch.randn(4, 7, 6)], F.cross_entropy, classes(4, 3)
