"""Replaces losses of torch.nn.functional while a model is traced. Losses that the exporter lacks become plain arithmetic. Each result is
recorded, because training minimises the last one.
"""

import contextlib

import torch
from torch.nn import functional as F

from ._exact import softplus
from ._ops import _state


def reduced(value, reduction):
    return value.mean() if reduction == "mean" else value.sum() if reduction == "sum" else value


def _old(size_average, reduce, reduction):
    """The reduction. The older arguments `size_average` and `reduce` take precedence if one is given."""
    if size_average is None and reduce is None:
        return reduction
    return "none" if reduce is False else "sum" if size_average is False else "mean"


def _mse(input, target, size_average=None, reduce=None, reduction="mean"):
    difference = input - target
    return reduced(difference * difference, _old(size_average, reduce, reduction))


def _l1(input, target, size_average=None, reduce=None, reduction="mean"):
    return reduced((input - target).abs(), _old(size_average, reduce, reduction))


def _smooth_l1(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    distance = (input - target).abs()
    loss = distance if beta == 0 else torch.where(distance < beta, 0.5 * distance * distance / beta, distance - 0.5 * beta)
    return reduced(loss, _old(size_average, reduce, reduction))


def _huber(input, target, reduction="mean", delta=1.0):
    distance = (input - target).abs()
    return reduced(torch.where(distance < delta, 0.5 * distance * distance, delta * (distance - 0.5 * delta)), reduction)


def _log(x):
    """The logarithm, at least -100 as in torch's binary cross-entropy; without a gradient at 0."""
    nothing = x <= 0
    return torch.where(nothing, torch.full_like(x, -100), torch.where(nothing, torch.ones_like(x), x).log())


def _bce(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    loss = -(target * _log(input) + (1 - target) * _log(1 - input))
    return reduced(loss if weight is None else loss * weight, _old(size_average, reduce, reduction))


def _bce_logits(input, target, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None):
    log = softplus(-input)
    factor = 1 if pos_weight is None else 1 + (pos_weight - 1) * target
    loss = (1 - target) * input + factor * log
    return reduced(loss if weight is None else loss * weight, _old(size_average, reduce, reduction))


def _kl(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    loss = target.exp() * (target - input) if log_target else target * (target.clamp(min=1e-30).log() - input)
    reduction = _old(size_average, reduce, reduction)
    return loss.sum() / input.shape[0] if reduction == "batchmean" else reduced(loss, reduction)


def _cosine_embedding(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    least = 1e-12
    squares = [(one * one).sum(-1) + least for one in (input1, input2)]
    cosine = (input1 * input2).sum(-1) / (squares[0] * squares[1]).sqrt()
    nothing = torch.zeros_like(cosine)
    loss = torch.where(target == 1, 1 - cosine, nothing) + torch.where(target == -1, torch.relu(cosine - margin), nothing)
    return reduced(loss, _old(size_average, reduce, reduction))


def _multi_margin(input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction="mean"):
    target = target.long().unsqueeze(-1)
    short = torch.relu(margin - input.gather(-1, target) + input)
    short = short if p == 1 else short * short
    if weight is not None:
        short = short * weight[target]
    others = torch.arange(input.shape[-1]) != target
    return reduced(torch.where(others, short, torch.zeros_like(short)).sum(-1) / input.shape[-1], _old(size_average, reduce, reduction))


_PLAIN = {"cosine_embedding_loss": _cosine_embedding, "multi_margin_loss": _multi_margin,
          "mse_loss": _mse, "l1_loss": _l1, "smooth_l1_loss": _smooth_l1, "huber_loss": _huber, "binary_cross_entropy": _bce,
          "binary_cross_entropy_with_logits": _bce_logits, "kl_div": _kl}
_OTHERS = ("cross_entropy", "nll_loss", "poisson_nll_loss", "gaussian_nll_loss", "hinge_embedding_loss",
           "margin_ranking_loss", "soft_margin_loss", "multilabel_margin_loss", "multilabel_soft_margin_loss",
           "triplet_margin_loss", "ctc_loss")


def _with_indices(function, name):
    """Cross-entropy with labels of any integer type, label smoothing, and probabilities as targets."""

    def called(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0):
        reduction = _old(size_average, reduce, reduction)
        soft = target.is_floating_point()
        if input.dim() == 1:  # a single sample, without a batch dimension
            loss = called(input.unsqueeze(0), target.unsqueeze(0), weight, None, ignore_index, None, reduction, label_smoothing)
            return loss.squeeze(0) if reduction == "none" else loss
        if name == "nll_loss" or (not soft and label_smoothing == 0):
            return function(input, target if soft else target.long(), weight=weight, ignore_index=ignore_index, reduction=reduction)
        classes = input.shape[1]
        log = F.log_softmax(input, 1)
        weights = None if weight is None else weight.reshape([-1] + [1] * (input.dim() - 2))
        wanted = target if soft else torch.movedim(F.one_hot(target.long().clamp(min=0), classes).to(input.dtype), -1, 1)
        wanted = wanted * (1 - label_smoothing) + label_smoothing / classes
        loss = -((wanted if weights is None else wanted * weights) * log).sum(1)
        if soft:
            return loss.sum() / (loss.numel()) if reduction == "mean" else reduced(loss, reduction)
        counts = (target != ignore_index).to(input.dtype)
        loss = loss * counts
        if weight is not None:
            counts = counts * weight[target.long().clamp(min=0)]
        return loss.sum() / counts.sum() if reduction == "mean" else reduced(loss, reduction)

    return called


@contextlib.contextmanager
def noted():
    """Records losses in the state of the trace while the context is active."""
    from ._missing import LOSSES
    plain = dict(_PLAIN, **LOSSES)
    saved = {name: getattr(F, name) for name in list(_PLAIN) + list(_OTHERS) if hasattr(F, name)}
    depth = [0]

    def noting(function):
        def called(*args, **named):
            depth[0] += 1
            try:
                loss = function(*args, **named)
            finally:
                depth[0] -= 1
            if depth[0] == 0:
                _state["losses"].append((loss, False))
            return loss

        return called

    try:
        for name, function in saved.items():
            made = plain.get(name) or (_with_indices(function, name) if name in ("cross_entropy", "nll_loss") else function)
            setattr(F, name, noting(made))
        yield
    finally:
        for name, function in saved.items():
            setattr(F, name, function)
