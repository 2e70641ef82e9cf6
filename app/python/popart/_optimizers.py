"""Optimisers, as options of a session."""

from ._types import AdamMode, AdaptiveMode, SGDAccumulatorAndMomentum, WeightDecayMode, not_simulated, popart_exception, warn_once

# Options of a group of parameters in a session, by PopART's names.
_OF_GROUP = {"learningRate": "learning-rate", "weightDecay": "weight-decay", "momentum": "momentum", "beta1": "beta1", "beta2": "beta2",
             "eps": "epsilon", "alpha": "beta2"}


class ClipNormSettings:
    def __init__(self, weightIds, maxNorm):
        self.weightIds, self.maxNorm, self.all = list(weightIds), float(maxNorm), False

    @staticmethod
    def clipWeights(weightIds, maxNorm):
        return ClipNormSettings(weightIds, maxNorm)

    @staticmethod
    def clipAllWeights(maxNorm):
        settings = ClipNormSettings([], maxNorm)
        settings.all = True
        return settings


def _default(name):
    return "default" + name[0].upper() + name[1:]


class Optimizer:
    """`values`: {"defaultLearningRate": (0.1, is_constant), …}."""

    _defaults = {}
    kept = ""  # the kind of optimiser state in model files
    scale_is_constant = True

    def __init__(self, values=None, clip_norm_settings=()):
        self._values, self._clips, self._specific = dict(self._defaults), list(clip_norm_settings or ()), {}
        for name, value in dict(values or {}).items():
            if name not in self._defaults:
                raise popart_exception("%s has no value %s" % (type(self).__name__, name))
            self._values[name] = float(value[0] if isinstance(value, (tuple, list)) else value)
            if name == "lossScaling" and isinstance(value, (tuple, list)) and not value[1]:
                self.scale_is_constant = False

    def insertSpecific(self, tensor, values):
        """Sets values for one weight only: {"learningRate": (0.1, is_constant), …}."""
        own = self._specific.setdefault(tensor, {})
        for name, value in values.items():
            if _default(name) not in self._defaults:
                raise popart_exception("%s has no value %s of a weight" % (type(self).__name__, name))
            own[name] = float(value[0] if isinstance(value, (tuple, list)) else value)

    def hasSpecific(self, tensor=None):
        return bool(self._specific) if tensor is None else tensor in self._specific

    def getLossScalingVal(self):
        return self._values["lossScaling"]

    def _rate(self, values):
        return values["defaultLearningRate"]

    def _group(self, own):
        """The options of a weight that has separate values."""
        values = dict(self._values, **{_default(name): value for name, value in own.items()})
        options = {_OF_GROUP[name]: values[_default(name)] for name in _OF_GROUP if _default(name) in values}
        for name in own:
            if name not in _OF_GROUP and values[_default(name)] != self._values[_default(name)]:
                not_simulated("another %s for one weight alone" % name)
        options["learning-rate"] = self._rate(values)
        return options

    def _options(self, weights=None):
        """The options of a session; `weights` are the weights that it trains."""
        options = {"loss-scale": self._values["lossScaling"], "learning-rate": self._rate(self._values),
                   "weight-decay": self._values["defaultWeightDecay"]}
        if len(self._clips) > 1:
            not_simulated("several groups of gradients that are clipped")
        for clip in self._clips:
            if not clip.all and weights is not None and set(clip.weightIds) != set(weights):
                not_simulated("clipping the gradients of some weights")
            options["clip-norm"] = clip.maxNorm
        groups = []
        for weight, own in self._specific.items():
            if weights is not None and weight not in weights:
                continue
            values = self._group(own)
            found = next((group for group in groups if group[0] == values), None)
            if found is None:
                groups.append((values, [weight]))
            else:
                found[1].append(weight)
        options["group"] = ["%d:%s=%s" % (number, key, repr(value) if isinstance(value, float) else value)
                            for number, (values, names) in enumerate(groups)
                            for key, value in list(values.items()) + [("parameter", name) for name in names]]
        return options


class SGD(Optimizer):
    """The velocity begins at zero, so dampening is a factor of the rate."""

    kept = "sgd"
    _defaults = {"defaultLearningRate": 0.1, "defaultWeightDecay": 0.0, "defaultMomentum": 0.0, "defaultDampening": 0.0,
                 "defaultVelocityScaling": 1.0, "lossScaling": 1.0, "nesterov": 0.0}

    def __init__(self, pyd=None, clip_norm_settings=(), accumulatorAndMomentum=SGDAccumulatorAndMomentum.Combined, accumType=None,
                 accl1Type=None, debugContext=None):
        super().__init__(pyd, clip_norm_settings)

    def _rate(self, values):
        if values["defaultDampening"] and values["nesterov"]:
            not_simulated("SGD with dampening and Nesterov's momentum")
        return values["defaultLearningRate"] * (1 - values["defaultDampening"])

    def _group(self, own):
        values = super()._group({name: value for name, value in own.items() if name not in ("dampening", "velocityScaling")})
        values["learning-rate"] = self._rate(dict(self._values, **{_default(name): value for name, value in own.items()}))
        return values

    def _options(self, weights=None):
        options = dict(super()._options(weights), optimiser="sgd", momentum=self._values["defaultMomentum"])
        options["nesterov"] = bool(self._values["nesterov"])
        return options


class ConstSGD(SGD):
    def __init__(self, learning_rate, weight_decay=0.0, loss_scaling=1.0, clip_norm_settings=()):
        super().__init__({"defaultLearningRate": learning_rate, "defaultWeightDecay": weight_decay, "lossScaling": loss_scaling},
                         clip_norm_settings)


class Adam(Optimizer):
    kept = "adam"
    _defaults = {"defaultLearningRate": 0.1, "defaultWeightDecay": 0.0, "defaultBeta1": 0.9, "defaultBeta2": 0.999,
                 "defaultEps": 1e-6, "lossScaling": 1.0, "defaultMaxWeightNorm": 10.0}

    def __init__(self, values=None, mode=AdamMode.Adam, weight_decay_mode=WeightDecayMode.Decay, accum_type=None, accl1_type=None,
                 accl2_type=None, clip_norm_settings=(), scaled_optimizer_state=False, debugContext=None):
        super().__init__(values, clip_norm_settings)
        self._mode, self._decay = AdamMode(mode), WeightDecayMode(weight_decay_mode)

    def _options(self, weights=None):
        largest = self._mode == AdamMode.AdaMax
        lamb = self._mode in (AdamMode.Lamb, AdamMode.LambNoBias)
        kind = "adamax" if largest else "lamb" if lamb else "adamw" if self._decay == WeightDecayMode.Decay else "adam"
        if lamb and self._decay != WeightDecayMode.Decay and self._values["defaultWeightDecay"]:
            not_simulated("Lamb with L2 regularisation")
        if lamb:
            warn_once("Lamb's largest weight norm has no effect here")
        options = dict(super()._options(weights), optimiser=kind, beta1=self._values["defaultBeta1"],
                       beta2=self._values["defaultBeta2"], epsilon=self._values["defaultEps"])
        if largest:
            options["decay-beside"] = self._decay == WeightDecayMode.Decay
        if self._mode in (AdamMode.AdamNoBias, AdamMode.LambNoBias):
            options["no-bias-correction"] = True
        return options


class Adaptive(Optimizer):
    kept = "adaptive"
    _defaults = {"defaultLearningRate": 0.01, "defaultWeightDecay": 0.0, "defaultAlpha": 0.99, "defaultMomentum": 0.0,
                 "defaultEps": 1e-6, "lossScaling": 1.0}

    def __init__(self, values=None, mode=AdaptiveMode.RMSProp, weight_decay_mode=WeightDecayMode.Decay, accum_type=None,
                 accl1_type=None, accl2_type=None, accl3_type=None, rmsprop_tf_variant=False, debugContext=None):
        super().__init__(values)
        self._mode, self._decay, self._variant = AdaptiveMode(mode), WeightDecayMode(weight_decay_mode), bool(rmsprop_tf_variant)

    def _options(self, weights=None):
        if self._mode not in (AdaptiveMode.AdaGrad, AdaptiveMode.RMSProp, AdaptiveMode.CenteredRMSProp):
            not_simulated("the adaptive mode %s" % self._mode.name)
        grad = self._mode == AdaptiveMode.AdaGrad
        momenta = [self._values["defaultMomentum"]] + [own["momentum"] for own in self._specific.values() if "momentum" in own]
        if grad and any(momenta):
            not_simulated("AdaGrad with momentum")
        options = dict(super()._options(weights), optimiser="adagrad" if grad else "rmsprop", beta2=self._values["defaultAlpha"],
                       epsilon=self._values["defaultEps"])
        options.update({} if grad else {"momentum": self._values["defaultMomentum"], "centred": self._mode == AdaptiveMode.CenteredRMSProp,
                                        "tensorflow-variant": self._variant})
        options["decay-beside"] = self._decay != WeightDecayMode.L2Regularization
        return options
