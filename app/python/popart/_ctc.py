"""The loss of connectionist temporal classification, as nodes of ONNX: the sum over all alignments of the labels, step by step."""

import numpy

from ._types import ReductionType

_NEVER = -1e30  # logarithm of the probability of something impossible; finite, because its gradient is read


class _Nodes:
    """Appends nodes; a call returns the name of the result."""

    def __init__(self):
        self.list = []

    def __call__(self, op, *inputs, name=None, **attributes):
        name = name or "n%d" % len(self.list)
        self.list.append((op, list(inputs), [name], attributes))
        return name

    def constant(self, value, dtype):
        return self("Constant", value=numpy.array(value, dtype))

    def slice(self, x, begin, end, axis):
        return self("Slice", x, *(self.constant([one], numpy.int64) for one in (begin, end, axis)))


def ctcloss(builder, args, reduction=ReductionType.Mean, blank=0, outDataType="UNDEFINED", zeroInfinity=False):
    """`args`: log probabilities [time, batch, classes], labels [batch, longest], and per batch the number of times and of labels."""
    (steps, batch, _), longest = builder.getTensorShape(args[0]), builder.getTensorShape(args[1])[1]
    places, n = 2 * longest + 1, _Nodes()
    kind = builder._dtype(args[0])
    scores = n("Cast", "0", to=1) if kind != numpy.float32 else "0"
    blanks = n.constant(numpy.full((batch, longest, 1), blank), numpy.int64)
    labels, times, lengths = (n("Cast", str(index), to=7) for index in (1, 2, 3))
    pairs = n("Concat", blanks, n("Unsqueeze", labels, n.constant([2], numpy.int64)), axis=2)
    row = n("Concat", n("Reshape", pairs, n.constant([batch, 2 * longest], numpy.int64)), n.constant(numpy.full((batch, 1), blank), numpy.int64), axis=1)
    # A label may directly follow the previous label, without the blank between them, if the two labels differ.
    earlier = n("Concat", n.constant(numpy.full((batch, 2), blank), numpy.int64), n.slice(row, 0, places - 2, 1), axis=1)
    skips = n("And", n("Not", n("Equal", row, n.constant(blank, numpy.int64))), n("Not", n("Equal", row, earlier)))
    index = n("Expand", n("Unsqueeze", row, n.constant([0], numpy.int64)), n.constant([steps, batch, places], numpy.int64))
    emitted = n("GatherElements", scores, index, axis=2)
    never = n.constant(_NEVER, numpy.float32)

    def at(step):
        return n("Squeeze", n.slice(emitted, step, step + 1, 0), n.constant([0], numpy.int64))

    def sum_of(parts):
        most = n("Max", *parts)
        total = None
        for part in parts:
            one = n("Exp", n("Sub", part, most))
            total = one if total is None else n("Add", total, one)
        return n("Add", most, n("Log", total))

    def shifted(value, by):
        return n("Concat", n.constant(numpy.full((batch, by), _NEVER), numpy.float32), n.slice(value, 0, places - by, 1), axis=1)

    first = n.constant([[True, True] + [False] * (places - 2)], numpy.bool_)
    alpha = n("Where", first, at(0), never)
    for step in range(1, steps):
        onward = n("Add", sum_of([alpha, shifted(alpha, 1), n("Where", skips, shifted(alpha, 2), never)]), at(step))
        inside = n("Greater", n("Unsqueeze", times, n.constant([1], numpy.int64)), n.constant(step, numpy.int64))
        alpha = n("Where", inside, onward, alpha)
    last = n("Mul", n("Unsqueeze", lengths, n.constant([1], numpy.int64)), n.constant(2, numpy.int64))
    before = n("Max", n("Sub", last, n.constant(1, numpy.int64)), n.constant(0, numpy.int64))
    ends = [n("GatherElements", alpha, last, axis=1), n("GatherElements", alpha, before, axis=1)]
    ends[1] = n("Where", n("Greater", last, n.constant(0, numpy.int64)), ends[1], never)
    loss = n("Squeeze", n("Neg", sum_of(ends)), n.constant([1], numpy.int64))
    impossible = n("Greater", loss, n.constant(-_NEVER / 2, numpy.float32))
    loss = n("Where", impossible, n.constant(0 if zeroInfinity else numpy.inf, numpy.float32), loss)
    reduction = ReductionType(reduction)
    if reduction == ReductionType.Mean:
        loss = n("Div", loss, n("Cast", n("Max", lengths, n.constant(1, numpy.int64)), to=1))
    if reduction != ReductionType.NoReduction:
        loss = n("ReduceMean" if reduction == ReductionType.Mean else "ReduceSum", loss, keepdims=0)
    wanted = {"FLOAT": 1, "FLOAT16": 10}.get(outDataType, 10 if kind == numpy.float16 else 1)
    n("Cast", loss, name="y0", to=wanted)
    return "CtcLoss", {"blank": int(blank), "reduction": int(reduction), "zeroInfinity": int(zeroInfinity)}, n.list, 1
