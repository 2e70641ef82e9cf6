"""Torch's optimisers with the further arguments of PopTorch."""

import torch

from ._enums import Error, not_simulated
from ._options import warn_once


class VariableAttributes:
    """Which values change between calls. Here all may."""

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
    for name in ("velocity_scaling", "bias_correction", "max_weight_norm", "use_tf_variant"):
        value = named.pop(name, None)
        if value not in (None, 1, 1.0, True) or (name == "use_tf_variant" and value):
            not_simulated("%s with %s" % (kind, name))
    for name in ("use_combined_accum", "accum_type", "velocity_accum_type", "first_order_momentum_accum_type",
                 "second_order_momentum_accum_type"):
        value = named.pop(name, None)
        if value is torch.float16:
            warn_once("%s of poptorch.optim.%s has no effect here: state is kept in float" % (name, kind))
    return own, {name: value for name, value in named.items() if value is not None}


class Optimizer:
    """The state that is on the machine is part of state_dict()."""

    def _start(self, own):
        self.loss_scaling = 1.0 if own["loss_scaling"] is None else float(own["loss_scaling"])
        self.max_grad_norm = own["max_grad_norm"]
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


def settings(optimizer):
    """The options of a session for an optimiser of torch or of this module."""
    groups = optimizer.param_groups
    keys = [key for key in groups[0] if key not in ("params", "loss_scaling", "initial_lr", "foreach", "differentiable", "fused",
                                                    "capturable")]
    for group in groups[1:]:
        for key in keys:
            if group[key] != groups[0][key]:
                not_simulated("an optimiser with another %s for some parameters" % key)
    group = groups[0]
    options = {"learning-rate": float(group["lr"]), "weight-decay": float(group.get("weight_decay", 0)),
               "loss-scale": float(getattr(optimizer, "loss_scaling", 1.0) or 1.0)}
    if getattr(optimizer, "max_grad_norm", None) not in (None, float("inf")):
        options["clip-norm"] = float(optimizer.max_grad_norm)
    for key in ("maximize", "amsgrad", "centered"):
        if group.get(key):
            not_simulated("%s with %s" % (type(optimizer).__name__, key))
    if isinstance(optimizer, torch.optim.SGD):
        if group["dampening"]:
            not_simulated("SGD with dampening")
        options.update(optimiser="sgd", momentum=float(group["momentum"]), nesterov=bool(group["nesterov"]))
    elif isinstance(optimizer, (torch.optim.Adam, torch.optim.AdamW, LAMB)):
        kind = "lamb" if isinstance(optimizer, LAMB) else "adamw" if isinstance(optimizer, torch.optim.AdamW) else "adam"
        options.update(optimiser=kind, beta1=float(group["betas"][0]), beta2=float(group["betas"][1]), epsilon=float(group["eps"]))
    elif isinstance(optimizer, torch.optim.RMSprop):
        if group["momentum"]:
            not_simulated("RMSprop with momentum")
        options.update(optimiser="rmsprop", beta2=float(group["alpha"]), epsilon=float(group["eps"]))
    elif isinstance(optimizer, torch.optim.Adagrad):
        if group["lr_decay"] or group["initial_accumulator_value"]:
            not_simulated("Adagrad with a decay of the rate or an initial accumulator")
        options.update(optimiser="adagrad", epsilon=float(group["eps"]))
    else:
        raise Error("the optimiser %s is not simulated: SGD, Adam, AdamW, LAMB, RMSprop and Adagrad are" % type(optimizer).__name__)
    return options
