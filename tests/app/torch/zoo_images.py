"""Networks for images, and generators, for models.py."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from zoo_parts import Wrapped, classes, image, model, scored, squared


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
