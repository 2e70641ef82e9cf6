"""What sessions make of a model: its outputs, and where its operators are."""

import numpy

from tilescope import onnx_bytes

from ._types import not_simulated


def with_outputs(data, outputs):
    """The model with only these outputs."""
    parts = []
    for field, content in onnx_bytes.fields(data):
        if field == 7:
            inner = [_again(key, part) for key, part in onnx_bytes.fields(content) if key != 12]
            parts.append(onnx_bytes.block(7, b"".join(inner)))
        else:
            parts.append(_again(field, content))
    parts.append(onnx_bytes.block(7, b"".join(onnx_bytes.block(12, onnx_bytes.block(1, name)) for name in outputs)))
    return b"".join(parts)


def _again(field, content):
    return onnx_bytes.number(field, content) if isinstance(content, int) else onnx_bytes.block(field, content)


def cut(model, nodes):
    """The word for --shard from the stages and IPUs of a built model; None if the builder set none."""
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
                # A function is named by the first value inside of it, which has the function's number.
                whole = not inside or inside.startswith("y")
                name = node.name if not size else node.outputs[0] if whole else "%s#%d/%s" % (node.kind, functions - size + 1, inside)
                parts.append((name, ipu))
            last = here
    if len(parts) < 2:
        return None, 0
    words = ["%s@%d" % (name, ipu) for name, ipu in parts[1:]]
    if parts[0][1] != 0:
        not_simulated("a model whose first operators are not on IPU 0")
    return ",".join(words), len(parts)


def with_dropout(data):
    """The model with its dropouts active: before opset 12 they do not say that they train, which here a function says for them."""
    model = onnx_bytes.Model(data)
    kinds = {}
    if model.opsets.get("", 0) >= 12 or not any(node.kind == "Dropout" and not node.domain for node in model.nodes):
        return data

    def changed(content):
        node = onnx_bytes.Node(content)
        if node.kind != "Dropout" or node.domain:
            return content
        ratio = next((numpy.frombuffer(value, "<f4")[0] for field, part in onnx_bytes.fields(content) if field == 5
                      for key, value in onnx_bytes.fields(part) if key == 2), numpy.float32(0.5))
        name = "Dropout%d_%g" % (len(node.outputs), ratio)
        outputs = ["y%d" % index for index in range(len(node.outputs))]
        body = [onnx_bytes.node("Constant", [], ["ratio"], {"value": numpy.array(ratio)}),
                onnx_bytes.node("Constant", [], ["training"], {"value": numpy.array(True)}),
                onnx_bytes.node("Dropout", ["0", "ratio", "training"], outputs)]
        kinds[name] = onnx_bytes.function(name, "ai.graphcore", ["0"], outputs, body, {"": 20})
        return onnx_bytes.node(name, node.inputs[:1], node.outputs, None, "ai.graphcore", node.name)

    parts = []
    for field, content in onnx_bytes.fields(data):
        if field == 7:
            content = b"".join(_again(key, changed(part) if key == 1 else part) for key, part in onnx_bytes.fields(content))
        parts.append(_again(field, content))
    if "ai.graphcore" not in model.opsets:
        parts.append(onnx_bytes.block(8, onnx_bytes.opset("ai.graphcore", 1)))
    return b"".join(parts) + b"".join(onnx_bytes.block(25, one) for one in kinds.values())
