"""Optimisers, as options of a session."""

from ._types import AdamMode, AdaptiveMode, SGDAccumulatorAndMomentum, WeightDecayMode, not_simulated, popart_exception, warn_once


class ClipNormSettings:
    def __init__(self, weightIds, maxNorm):
        self.weights, self.limit, self.all = list(weightIds), float(maxNorm), False

    @staticmethod
    def clipWeights(weightIds, maxNorm):
        return ClipNormSettings(weightIds, maxNorm)

    @staticmethod
    def clipAllWeights(maxNorm):
        settings = ClipNormSettings([], maxNorm)
        settings.all = True
        return settings


class Optimizer:
    """`values`: {"defaultLearningRate": (0.1, is_constant), …}."""

    _defaults = {}

    def __init__(self, values=None, clipNormSettings=(), *_, **__):
        self._values, self._clips = dict(self._defaults), list(clipNormSettings or ())
        for name, value in dict(values or {}).items():
            if name not in self._defaults:
                raise popart_exception("%s has no value %s" % (type(self).__name__, name))
            self._values[name] = float(value[0] if isinstance(value, (tuple, list)) else value)

    def _get(self, name):
        return self._values[name]

    def insertSpecific(self, tensor, values):
        for name, value in values.items():
            default = "default" + name[0].upper() + name[1:]
            if float(value[0]) != self._values.get(default):
                not_simulated("another %s for %s alone" % (name, tensor))

    def getLossScalingVal(self):
        return self._values["lossScaling"]

    def _options(self):
        options = {"loss-scale": self._values["lossScaling"], "learning-rate": self._values["defaultLearningRate"],
                   "weight-decay": self._values["defaultWeightDecay"]}
        for clip in self._clips:
            if not clip.all:
                not_simulated("clipping the gradients of some weights")
            options["clip-norm"] = clip.limit
        return options


class SGD(Optimizer):
    _defaults = {"defaultLearningRate": 0.1, "defaultWeightDecay": 0.0, "defaultMomentum": 0.0, "defaultDampening": 0.0,
                 "defaultVelocityScaling": 1.0, "lossScaling": 1.0, "nesterov": 0.0}

    def __init__(self, values=None, clipNormSettings=(), accumulatorAndMomentum=SGDAccumulatorAndMomentum.Combined, nesterov=False,
                 **named):
        words = {"learningRate": "defaultLearningRate", "weightDecay": "defaultWeightDecay", "momentum": "defaultMomentum",
                 "dampening": "defaultDampening", "velocityScaling": "defaultVelocityScaling", "lossScaling": "lossScaling"}
        values = dict(values) if isinstance(values, dict) else {} if values is None else {"defaultLearningRate": values}
        values.update({words.get(name, name): value for name, value in named.items() if words.get(name, name) in self._defaults})
        super().__init__(values, clipNormSettings)
        if nesterov:
            self._values["nesterov"] = 1.0

    def _options(self):
        if self._values["defaultDampening"] != 0:
            not_simulated("SGD with dampening")
        options = dict(super()._options(), optimiser="sgd", momentum=self._values["defaultMomentum"])
        options["nesterov"] = bool(self._values["nesterov"])
        return options


class ConstSGD(SGD):
    def __init__(self, learningRate, weightDecay=0.0, lossScaling=1.0, clipNormSettings=()):
        super().__init__({"defaultLearningRate": learningRate, "defaultWeightDecay": weightDecay, "lossScaling": lossScaling},
                         clipNormSettings)


class Adam(Optimizer):
    _defaults = {"defaultLearningRate": 0.1, "defaultWeightDecay": 0.0, "defaultBeta1": 0.9, "defaultBeta2": 0.999,
                 "defaultEps": 1e-6, "lossScaling": 1.0, "defaultMaxWeightNorm": 10.0}

    def __init__(self, values=None, mode=AdamMode.Adam, weight_decay_mode=WeightDecayMode.Decay, *types, clipNormSettings=(), **_):
        super().__init__(values, clipNormSettings)
        for given in types:
            if isinstance(given, WeightDecayMode):
                weight_decay_mode = given
        if not isinstance(weight_decay_mode, WeightDecayMode):
            weight_decay_mode = WeightDecayMode.Decay
        self._mode, self._decay = AdamMode(mode), weight_decay_mode

    def _options(self):
        if self._mode not in (AdamMode.Adam, AdamMode.Lamb):
            not_simulated("Adam in the mode %s" % self._mode.name)
        kind = "lamb" if self._mode == AdamMode.Lamb else "adamw" if self._decay == WeightDecayMode.Decay else "adam"
        if kind == "lamb" and self._decay != WeightDecayMode.Decay and self._values["defaultWeightDecay"]:
            not_simulated("Lamb with L2 regularisation")
        if kind == "lamb":
            warn_once("Lamb's largest weight norm has no effect here")
        return dict(super()._options(), optimiser=kind, beta1=self._values["defaultBeta1"], beta2=self._values["defaultBeta2"],
                    epsilon=self._values["defaultEps"])


class Adaptive(Optimizer):
    _defaults = {"defaultLearningRate": 0.01, "defaultWeightDecay": 0.0, "defaultAlpha": 0.99, "defaultMomentum": 0.0,
                 "defaultEps": 1e-6, "lossScaling": 1.0}

    def __init__(self, values=None, mode=AdaptiveMode.RMSProp, weight_decay_mode=WeightDecayMode.L2Regularization, *_, **__):
        super().__init__(values)
        self._mode, self._decay = AdaptiveMode(mode), weight_decay_mode

    def _options(self):
        if self._mode not in (AdaptiveMode.AdaGrad, AdaptiveMode.RMSProp):
            not_simulated("the adaptive mode %s" % self._mode.name)
        if self._values["defaultMomentum"]:
            not_simulated("%s with momentum" % self._mode.name)
        if self._decay != WeightDecayMode.L2Regularization and self._values["defaultWeightDecay"]:
            not_simulated("%s with a decay of weights beside the gradient" % self._mode.name)
        return dict(super()._options(), optimiser=self._mode.name.lower(), beta2=self._values["defaultAlpha"],
                    epsilon=self._values["defaultEps"])
