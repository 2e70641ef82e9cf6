"""Torch's optimisers, with PopTorch's additional arguments."""

import torch

from ._enums import Error, not_simulated
from ._options import warn_once


class VariableAttributes:
    """Records which values may change between calls. Here all may."""

    def __init__(self):
        self._constant = set()

    def isConstant(self, name):
        return name in self._constant

    def markAsConstant(self, name):
        self._constant.add(name)

    def markAsVariable(self, name):
        self._constant.discard(name)


def _rest(kind, named):
    """The arguments that only PopTorch has."""
    own = {"loss_scaling": named.pop("loss_scaling", None), "max_grad_norm": named.pop("max_grad_norm", None)}
    own["bias_correction"] = named.pop("bias_correction", None) is not False
    if named.pop("max_weight_norm", None):
        not_simulated("%s with max_weight_norm" % kind)
    own["use_tf_variant"] = bool(named.pop("use_tf_variant", False))
    if named.pop("velocity_scaling", None) not in (None, 1, 1.0):
        warn_once("velocity_scaling of poptorch.optim.%s has no effect here: it changes no value but by rounding" % kind)
    for name in ("use_combined_accum", "accum_type", "velocity_accum_type", "first_order_momentum_accum_type",
                 "second_order_momentum_accum_type"):
        value = named.pop(name, None)
        if value is torch.float16:
            warn_once("%s of poptorch.optim.%s has no effect here: state is kept in float" % (name, kind))
    return own, {name: value for name, value in named.items() if value is not None}


class Optimizer:
    """state_dict() includes the state on the machine."""

    def _start(self, own):
        self.loss_scaling = 1.0 if own["loss_scaling"] is None else float(own["loss_scaling"])
        self.use_tf_variant = own["use_tf_variant"]
        self.max_grad_norm, self.bias_correction = own["max_grad_norm"], own["bias_correction"]
        for group in self.param_groups:
            group.setdefault("loss_scaling", self.loss_scaling)
        self.variable_attrs, self._executor, self._loaded = VariableAttributes(), None, None

    def state_dict(self):
        executor = self._executor() if self._executor else None
        state = executor._optimiser_state() if executor else None
        return {**super().state_dict(), "ipu_state": state if state is not None else self._loaded, "ipu_param": None}

    def load_state_dict(self, state):
        super().load_state_dict({name: state[name] for name in ("state", "param_groups")})
        self._loaded = state.get("ipu_state")
        executor = self._executor() if self._executor else None
        if executor and self._loaded:
            executor._write_optimiser_state(self._loaded)

    def __getstate__(self):
        return {name: value for name, value in self.__dict__.items() if name != "_executor"}


def _made(kind):
    base = getattr(torch.optim, kind)

    class Made(Optimizer, base):
        def __init__(self, params, *given, **named):
            own, named = _rest(kind, named)
            base.__init__(self, params, *given, **named)
            self._start(own)

    Made.__name__ = Made.__qualname__ = kind
    return Made


SGD, Adam, AdamW, RMSprop = _made("SGD"), _made("Adam"), _made("AdamW"), _made("RMSprop")


class LAMB(Optimizer, torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, **named):
        own, named = _rest("LAMB", named)
        if named:
            raise TypeError("LAMB has no argument %s" % ", ".join(named))
        torch.optim.Optimizer.__init__(self, params, {"lr": lr, "betas": tuple(betas), "eps": eps, "weight_decay": weight_decay})
        self._start(own)


# Values of a group of parameters: torch's name, the session's name, and the index if torch's value is a pair.
_OF_GROUP = (("lr", "learning-rate", None), ("weight_decay", "weight-decay", None), ("momentum", "momentum", None),
             ("alpha", "beta2", None), ("betas", "beta1", 0), ("betas", "beta2", 1), ("eps", "epsilon", None))


def _group_values(optimizer, group):
    """The options of a session for the values of a group."""
    kind = type(optimizer).__name__
    for key in ("maximize", "amsgrad"):
        if group.get(key):
            not_simulated("%s with %s" % (kind, key))
    values = {option: float(group[key] if place is None else group[key][place]) for key, option, place in _OF_GROUP if key in group}
    if isinstance(optimizer, torch.optim.SGD):
        if group["dampening"] and group["nesterov"]:
            not_simulated("SGD with dampening and Nesterov's momentum")
        values["learning-rate"] *= 1 - group["dampening"]  # the velocity begins at zero, as PopART's
        values["nesterov"] = bool(group["nesterov"])
    return values


def settings(optimizer, names=None):
    """The session's options for an optimiser of torch or of this module. `names`: the parameters' names, by id."""
    groups = optimizer.param_groups
    kinds = ((torch.optim.SGD, "sgd"), (LAMB, "lamb"), (torch.optim.AdamW, "adamw"), (torch.optim.Adam, "adam"),
             (torch.optim.RMSprop, "rmsprop"), (torch.optim.Adagrad, "adagrad"))
    kind = next((word for base, word in kinds if isinstance(optimizer, base)), None)
    if kind is None:
        raise Error("the optimiser %s is not simulated: SGD, Adam, AdamW, LAMB, RMSprop and Adagrad are" % type(optimizer).__name__)
    if kind == "adagrad" and any(group["lr_decay"] or group["initial_accumulator_value"] for group in groups):
        not_simulated("Adagrad with a decay of the rate or an initial accumulator")
    first = _group_values(optimizer, groups[0])
    options = dict(first, optimiser=kind, **{"loss-scale": float(getattr(optimizer, "loss_scaling", 1.0) or 1.0)})
    if getattr(optimizer, "max_grad_norm", None) not in (None, float("inf")):
        options["clip-norm"] = float(optimizer.max_grad_norm)
    if not getattr(optimizer, "bias_correction", True):
        options["no-bias-correction"] = True
    if kind == "rmsprop":
        options.update({"centred": bool(groups[0]["centered"]), "tensorflow-variant": bool(getattr(optimizer, "use_tf_variant", False))})
        if any(bool(group["centered"]) != options["centred"] for group in groups):
            not_simulated("RMSprop that is centred for some groups of parameters")
    words = []
    for group in groups[1:]:
        parameters = [names[id(one)] for one in group["params"] if names and id(one) in names]
        if parameters:
            number = len({word.split(":")[0] for word in words})
            values = _group_values(optimizer, group)
            words += ["%d:%s=%s" % (number, key, int(value) if isinstance(value, bool) else repr(value)) for key, value in values.items()]
            words += ["%d:parameter=%s" % (number, name) for name in parameters]
    options["group"] = words
    return options
