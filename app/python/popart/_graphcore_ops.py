"""The operators of builder.aiGraphcore, as functions of the model: nodes of ONNX's own operators that a node of the domain ai.graphcore
stands for. Each method gives (operator, attributes, nodes, number of outputs); a node is (operator, inputs, outputs, attributes), inputs of the
function are "0", "1" …, its outputs "y0", "y1" …. What is not here is not simulated.
"""

import numpy

from ._types import ReductionType, popart_exception

OPSET = 20  # of the nodes of functions


def _number(value, dtype=numpy.float32):
    return {"value": numpy.array(value, dtype)}


def _like(builder, name, value):
    """A number in the type of a value."""
    return _number(value, builder._dtype(name))


def _reduced(value, reduction, last="y0"):
    kind = {ReductionType.Mean: "ReduceMean", ReductionType.Sum: "ReduceSum", ReductionType.NoReduction: "Identity"}[ReductionType(reduction)]
    return (kind, [value], [last], {} if kind == "Identity" else {"keepdims": 0})


def identityloss(builder, args, reduction=ReductionType.Mean):
    return "IdentityLoss", {"reduction": int(reduction)}, [_reduced("0", reduction)], 1


def l1loss(builder, args, lambda_=1.0, reduction=ReductionType.Mean):
    nodes = [("Abs", ["0"], ["abs"], {}), ("Constant", [], ["factor"], _like(builder, args[0], lambda_)),
             ("Mul", ["abs", "factor"], ["scaled"], {}), _reduced("scaled", reduction)]
    return "L1", {"lambda": float(lambda_), "reduction": int(reduction)}, nodes, 1


def nllloss(builder, args, reduction=ReductionType.Mean, ignoreIndex=None, inputIsLogProbability=False):
    word = {ReductionType.Mean: "mean", ReductionType.Sum: "sum", ReductionType.NoReduction: "none"}[ReductionType(reduction)]
    nodes = [("Identity", ["0"], ["log"], {})] if inputIsLogProbability else [("Log", ["0"], ["log"], {})]
    # Classes are last: rows of them, and with no reduction the labels' shape comes back.
    nodes += [("Shape", ["0"], ["classes"], {"start": -1}), ("Constant", [], ["rest"], _number([-1], numpy.int64)),
              ("Concat", ["rest", "classes"], ["rows"], {"axis": 0}), ("Reshape", ["log", "rows"], ["scores"], {}),
              ("Reshape", ["1", "rest"], ["labels"], {}), ("Cast", ["labels"], ["numbers"], {"to": 7})]
    attributes = {"reduction": word}
    if ignoreIndex is not None:
        attributes["ignore_index"] = int(ignoreIndex)
    nodes += [("NegativeLogLikelihoodLoss", ["scores", "numbers"], ["loss"], attributes)]
    nodes += [("Shape", ["1"], ["shape"], {}), ("Reshape", ["loss", "shape"], ["y0"], {})] if word == "none" else [
        ("Identity", ["loss"], ["y0"], {})]
    own = {"reduction": int(reduction), "inputIsLogProbability": int(inputIsLogProbability)}
    if ignoreIndex is not None:
        own["ignoreIndex"] = int(ignoreIndex)
    return "Nll", own, nodes, 1


def scale(builder, args, scale=1.0):
    nodes = [("Constant", [], ["factor"], _like(builder, args[0], scale)), ("Mul", ["0", "factor"], ["y0"], {})]
    return "Scale", {"scale": float(scale)}, nodes, 1


def scaledadd(builder, args, scale0=1.0, scale1=1.0):
    nodes = []
    for index, factor in enumerate((scale0, scale1)):
        nodes += [("Constant", [], ["f%d" % index], _like(builder, args[index], factor)),
                  ("Mul", [str(index), "f%d" % index], ["p%d" % index], {})]
    return "ScaledAdd", {"scale0": float(scale0), "scale1": float(scale1)}, nodes + [("Add", ["p0", "p1"], ["y0"], {})], 1


def gelu(builder, args):
    return "Gelu", {}, [("Gelu", ["0"], ["y0"], {"approximate": "tanh"})], 1


def geluerf(builder, args):
    return "GeluErf", {}, [("Gelu", ["0"], ["y0"], {})], 1


def swish(builder, args):
    return "Swish", {}, [("Sigmoid", ["0"], ["s"], {}), ("Mul", ["0", "s"], ["y0"], {})], 1


def nop(builder, args):
    return "Nop", {}, [("Identity", ["0"], ["y0"], {})], 1


def detach(builder, args):
    return "Detach", {}, [("ai.tilescope:Detach", ["0"], ["y0"], {})], 1


def _one(kind, steps):
    def method(builder, args):
        return kind, {}, steps, 1

    return method


def log1p(builder, args):
    one = ("Constant", [], ["one"], _like(builder, args[0], 1))
    return "Log1p", {}, [one, ("Add", ["0", "one"], ["s"], {}), ("Log", ["s"], ["y0"], {})], 1


def expm1(builder, args):
    one = ("Constant", [], ["one"], _like(builder, args[0], 1))
    return "Expm1", {}, [one, ("Exp", ["0"], ["e"], {}), ("Sub", ["e", "one"], ["y0"], {})], 1


round = nearbyint = _one("Round", [("Round", ["0"], ["y0"], {})])  # noqa: A001
fmod = _one("FMod", [("Mod", ["0", "1"], ["y0"], {"fmod": 1})])
bitwisenot = _one("BitwiseNot", [("BitwiseNot", ["0"], ["y0"], {})])


def reshape(builder, args, shape=()):
    nodes = [("Constant", [], ["shape"], _number(list(shape), numpy.int64)), ("Reshape", ["0", "shape"], ["y0"], {})]
    return "Reshape", {"shape": list(shape)}, nodes, 1


def slice(builder, args, ends=(), starts=(), axes=()):  # noqa: A001
    axes = list(axes) or list(range(len(starts)))
    nodes = [("Constant", [], [name], _number(list(values), numpy.int64)) for name, values in
             (("starts", starts), ("ends", ends), ("axes", axes))]
    return "Slice", {}, nodes + [("Slice", ["0", "starts", "ends", "axes"], ["y0"], {})], 1


def reverse(builder, args, dimensions=()):
    count = len(dimensions)
    names = {"starts": [-1] * count, "ends": [-(1 << 31)] * count, "axes": list(dimensions), "steps": [-1] * count}
    nodes = [("Constant", [], [name], _number(values, numpy.int64)) for name, values in names.items()]
    return "Reverse", {"dimensions": list(dimensions)}, nodes + [("Slice", ["0", *names], ["y0"], {})], 1


def subsample(builder, args, strides=()):
    count = len(strides)
    names = {"starts": [0] * count, "ends": [(1 << 31) - 1] * count, "axes": list(range(count)), "steps": list(strides)}
    nodes = [("Constant", [], [name], _number(values, numpy.int64)) for name, values in names.items()]
    return "Subsample", {"strides": list(strides)}, nodes + [("Slice", ["0", *names], ["y0"], {})], 1


def depthtospace(builder, args, blocksize=1, mode="DCR"):
    return "DepthToSpace", {}, [("DepthToSpace", ["0"], ["y0"], {"blocksize": int(blocksize), "mode": mode})], 1


def groupnormalization(builder, args, num_groups=1, epsilon=1e-05):
    """x, scale, bias of each channel; only the first output is made."""
    shape = builder.getTensorShape(args[0])
    channels = [1, shape[1]] + [1] * (len(shape) - 2)
    nodes = [("Constant", [], ["groups"], _number([shape[0], num_groups, -1], numpy.int64)),
             ("Reshape", ["0", "groups"], ["g"], {}), ("Constant", [], ["ones"], _number([1] * num_groups)),
             ("Constant", [], ["zeros"], _number([0] * num_groups)),
             ("InstanceNormalization", ["g", "ones", "zeros"], ["n"], {"epsilon": float(epsilon)}),
             ("Shape", ["0"], ["whole"], {}), ("Reshape", ["n", "whole"], ["x"], {}),
             ("Constant", [], ["channels"], _number(channels, numpy.int64)), ("Reshape", ["1", "channels"], ["scale"], {}),
             ("Reshape", ["2", "channels"], ["bias"], {}), ("Mul", ["x", "scale"], ["scaled"], {}),
             ("Add", ["scaled", "bias"], ["y0"], {})]
    return "GroupNormalization", {"num_groups": int(num_groups), "epsilon": float(epsilon)}, nodes, [1, 3]


def reducemedian(builder, args, axes=None, keepdims=1):
    raise popart_exception("aiGraphcore.reducemedian is not simulated")


SIMULATED = {name: method for name, method in globals().items() if callable(method) and not name.startswith("_") and name not in (
    "numpy", "ReductionType", "popart_exception", "reducemedian")}
