"""Recurrent networks and transformers, for models.py."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from zoo_parts import Wrapped, classes, image, model, scored, squared


# ---- recurrent

class Recurrent(nn.Module):
    def __init__(self, layer, out, width, every=False):
        super().__init__()
        self.layer, self.head, self.every = layer, nn.Linear(width, out), every

    def forward(self, x):
        y = self.layer(x)[0]
        return self.head(y if self.every else y[:, -1])


@model("RNN")
def rnn_relu():
    return Recurrent(nn.RNN(6, 10, nonlinearity="relu", batch_first=True), 5, 10), [torch.randn(4, 7, 6)], scored, classes(4)


@model("LSTM")
def lstm_of_two_layers():
    return Recurrent(nn.LSTM(6, 10, 2, batch_first=True), 5, 10), [torch.randn(4, 7, 6)], scored, classes(4)


@model("LSTM")
def lstm_both_ways():
    return Recurrent(nn.LSTM(6, 8, batch_first=True, bidirectional=True), 5, 16, True), [torch.randn(4, 7, 6)], scored, classes(28)


@model("GRU")
def gru():
    return Recurrent(nn.GRU(6, 10, batch_first=True), 5, 10), [torch.randn(4, 7, 6)], scored, classes(4)


@model("LSTM")
def convolutional_lstm():
    class Cell(nn.Module):
        def __init__(self):
            super().__init__()
            self.gates, self.head = nn.Conv2d(3 + 4, 16, 3, padding=1), nn.Conv2d(4, 1, 1)

        def forward(self, x):
            h = c = torch.zeros(x.shape[0], 4, 8, 8)
            for frame in x.unbind(1):
                i, f, g, o = self.gates(torch.cat([frame, h], 1)).chunk(4, 1)
                c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
                h = torch.sigmoid(o) * torch.tanh(c)
            return self.head(h)

    return Cell(), [torch.randn(2, 3, 3, 8, 8)], squared, torch.randn(2, 1, 8, 8)


@model("sequence to sequence")
def attention_of_bahdanau():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.encoder, self.decoder = nn.Embedding(9, 8), nn.GRU(8, 8, batch_first=True), nn.GRUCell(16, 8)
            self.score, self.head = nn.Linear(16, 1), nn.Linear(8, 9)

        def forward(self, words, targets):
            memory, h = self.encoder(self.table(words))
            h, out = h[0], []
            for word in self.table(targets).unbind(1):
                weights = torch.softmax(self.score(torch.tanh(torch.cat([memory, h[:, None].expand_as(memory)], -1))), 1)
                h = self.decoder(torch.cat([word, (weights * memory).sum(1)], -1), h)
                out.append(self.head(h))
            return torch.stack(out, 1)

    return Net(), [torch.randint(0, 9, (3, 5)), torch.randint(0, 9, (3, 4))], scored, classes(12, 9)


# ---- transformers

class Language(nn.Module):
    """A decoder with causal attention; the head is the table of words if it is tied."""

    def __init__(self, tied=False, layers=2, norm_first=True, words=17):
        super().__init__()
        self.words, self.places = nn.Embedding(words, 16), nn.Embedding(8, 16)
        self.blocks = nn.ModuleList(nn.TransformerEncoderLayer(16, 2, 32, 0.0, "gelu", batch_first=True, norm_first=norm_first)
                                    for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(16), nn.Linear(16, words, bias=False)
        self.register_buffer("mask", torch.triu(torch.full((8, 8), -math.inf), 1))
        if tied:
            self.head.weight = self.words.weight

    def forward(self, words):
        x = self.words(words) + self.places(torch.arange(8))
        for block in self.blocks:
            x = block(x, self.mask)
        return self.head(self.norm(x))


def words(count=3, length=8, most=17):
    return torch.randint(0, most, (count, length))


@model("transformer decoder")
def gpt():
    return Language(), [words()], scored, words()


@model("transformer decoder")
def gpt_tied():
    return Language(True), [words()], scored, words()


@model("transformer decoder")
def llama():
    class Norm(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(16))

        def forward(self, x):
            return self.weight * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.one, self.two = Norm(), Norm()
            self.q, self.k, self.v, self.o = (nn.Linear(16, n, bias=False) for n in (16, 8, 8, 16))
            self.up, self.gate, self.down = nn.Linear(16, 40, bias=False), nn.Linear(16, 40, bias=False), nn.Linear(40, 16, bias=False)
            angles = torch.outer(torch.arange(8.0), 10000 ** (-torch.arange(0, 4, 2) / 4))
            self.register_buffer("cos", torch.cat([angles, angles], -1).cos())
            self.register_buffer("sin", torch.cat([angles, angles], -1).sin())

        def turned(self, x):
            one, two = x.chunk(2, -1)
            return x * self.cos + torch.cat([-two, one], -1) * self.sin

        def forward(self, x):
            h = self.one(x)
            q, k, v = (f(h).reshape(x.shape[0], 8, -1, 4).transpose(1, 2) for f in (self.q, self.k, self.v))
            k, v = k.repeat_interleave(2, 1), v.repeat_interleave(2, 1)
            scores = self.turned(q) @ self.turned(k).transpose(-2, -1) / 2
            scores = scores.masked_fill(torch.ones(8, 8).triu(1).bool(), -math.inf)
            x = x + self.o((scores.softmax(-1) @ v).transpose(1, 2).reshape(x.shape))
            h = self.two(x)
            return x + self.down(F.silu(self.gate(h)) * self.up(h))

    net = nn.Sequential(nn.Embedding(17, 16), Block(), Block(), Norm(), nn.Linear(16, 17, bias=False))
    return net, [words()], scored, words()


@model("transformer encoder")
def bert():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.kinds = nn.Embedding(17, 16, padding_idx=0), nn.Embedding(2, 16)
            self.register_buffer("place", torch.arange(8)[None])
            self.places, self.norm = nn.Embedding(8, 16), nn.LayerNorm(16, eps=1e-12)
            self.body = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32, 0.0, "gelu", batch_first=True), 2)
            self.pool, self.head = nn.Linear(16, 16), nn.Linear(16, 2)

        def forward(self, tokens, kinds, mask):
            x = self.norm(self.words(tokens) + self.kinds(kinds) + self.places(self.place))
            x = self.body(x + (1 - mask[..., None]) * -1e-3)
            return self.head(torch.tanh(self.pool(x[:, 0])))

    return Net(), [1 + words(most=16), words(most=2), torch.ones(3, 8)], scored, classes(3, 2)


@model("transformer encoder")
def albert():
    """One layer that is run three times."""
    layer = nn.TransformerEncoderLayer(16, 2, 32, 0.0, batch_first=True)
    return Wrapped(nn.ModuleList([layer, nn.Linear(16, 5)]), lambda m, x: m[1](m[0](m[0](m[0](x))).mean(1))), [torch.randn(4, 6, 16)], scored, classes(4)


@model("transformer")
def transformer():
    net = nn.Transformer(16, 2, 1, 1, 32, 0.0, batch_first=True)
    return net, [torch.randn(2, 6, 16), torch.randn(2, 5, 16)], squared, torch.randn(2, 5, 16)


@model("transformer")
def t5_attention():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.qkv, self.out, self.bias = nn.Linear(16, 48, bias=False), nn.Linear(16, 5), nn.Embedding(8, 2)

        def forward(self, x):
            near = (torch.arange(6)[None] - torch.arange(6)[:, None]).clamp(-3, 3) + 3
            q, k, v = (y.reshape(-1, 6, 2, 8).transpose(1, 2) for y in self.qkv(x).chunk(3, -1))
            scores = q @ k.transpose(2, 3) + self.bias(near).permute(2, 0, 1)
            return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(x.shape).mean(1))

    return Net(), [torch.randn(4, 6, 16)], scored, classes(4)


@model("transformer")
def perceiver():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.latent, self.attend, self.head = nn.Parameter(torch.randn(1, 3, 16)), nn.MultiheadAttention(16, 2, batch_first=True), nn.Linear(16, 5)

        def forward(self, x):
            latent = self.latent.expand(x.shape[0], -1, -1)
            return self.head((latent + self.attend(latent, x, x)[0]).mean(1))

    return Net(), [torch.randn(4, 9, 16)], scored, classes(4)


@model("transformer")
def linear_attention():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.qkv, self.head = nn.Linear(8, 24), nn.Linear(8, 5)

        def forward(self, x):
            q, k, v = self.qkv(x).chunk(3, -1)
            q, k = F.elu(q) + 1, F.elu(k) + 1
            state = torch.einsum("bnd,bne->bde", k, v)
            return self.head((torch.einsum("bnd,bde->bne", q, state) / torch.einsum("bnd,bd->bn", q, k.sum(1))[..., None]).mean(1))

    return Net(), [torch.randn(4, 6, 8)], scored, classes(4)


@model("mixer")
def mlp_mixer():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.patch, self.norm = nn.Conv2d(3, 16, 8, 8), nn.LayerNorm(16)
            self.tokens = nn.Sequential(nn.Linear(16, 24), nn.GELU(), nn.Linear(24, 16))
            self.channels, self.head = nn.Sequential(nn.Linear(16, 24), nn.GELU(), nn.Linear(24, 16)), nn.Linear(16, 5)

        def forward(self, x):
            x = self.patch(x).flatten(2).transpose(1, 2)
            x = x + self.tokens(self.norm(x).transpose(1, 2)).transpose(1, 2)
            return self.head((x + self.channels(self.norm(x))).mean(1))

    return Net(), [image()], scored, classes(4)


@model("state space")
def state_space():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.rate, self.inward, self.outward = nn.Parameter(torch.rand(8)), nn.Linear(4, 8), nn.Linear(8, 5)

        def forward(self, x):
            decay, h = torch.exp(-F.softplus(self.rate)), torch.zeros(x.shape[0], 8)
            for part in self.inward(x).unbind(1):
                h = decay * h + (1 - decay) * part
            return self.outward(h)

    return Net(), [torch.randn(4, 6, 4)], scored, classes(4)
