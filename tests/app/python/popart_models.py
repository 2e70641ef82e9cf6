"""popart: what sessions save and what they make of models: typed tensors, states of the optimiser, tensors in files of their own, statistics of
norms, gradients, operators that are several of ONNX's, and stages that share an IPU.

    popart_models.py LIBRARY FOLDER

Exits with 77 (skipped) if numpy is not installed."""

import json
import os
import sys

import checks
from checks import check, refused

np = checks.need("numpy")
import popart
from popart import _weights
from tilescope import _program

FOLDER = sys.argv[2]
ALL = popart.AnchorReturnType("All")


def device(ipus=1):
    return popart.DeviceManager().createIpuModelDevice({"numIPUs": ipus})


def linear(optimizer, model=None, change=lambda builder, names: None):
    """A session on mean((x w)^2), or on a model that was saved; names of x, w and the loss."""
    builder = popart.Builder()
    x = builder.addInputTensor("FLOAT", [2, 3])
    w = builder.addInitializedInputTensor(np.linspace(-1, 1, 12).reshape(3, 4).astype(np.float32), "w")
    y = builder.aiOnnx.matmul([x, w])
    loss = builder.aiGraphcore.identityloss([builder.aiOnnx.mul([y, y])])
    change(builder, [w])
    session = popart.TrainingSession(builder.getModelProto() if model is None else model, popart.DataFlow(1, {loss: ALL}), loss, optimizer,
                                     device())
    session.prepareDevice()
    session.weightsFromHost()
    return session, x, w, loss


def run(session, inputs):
    anchors = session.initAnchorArrays()
    session.run(popart.PyStepIO(inputs, anchors))
    return anchors


def saved_states():
    """A saved model goes on where it was: weights, velocity, moments and the count of steps are in it, under PopART's names."""
    data = np.arange(6, dtype=np.float32).reshape(2, 3) / 6
    kinds = {"sgd": (lambda: popart.SGD({"defaultLearningRate": (0.1, True), "defaultMomentum": (0.9, True)}), ["Accl___w"]),
             "adam": (lambda: popart.Adam({"defaultLearningRate": (0.1, True)}), ["Accl1___w", "Accl2___w", "Step___w"]),
             "centred": (lambda: popart.Adaptive({"defaultLearningRate": (0.1, True)}, mode=popart.AdaptiveMode.CenteredRMSProp),
                         ["Accl1___w", "Accl2___w"]),
             "plain": (lambda: popart.ConstSGD(0.1), [])}
    for kind, (make, states) in kinds.items():
        path = os.path.join(FOLDER, kind + ".onnx")
        session, x, w, loss = linear(make())
        for _ in range(3):
            run(session, {x: data})
        session.modelToHost(path)
        with open(path, "rb") as file:
            tensors = _weights.initialisers(file.read())
        check(list(tensors) == [w] + states, "%s: the model has %s" % (kind, list(tensors)))
        session.weightsToHost()
        read = {name: np.zeros(value.shape, value.dtype) for name, value in tensors.items()}
        session.readWeights(popart.PyWeightsIO(read))
        check(all(np.array_equal(read[name], tensors[name]) for name in read), "%s: the weights of the host are those of the file" % kind)
        other = linear(make(), path)[0]
        for _ in range(3):
            check(np.array_equal(run(other, {x: data})[loss], run(session, {x: data})[loss]), "%s: a saved model goes on" % kind)
        other.resetHostWeights(path)
        other.weightsFromHost()
        other.weightsToHost()
        other.readWeights(popart.PyWeightsIO(read))
        check(all(np.array_equal(read[name], tensors[name]) for name in read), "%s: and is reset" % kind)


def weights_of_the_host():
    """modelToHost() also reads the weights back; feeding a name that is not an input is refused, and so is writing constant weights."""
    path, data = os.path.join(FOLDER, "host.onnx"), np.ones((2, 3), np.float32)
    session, x, _, loss = linear(popart.ConstSGD(0.1))
    losses = [float(run(session, {x: data})[loss]) for _ in range(2)]
    session.modelToHost(path)
    session.weightsFromHost()
    losses.append(float(run(session, {x: data})[loss]))
    check(losses[0] > losses[1] > losses[2], "training goes on after modelToHost: %s" % losses)
    refused("'y' has been provided as one of the inputs to the stepIO", lambda: run(session, {x: data, "y": data}))
    for constant in (True, False):
        options = popart.SessionOptions()
        options.constantWeights = constant
        other = popart.InferenceSession(path, popart.DataFlow(1, {loss: ALL}), device(), userOptions=options)
        other.prepareDevice()
        if constant:
            refused("constantWeights is set", lambda other=other: other.resetHostWeights(path, True))
        else:
            other.resetHostWeights(path, True)
            other.weightsFromHost()
            check(abs(float(run(other, {x: data})[loss]) - losses[2]) < 1e-6, "weights of the file")


def replicas():
    """The report of a session has the IPUs of one replica and says how many replicas there are."""
    builder, options = popart.Builder(), popart.SessionOptions()
    x, w = builder.addInputTensor("FLOAT", [2, 2]), builder.addInitializedInputTensor(np.eye(2, dtype=np.float32))
    loss = builder.aiGraphcore.l1loss([builder.aiOnnx.matmul([x, w])], 0.1)
    options.enableReplicatedGraphs, options.replicatedGraphCount = True, 2
    session = popart.TrainingSession(builder.getModelProto(), popart.DataFlow(1, {loss: ALL}), loss, popart.ConstSGD(0.1), device(2), userOptions=options)
    session.prepareDevice()
    target = session.getReport().compilation.target
    check((target.numIPUs, target.numReplicas) == (1, 2), "replicas: %d IPUs, %d replicas" % (target.numIPUs, target.numReplicas))


def files_of_tensors():
    """Weights in a file of their own are read from it and written to it; float numbers of a model are in float_data."""
    path, moved = (os.path.join(FOLDER, name) for name in ("weights.bin", "moved.bin"))
    optimizer = popart.SGD({"defaultLearningRate": (0.1, True), "defaultMomentum": (0.9, True)})
    session, x, w, _ = linear(optimizer, None, lambda builder, names: builder.saveInitializersExternally(names, path))
    first = np.fromfile(path, np.float32)
    check(np.array_equal(first, np.linspace(-1, 1, 12).astype(np.float32)), "the values are in the file")
    run(session, {x: np.ones((2, 3), np.float32)})
    session.modelToHost(os.path.join(FOLDER, "external.onnx"))
    after = np.fromfile(path, np.float32)
    check(after.size == 24 and not np.allclose(after[:12], first), "a saved model writes weight and velocity to the file")
    again = popart.Builder(os.path.join(FOLDER, "external.onnx"))
    check(np.array_equal(_weights.initialisers(again.getModelProto())[w].reshape(-1), after[:12]), "a builder reads them")
    session.updateExternallySavedTensorLocations(path, moved)
    run(session, {x: np.ones((2, 3), np.float32)})
    session.modelToHost(os.path.join(FOLDER, "external.onnx"))
    check(np.array_equal(np.fromfile(path, np.float32), after) and not np.array_equal(np.fromfile(moved, np.float32), after),
          "another file takes their place")
    refused("already has an external data_location", lambda: popart.GraphTransformer(again.getModelProto()).saveInitializersExternally([w], path))
    refused("is not an initializer", lambda: again.saveInitializersExternally([x], path))
    part = _weights.typed("w", np.array([1.5, -2], np.float32))
    check(b"\x22\x08" + np.array([1.5, -2], np.float32).tobytes() in part, "float_data")


def norms():
    """Five outputs: the batch's own statistics, the running ones follow; one output: the running ones count."""
    r = np.random.RandomState(0)
    x, scale, bias, mean, variance = r.rand(4, 2, 3, 3), r.rand(2), r.rand(2), np.full(2, 5), np.full(2, 7)
    x, scale, bias, mean, variance = (one.astype(np.float32) for one in (x, scale, bias, mean, variance))
    found = {}
    for outputs in (1, 5):
        builder = popart.Builder()
        i = builder.addInputTensor("FLOAT", [4, 2, 3, 3])
        names = [builder.addInitializedInputTensor(one) for one in (scale, bias, mean, variance)]
        y = builder.aiOnnx.batchnormalization([i] + names, outputs, 1e-5, 0.9)[0]
        loss = builder.aiGraphcore.identityloss([y])
        session = popart.TrainingSession(builder.getModelProto(), popart.DataFlow(1, {y: ALL, loss: ALL}), loss, popart.ConstSGD(0.1), device())
        session.prepareDevice()
        session.weightsFromHost()
        found[outputs] = run(session, {i: x})[y]
        session.weightsToHost()
        read = {name: np.zeros(2, np.float32) for name in names[2:]}
        session.readWeights(popart.PyWeightsIO(read))
        found[outputs, "mean"], found[outputs, "variance"] = read.values()

    def normal(m, v):
        m, v, s, b = (one.reshape(1, 2, 1, 1) for one in (m, v, scale, bias))
        return (x - m) / np.sqrt(v + 1e-5) * s + b

    m, v = x.mean((0, 2, 3)), x.var((0, 2, 3))
    check(np.allclose(found[1], normal(mean, variance), atol=1e-5) and np.allclose(found[1, "mean"], mean), "a norm that is tested")
    check(np.allclose(found[5], normal(m, v), atol=1e-4), "a norm that is trained")
    check(np.allclose(found[5, "mean"], 0.9 * mean + 0.1 * m, atol=1e-5), "its running mean")
    check(np.allclose(found[5, "variance"], 0.9 * variance + 0.1 * v * 36 / 35, atol=1e-5), "its running variance")
    builder = popart.Builder(opsets={"ai.onnx": 7, "ai.graphcore": 1})
    i = builder.addInputTensor("FLOAT", [4, 2, 3, 3])
    refused("spatial=0", lambda: builder.aiOnnx.batchnormalization([i, i, i, i, i], 1, 1e-5, 0.9, spatial=0))


def inferred(make, *inputs):
    builder = popart.Builder()
    names = [builder.addInputTensor(popart.TensorInfo(one)) for one in inputs]
    outputs = make(builder, names)
    session = popart.InferenceSession(builder.getModelProto(), popart.DataFlow(1, {name: ALL for name in outputs}), device())
    session.prepareDevice()
    anchors = run(session, dict(zip(names, inputs)))
    return [anchors[name] for name in outputs]


def operators():
    r = np.random.RandomState(0)
    x, scale, bias = r.rand(2, 4, 3, 3).astype(np.float32), r.rand(4).astype(np.float32), r.rand(4).astype(np.float32)
    y, mean, deviation = inferred(lambda b, i: b.aiGraphcore.groupnormalization(i, 2, 1e-5), x, scale, bias)
    groups = x.reshape(4, 18)
    check(np.allclose(mean, groups.mean(1), atol=1e-5) and np.allclose(deviation, (groups.var(1) + 1e-5) ** -0.5, atol=1e-4), "statistics of groups")
    expected = ((groups - groups.mean(1, keepdims=True)) / np.sqrt(groups.var(1, keepdims=True) + 1e-5)).reshape(x.shape)
    check(np.allclose(y, expected * scale.reshape(4, 1, 1) + bias.reshape(4, 1, 1), atol=1e-4), "a norm of groups")
    tables, places = r.rand(2, 5, 3).astype(np.float32), np.array([[0, 4], [3, 3]], np.int32)
    picked, = inferred(lambda b, i: [b.aiGraphcore.groupedgather(i, 1, group_size=2)], tables, places)
    check(np.array_equal(picked, np.stack([tables[0][places[0]], tables[1][places[1]]])), "groupedgather")
    base, start, part = r.rand(4, 3, 5).astype(np.float32), np.array([1, 2], np.int32), r.rand(2, 3, 3).astype(np.float32)
    for method, more in (("dynamicupdate", [part]), ("dynamicadd", [part]), ("dynamiczero", [])):
        expected = base.copy()
        expected[1:3, :, 2:5] = part if method == "dynamicupdate" else base[1:3, :, 2:5] + part if more else 0
        value, = inferred(lambda b, i: [getattr(b.aiGraphcore, method)(i, axes=[0, 2], sizes=[2, 3])], base, start, *more)
        check(np.allclose(value, expected), "%s over two axes" % method)
    places, = inferred(lambda b, i: [b.aiOnnx.argmin(i, 1, 0)], base)
    check(places.dtype == np.int32 and np.array_equal(places, base.argmin(1)), "argmin has 32 bits")
    drawn, = inferred(lambda b, i: [b.aiOnnx.randomuniform(shape=[500], low=np.array(2.0), high=np.array(3.0))])
    check(2 <= drawn.min() < 2.1 and 2.9 < drawn.max() <= 3, "bounds that are arrays of one number")
    same, = inferred(lambda b, i: [b.aiGraphcore.shapeddropout(i, shape=[4, 1, 1], ratio=0.5)], base.reshape(4, 3, 5))
    check(np.array_equal(same, base), "a dropout that only infers")
    refused("interval [0,1)", lambda: inferred(lambda b, i: [b.aiGraphcore.shapeddropout(i, shape=[1], ratio=1.0)], base))


def trained(make, *inputs):
    """Anchors of a session that trains nothing and has the gradients of its inputs."""
    builder = popart.Builder()
    names = [builder.addInputTensor(popart.TensorInfo(one)) for one in inputs]
    y = make(builder, names)
    loss = builder.aiGraphcore.identityloss([y], popart.ReductionType.Sum)
    gradient = popart.reservedGradientPrefix() + names[0]
    session = popart.TrainingSession(builder.getModelProto(), popart.DataFlow(1, {y: ALL, gradient: ALL}), loss, popart.ConstSGD(0.1), device())
    session.prepareDevice()
    anchors = run(session, dict(zip(names, inputs)))
    return anchors[y], anchors[gradient]


def gradients():
    ones = np.ones((6, 50), np.float32)
    y, slope = trained(lambda b, i: b.aiGraphcore.shapeddropout(i, shape=[6, 1], ratio=0.5), ones)
    check(np.array_equal(y, slope) and set(np.unique(y)) <= {0, 2} and np.array_equal(y, y[:, :1] * ones), "one decision for a row")
    up, right = (np.array(v, np.float32) for v in ([0, 1, -2, 3, 0.5, -1], [1, 0, 0, -3, 2, -1]))
    y, slope = trained(lambda b, i: b.aiGraphcore.atan2([i[0], b.aiOnnx.constant(right)]), up)
    check(np.allclose(y, np.arctan2(up, right), atol=1e-6) and np.allclose(slope, right / (up * up + right * right), atol=1e-6), "atan2: %s %s" % (y, slope))
    refused("Anchor tensor `Gradient___input' not in Ir Tensors", lambda: trained(lambda b, i: b.aiOnnx.cast(i, "FLOAT"), np.ones(3, np.int32)))


def transposed():
    """The end of a transposed convolution that gets the larger half of the padding changed with opset 11."""
    for opset, expected in ((10, [1, 1, 3, 2]), (11, [1, 3, 2, 2])):
        builder = popart.Builder(opsets={"ai.onnx": opset, "ai.graphcore": 1})
        x = builder.addInputTensor("FLOAT", [1, 1, 1, 2])
        w = builder.addInitializedInputTensor(np.ones((1, 1, 1, 3), np.float32))
        y = builder.aiOnnx.convtranspose([x, w], strides=[1, 2], output_shape=[1, 4])
        session = popart.InferenceSession(builder.getModelProto(), popart.DataFlow(1, {y: ALL}), device())
        session.prepareDevice()
        found = run(session, {x: np.array([1, 2], np.float32).reshape(1, 1, 1, 2)})[y].reshape(-1)
        check(np.array_equal(found, expected), "opset %d: %s" % (opset, found))


def options_that_refuse():
    """Loss scaling that cannot follow, a share out of range, another grouping of channels: errors that name them."""
    def made(optimizer, **values):
        builder = popart.Builder()
        x, w = builder.addInputTensor("FLOAT", [2, 2]), builder.addInitializedInputTensor(np.eye(2, dtype=np.float32))
        loss = builder.aiGraphcore.identityloss([builder.aiOnnx.matmul([x, w])])
        options = popart.SessionOptions()
        options.automaticLossScalingSettings.enabled = "grouping" not in values
        options.groupNormStridedChannelGrouping = values.pop("grouping", False)
        for name, value in values.items():
            setattr(options.automaticLossScalingSettings, name, value)
        return popart.TrainingSession(builder.getModelProto(), popart.DataFlow(1, [loss]), loss, optimizer, device(), userOptions=options)

    changing = popart.SGD({"lossScaling": (2, False)})
    refused("must have non-const loss scaling", lambda: made(popart.ConstSGD(0.1)))
    refused("'binEdgeLocation'", lambda: made(changing, binEdgeLocation=1.5))
    refused("groupNormStridedChannelGrouping is not simulated", lambda: made(changing, grouping=True))
    made(changing, binEdgeLocation=0.5).prepareDevice()


def stages_that_share():
    """Parts 0 and 2 on one IPU, both of which read the input, as its backward pass does."""
    r, found = np.random.RandomState(2), []
    data, weight = r.rand(5, 1, 4, 4).astype(np.float32), r.rand(1, 4, 4).astype(np.float32)
    for pipelined in (False, True):
        builder = popart.Builder()
        x, w = builder.addInputTensor("FLOAT", [1, 4, 4]), builder.addInitializedInputTensor(weight)
        with builder.virtualGraph(0), builder.pipelineStage(0):
            y = builder.aiOnnx.matmul([x, w])
        with builder.virtualGraph(1), builder.pipelineStage(1), builder.recomputeOutput(popart.RecomputeType.Checkpoint):
            check(builder.getVirtualGraph() == 1 and builder.getPipelineStage() == 1, "places of the scope")
            y = builder.aiOnnx.sqrt([y])
        with builder.virtualGraph(0), builder.pipelineStage(2):
            loss = builder.aiGraphcore.identityloss([builder.aiOnnx.add([x, y])])
        options = popart.SessionOptions()
        options.virtualGraphMode, options.enablePipelining = popart.VirtualGraphMode.Manual, pipelined
        options.enableGradientAccumulation, options.accumulationFactor = True, 5
        session = popart.TrainingSession(builder.getModelProto(), popart.DataFlow(1, [loss]), loss, popart.ConstSGD(0.1), device(2),
                                         userOptions=options)
        session.prepareDevice()
        session.weightsFromHost()
        run(session, {x: data})
        session.weightsToHost()
        read = {w: np.zeros_like(weight)}
        session.readWeights(popart.PyWeightsIO(read))
        found.append(read[w])
    check(np.allclose(found[0], found[1], atol=1e-6) and not np.allclose(found[0], weight), "stages of one IPU train the same")
    check(not builder.hasVirtualGraph() and not builder.hasPipelineStage(), "no place outside of the scope")


def reports():
    """The report of a session has in pva the figures of the command line."""
    session, x, _, _ = linear(popart.ConstSGD(0.1))
    for _ in range(2):
        run(session, {x: np.ones((2, 3), np.float32)})
    report = session.getReport()
    said = json.loads(_program.output("summary", "--json", report._file.path))
    memories = [tile.memory for tile in report.compilation.tiles]
    check(report.execution.totalCycles.total == said["total_cycles"] == session._session.cycles, "cycles of the report and of the session")
    check(sum(memory.total.includingGaps for memory in memories) == said["memory"]["total_with_gaps_bytes"], "memory of the report")
    check(report.compilation.graph.numVertices == said["graph"]["vertices"] > 0 and len(report.execution.runs) == len(said["runs"]) == 2, "counts")


def checked_by_onnx():
    """onnx.checker takes models whose operators of aiGraphcore are functions, in each opset."""
    try:
        import onnx
    except ImportError as missing:
        print("not checked by onnx: %s" % missing)
        return
    makers = {
        "nllloss": lambda g, x, w, i: g.nllloss([x, i]), "identityloss": lambda g, x, w, i: g.identityloss([x]), "l1loss": lambda g, x, w, i: g.l1loss([x], 0.5),
        "gelu": lambda g, x, w, i: g.gelu([x]), "swish": lambda g, x, w, i: g.swish([x]), "detach": lambda g, x, w, i: g.detach([x]),
        "round": lambda g, x, w, i: g.round([x]), "reducemedian": lambda g, x, w, i: g.reducemedian([x], [1]), "sort": lambda g, x, w, i: g.sort([x]),
        "scatterreduce": lambda g, x, w, i: g.scatterreduce([w, i], axis_size=5, axis=0), "bitwisenot": lambda g, x, w, i: g.bitwisenot([i]),
        "reverse": lambda g, x, w, i: g.reverse([x], [0]), "subsample": lambda g, x, w, i: g.subsample([x], [1, 2]), "fmod": lambda g, x, w, i: g.fmod([x, w]),
        "dynamicslice": lambda g, x, w, i: g.dynamicslice([x, i], axes=[0], sizes=[1]), "shapeddropout": lambda g, x, w, i: g.shapeddropout([x], [2, 1], 0.5),
        "atan2": lambda g, x, w, i: g.atan2([x, w]), "nop": lambda g, x, w, i: g.nop([x]),
        "scale": lambda g, x, w, i: g.scale([x], 2.0), "scaledadd": lambda g, x, w, i: g.scaledadd([x, w]), "expm1": lambda g, x, w, i: g.expm1([x])}
    for opset in (6, 7, 9, 10, 11):
        for name, make in makers.items():
            builder = popart.Builder(opsets={"ai.onnx": opset, "ai.graphcore": 1})
            x, w, i = builder.addInputTensor("FLOAT", [2, 4]), builder.addInputTensor("FLOAT", [2, 4]), builder.addInputTensor("INT32", [2])
            made = make(builder.aiGraphcore, x, w, i)
            builder.addOutputTensor(made if isinstance(made, str) else made[0])
            try:
                onnx.checker.check_model(onnx.load_from_string(builder.getModelProto()))
            except onnx.checker.ValidationError as error:
                check(False, "%s in opset %d: %s" % (name, opset, str(error).split("\n")[0]))


os.makedirs(FOLDER, exist_ok=True)
reports()
checked_by_onnx()
saved_states()
weights_of_the_host()
replicas()
files_of_tensors()
norms()
operators()
gradients()
transposed()
options_that_refuse()
stages_that_share()
checks.finish()
