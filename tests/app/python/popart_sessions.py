"""popart: models from a builder agree with numpy, training follows the formulas, and unsimulated options are reported.

    popart_sessions.py LIBRARY FOLDER

Exits with 77 (skipped) if numpy is not installed."""

import importlib
import itertools
import os
import sys
import warnings

import checks
from checks import check, refused

np = checks.need("numpy")
import popart


def device():
    return popart.DeviceManager().createIpuModelDevice({})


def result(builder, output, inputs):
    session = popart.InferenceSession(builder.getModelProto(), popart.DataFlow(1, {output: popart.AnchorReturnType("All")}), device())
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.run(popart.PyStepIO(inputs, anchors))
    return anchors[output]


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def called(builder, inputs):
    """tanh(a) + b, twice."""
    inner = builder.createSubgraphBuilder()
    a, b = inner.addUntypedInputTensor(), inner.addUntypedInputTensor()
    inner.addOutputTensor(inner.aiOnnx.add([inner.aiOnnx.tanh([a]), b]))
    once = builder.aiGraphcore.call([inputs[0], inputs[1]], 1, inner)[0]
    return builder.aiGraphcore.call([once, inputs[1]], 1, inner)[0]


def operators():
    """Each operator alone: the builder's model, compared with numpy."""
    r = np.random.RandomState(0)
    x, y = r.rand(2, 3, 4).astype(np.float32) + 0.5, r.rand(2, 3, 4).astype(np.float32) + 0.5
    erf = np.vectorize(__import__("math").erf)
    cases = {
        "add": (lambda b, o, g, i: o.add(i), x + y), "matmul": (lambda b, o, g, i: o.matmul([i[0], o.transpose([i[1]], [0, 2, 1])]),
                                                                x @ y.transpose(0, 2, 1)),
        "softmax": (lambda b, o, g, i: o.softmax([i[0]], axis=2), softmax(x)), "clip": (lambda b, o, g, i: o.clip([i[0]], 1.0, 0.7),
                                                                                       x.clip(0.7, 1.0)),
        "reducesum": (lambda b, o, g, i: o.reducesum([i[0]], axes=[1], keepdims=False), x.sum(1)),
        "slice": (lambda b, o, g, i: g.slice([i[0]], axes=[2], starts=[1], ends=[3]), x[:, :, 1:3]),
        "concat": (lambda b, o, g, i: o.concat(i, 1), np.concatenate([x, y], 1)),
        "split": (lambda b, o, g, i: o.split([i[0]], 2, 2, [1, 3])[1], x[:, :, 1:]),
        "cast": (lambda b, o, g, i: o.cast([i[0]], "INT32"), x.astype(np.int32)),
        "reshape": (lambda b, o, g, i: b.reshape_const(o, [i[0]], [6, 4]), x.reshape(6, 4)),
        "constant": (lambda b, o, g, i: o.mul([i[0], o.constant(np.float32(2))]), 2 * x),
        "unsqueeze": (lambda b, o, g, i: o.squeeze([o.unsqueeze([i[0]], [0])], [0]), x),
        "topk": (lambda b, o, g, i: o.topk([i[0], o.constant(np.array([2], np.int64))], 2)[0], -np.sort(-x, 2)[:, :, :2]),
        "scale": (lambda b, o, g, i: g.scale([i[0]], 3.0), 3 * x),
        "gelu": (lambda b, o, g, i: g.gelu([i[0]]), 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)))),
        "geluerf": (lambda b, o, g, i: g.geluerf([i[0]]), 0.5 * x * (1 + erf(x / np.sqrt(2)))),
        "swish": (lambda b, o, g, i: g.swish([i[0]]), x / (1 + np.exp(-x))), "log1p": (lambda b, o, g, i: g.log1p([i[0]]), np.log1p(x)),
        "expm1": (lambda b, o, g, i: g.expm1([i[0]]), np.expm1(x)), "reverse": (lambda b, o, g, i: g.reverse([i[0]], [1]), x[:, ::-1]),
        "subsample": (lambda b, o, g, i: g.subsample([i[0]], [1, 2, 3]), x[:, ::2, ::3]),
        "scaledadd": (lambda b, o, g, i: g.scaledadd(i, scale0=2.0, scale1=-1.0), 2 * x - y),
        "bucketize": (lambda b, o, g, i: g.bucketize([i[0], o.constant(np.array([0.6, 0.9, 1.2], np.float32))]),
                      np.searchsorted([0.6, 0.9, 1.2], x).astype(np.int32)),
        "sort": (lambda b, o, g, i: g.sort([i[0]], axis=1)[0], np.sort(x, 1)), "atan2": (lambda b, o, g, i: g.atan2(
            [o.sub(i), o.constant(np.float32(-0.5))]), np.arctan2(x - y, np.float32(-0.5))),
        "reducemedian": (lambda b, o, g, i: g.reducemedian([i[0]], axes=[1], keepdims=0)[0], np.median(x, 1)),
        "scatterreduce": (lambda b, o, g, i: g.scatterreduce([i[0], o.constant(np.array([0, 2, 0, 1], np.int32))], axis_size=3),
                          np.stack([x[..., 0] + x[..., 2], x[..., 3], x[..., 1]], -1)),
        "dynamicslice": (lambda b, o, g, i: g.dynamicslice([i[0], o.constant(np.array([1], np.int32))], axes=[2], sizes=[2]), x[:, :, 1:3]),
        "dynamicadd": (lambda b, o, g, i: g.dynamicadd([i[0], o.constant(np.array([1], np.int32)), o.constant(y[:, 1:2])], axes=[1], sizes=[1]),
                       x + y * np.array([0, 1, 0], np.float32)[:, None]),
        "remainder": (lambda b, o, g, i: g.remainder([o.neg([i[0]]), i[1]]), np.mod(-x, y)),
        "reducesum of no axis": (lambda b, o, g, i: o.reducesum([i[0]], axes=[], keepdims=False), x),
        "call": (lambda b, o, g, i: called(b, i), np.tanh(np.tanh(x) + y) + y), "l1loss": (lambda b, o, g, i: g.l1loss([i[0]], 0.5, popart.ReductionType.Sum), 0.5 * np.abs(x).sum()),
        "identityloss": (lambda b, o, g, i: g.identityloss([i[0]]), x.mean()),
    }
    for name, (make, expected) in cases.items():
        builder = popart.Builder()
        inputs = [builder.addInputTensor(popart.TensorInfo("FLOAT", [2, 3, 4])) for _ in range(2)]
        o = builder.aiOnnxOpset6 if name == "clip" else builder.aiOnnx
        output = make(builder, o, builder.aiGraphcore, inputs)
        shape = builder.getTensorShape(output)
        value = result(builder, output, dict(zip(inputs, (x, y))))
        check(list(np.shape(expected)) == shape and np.allclose(value, expected, atol=1e-5), "operator %s" % name)


def training():
    """Gradient, momentum and the sum over micro-batches, against the formula; nllloss with classes last."""
    r = np.random.RandomState(1)
    w0, x, labels = r.rand(3, 5).astype(np.float32), r.rand(2, 2, 2, 4, 3).astype(np.float32), r.randint(0, 5, (2, 2, 2, 4)).astype(np.int32)

    def slope(w, x, labels):
        p = softmax(x @ w)
        loss = -np.log(np.take_along_axis(p, labels[..., None], -1)).mean()
        p[np.arange(len(labels)).reshape(-1, 1), np.arange(labels.shape[1]), labels] -= 1
        return loss, np.einsum("abi,abj->ij", x, p) / labels.size

    builder = popart.Builder()
    data, target = builder.addInputTensor("FLOAT", [2, 4, 3], "data"), builder.addInputTensor("INT32", [2, 4])
    w = builder.addInitializedInputTensor(w0, "w")
    loss = builder.aiGraphcore.nllloss([builder.aiOnnx.softmax([builder.aiOnnx.matmul([data, w])], axis=2), target])
    gradient = popart.reservedGradientPrefix() + w
    options = popart.SessionOptions()
    options.enableGradientAccumulation, options.accumulationFactor = True, 2
    flow = popart.DataFlow(2, {loss: popart.AnchorReturnType("All"), gradient: popart.AnchorReturnType("Final")})
    optimizer = popart.SGD({"defaultLearningRate": (0.1, False), "defaultMomentum": (0.9, True)})
    session = popart.TrainingSession(builder.getModelProto(), flow, loss, optimizer, device(), userOptions=options)
    session.prepareDevice()
    session.weightsFromHost()
    anchors = session.initAnchorArrays()
    check(anchors[loss].shape == (2, 2) and anchors[gradient].shape == (3, 5), "shapes of anchors")
    expected, velocity, losses = w0.copy(), 0, []
    for step in range(2):  # the second with another rate
        session.run(popart.PyStepIO({data: x, target: labels}, anchors))
        for batch in range(2):
            parts = [slope(expected, x[batch, micro], labels[batch, micro]) for micro in range(2)]
            losses += [part[0] for part in parts]
            velocity = 0.9 * velocity + parts[0][1] + parts[1][1]
            expected = expected - (0.1 if step == 0 else 0.05) * velocity
        check(np.allclose(anchors[loss].flatten(), losses[4 * step:], atol=1e-5), "losses of step %d" % step)
        check(np.allclose(anchors[gradient], parts[1][1], atol=1e-5), "the gradient anchor of step %d" % step)
        session.updateOptimizerFromHost(popart.SGD({"defaultLearningRate": (0.05, False), "defaultMomentum": (0.9, True)}))
    session.weightsToHost()
    read = {w: np.empty((3, 5), np.float32)}
    session.readWeights(popart.PyWeightsIO(read))
    check(np.allclose(read[w], expected, atol=1e-5), "the weights")
    path = os.path.join(sys.argv[2], "trained.onnx")
    session.modelToHost(path)
    inference = popart.InferenceSession(path, popart.DataFlow(1, {loss: popart.AnchorReturnType("All")}), device())
    inference.prepareDevice()
    after = inference.initAnchorArrays()
    inference.run(popart.PyStepIO({data: x[0, 0], target: labels[0, 0]}, after))
    check(np.allclose(after[loss], slope(expected, x[0, 0], labels[0, 0])[0], atol=1e-5), "the saved model")
    inference.writeWeights(popart.PyWeightsIO({w: w0}))
    inference.weightsFromHost()
    inference.run(popart.PyStepIO({data: x[0, 0], target: labels[0, 0]}, after))
    check(np.allclose(after[loss], losses[0], atol=1e-5), "weights that were written")
    report = session.getReport()
    check(report.compilation.target.numTiles == 1472 and report.execution.totalCycles.total > 0, "a report of pva")
    check("cycles" in session.getSummaryReport() and session.getCycleCount() > 0, "a summary")


def gradients_alone():
    """A training session without weights gives the gradients that are its anchors; that of the loss is 1."""
    x = np.random.RandomState(3).rand(2, 3).astype(np.float32)
    builder = popart.Builder()
    data = builder.addInputTensor(popart.TensorInfo(x))
    loss = builder.aiGraphcore.identityloss([builder.aiOnnx.tanh([data])], popart.ReductionType.Sum)
    names = [popart.reservedGradientPrefix() + name for name in (data, loss)]
    session = popart.TrainingSession(builder.getModelProto(), popart.DataFlow(1, {name: popart.AnchorReturnType("All") for name in names}),
                                     loss, popart.Adam({}), device())
    anchors = session.initAnchorArrays()
    session.prepareDevice()
    session.weightsFromHost()
    session.run(popart.PyStepIO({data: x}, anchors))
    check(np.allclose(anchors[names[0]], 1 - np.tanh(x) ** 2, atol=1e-5) and anchors[names[1]] == 1, "gradients without weights")
    session = popart.TrainingSession(builder.getModelProto(), popart.DataFlow(1, {loss: popart.AnchorReturnType("All")}), loss,
                                     popart.ConstSGD(0.1), device())
    anchors = session.initAnchorArrays()
    session.prepareDevice()
    session.run(popart.PyStepIO({data: x}, anchors))
    check(np.allclose(anchors[loss], np.tanh(x).sum(), atol=1e-5), "a loss without weights")


def weights_of_their_own():
    """Values of one weight alone, dampening, Adam without its correction; a rate that changes between steps."""

    def train(optimizers):
        builder = popart.Builder()
        a, b = (builder.addInitializedInputTensor(np.float32([4, -3]), name) for name in "ab")
        loss = builder.aiGraphcore.l1loss([builder.aiOnnx.add([a, b])], 1.0, popart.ReductionType.Sum)
        flow = popart.DataFlow(1, {a: popart.AnchorReturnType("All")})
        session = popart.TrainingSession(builder.getModelProto(), flow, loss, optimizers[0], device())
        anchors = session.initAnchorArrays()
        session.prepareDevice()
        session.weightsFromHost()
        for optimizer in optimizers:
            session.updateOptimizerFromHost(optimizer)
            session.run(popart.PyStepIO({}, anchors))
        session.weightsToHost()
        read = {name: np.empty(2, np.float32) for name in (a, b)}
        session.readWeights(popart.PyWeightsIO(read))
        check(np.array_equal(anchors[a], read["a"]), "a weight as an anchor is that after the update")
        return read["a"], read["b"]

    def sgd(own):
        optimizer = popart.SGD({"defaultLearningRate": (0.1, False), "defaultMomentum": (0.9, True), "defaultDampening": (0.5, True)})
        optimizer.insertSpecific("b", {"learningRate": (own, False), "weightDecay": (0.5, True), "momentum": (0.0, True)})
        return optimizer

    first, second = train([sgd(0.2), sgd(0.4)])
    slope = np.float32([1, -1])  # of |a + b|
    velocity, a, b = 0, np.float32([4, -3]), np.float32([4, -3])
    for own in (0.2, 0.4):
        velocity = 0.9 * velocity + 0.5 * slope
        a, b = a - 0.1 * velocity, b - own * 0.5 * (slope + 0.5 * b)
    check(np.allclose(first, a, atol=1e-5) and np.allclose(second, b, atol=1e-5), "values of one weight: %s %s" % (first, second))
    first, _ = train([popart.Adam({"defaultLearningRate": (0.1, True), "defaultEps": (0.0, True)}, popart.AdamMode.AdamNoBias)])
    check(np.allclose(first, [4 - 0.1 * 0.1 / np.sqrt(0.001), -3 + 0.1 * 0.1 / np.sqrt(0.001)], atol=1e-5), "Adam without correction: %s" % first)


def adaptive():
    """Variants of RMSProp, by their formulas: two steps with the gradient 2 x of the loss sum(w * x * 2) and a decay beside it."""
    x, first = np.array([0.5, -1.0, 2.0], np.float32), np.array([1.0, 2.0, -1.0], np.float32)
    for mode in (popart.AdaptiveMode.RMSProp, popart.AdaptiveMode.CenteredRMSProp):
        for momentum in (0.0, 0.9):
            for variant in (False, True):
                builder = popart.Builder()
                given, weights = builder.addInputTensor("FLOAT", [3]), builder.addInitializedInputTensor(first)
                loss = builder.aiGraphcore.identityloss([builder.aiOnnx.mul([given, weights])], popart.ReductionType.Sum)
                optimizer = popart.Adaptive({"defaultLearningRate": (0.1, False), "defaultAlpha": (0.8, True), "defaultEps": (0.01, True),
                                             "defaultMomentum": (momentum, True), "defaultWeightDecay": (0.2, True)}, mode=mode,
                                            rmsprop_tf_variant=variant)
                session = popart.TrainingSession(fnModel=builder.getModelProto(), loss=loss, optimizer=optimizer, deviceInfo=device(),
                                                 dataFlow=popart.DataFlow(1, [loss]))
                session.prepareDevice()
                session.weightsFromHost()
                w, square, mean, velocity = first.astype(float), np.full(3, float(variant)), np.zeros(3), np.zeros(3)
                for _ in range(2):
                    session.run(popart.PyStepIO({given: x}, session.initAnchorArrays()))
                    square, mean = 0.8 * square + 0.2 * x * x, 0.8 * mean + 0.2 * x
                    spread = square - (mean ** 2 if mode == popart.AdaptiveMode.CenteredRMSProp else 0)
                    step = x / np.sqrt(spread + 0.01) * 0.1 if variant else x / (np.sqrt(spread) + 0.01)
                    velocity = momentum * velocity + step
                    if variant:
                        w = w - velocity - (0.2 if momentum else 0.02) * w
                    else:
                        w = w - 0.1 * (velocity + 0.2 * w)
                session.weightsToHost()
                read = np.empty(3, np.float32)
                session.readWeights(popart.PyWeightsIO({weights: read}))
                check(np.allclose(read, w, atol=1e-5), "%s, momentum %g, TensorFlow %s: %s, not %s" % (mode.name, momentum, variant, read, w))


def classification():
    """The CTC loss is that of all alignments of the labels, one by one; a step of training lowers it."""
    steps, classes, labels = 4, 3, [[1, 2], [2, 2], [1, 0]]
    lengths, times = np.uint32([2, 2, 1]), np.uint32([4, 4, 3])
    scores = np.random.RandomState(4).rand(steps, 3, classes).astype(np.float32)
    scores -= np.log(np.exp(scores).sum(2, keepdims=True))
    expected = []
    for row, wanted in enumerate(labels):
        total = 0.0
        for path in itertools.product(range(classes), repeat=int(times[row])):
            kept = [label for place, label in enumerate(path) if label and (place == 0 or path[place - 1] != label)]
            if kept == wanted[:lengths[row]]:
                total += np.exp(sum(scores[step, row, label] for step, label in enumerate(path)))
        expected.append(-np.log(total))
    for reduction, right in ((popart.ReductionType.NoReduction, np.array(expected)), (popart.ReductionType.Sum, sum(expected)),
                             (popart.ReductionType.Mean, np.mean(expected / lengths))):
        builder = popart.Builder()
        given = [builder.addInputTensor("FLOAT", [steps, 3, classes]), builder.addInputTensor("UINT32", [3, 2]),
                 builder.addInputTensor("UINT32", [3]), builder.addInputTensor("UINT32", [3])]
        values = dict(zip(given, (scores, np.uint32(labels), times, lengths)))
        loss = builder.aiGraphcore.ctcloss(given, reduction)
        check(np.allclose(result(builder, loss, values), right, atol=1e-5), "the CTC loss with %s" % reduction.name)


def dropouts():
    """A training session drops and scales, an inference session passes on."""
    builder = popart.Builder()
    x = builder.addInputTensor("FLOAT", [1000])
    w = builder.addInitializedInputTensor(np.ones(1000, np.float32))
    y = builder.aiOnnx.dropout([builder.aiOnnx.mul([x, w])], 1, 0.25)[0]
    loss = builder.aiGraphcore.identityloss([y])
    flow = popart.DataFlow(1, {y: popart.AnchorReturnType("All")})
    for session in (popart.TrainingSession(builder.getModelProto(), flow, loss, popart.ConstSGD(0.1), device()),
                    popart.InferenceSession(builder.getModelProto(), flow, device())):
        session.prepareDevice()
        session.weightsFromHost()
        anchors = session.initAnchorArrays()
        session.run(popart.PyStepIO({x: np.ones(1000, np.float32)}, anchors))
        kept = np.count_nonzero(anchors[y])
        wanted = 600 < kept < 900 and np.allclose(anchors[y][anchors[y] > 0], 1 / 0.75) if isinstance(session, popart.TrainingSession) else kept == 1000
        check(wanted, "%d of 1000 are kept by %s" % (kept, type(session).__name__))


def transformed():
    """A model in other types, without an input that nothing reads, with a weight as a constant."""
    builder = popart.Builder()
    x, _ = (builder.addInputTensor("FLOAT", [2, 3]) for _ in range(2))
    w = builder.addInitializedInputTensor(np.float32([[1, 2, 3], [4, 5, 6]]), "w")
    places = builder.addInitializedInputTensor(np.int64([2, 0]), "places")
    y = builder.aiOnnx.gather([builder.aiOnnx.mul([x, w]), places], axis=1)
    builder.addOutputTensor(y)
    transformer = popart.GraphTransformer(builder.getModelProto())
    transformer.convertFloatsToHalfs()
    transformer.convertINT64ToINT32()
    transformer.removeUnusedInputs()
    transformer.convertAllFixedPointInitializersToConstants()
    changed = popart.Builder(transformer.getModelProto())
    check(changed.getInputTensorIds() == [x] and not changed.isInitializer("places") and changed.isInitializer("w"), "inputs that are left")
    session = popart.InferenceSession(transformer.getModelProto(), popart.DataFlow(1, {y: popart.AnchorReturnType("All")}), device())
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.run(popart.PyStepIO({x: np.full((2, 3), 2, np.float16)}, anchors))
    check(anchors[y].dtype == np.float16 and np.array_equal(anchors[y], [[6, 2], [12, 8]]), "a model in halves: %s" % anchors[y])


def plans():
    """The share of available memory is a dictionary that scripts fill."""
    cycles = []
    for share in ("0.6", "0.05"):
        builder = popart.Builder()
        x = builder.addInputTensor("FLOAT", [256, 1024])
        y = builder.aiOnnx.matmul([x, builder.addInitializedInputTensor(np.zeros((1024, 1024), np.float32))])
        options = popart.SessionOptions()
        options.matmulOptions["availableMemoryProportion"] = share
        session = popart.InferenceSession(builder.getModelProto(), popart.DataFlow(1, {y: popart.AnchorReturnType("Final")}), device(),
                                          userOptions=options)
        session.prepareDevice()
        refused("Must call run before", session.getCycleCount)
        session.run(popart.PyStepIO({x: np.zeros((256, 1024), np.float32)}, session.initAnchorArrays()))
        cycles.append(session.getCycleCount())
    check(cycles[0] != cycles[1], "the share of memory changes the plan: %s cycles" % cycles)


def anchors():
    """The four types of anchors over three batches."""
    for kind, shape, expected in (("All", (3, 2), [[1, 1], [2, 2], [3, 3]]), ("Final", (2,), [3, 3]), ("Sum", (2,), [6, 6])):
        builder = popart.Builder()
        x = builder.addInputTensor(popart.TensorInfo("FLOAT", [2]))
        y = builder.aiOnnx.identity([x])
        session = popart.InferenceSession(builder.getModelProto(), popart.DataFlow(3, {y: popart.AnchorReturnType(kind)}), device())
        session.prepareDevice()
        arrays = session.initAnchorArrays()
        session.run(popart.PyStepIO({x: np.repeat([[1], [2], [3]], 2, 1).astype(np.float32)}, arrays))
        check(arrays[y].shape == shape and np.array_equal(arrays[y], expected), "anchor %s" % kind)


def stages():
    """Two pipeline stages on two IPUs give the same results as one IPU, also if other IPUs are idle before, between or behind them."""
    r = np.random.RandomState(2)
    w0, x = [r.rand(4, 4).astype(np.float32) for _ in range(2)], r.rand(4, 2, 4).astype(np.float32)
    found = []
    for pipelined, ipus in ((False, (0, 1)), (True, (0, 1)), (True, (1, 3)), (True, (2, 0))):
        builder = popart.Builder()
        value = data = builder.addInputTensor(popart.TensorInfo("FLOAT", [2, 4]))
        names = []
        for number, weight in enumerate(w0):
            with builder.virtualGraph(ipus[number]), builder.pipelineStage(number):
                names.append(builder.addInitializedInputTensor(weight))
                value = builder.aiGraphcore.scale([value], 1.5) if number else value  # a stage begins with a function
                value = builder.aiOnnx.tanh([builder.aiOnnx.matmul([value, names[-1]])])
                if number == 1:
                    loss = builder.aiGraphcore.identityloss([value])
        options = popart.SessionOptions()
        options.enableGradientAccumulation, options.accumulationFactor = True, 4
        if pipelined:
            options.virtualGraphMode, options.enablePipelining = popart.VirtualGraphMode.Manual, True
        session = popart.TrainingSession(builder.getModelProto(), popart.DataFlow(1, {loss: popart.AnchorReturnType("All")}), loss,
                                         popart.ConstSGD(0.1), popart.DeviceManager().createIpuModelDevice({"numIPUs": max(ipus) + 1}),
                                         userOptions=options)
        session.prepareDevice()
        refused("Must call weightsFromHost", lambda: session.run(popart.PyStepIO({data: x}, session.initAnchorArrays())))
        session.weightsFromHost()
        session.run(popart.PyStepIO({data: x}, session.initAnchorArrays()))
        session.weightsToHost()
        read = {name: np.empty((4, 4), np.float32) for name in names}
        session.readWeights(popart.PyWeightsIO(read))
        found.append(list(read.values()))
        report = session.getReport()
        active = {i for step in report.execution.steps for i, part in enumerate(step.ipus) if part.cycles}
        check((report.compilation.target.numIPUs, active) == ((1 if not pipelined else 2 if max(ipus) == 1 else 4), set(ipus) if pipelined else {0}),
              "IPUs of the session: %s" % active)
        check(np.allclose(found[0], found[-1], atol=1e-6) and not np.allclose(found[0], w0), "a pipeline on the IPUs %s trains the same" % (ipus,))


def executables():
    """A file has the weights as they were, and fits one model with one set of options."""
    def made(rate=0.5, width=2):
        builder = popart.Builder()
        x = builder.addInputTensor(popart.TensorInfo("FLOAT", [1, width]))
        w = builder.addInitializedInputTensor(np.ones((width, 1), np.float32), "w")
        loss = builder.aiGraphcore.l1loss([builder.aiOnnx.matmul([x, w])], 1.0)
        return x, popart.TrainingSession(builder.getModelProto(), popart.DataFlow(1, {loss: popart.AnchorReturnType("All")}), loss,
                                         popart.ConstSGD(rate), device())

    path, weights = os.path.join(sys.argv[2], "here", "model.popart"), {"w": np.zeros((2, 1), np.float32)}
    x, session = made()
    session.compileAndExport(path)
    session.weightsFromHost()
    session.run(popart.PyStepIO({x: np.array([[1, 2]], np.float32)}, session.initAnchorArrays()))
    session.saveExecutable(path)
    _, other = made()
    other.loadExecutableFromFile(path)
    other.prepareDevice()
    other.weightsFromHost()
    other.weightsToHost()
    other.readWeights(popart.PyWeightsIO(weights))
    check(np.array_equal(weights["w"], [[0.5], [0]]), "an executable keeps trained weights: %s" % weights["w"].tolist())
    with open(path, "rb") as stream:
        made()[1].loadExecutableFromStream(stream)
    for wrong in (made(0.25)[1], made(0.5, 3)[1]):
        refused("another model or with other options", lambda: wrong.loadExecutableFromFile(path))
    refused("is not an executable", lambda: session.loadExecutableFromFile(__file__))


def largest_gradients():
    """AdaMax with and without correction and decay, against its formula."""
    x = np.array([[1, -2], [3, 0.5]], np.float32)
    for mode, decay, inside in itertools.product((popart.AdamMode.AdaMax,), (0, 0.1), (False, True)):
        builder = popart.Builder()
        given = builder.addInputTensor(popart.TensorInfo("FLOAT", [1, 2]))
        w = builder.addInitializedInputTensor(np.array([[0.5], [2]], np.float32), "w")
        loss = builder.aiOnnx.reducesum([builder.aiOnnx.mul([builder.aiOnnx.matmul([given, w])] * 2)], keepdims=False)
        session = popart.TrainingSession(
            builder.getModelProto(), popart.DataFlow(1, {loss: popart.AnchorReturnType("All")}), loss,
            popart.Adam({"defaultLearningRate": (0.1, False), "defaultWeightDecay": (decay, False), "defaultEps": (1e-3, False)}, mode=mode,
                        weight_decay_mode=popart.WeightDecayMode.L2Regularization if inside else popart.WeightDecayMode.Decay), device())
        session.prepareDevice()
        session.weightsFromHost()
        p, m, u = np.array([[0.5], [2.0]]), np.zeros((2, 1)), np.zeros((2, 1))
        for step in range(1, 5):
            row = x[step % 2:step % 2 + 1]
            session.run(popart.PyStepIO({given: row}, session.initAnchorArrays()))
            g = 2 * row.T @ (row @ p) + (decay * p if inside else 0)
            m, u = 0.9 * m + 0.1 * g, np.maximum(0.999 * u, abs(g))
            p = p - 0.1 * (m / (1 - 0.9 ** step) / (u + 1e-3) + (0 if inside else decay * p))
        session.weightsToHost()
        weights = {"w": np.zeros((2, 1), np.float32)}
        session.readWeights(popart.PyWeightsIO(weights))
        check(np.allclose(weights["w"], p, atol=1e-5), "AdaMax (decay %g, inside %s): %s, not %s" % (decay, inside, weights["w"].T, p.T))


def refusals():
    builder = popart.Builder()
    x = builder.addInputTensor(popart.TensorInfo("FLOAT", [2]))
    y = builder.aiOnnx.relu([x])
    refused("packedDataBlock is not simulated", lambda: builder.aiGraphcore.packedDataBlock([x, x]))
    refused("no tensor 'nothing'", lambda: builder.aiOnnx.relu(["nothing"]))
    refused("opset", lambda: builder.aiOnnxOpset8.relu([x]))
    refused("incompatible function arguments", lambda: builder.aiOnnx.relu(x))
    refused("no operator", lambda: builder.aiOnnx.nonsense([x]))
    refused("not in Ir Tensors", lambda: popart.InferenceSession(builder.getModelProto(), popart.DataFlow(1, {"nothing": popart.AnchorReturnType("All")}),
                                                         device()))
    refused("dampening", lambda: popart.SGD({"defaultDampening": (0.5, True), "nesterov": (1, True)})._options())
    for name in ("popart.ir", "popart._internal.ir", "popxl"):
        try:
            importlib.import_module(name)
            check(False, "%s is refused" % name)
        except ImportError as error:
            check("is not simulated" in str(error) and "popart.Builder" in str(error), "%s: %s" % (name, error))
    for options in ({"virtualGraphMode": popart.VirtualGraphMode.ExecutionPhases},
                    {"enableDistributedReplicatedGraphs": True, "globalReplicationFactor": 2}):
        refused("is not simulated", lambda: popart.InferenceSession(
            builder.getModelProto(), popart.DataFlow(1, {y: popart.AnchorReturnType("All")}), device(), userOptions=popart.SessionOptions(options)))
    refused("Must specify return period", lambda: popart.AnchorReturnType("EveryN"))
    refused("accumulationFactor", lambda: popart.InferenceSession(builder.getModelProto(), popart.DataFlow(1, {y: popart.AnchorReturnType("All")}),
                                                                  device(), userOptions=popart.SessionOptions({"accumulationFactor": 2})))
    session = popart.InferenceSession(builder.getModelProto(), popart.DataFlow(1, {y: popart.AnchorReturnType("All")}), device())
    refused("Session must have been prepared before a report can be fetched", session.getSummaryReport)
    session.prepareDevice()
    refused("no data", lambda: session.run(popart.PyStepIO({}, session.initAnchorArrays())))
    refused("elements", lambda: session.run(popart.PyStepIO({x: np.zeros(3, np.float32)}, session.initAnchorArrays())))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            popart.SessionOptions().decomposeGradSumOverStages = True
    check(len(caught) == 1 and "decomposeGradSumOverStages" in str(caught[0].message), "an unknown option gives one warning")


os.makedirs(sys.argv[2], exist_ok=True)
operators()
training()
gradients_alone()
dropouts()
transformed()
plans()
weights_of_their_own()
adaptive()
classification()
anchors()
stages()
largest_gradients()
executables()
refusals()
checks.finish()
