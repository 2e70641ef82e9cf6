"""Graphs, recommendation, speech, detection and others, for models.py."""

import torch
from torch import nn
from torch.nn import functional as F

from zoo_parts import Wrapped, classes, huber, image, model, scored, squared


# ---- graphs, recommendation

class Graph(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.one, self.two, self.kind = nn.Linear(6, 8), nn.Linear(8, 5), kind
        self.from_, self.toward = nn.Linear(8, 1), nn.Linear(8, 1)
        self.register_buffer("source", torch.tensor([0, 1, 2, 3, 4, 0, 2, 1]))
        self.register_buffer("target", torch.tensor([1, 2, 3, 4, 0, 2, 0, 4]))

    def forward(self, x):
        h = self.one(x)
        if self.kind == "attention":
            weights = torch.exp(F.leaky_relu(self.from_(h)[self.source] + self.toward(h)[self.target], 0.2))
            total = torch.zeros(5, 1).scatter_add(0, self.target[:, None], weights)
            messages = h[self.source] * weights / (total[self.target] + 1e-16)
        else:
            messages = h[self.source]
        return self.two(F.elu(torch.zeros(5, 8).scatter_add(0, self.target[:, None].expand(-1, 8), messages)))


@model("GNN")
def graph_convolution():
    return Graph("sum"), [torch.randn(5, 6)], scored, classes(5)


@model("GNN")
def graph_attention():
    return Graph("attention"), [torch.randn(5, 6)], scored, classes(5)


@model("GNN")
def dense_adjacency():
    return Wrapped(nn.ModuleList([nn.Linear(6, 8), nn.Linear(8, 5)]), lambda m, x, a: m[1](torch.relu(a @ m[0](x)))), [
        torch.randn(5, 6), torch.rand(5, 5).round()], scored, classes(5)


@model("recommender")
def dlrm():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.tables = nn.ModuleList(nn.Embedding(10, 4) for _ in range(3))
            self.bottom, self.top = nn.Sequential(nn.Linear(5, 4), nn.ReLU()), nn.Sequential(nn.Linear(10, 8), nn.ReLU(), nn.Linear(8, 1))
            self.register_buffer("rows", torch.tril_indices(4, 4, -1)[0])
            self.register_buffer("columns", torch.tril_indices(4, 4, -1)[1])

        def forward(self, numbers, words):
            dense = self.bottom(numbers)
            rows = torch.stack([dense] + [table(words[:, i]) for i, table in enumerate(self.tables)], 1)
            crossed = torch.bmm(rows, rows.transpose(1, 2))[:, self.rows, self.columns]
            return self.top(torch.cat([dense, crossed], 1))[:, 0]

    return Net(), [torch.randn(8, 5), torch.randint(0, 10, (8, 3))], F.binary_cross_entropy_with_logits, torch.rand(8).round()


@model("recommender")
def factorisation():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.wide, self.deep, self.bias = nn.Embedding(12, 1), nn.Embedding(12, 4), nn.Parameter(torch.zeros(()))

        def forward(self, words):
            rows = self.deep(words)
            return self.bias + self.wide(words).sum((1, 2)) + 0.5 * (rows.sum(1) ** 2 - (rows ** 2).sum(1)).sum(1)

    return Net(), [torch.randint(0, 12, (8, 3))], F.binary_cross_entropy_with_logits, torch.rand(8).round()


@model("recommender")
def two_towers():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.user, self.item = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 4)), nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 4))
            self.scale = nn.Parameter(torch.tensor(1.0))

        def forward(self, user, item):
            return F.normalize(self.user(user), dim=1) @ F.normalize(self.item(item), dim=1).T * self.scale.exp()

    return Net(), [torch.randn(6, 6), torch.randn(6, 5)], scored, torch.arange(6)


@model("mixture of experts")
def mixture_of_experts():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.gate = nn.Linear(6, 4)
            self.experts = nn.ModuleList(nn.Sequential(nn.Linear(6, 12), nn.GELU(), nn.Linear(12, 5)) for _ in range(4))

        def forward(self, x):
            weights, chosen = torch.topk(self.gate(x).softmax(-1), 2)
            each = torch.stack([expert(x) for expert in self.experts], 1)
            picked = torch.gather(each, 1, chosen[..., None].expand(-1, -1, 5))
            return (picked * (weights / weights.sum(1, keepdim=True))[..., None]).sum(1)

    return Net(), [torch.randn(8, 6)], scored, classes(8)


@model("siamese")
def siamese():
    body = nn.Sequential(nn.Conv2d(1, 6, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(24, 8))

    def loss(distance, same):
        return (same * distance ** 2 + (1 - same) * torch.relu(1 - distance) ** 2).mean()

    return Wrapped(body, lambda body, a, b: ((body(a) - body(b)) ** 2).sum(1).add(1e-6).sqrt()), [
        image(10, 4, 1), image(10, 4, 1)], loss, torch.tensor([1.0, 0, 1, 0])


@model("siamese")
def triplets():
    body = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 4))
    return Wrapped(body, lambda body, a, p, n: (body(a) - body(p)).norm(dim=1) - (body(a) - body(n)).norm(dim=1)), [
        torch.randn(8, 6), torch.randn(8, 6), torch.randn(8, 6)], lambda d, y: torch.relu(d + 0.5).mean() + y, torch.zeros(())


@model("siamese")
def contrastive():
    body = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 4))

    def similar(body, x):
        z = F.normalize(body(x), dim=1)
        return (z @ z.T / 0.5).masked_fill(torch.eye(8).bool(), -1e9)

    return Wrapped(body, similar), [torch.randn(8, 6)], scored, torch.tensor([4, 5, 6, 7, 0, 1, 2, 3])


# ---- speech, detection, others

@model("speech")
def conformer():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            half = lambda: nn.Sequential(nn.LayerNorm(16), nn.Linear(16, 32), nn.SiLU(), nn.Linear(32, 16))  # noqa: E731
            self.one, self.two, self.norm = half(), half(), nn.LayerNorm(16)
            self.attend, self.norm_c = nn.MultiheadAttention(16, 2, batch_first=True), nn.LayerNorm(16)
            self.conv = nn.Sequential(nn.Conv1d(16, 32, 1), nn.GLU(1), nn.Conv1d(16, 16, 5, padding=2, groups=16), nn.BatchNorm1d(16), nn.SiLU(),
                                      nn.Conv1d(16, 16, 1))
            self.head = nn.Linear(16, 5)

        def forward(self, x):
            x = x + 0.5 * self.one(x)
            y = self.norm(x)
            x = x + self.attend(y, y, y, need_weights=False)[0]
            x = x + self.conv(self.norm_c(x).transpose(1, 2)).transpose(1, 2)
            return self.head(x + 0.5 * self.two(x))

    return Net(), [torch.randn(3, 9, 16)], scored, classes(27)


@model("speech")
def wavenet():
    class Layer(nn.Module):
        def __init__(self, step):
            super().__init__()
            self.conv, self.out, self.step = nn.Conv1d(8, 16, 2, dilation=step), nn.Conv1d(8, 8, 1), step

        def forward(self, x):
            a, b = self.conv(F.pad(x, (self.step, 0))).chunk(2, 1)
            return x + self.out(torch.tanh(a) * torch.sigmoid(b))

    net = nn.Sequential(nn.Conv1d(1, 8, 1), Layer(1), Layer(2), Layer(4), nn.Conv1d(8, 5, 1))
    return Wrapped(net, lambda net, x: net(x).transpose(1, 2)), [torch.randn(3, 1, 16)], scored, classes(48)


@model("speech")
def depthwise_keywords():
    net = nn.Sequential(nn.Conv1d(8, 8, 5, padding=2, groups=8), nn.Conv1d(8, 12, 1), nn.BatchNorm1d(12), nn.Hardswish(), nn.AdaptiveAvgPool1d(1),
                        nn.Flatten(), nn.Linear(12, 5))
    return net, [torch.randn(4, 8, 20)], scored, classes(4)


@model("detection")
def one_stage_detector():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.LeakyReLU(0.1), nn.Conv2d(8, 16, 3, 2, 1), nn.Mish())
            self.head = nn.Conv2d(16, 2 * 8, 1)
            self.register_buffer("anchors", torch.tensor([[1.0, 2.0], [2.0, 1.0]]).reshape(1, 2, 1, 1, 2))

        def forward(self, x):
            y = self.head(self.body(x)).reshape(x.shape[0], 2, 8, 8, 8).permute(0, 1, 3, 4, 2)
            place, size = torch.sigmoid(y[..., :2]), torch.exp(y[..., 2:4]) * self.anchors
            return torch.cat([place, size, y[..., 4:]], -1)

    return Net(), [image(32, 2)], squared, torch.rand(2, 2, 8, 8, 8)


@model("detection")
def feature_pyramid():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Conv2d(3, 8, 3, 2, 1), nn.Conv2d(8, 12, 3, 2, 1)
            self.one, self.two, self.head = nn.Conv2d(8, 6, 1), nn.Conv2d(12, 6, 1), nn.Conv2d(6, 4, 3, padding=1)

        def forward(self, x):
            a = torch.relu(self.a(x))
            b = torch.relu(self.b(a))
            top = self.two(b)
            low = self.one(a) + F.interpolate(top, scale_factor=2.0)
            return torch.cat([self.head(low).flatten(2), self.head(top).flatten(2)], 2)

    return Net(), [image(16, 2)], huber, torch.randn(2, 4, 80)


@model("spatial transformer")
def spatial_transformer():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.where, self.head = nn.Linear(3 * 64, 6), nn.Linear(3 * 64, 5)
            nn.init.zeros_(self.where.weight)
            self.where.bias.data = torch.tensor([1.0, 0, 0.1, 0, 1, -0.1])

        def forward(self, x):
            theta = self.where(x.flatten(1)).reshape(-1, 2, 3)
            base = torch.stack([torch.linspace(-0.9, 0.9, 8).repeat(8), torch.linspace(-0.9, 0.9, 8).repeat_interleave(8), torch.ones(64)], 0)
            grid = (theta @ base).transpose(1, 2).reshape(-1, 8, 8, 2)
            return self.head(F.grid_sample(x, grid, align_corners=False).flatten(1))

    return Net(), [image(8, 4)], F.cross_entropy, classes(4)


@model("tabular")
def residual_table():
    return Wrapped(nn.ModuleList([nn.Linear(6, 12), nn.Linear(12, 12), nn.Linear(12, 1), nn.LayerNorm(12)]), lambda m, x: m[2](
        m[3](m[0](x) + F.selu(m[1](torch.celu(m[0](x)))))), ), [torch.randn(8, 6)], huber, torch.randn(8, 1)


@model("field")
def radiance_field():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.body, self.density, self.colour = nn.Sequential(nn.Linear(27, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU()), nn.Linear(16, 1), nn.Linear(16, 3)

        def forward(self, points):
            turns = points[..., None] * (2.0 ** torch.arange(4))
            h = self.body(torch.cat([points, turns.sin().flatten(-2), turns.cos().flatten(-2)], -1))
            alpha = 1 - torch.exp(-torch.relu(self.density(h)) * 0.1)
            clear = torch.exp(torch.cumsum(torch.log(1 - alpha + 1e-6), 1))
            return (alpha * clear * torch.sigmoid(self.colour(h))).sum(1)

    return Net(), [torch.randn(5, 6, 3)], squared, torch.rand(5, 3)


@model("reinforcement")
def actor_critic():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.body, self.policy, self.value = nn.Linear(4, 16), nn.Linear(16, 3), nn.Linear(16, 1)

        def forward(self, state, action, gain):
            h = torch.tanh(self.body(state))
            policy, value = F.log_softmax(self.policy(h), -1), self.value(h)[:, 0]
            advantage = gain - value
            chosen = policy.gather(1, action[:, None])[:, 0]
            return -(chosen * gain).mean() + 0.5 * (advantage ** 2).mean() + 0.01 * (policy.exp() * policy).sum(1).mean()

    return Net(), [torch.randn(8, 4), torch.randint(0, 3, (8,)), torch.randn(8)], lambda loss, y: loss + y, torch.zeros(())
