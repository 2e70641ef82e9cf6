"""The outputs of a session's model, and the IPU and pipeline stage of each operator."""

import numpy

from tilescope import onnx_bytes

from ._graphcore_ops import TRAINS

def with_outputs(data, outputs):
    """The model with only these outputs."""
    parts = []
    for field, content in onnx_bytes.fields(data):
        if field == 7:
            inner = [onnx_bytes.again(key, part) for key, part in onnx_bytes.fields(content) if key != 12]
            parts.append(onnx_bytes.block(7, b"".join(inner)))
        else:
            parts.append(onnx_bytes.again(field, content))
    parts.append(onnx_bytes.block(7, b"".join(onnx_bytes.block(12, onnx_bytes.block(1, name)) for name in outputs)))
    return b"".join(parts)


def cut(model, nodes):
    """The value of --shard for the stages and IPUs of a built model; None if the builder set none."""
    places = model.stages or model.ipus
    if not places:
        return None, 0
    parts, last, functions = [], None, 0
    for node in nodes:
        inside, size = model.insides.get(node.kind, ("", 1)) if node.domain == "ai.graphcore" else ("", 0)
        functions += size
        known = [name for name in node.outputs if name in places]
        if not known:
            continue
        ipu = model.ipus.get(known[0], places[known[0]])
        here = (model.stages.get(known[0]), ipu)
        if here != last:
            if last is None or here[1] != last[1]:
                # A node in a function is named by the function's number and the first value inside the function.
                whole = not inside or inside.startswith("y")
                name = node.name if not size else node.outputs[0] if whole else "%s#%d/%s" % (node.kind, functions - size + 1, inside)
                parts.append((name, ipu))
            last = here
    if not parts or len(parts) == 1 and not parts[0][1]:
        return None, 0
    words = ["@%d" % parts[0][1]] + ["%s@%d" % (name, ipu) for name, ipu in parts[1:]]
    return ",".join(words), len(parts)


def as_trained(data, trains):
    """The model with nodes replaced that in older opsets do not say whether they train. A function then stands for each: a batch norm with
    statistics among its outputs uses the statistics of its batch; in a session that trains, dropouts drop."""
    model = onnx_bytes.Model(data)
    functions, opset = {}, model.opsets.get("", 0)

    def is_dropout(node):
        return trains and opset < 12 and node.kind == "Dropout" and not node.domain

    def is_norm(node):
        return opset < 14 and node.kind == "BatchNormalization" and not node.domain and sum(map(bool, node.outputs)) > 1

    if trains and any(node.kind.startswith("ShapedDropout") for node in model.nodes):
        data = _with_training_functions(data)
    if not any(is_dropout(node) or is_norm(node) for node in model.nodes):
        return data

    def called(node, name, inputs, outputs, body):
        functions[name] = onnx_bytes.function(name, "ai.graphcore", [str(index) for index in range(inputs)], outputs, body, {"": 20})
        return onnx_bytes.node(name, node.inputs[:inputs], node.outputs[:len(outputs)], None, "ai.graphcore", node.name)

    def changed(content):
        node = onnx_bytes.Node(content)
        if is_dropout(node):
            ratio = _real(content, "ratio", 0.5)
            outputs = ["y%d" % index for index in range(len(node.outputs))]
            body = [onnx_bytes.node("Constant", [], ["ratio"], {"value": numpy.array(ratio)}),
                    onnx_bytes.node("Constant", [], ["training"], {"value": numpy.array(True)}),
                    onnx_bytes.node("Dropout", ["0", "ratio", "training"], outputs)]
            return called(node, "Dropout%d_%g" % (len(outputs), ratio), 1, outputs, body)
        if is_norm(node):
            attributes = {"epsilon": _real(content, "epsilon", 1e-5), "momentum": _real(content, "momentum", 0.9), "training_mode": 1}
            outputs = ["y%d" % index for index in range(min(3, len(node.outputs)))]
            body = [onnx_bytes.node("BatchNormalization", list("01234"), outputs, attributes)]
            return called(node, "BatchNormalization%d_%.9g_%.9g" % (len(outputs), attributes["epsilon"], attributes["momentum"]), 5, outputs, body)
        return content

    parts = []
    for field, content in onnx_bytes.fields(data):
        if field == 7:
            content = b"".join(onnx_bytes.again(key, changed(part) if key == 1 else part) for key, part in onnx_bytes.fields(content))
        parts.append(onnx_bytes.again(field, content))
    if "ai.graphcore" not in model.opsets:
        parts.append(onnx_bytes.block(8, onnx_bytes.opset("ai.graphcore", 1)))
    return b"".join(parts) + b"".join(onnx_bytes.block(25, one) for one in functions.values())


def _with_training_functions(data):
    """Sets the constant TRAINS of functions to true."""
    on = onnx_bytes.node("Constant", [], [TRAINS], {"value": numpy.array(True)})

    def changed(field, content):
        return on if field == 7 and TRAINS in onnx_bytes.Node(content).outputs else content

    parts = []
    for field, content in onnx_bytes.fields(data):
        if field == 25:
            content = b"".join(onnx_bytes.again(key, changed(key, part)) for key, part in onnx_bytes.fields(content))
        parts.append(onnx_bytes.again(field, content))
    return b"".join(parts)


def _real(node, name, default):
    """A real attribute of a NodeProto."""
    for field, part in onnx_bytes.fields(node):
        found = dict(onnx_bytes.fields(part)) if field == 5 else {}
        if found.get(1) == name.encode() and 2 in found:
            return numpy.frombuffer(found[2], "<f4")[0]
    return numpy.float32(default)
