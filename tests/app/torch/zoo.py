"""Sixty small models of the kinds that people train, for models.py: by name the kind and a function that gives module, inputs and loss."""

import math

import torch
from torch import nn
from torch.nn import functional as F

MODELS = {}


# torch 1.13 exports none of its own regression losses.
def squared(a, b):
    return ((a - b) ** 2).mean()


def huber(a, b):
    distance = (a - b).abs()
    return torch.where(distance < 1, 0.5 * distance * distance, distance - 0.5).mean()


def model(kind):
    def add(function):
        MODELS[function.__name__] = (kind, function)
        return function

    return add


def classes(count, classes_=5):
    return torch.arange(count) % classes_


def scored(scores, labels):
    return F.cross_entropy(scores.flatten(0, -2), labels.flatten())


class Wrapped(nn.Module):
    """A module that takes its input in another form."""

    def __init__(self, inner, function):
        super().__init__()
        self.inner, self.function = inner, function

    def forward(self, *given):
        return self.function(self.inner, *given)


def image(size=32, count=4, channels=3):
    return torch.randn(count, channels, size, size)


# ---- torchvision

def vision(name, size=32, **options):
    import torchvision
    return getattr(torchvision.models, name)(weights=None, num_classes=5, **options), [image(size)], scored, classes(4)


@model("CNN")
def resnet():
    net, *rest = vision("resnet18")
    net.layer3, net.layer4, net.fc = nn.Identity(), nn.Identity(), nn.Linear(128, 5)
    return (net, *rest)


@model("CNN")
def resnext_narrow():
    from torchvision.models.resnet import Bottleneck, ResNet
    net = ResNet(Bottleneck, [1, 1, 1, 1], groups=4, width_per_group=8)
    net.layer3, net.layer4, net.fc = nn.Identity(), nn.Identity(), nn.Linear(512, 5)
    return net, [image(48)], scored, classes(4)


@model("CNN")
def mobilenet_v2():
    from torchvision.models import MobileNetV2
    return MobileNetV2(5, inverted_residual_setting=[[1, 16, 1, 1], [4, 24, 2, 2]], width_mult=0.5), [image()], scored, classes(4)


@model("CNN")
def mobilenet_v3():
    from torchvision.models.mobilenetv3 import InvertedResidualConfig, MobileNetV3
    blocks = [InvertedResidualConfig(16, 3, 16, 16, True, "RE", 2, 1, 1), InvertedResidualConfig(16, 5, 32, 24, True, "HS", 2, 1, 1)]
    return MobileNetV3(blocks, 32, 5), [image(48)], scored, classes(4)


@model("CNN")
def shufflenet():
    from torchvision.models import ShuffleNetV2
    return ShuffleNetV2([2, 2, 1], [8, 16, 32, 48, 64], 5), [image(64)], scored, classes(4)


@model("CNN")
def squeezenet():
    return vision("squeezenet1_1", 48)


@model("CNN")
def mnasnet():
    net, *rest = vision("mnasnet0_5", 48)
    net.layers = nn.Sequential(*list(net.layers)[:10], nn.Conv2d(24, 1280, 1))
    return (net, *rest)


@model("CNN")
def densenet():
    from torchvision.models import DenseNet
    return DenseNet(8, (2, 2, 2), 16, num_classes=5), [image(48)], scored, classes(4)


@model("CNN")
def vgg_with_norm():
    from torchvision.models.vgg import VGG, make_layers
    net = VGG(make_layers([8, "M", 16, "M", 24, 24, "M"], batch_norm=True), num_classes=5)
    net.avgpool, net.classifier = nn.AdaptiveAvgPool2d(2), nn.Sequential(nn.Linear(96, 32), nn.ReLU(), nn.Linear(32, 5))
    return net, [image()], scored, classes(4)


@model("CNN")
def efficientnet():
    from torchvision.models.efficientnet import EfficientNet, MBConvConfig
    return EfficientNet([MBConvConfig(1, 3, 1, 8, 8, 1), MBConvConfig(4, 5, 2, 8, 16, 2)], 0.0, num_classes=5), [image(48)], scored, classes(4)


@model("CNN")
def regnet():
    from torchvision.models.regnet import BlockParams, RegNet
    return RegNet(BlockParams([1, 2], [16, 24], [8, 8], [1.0, 1.0], [2, 2], 0.25), num_classes=5), [image(48)], scored, classes(4)


@model("CNN")
def convnext():
    from torchvision.models.convnext import CNBlockConfig, ConvNeXt
    return ConvNeXt([CNBlockConfig(16, 32, 1), CNBlockConfig(32, None, 2)], num_classes=5), [image()], scored, classes(4)


@model("vision transformer")
def vit():
    from torchvision.models import VisionTransformer
    return VisionTransformer(32, 8, 2, 2, 24, 48, num_classes=5), [image()], scored, classes(4)


@model("vision transformer")
def swin():
    from torchvision.models import SwinTransformer
    return SwinTransformer([4, 4], 12, [2, 2], [2, 4], [4, 4], num_classes=5), [image()], scored, classes(4)


@model("vision transformer")
def maxvit():
    from torchvision.models import MaxVit
    return MaxVit((32, 32), 8, 4, [8, 16], [1, 1], 4, 0.0, num_classes=5), [image()], scored, classes(4)


@model("segmentation")
def fully_convolutional():
    import torchvision
    net = torchvision.models.segmentation.lraspp_mobilenet_v3_large(weights=None, weights_backbone=None, num_classes=5)
    return Wrapped(net, lambda net, x: net(x)["out"].permute(0, 2, 3, 1)), [image(48, 2)], scored, classes(2 * 48 * 48)


@model("optical flow")
def correlation():
    """The correlation volume of RAFT and one update."""
    class Flow(nn.Module):
        def __init__(self):
            super().__init__()
            self.features, self.update = nn.Conv2d(3, 8, 4, 4), nn.Conv2d(66, 2, 3, padding=1)

        def forward(self, one, two):
            a, b = self.features(one).flatten(2), self.features(two).flatten(2)
            volume = torch.matmul(a.transpose(1, 2), b) / math.sqrt(8)
            flow = torch.zeros(one.shape[0], 2, 8, 8)
            return flow + self.update(torch.cat([volume.transpose(1, 2).reshape(-1, 64, 8, 8), flow], 1))

    return Flow(), [image(), image()], squared, torch.randn(4, 2, 8, 8)


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


# ---- generative

@model("GAN")
def generator():
    net = nn.Sequential(nn.ConvTranspose2d(8, 16, 4), nn.BatchNorm2d(16), nn.ReLU(), nn.ConvTranspose2d(16, 8, 4, 2, 1), nn.BatchNorm2d(8), nn.ReLU(),
                        nn.ConvTranspose2d(8, 3, 4, 2, 1), nn.Tanh())
    return net, [torch.randn(4, 8, 1, 1)], squared, image(16)


@model("GAN")
def discriminator():
    net = nn.Sequential(nn.Conv2d(3, 8, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(8, 16, 4, 2, 1), nn.InstanceNorm2d(16, affine=True), nn.LeakyReLU(0.2),
                        nn.Conv2d(16, 1, 4))
    return net, [image(16)], F.binary_cross_entropy_with_logits, torch.rand(4, 1, 1, 1).round()


@model("GAN")
def both_players():
    made, judge = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 6)), nn.Sequential(nn.Linear(6, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
    return nn.Sequential(made, judge), [torch.randn(8, 4)], lambda s, y: F.softplus(-s).mean() + 0 * y, torch.zeros(())


class Variational(nn.Module):
    def __init__(self, levels=1):
        super().__init__()
        self.encoder, self.mean, self.spread = nn.Linear(12, 16), nn.Linear(16, 4), nn.Linear(16, 4)
        self.decoder = nn.Sequential(nn.Linear(4, 16), nn.ELU(), nn.Linear(16, 12))

    def forward(self, x, noise):
        h = F.elu(self.encoder(x))
        mean, spread = self.mean(h), self.spread(h)
        return torch.cat([self.decoder(mean + torch.exp(spread / 2) * noise), mean, spread], 1)


@model("VAE")
def variational():
    def loss(out, x):
        made, mean, spread = out[:, :12], out[:, 12:16], out[:, 16:]
        return F.binary_cross_entropy_with_logits(made, x, reduction="sum") / 8 - 0.5 * (1 + spread - mean ** 2 - spread.exp()).sum() / 8

    return Variational(), [torch.rand(8, 12), torch.randn(8, 4)], loss, torch.rand(8, 12).round()


@model("VAE")
def vector_quantised():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.inward, self.codes, self.outward = nn.Linear(6, 4), nn.Embedding(7, 4), nn.Linear(4, 6)

        def forward(self, x):
            z = self.inward(x)
            distance = (z * z).sum(1, keepdim=True) - 2 * z @ self.codes.weight.T + (self.codes.weight ** 2).sum(1)
            return torch.cat([self.outward(self.codes(distance.argmin(1)) + z), z], 1)

    return Net(), [torch.randn(8, 6)], lambda out, y: squared(out[:, :6], y), torch.randn(8, 6)


@model("autoencoder")
def masked_autoencoder():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.missing, self.out = nn.Linear(6, 16), nn.Parameter(torch.zeros(1, 1, 16)), nn.Linear(16, 6)
            self.block = nn.TransformerEncoderLayer(16, 2, 32, 0.0, batch_first=True)

        def forward(self, x, hidden):
            return self.out(self.block(torch.where(hidden[..., None] > 0, self.missing, self.embed(x))))

    return Net(), [torch.randn(3, 6, 6), torch.rand(3, 6).round()], squared, torch.randn(3, 6, 6)


class UNet(nn.Module):
    def __init__(self, timed=False, mode="bilinear", out=3):
        super().__init__()
        block = lambda i, o: nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.GroupNorm(2, o), nn.SiLU())  # noqa: E731
        self.down, self.middle, self.up, self.head = block(3, 8), block(8, 8), block(16, 8), nn.Conv2d(8, out, 1)
        self.time, self.mode = nn.Sequential(nn.Linear(8, 16), nn.SiLU(), nn.Linear(16, 8)) if timed else None, mode

    def forward(self, x, time=None):
        one = self.down(x)
        two = self.middle(F.avg_pool2d(one, 2))
        if time is not None:
            angles = time[:, None] * torch.exp(-math.log(10000) * torch.arange(4) / 4)
            two = two + self.time(torch.cat([angles.sin(), angles.cos()], 1))[:, :, None, None]
        wide = F.interpolate(two, scale_factor=2, mode=self.mode, align_corners=False if self.mode == "bilinear" else None)
        return self.head(self.up(torch.cat([one, wide], 1)))


@model("U-Net")
def u_net():
    return Wrapped(UNet(out=5), lambda net, x: net(x).permute(0, 2, 3, 1)), [image(16, 2)], scored, classes(2 * 256)


@model("U-Net")
def u_net_of_volumes():
    net = nn.Sequential(nn.Conv3d(1, 4, 3, padding=1), nn.BatchNorm3d(4), nn.ReLU(), nn.MaxPool3d(2), nn.ConvTranspose3d(4, 1, 2, 2))
    return net, [torch.randn(2, 1, 8, 8, 8)], squared, torch.randn(2, 1, 8, 8, 8)


@model("diffusion")
def denoiser():
    return UNet(True, "nearest"), [image(16), torch.rand(4) * 100], squared, image(16)


@model("diffusion")
def diffusion_transformer():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.patch, self.shift, self.attend = nn.Conv2d(3, 16, 4, 4), nn.Linear(8, 96), nn.MultiheadAttention(16, 2, batch_first=True)
            self.mlp, self.out = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 16)), nn.Linear(16, 48)

        def norm(self, x):  # without parameters, which torch's exporter refuses of its own
            centred = x - x.mean(-1, keepdim=True)
            return centred / (centred.pow(2).mean(-1, keepdim=True) + 1e-6).sqrt()

        def forward(self, x, condition):
            x = self.patch(x).flatten(2).transpose(1, 2)
            a, b, c, d, e, f = self.shift(F.silu(condition))[:, None].chunk(6, -1)
            y = self.norm(x) * (1 + a) + b
            x = x + c * self.attend(y, y, y, need_weights=False)[0]
            return self.out(x + f * self.mlp(self.norm(x) * (1 + d) + e))

    return Net(), [image(16), torch.randn(4, 8)], squared, torch.randn(4, 16, 48)


@model("normalising flow")
def real_nvp():
    class Coupling(nn.Module):
        def __init__(self, flip):
            super().__init__()
            self.net, self.flip = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 4)), flip

        def forward(self, x):
            a, b = x[:, :4].chunk(2, 1)
            a, b = (b, a) if self.flip else (a, b)
            scale, shift = self.net(a).chunk(2, 1)
            b = b * torch.exp(torch.tanh(scale)) + shift
            return torch.cat([b, a] if self.flip else [a, b], 1), torch.tanh(scale).sum(1)

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList([Coupling(False), Coupling(True)])

        def forward(self, x):
            total = 0
            for layer in self.layers:
                x, one = layer(x)
                total = total + one
            return -(-0.5 * (x * x).sum(1) + total)

    return Net(), [torch.randn(8, 4)], lambda s, y: s.mean() + y, torch.zeros(())


@model("normalising flow")
def glow_step():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale, self.shift, self.mix = nn.Parameter(torch.zeros(1, 4, 1, 1)), nn.Parameter(torch.zeros(1, 4, 1, 1)), nn.Parameter(
                torch.linalg.qr(torch.randn(4, 4))[0])

        def forward(self, x):
            return F.conv2d((x + self.shift) * torch.exp(self.scale), self.mix[:, :, None, None])

    return Net(), [torch.randn(2, 4, 4, 4)], lambda z, y: (z * z).mean() + y, torch.zeros(())


# ---- graphs, recommendation

class Graph(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.one, self.two, self.kind = nn.Linear(6, 8), nn.Linear(8, 5), kind
        self.from_, self.to = nn.Linear(8, 1), nn.Linear(8, 1)
        self.register_buffer("source", torch.tensor([0, 1, 2, 3, 4, 0, 2, 1]))
        self.register_buffer("target", torch.tensor([1, 2, 3, 4, 0, 2, 0, 4]))

    def forward(self, x):
        h = self.one(x)
        if self.kind == "attention":
            weights = torch.exp(F.leaky_relu(self.from_(h)[self.source] + self.to(h)[self.target], 0.2))
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

    return Net(), [image(8)], scored, classes(4)


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
