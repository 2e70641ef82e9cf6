"""The operators of builder.aiGraphcore. Each is a function in the model: a node of the domain ai.graphcore calls the function, whose nodes are
ONNX's own operators. Each method returns (operator, attributes, nodes, number of outputs). A node is (operator, inputs, outputs, attributes). The
function's inputs are named "0", "1" …, its outputs "y0", "y1" …. Operators that this file lacks are not simulated.
"""

import numpy

from ._ctc import ctcloss
from ._types import ReductionType, ScatterReduction, popart_exception

OPSET = 20  # opset of the nodes in functions
# The first opset that has an operator in the form used here. In a model of an older opset the node is of the domain ai.tilescope, which has the
# operators of OPSET.
_LEAST = {"Add": 7, "And": 7, "Atan": 7, "BitwiseAnd": 18, "BitwiseNot": 18, "BitwiseOr": 18, "BitwiseXor": 18, "Cast": 9, "DepthToSpace": 11,
          "Div": 7, "Dropout": 12, "Equal": 11, "Expand": 8, "Gelu": 20, "Less": 9, "LessOrEqual": 12, "Mod": 10, "Mul": 7, "NegativeLogLikelihoodLoss": 13,
          "Round": 11, "ScatterElements": 11, "Slice": 11, "Sub": 7, "TopK": 11, "Unsqueeze": 13, "Where": 9}


def least_opset(kind, inputs, attributes):
    if kind == "ScatterElements" and attributes.get("reduction", "none") != "none":
        return 18
    if kind.startswith("Reduce") and len(inputs) > 1:
        return 13 if kind == "ReduceSum" else 18
    if kind == "Shape" and attributes:
        return 15
    return _LEAST.get(kind, 6 if kind in _PLAIN else OPSET)


_PLAIN = ("Abs", "Concat", "Constant", "Exp", "Floor", "Gather", "Identity", "InstanceNormalization", "Log", "Not", "Reciprocal", "ReduceMean",
          "ReduceSum", "Reshape", "Shape", "Sigmoid", "Sqrt", "Transpose")
TRAINS = "training"  # name of a constant in a function's body; sessions that train set it to true


def _number(value, dtype=numpy.float32):
    return {"value": numpy.array(value, dtype)}


def _like(builder, name, value):
    """A number of the same type as a value."""
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
    # Reshapes the scores to rows, because classes come last; without a reduction, the result gets the labels' shape.
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
    """scale0 a + scale1 b; further tensors are scales instead of the numbers."""
    nodes = []
    for index, factor in enumerate((scale0, scale1)):
        if len(args) > 2 + index:
            nodes += [("Identity", [str(2 + index)], ["f%d" % index], {})]
        else:
            nodes += [("Constant", [], ["f%d" % index], _like(builder, args[index], factor))]
        nodes += [("Mul", [str(index), "f%d" % index], ["p%d" % index], {})]
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
bitwiseand, bitwiseor, bitwisexor = (_one(kind, [(kind, ["0", "1"], ["y0"], {})]) for kind in ("BitwiseAnd", "BitwiseOr", "BitwiseXor"))
bitwisexnor = _one("BitwiseXnor", [("BitwiseXor", ["0", "1"], ["x"], {}), ("BitwiseNot", ["x"], ["y0"], {})])
remainder = _one("Remainder", [("Div", ["0", "1"], ["q"], {}), ("Floor", ["q"], ["f"], {}), ("Mul", ["f", "1"], ["m"], {}),
                               ("Sub", ["0", "m"], ["y0"], {})])


def tensorremap(builder, args, remap_type=0):
    """Another layout of the same values, which the planner chooses here."""
    return "TensorRemap", {"remap_type": int(remap_type)}, [("Identity", ["0"], ["y0"], {})], 1


def atan2(builder, args):
    """Divides the smaller number by the larger one, so that values and gradients are right on both axes. At the origin the value is 0 and the
    gradient NaN."""
    constants = [("Constant", [], [name], _like(builder, args[0], value)) for name, value in
                 (("zero", 0), ("pi", numpy.pi), ("minus", -numpy.pi), ("up", numpy.pi / 2), ("down", -numpy.pi / 2))]
    nodes = [("Abs", ["0"], ["y size"], {}), ("Abs", ["1"], ["x size"], {}), ("Greater", ["y size", "x size"], ["steep"], {}),
             ("Where", ["steep", "1", "0"], ["small"], {}), ("Where", ["steep", "0", "1"], ["large"], {}),
             ("Div", ["small", "large"], ["q"], {}), ("Atan", ["q"], ["a"], {}),
             ("Less", ["0", "zero"], ["below"], {}), ("Where", ["below", "minus", "pi"], ["turn"], {}),
             ("Less", ["1", "zero"], ["left"], {}), ("Where", ["left", "turn", "zero"], ["more"], {}), ("Add", ["a", "more"], ["flat angle"], {}),
             ("Where", ["below", "down", "up"], ["quarter"], {}), ("Sub", ["quarter", "a"], ["steep angle"], {}),
             ("Where", ["steep", "steep angle", "flat angle"], ["angle"], {}),
             ("Equal", ["0", "zero"], ["y is 0"], {}), ("Equal", ["1", "zero"], ["x is 0"], {}),
             ("And", ["y is 0", "x is 0"], ["origin"], {}), ("Where", ["origin", "zero", "angle"], ["y0"], {})]
    return "Atan2", {}, constants + nodes, 1


def incrementmod(builder, args, increment=1.0, modulus=1.0):
    nodes = [("Constant", [], ["step"], _like(builder, args[0], increment)), ("Constant", [], ["whole"], _like(builder, args[0], modulus)),
             ("Add", ["0", "step"], ["sum"], {}), ("Mod", ["sum", "whole"], ["y0"], {"fmod": 1})]
    return "IncrementMod", {"increment": float(increment), "modulus": float(modulus)}, nodes, 1


def bucketize(builder, args, right=0):
    """The number of boundaries that are below each value, or, with `right`, equal to it, too."""
    nodes = [("Constant", [], ["last"], _number([-1], numpy.int64)), ("Unsqueeze", ["0", "last"], ["x"], {}),
             ("Less" if right else "LessOrEqual", ["x", "1"], ["above"], {}), ("Not", ["above"], ["below"], {}),  # NaN is above all boundaries
             ("Cast", ["below"], ["ones"], {"to": 6}),
             ("ReduceSum", ["ones", "last"], ["y0"], {"keepdims": 0})]
    return "Bucketize", {"right": int(right)}, nodes, 1


def _axis(axis, rank, what):
    if not -rank <= axis < rank:
        raise popart_exception("%s: axis = %d is outside the acceptable range [%d, %d]" % (what, axis, -rank, rank - 1))
    return axis % rank


def sort(builder, args, axis=-1, descending=0, stable=0):
    """The sorted values and their indices."""
    shape = builder.getTensorShape(args[0])
    axis = _axis(axis, len(shape), "Sort")
    nodes = [("Constant", [], ["count"], _number([shape[axis]], numpy.int64)),
             ("TopK", ["0", "count"], ["y0", "places"], {"axis": axis, "largest": int(bool(descending)), "sorted": 1}),
             ("Cast", ["places"], ["y1"], {"to": 6})]
    return "Sort", {"axis": axis, "descending": int(descending), "stable": int(stable)}, nodes, [2, 2]


def reducemedian(builder, args, axes=None, keepdims=1):
    """The lower median, and its index among the reduced elements."""
    shape = builder.getTensorShape(args[0])
    rank = len(shape)
    axes = list(range(rank)) if axes is None else sorted(_axis(axis, rank, "ReduceMedian") for axis in axes)
    kept = [axis for axis in range(rank) if axis not in axes]
    count = int(numpy.prod([shape[axis] for axis in axes], dtype=numpy.int64))
    result = [1 if axis in axes else shape[axis] for axis in range(rank) if keepdims or axis not in axes]
    nodes = [("Transpose", ["0"], ["t"], {"perm": kept + axes}) if rank else ("Identity", ["0"], ["t"], {})]
    for name, values in (("rows", [shape[axis] for axis in kept] + [count]), ("half", [(count + 1) // 2]),
                         ("from", [(count + 1) // 2 - 1]), ("to", [(count + 1) // 2]), ("last", [-1]), ("result", result)):
        nodes.append(("Constant", [], [name], _number(values, numpy.int64)))
    nodes += [("Reshape", ["t", "rows"], ["r"], {}), ("TopK", ["r", "half"], ["v", "i"], {"axis": -1, "largest": 0, "sorted": 1}),
              ("Slice", ["v", "from", "to", "last"], ["value"], {}), ("Slice", ["i", "from", "to", "last"], ["place"], {}),
              ("Reshape", ["value", "result"], ["y0"], {}), ("Reshape", ["place", "result"], ["p"], {}),
              ("Cast", ["p"], ["y1"], {"to": 6})]
    return "ReduceMedian", {"axes": axes, "keepdims": int(keepdims)}, nodes, [2, 2]


def scatterreduce(builder, args, axis_size, axis=-1, reduction=ScatterReduction.Sum, enable_index_broadcast=1):
    shape, indices = builder.getTensorShape(args[0]), builder.getTensorShape(args[1])
    axis = _axis(int(axis), len(shape), "ScatterReduce")
    if axis_size < 1:
        raise popart_exception("ScatterReduce: axis_size = %d is not valid: it must be greater than zero" % axis_size)
    reduction = ScatterReduction(reduction)
    result = shape[:axis] + [int(axis_size)] + shape[axis + 1:]
    dtype = builder._dtype(args[0])
    first = {"Max": lambda: numpy.finfo(dtype).min if dtype.kind == "f" else numpy.iinfo(dtype).min,
             "Min": lambda: numpy.finfo(dtype).max if dtype.kind == "f" else numpy.iinfo(dtype).max,
             "Mul": lambda: 1}.get(reduction.name, lambda: 0)()
    nodes = [("Constant", [], ["whole"], _number(shape, numpy.int64)), ("Cast", ["1"], ["places"], {"to": 7})]
    if len(indices) < len(shape):
        wide = ([1] * axis + indices + [1] * len(shape))[:len(shape)] if len(indices) == 1 else indices + [1] * (len(shape) - len(indices))
        nodes += [("Constant", [], ["wide"], _number(wide, numpy.int64)), ("Reshape", ["places", "wide"], ["rows"], {})]
    else:
        nodes += [("Identity", ["places"], ["rows"], {})]
    nodes += [("Expand", ["rows", "whole"], ["each"], {})]
    if len(args) > 2:
        nodes += [("Identity", ["2"], ["start"], {})]
    else:
        nodes += [("Constant", [], ["first"], _number(first, dtype)), ("Constant", [], ["size"], _number(result, numpy.int64)),
                  ("Expand", ["first", "size"], ["start"], {})]
    word = {"Sum": "add", "Max": "max", "Min": "min", "Mul": "mul", "NoReduction": "none"}[reduction.name]
    nodes += [("ScatterElements", ["start", "each", "0"], ["y0"], {"axis": axis, "reduction": word})]
    return "ScatterReduce", {"axis": axis, "axis_size": int(axis_size), "reduction": int(reduction)}, nodes, 1


def dynamicslice(builder, args, axes=(), sizes=(), noOverlap=0):
    """Takes, of each axis, `size` elements from an index on; the index may change from run to run."""
    nodes, value = [("Cast", ["1"], ["starts"], {"to": 7})], "0"
    for number, (axis, size) in enumerate(zip(axes, sizes)):
        end = "y0" if number == len(axes) - 1 and len(args) < 3 else "s%d" % number
        nodes += [("Constant", [], ["which%d" % number], _number([number], numpy.int64)),
                  ("Gather", ["starts", "which%d" % number], ["from%d" % number], {}),
                  ("Constant", [], ["run%d" % number], _number(list(range(size)), numpy.int64)),
                  ("Add", ["run%d" % number, "from%d" % number], ["rows%d" % number], {}),
                  ("Gather", [value, "rows%d" % number], [end], {"axis": int(axis)})]
        value = end
    if len(args) > 2:  # the slice gets the shape of this tensor
        nodes += [("Shape", ["2"], ["shape"], {}), ("Reshape", [value, "shape"], ["y0"], {})]
    return "DynamicSlice", {"axes": list(axes), "sizes": list(sizes)}, nodes, 1


def _updated(builder, args, axes, sizes, update, reduction, kind):
    """Replaces or increases, in x, `size` elements of each axis from its index on."""
    if len(axes) != 1:
        return _updated_block(builder, args, [int(axis) for axis in axes], [int(size) for size in sizes], update, reduction, kind)
    axis, shape = int(axes[0]), builder.getTensorShape(args[0])
    part = shape[:axis] + [int(sizes[0])] + shape[axis + 1:]
    run = numpy.arange(sizes[0]).reshape([-1] + [1] * (len(shape) - axis - 1))
    nodes = [("Constant", [], ["part"], _number(part, numpy.int64)), ("Constant", [], ["run"], _number(run, numpy.int64)),
             ("Cast", ["1"], ["starts"], {"to": 7}), ("Constant", [], ["one"], _number([1], numpy.int64)),
             ("Reshape", ["starts", "one"], ["from"], {}), ("Add", ["run", "from"], ["rows"], {}),
             ("Expand", ["rows", "part"], ["places"], {})]
    if update is None:
        nodes += [("Constant", [], ["zero"], _like(builder, args[0], 0)), ("Expand", ["zero", "part"], ["new"], {})]
    else:
        nodes += [("Reshape", [update, "part"], ["new"], {})]
    nodes += [("ScatterElements", ["0", "places", "new"], ["y0"], {"axis": axis, "reduction": reduction})]
    return kind, {"axes": list(axes), "sizes": list(sizes)}, nodes, 1


def _updated_block(builder, args, axes, sizes, update, reduction, kind):
    """The same for several axes: elements are numbered over the flattened tensor."""
    shape = builder.getTensorShape(args[0])
    steps = [int(numpy.prod(shape[axis + 1:], dtype=numpy.int64)) for axis in range(len(shape))]
    part = [sizes[axes.index(axis)] if axis in axes else shape[axis] for axis in range(len(shape))]
    places = sum(numpy.arange(part[axis]).reshape([-1] + [1] * (len(shape) - axis - 1)) * steps[axis] for axis in range(len(shape)))
    nodes = [("Constant", [], ["all"], _number([-1], numpy.int64)), ("Constant", [], ["whole"], _number(shape, numpy.int64)),
             ("Constant", [], ["places"], _number(places.reshape(-1), numpy.int64)),
             ("Constant", [], ["steps"], _number([steps[axis] for axis in axes], numpy.int64)),
             ("Cast", ["1"], ["starts"], {"to": 7}), ("Reshape", ["starts", "all"], ["s"], {}), ("Mul", ["s", "steps"], ["parts"], {}),
             ("ReduceSum", ["parts"], ["from"], {"keepdims": 0}), ("Add", ["places", "from"], ["rows"], {}), ("Reshape", ["0", "all"], ["x"], {})]
    if update is None:
        nodes += [("Constant", [], ["new"], _like(builder, args[0], numpy.zeros(places.size)))]
    else:
        nodes += [("Reshape", [update, "all"], ["new"], {})]
    nodes += [("ScatterElements", ["x", "rows", "new"], ["row"], {"axis": 0, "reduction": reduction}), ("Reshape", ["row", "whole"], ["y0"], {})]
    return kind, {"axes": axes, "sizes": sizes}, nodes, 1


def dynamicupdate(builder, args, axes=(), sizes=(), noOverlap=0):
    return _updated(builder, args, axes, sizes, "2", "none", "DynamicUpdate")


def dynamicadd(builder, args, axes=(), sizes=(), noOverlap=0):
    return _updated(builder, args, axes, sizes, "2", "add", "DynamicAdd")


def dynamiczero(builder, args, axes=(), sizes=(), noOverlap=0):
    return _updated(builder, args, axes, sizes, None, "none", "DynamicZero")


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
    if 0 in strides:
        raise popart_exception("Strides invalid. 0 stride at index %d" % list(strides).index(0))
    names = {"starts": [0] * count, "ends": [(1 << 31) - 1] * count, "axes": list(range(count)), "steps": list(strides)}
    nodes = [("Constant", [], [name], _number(values, numpy.int64)) for name, values in names.items()]
    return "Subsample", {"strides": list(strides)}, nodes + [("Slice", ["0", *names], ["y0"], {})], 1


def depthtospace(builder, args, blocksize=1, mode="DCR"):
    return "DepthToSpace", {}, [("DepthToSpace", ["0"], ["y0"], {"blocksize": int(blocksize), "mode": mode})], 1


def groupnormalization(builder, args, num_groups=1, epsilon=1e-05):
    """Takes x, and scale and bias of each channel. Also gives the mean and the inverse deviation of each group."""
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
    nodes += [("Constant", [], ["last"], _number([-1], numpy.int64)), ("Constant", [], ["e"], _like(builder, args[0], epsilon)),
              ("ReduceMean", ["g", "last"], ["m"], {}), ("Reshape", ["m", "last"], ["y1"], {}), ("Sub", ["g", "m"], ["c"], {}),
              ("Mul", ["c", "c"], ["cc"], {}), ("ReduceMean", ["cc", "last"], ["v"], {}), ("Add", ["v", "e"], ["ve"], {}),
              ("Sqrt", ["ve"], ["deviation"], {}), ("Reciprocal", ["deviation"], ["i"], {}), ("Reshape", ["i", "last"], ["y2"], {})]
    return "GroupNormalization", {"num_groups": int(num_groups), "epsilon": float(epsilon)}, nodes, [3, 3]


def shapeddropout(builder, args, shape=(), ratio=0.5):
    """Drops all elements along the axes where `shape` is 1 together; only in a session that trains."""
    if not 0 <= ratio < 1:
        raise popart_exception("ShapedDropout: ratio value %g is not valid. Please use a value in the interval [0,1)" % ratio)
    whole, wanted = builder.getTensorShape(args[0]), [int(size) for size in shape]
    fits = len(wanted) <= len(whole) and all(one in (1, size) for one, size in zip(wanted[::-1], whole[::-1]))
    if not fits:
        raise popart_exception("ShapedDropout: the shape %s cannot be broadcast to that of the input, %s" % (wanted, whole))
    nodes = [("Constant", [], ["one"], _like(builder, args[0], numpy.ones(wanted))), ("Constant", [], ["ratio"], _number(ratio)),
             ("Dropout", ["one", "ratio", TRAINS], ["mask"], {}), ("Mul", ["0", "mask"], ["y0"], {})]
    return "ShapedDropout", {"shape": wanted, "ratio": float(ratio)}, [("Constant", [], [TRAINS], _number(False, bool))] + nodes, 1


def groupedgather(builder, args, axis=0, group_size=1):
    """The first dimension counts groups. Each group gathers along the axis with its own indices."""
    shape, count = builder.getTensorShape(args[0]), int(group_size)
    axis = _axis(int(axis), len(shape), "GroupedGather")
    if axis == 0 or shape[0] != count:
        raise popart_exception("GroupedGather: the first of the dimensions %s is not that of %d groups, or the axis %d" % (shape, count, axis))
    nodes = []
    for group in range(count):
        nodes += [("Constant", [], ["n%d" % group], _number(group, numpy.int64)), ("Gather", ["0", "n%d" % group], ["x%d" % group], {}),
                  ("Gather", ["1", "n%d" % group], ["i%d" % group], {}),
                  ("Gather", ["x%d" % group, "i%d" % group], ["g%d" % group], {"axis": axis - 1}),
                  ("Unsqueeze", ["g%d" % group, "first"], ["u%d" % group], {})]
    nodes = [("Constant", [], ["first"], _number([0], numpy.int64))] + nodes
    return "GroupedGather", {"axis": axis, "group_size": count}, nodes + [
        ("Concat", ["u%d" % group for group in range(count)], ["y0"], {"axis": 0})], 1


SIMULATED = {name: method for name, method in globals().items() if callable(method) and not name.startswith("_") and name not in (
    "numpy", "ReductionType", "ScatterReduction", "popart_exception")}
