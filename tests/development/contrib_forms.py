#!/usr/bin/env python3
"""Random forms of ONNX Runtime's own operators (com.microsoft), computed by ONNX Runtime and by tilescope-cli. A development check, no test:
it needs node with the npm package onnxruntime-node, and protoc with onnx.proto (libonnx-dev).

    npm install --ignore-scripts onnxruntime-node         (in some folder)
    contrib_forms.py TILESCOPE_CLI FOLDER_OF_NODE_MODULES [COUNT [SEED]]

Each form must pass, or be refused by name; a form that ONNX Runtime refuses says nothing. Exit code 1 if a value differs."""
import collections
import json
import os
import random
import subprocess
import sys
import tempfile

FLOAT, UINT8, INT8, INT32 = 1, 2, 3, 6
PROTO = "/usr/include/onnx/onnx.proto"
RUNNER = r"""
const ort = require('onnxruntime-node'), fs = require('fs'), path = require('path');
const kinds = {1: ['float32', Float32Array], 2: ['uint8', Uint8Array], 3: ['int8', Int8Array], 6: ['int32', Int32Array]};
(async () => {
  for (const folder of fs.readdirSync(process.argv[2]).sort()) {
    const here = path.join(process.argv[2], folder), given = JSON.parse(fs.readFileSync(path.join(here, 'inputs.json')));
    const answer = {}, file = path.join(here, 'outputs.json');
    if (fs.existsSync(file)) continue;
    fs.writeFileSync(file, '{"error": "crashed"}');
    try {
      const session = await ort.InferenceSession.create(path.join(here, 'model.onnx'), {graphOptimizationLevel: 'disabled', logSeverityLevel: 4});
      const feeds = {};
      for (const v of given) feeds[v.name] = new ort.Tensor(kinds[v.type][0], kinds[v.type][1].from(v.values), v.shape);
      const outputs = await session.run(feeds);
      for (const name of session.outputNames) answer[name] = {type: outputs[name].type, shape: outputs[name].dims, values: Array.from(outputs[name].data)};
    } catch (error) { answer.error = String(error.message).slice(0, 300); }
    fs.writeFileSync(file, JSON.stringify(answer));
  }
})();
"""


class Form:
    """One node with its inputs."""

    def __init__(self, random_source, operator):
        self.r, self.operator = random_source, operator
        self.inputs, self.values, self.attributes, self.outputs = [], [], {}, ["y"]

    def floats(self, shape, low=-1.0, high=1.0):
        count = 1
        for size in shape:
            count *= size
        return [round(self.r.uniform(low, high), 4) for _ in range(count)]

    def given(self, type_, shape, values):
        name = "i%d" % len(self.values)
        self.values.append({"name": name, "type": type_, "shape": list(shape), "values": values})
        self.inputs.append(name)

    def real(self, *shape, low=-1.0, high=1.0):
        self.given(FLOAT, shape, self.floats(shape, low, high))

    def whole(self, type_, shape, low, high):
        count = 1
        for size in shape:
            count *= size
        self.given(type_, shape, [self.r.randint(low, high) for _ in range(count)])

    def none(self):
        self.inputs.append("")

    def trim(self):
        while self.inputs and not self.inputs[-1]:
            self.inputs.pop()

    def maybe(self, chance=0.5):
        return self.r.random() < chance


def mask(f, batch, queries, keys):
    kind = f.r.choice(["none", "lengths", "starts", "raw", "full", "odd"])
    if kind == "none":
        f.none()
    elif kind == "lengths":
        f.whole(INT32, (batch,), 1, keys)
    elif kind == "starts":
        ends = [f.r.randint(1, keys) for _ in range(batch)]
        f.given(INT32, (2 * batch,), ends + [f.r.randint(0, end - 1) for end in ends])
    elif kind == "raw":
        f.whole(INT32, (batch, keys), 0, 1)
    elif kind == "full":
        f.whole(INT32, (batch, queries, keys), 0, 1)
    else:
        f.whole(INT32, (3 * batch + 2,), 0, keys)


def addend(f, batch, heads, queries, keys):
    if f.maybe(0.4):
        f.real(f.r.choice([1, batch]), f.r.choice([1, heads]), queries, keys)
    else:
        f.none()


def attention_attributes(f, heads):
    f.attributes["num_heads"] = heads
    if f.maybe(0.3):
        f.attributes["unidirectional"] = 1
    if f.maybe(0.3):
        f.attributes["scale"] = round(f.r.uniform(0.1, 1.5), 3)
    if f.maybe(0.2):
        f.attributes["mask_filter_value"] = -float(f.r.choice([5, 100, 10000]))


def attention(f):
    batch, length, heads, size = f.r.randint(1, 3), f.r.randint(1, 5), f.r.randint(1, 3), f.r.randint(1, 4)
    hidden, width = f.r.randint(1, 6), heads * size
    own = heads * f.r.randint(1, 4) if f.maybe(0.3) else width
    f.real(batch, length, hidden)
    f.real(hidden, 2 * width + own)
    f.real(2 * width + own) if f.maybe(0.8) else f.none()
    mask(f, batch, length, length)
    f.none()
    addend(f, batch, heads, length, length)
    attention_attributes(f, heads)
    if own != width:
        f.attributes["qkv_hidden_sizes"] = [width, width, own]


def multi_head(f):
    batch, queries, keys, heads, size, other = (f.r.randint(1, 3), f.r.randint(1, 4), f.r.randint(1, 5), f.r.randint(1, 3),
                                                f.r.randint(1, 4), f.r.randint(1, 4))
    width = heads * size
    f.real(batch, queries, width)
    if f.maybe(0.3):
        f.real(batch, heads, keys, size)
        f.real(batch, heads, keys, size)
        f.none() if f.maybe(0.7) else f.real(3 * width)
    else:
        f.real(batch, keys, width)
        f.real(batch, keys, heads * other)
        f.real(2 * width + heads * other) if f.maybe() else f.none()
    mask(f, batch, queries, keys)
    addend(f, batch, heads, queries, keys)
    attention_attributes(f, heads)


def skip_norm(f):
    batch, length, hidden = f.r.randint(1, 3), f.r.randint(1, 4), f.r.randint(2, 6)
    f.real(batch, length, hidden)
    f.real(*f.r.choice([(batch, length, hidden), (1, length, hidden), (length, hidden)]))
    f.real(hidden)
    if f.operator == "SkipLayerNormalization":
        f.real(hidden) if f.maybe() else f.none()
    f.real(hidden) if f.maybe() else f.none()
    f.attributes["epsilon"] = 1e-5
    if f.maybe(0.3):
        f.outputs = ["y", "", "", "sum"]


def embed_norm(f):
    batch, length, hidden = f.r.randint(1, 3), f.r.randint(1, 4), f.r.randint(2, 6)
    segments = f.maybe()
    f.whole(INT32, (batch, length), 0, 4)
    f.whole(INT32, (batch, length), 0, 1) if segments else f.none()
    f.real(5, hidden)
    f.real(6, hidden)
    f.real(2, hidden) if segments else f.none()
    f.real(hidden)
    f.real(hidden)
    has_mask = f.maybe()
    f.whole(INT32, (batch, length), 0, 1) if has_mask else f.none()
    f.whole(INT32, (batch, length), 0, 5) if f.maybe(0.3) else f.none()
    f.attributes["epsilon"] = 1e-5
    f.outputs = ["y", "counts" if has_mask else ""] + (["sum"] if f.maybe(0.3) else [])


def fused_matmul(f):
    rows, inner, columns = f.r.randint(1, 4), f.r.randint(1, 4), f.r.randint(1, 4)
    batch = f.r.choice([(), (2,), (2, 3)])
    a, b = f.maybe(), f.maybe()
    f.real(*batch, *((inner, rows) if a else (rows, inner)))
    f.real(*(batch if f.maybe() else ()), *((columns, inner) if b else (inner, columns)))
    f.attributes.update({"transA": int(a), "transB": int(b), "alpha": round(f.r.uniform(0.2, 2), 3)})
    if f.maybe(0.1):
        f.attributes["transBatchA"] = 1


def fused_gemm(f):
    rows, inner, columns = f.r.randint(1, 4), f.r.randint(1, 4), f.r.randint(1, 4)
    a, b = f.maybe(), f.maybe()
    f.real(*((inner, rows) if a else (rows, inner)))
    f.real(*((columns, inner) if b else (inner, columns)))
    f.real(*f.r.choice([(rows, columns), (columns,), (1,), (rows, 1)]))
    f.attributes.update({"transA": int(a), "transB": int(b), "alpha": 0.7, "beta": round(f.r.uniform(0, 2), 2)})
    f.attributes["activation"] = f.r.choice(["Relu", "LeakyRelu", "Tanh", "Sigmoid", "HardSigmoid", "Elu"])
    if f.attributes["activation"] in ("LeakyRelu", "HardSigmoid", "Elu") and f.maybe():
        f.attributes["activation_alpha"] = round(f.r.uniform(0.05, 0.5), 3)


def gelu(f):
    shape = f.r.choice([(3, 4), (2, 3, 4), (4,)])
    f.real(*shape, low=-3, high=3)
    if f.operator == "BiasGelu" or (f.operator == "FastGelu" and f.maybe()):
        f.real(shape[-1])
    if f.operator == "QuickGelu":
        f.attributes["alpha"] = round(f.r.uniform(0.5, 2), 3)


def fused_conv(f):
    channels, outputs = f.r.randint(1, 3), f.r.randint(1, 3)
    f.real(f.r.randint(1, 2), channels, 5, 6)
    f.real(outputs, channels, 3, 3)
    f.real(outputs) if f.maybe() else f.none()
    f.attributes["activation"] = f.r.choice(["Relu", "LeakyRelu", "Clip", "HardSigmoid", "Tanh", "Sigmoid"])
    parameters = {"LeakyRelu": [0.2], "Clip": [-0.5, 0.5], "HardSigmoid": [0.3, 0.4]}
    if f.attributes["activation"] in parameters:
        f.attributes["activation_params"] = parameters[f.attributes["activation"]]


def quantised(f, shape, per_axis=None):
    """A quantised tensor with its scale and zero point."""
    type_ = f.type
    f.whole(type_, shape, 0 if type_ == UINT8 else -128, 255 if type_ == UINT8 else 127)
    count = (per_axis,) if per_axis else ()
    f.real(*count, low=0.01, high=0.1)
    f.whole(type_, count, 0 if type_ == UINT8 else -5, 5)


def quantised_form(f):
    f.type = f.r.choice([UINT8, INT8])
    kind = f.operator
    if kind == "QLinearConcat":
        f.real(low=0.02, high=0.1)
        f.whole(f.type, (), 0, 3)
        for width in range(1, f.r.randint(2, 4)):
            quantised(f, (2, width))
        f.attributes["axis"] = 1
        return
    if kind == "QGemm":
        rows, inner, columns = f.r.randint(1, 4), f.r.randint(1, 5), f.r.randint(1, 4)
        a, b = f.maybe(0.3), f.maybe(0.5)
        quantised(f, (inner, rows) if a else (rows, inner))
        quantised(f, (columns, inner) if b else (inner, columns), columns if f.maybe() else None)
        f.whole(INT32, (columns,), -200, 200) if f.maybe(0.6) else f.none()
        if f.maybe():
            f.real(low=0.05, high=0.3)
            f.whole(f.type, (), 0, 5)
        f.attributes.update({"transA": int(a), "transB": int(b), "alpha": round(f.r.uniform(0.5, 1.5), 2)})
        return
    shape = (2, 3, 4, 4) if "Pool" in kind else f.r.choice([(3, 4), (2, 3, 4)])
    quantised(f, shape)
    if kind in ("QLinearAdd", "QLinearMul"):
        quantised(f, f.r.choice([shape, shape[-1:], (1,)]))
    f.real(low=0.01, high=0.05)
    f.whole(f.type, (), 0, 5)
    if kind == "QLinearLeakyRelu":
        f.attributes["alpha"] = 0.2
    if kind == "QLinearSoftmax":
        f.attributes.update({"axis": f.r.choice([-1, 1]), "opset": f.r.choice([11, 13])})
    if kind == "QLinearAveragePool":
        f.attributes.update({"kernel_shape": [2, 2], "strides": [f.r.randint(1, 2)] * 2})
    if "Pool" in kind and f.maybe(0.15):
        f.attributes["channels_last"] = 1


def integer_matmul(f):
    f.type = f.r.choice([UINT8, INT8])
    rows, inner, columns = f.r.randint(1, 4), f.r.randint(1, 5), f.r.randint(1, 4)
    each = (columns,) if f.maybe() else ()
    if f.operator == "DynamicQuantizeMatMul":
        f.real(rows, inner)
    else:
        f.whole(UINT8, (rows, inner), 0, 255)
    f.whole(f.type, (inner, columns), 0, 100)
    if f.operator == "MatMulIntegerToFloat":
        f.real(low=0.01, high=0.1)
    f.real(*each, low=0.01, high=0.1)
    if f.operator == "MatMulIntegerToFloat":
        f.whole(UINT8, (), 0, 9) if f.maybe() else f.none()
    f.whole(f.type, each, 0, 9) if f.maybe() else f.none()
    f.real(columns) if f.maybe() else f.none()


FORMS = {"Attention": attention, "MultiHeadAttention": multi_head, "SkipLayerNormalization": skip_norm,
         "SkipSimplifiedLayerNormalization": skip_norm, "EmbedLayerNormalization": embed_norm, "FusedMatMul": fused_matmul,
         "FusedGemm": fused_gemm, "BiasGelu": gelu, "FastGelu": gelu, "QuickGelu": gelu, "FusedConv": fused_conv,
         "QLinearAdd": quantised_form, "QLinearMul": quantised_form, "QLinearSigmoid": quantised_form,
         "QLinearLeakyRelu": quantised_form, "QLinearSoftmax": quantised_form, "QLinearGlobalAveragePool": quantised_form,
         "QLinearAveragePool": quantised_form, "QLinearConcat": quantised_form, "QGemm": quantised_form,
         "MatMulIntegerToFloat": integer_matmul, "DynamicQuantizeMatMul": integer_matmul}
WEIGHTS = {"Attention": 8, "MultiHeadAttention": 8}


def attribute_text(name, value):
    if isinstance(value, str):
        return 'attribute { name: "%s" type: STRING s: "%s" }' % (name, value)
    if isinstance(value, list):
        key, kind = ("floats", "FLOATS") if isinstance(value[0], float) else ("ints", "INTS")
        return 'attribute { name: "%s" type: %s %s }' % (name, kind, " ".join("%s: %r" % (key, v) for v in value))
    return 'attribute { name: "%s" type: %s %s: %r }' % (name, *(("FLOAT", "f") if isinstance(value, float) else ("INT", "i")), value)


def model_text(form):
    node = " ".join('input: "%s"' % name for name in form.inputs) + " " + " ".join('output: "%s"' % name for name in form.outputs)
    node += ' op_type: "%s" domain: "com.microsoft" ' % form.operator
    node += " ".join(attribute_text(name, value) for name, value in form.attributes.items())
    inputs = " ".join('input { name: "%s" type { tensor_type { elem_type: %d shape { %s } } } }' %
                      (v["name"], v["type"], " ".join("dim { dim_value: %d }" % size for size in v["shape"])) for v in form.values)
    kinds = {"counts": INT32}
    quantised_result = form.operator.startswith("Q") and form.operator not in ("QuickGelu",) and not (
        form.operator == "QGemm" and len(form.inputs) < 8)
    outputs = " ".join('output { name: "%s" type { tensor_type { elem_type: %d } } }' %
                       (name, kinds.get(name, form.type if quantised_result else FLOAT)) for name in form.outputs if name)
    return ('ir_version: 8 graph { name: "g" node { %s } %s %s } opset_import { version: 17 } '
            'opset_import { domain: "com.microsoft" version: 1 }' % (node, inputs, outputs))


def encode(message, text, file):
    done = subprocess.run(["protoc", "--encode=onnx." + message, "-I", os.path.dirname(PROTO), PROTO], input=text.encode(),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        sys.exit(done.stderr.decode())
    with open(file, "wb") as out:
        out.write(done.stdout)


def tensor_text(name, type_, shape, values):
    key = "float_data" if type_ == FLOAT else "int32_data"
    return 'name: "%s" data_type: %d %s %s' % (name, type_, " ".join("dims: %d" % s for s in shape),
                                               " ".join("%s: %r" % (key, v) for v in values))


def main():
    cli, modules = os.path.abspath(sys.argv[1]), sys.argv[2]
    count, seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1000, int(sys.argv[4]) if len(sys.argv) > 4 else 1
    source = random.Random(seed)
    work = tempfile.mkdtemp(prefix="contrib-forms-")
    names = [name for name in FORMS for _ in range(WEIGHTS.get(name, 1))]
    for number in range(count):
        form = Form(source, source.choice(names))
        FORMS[form.operator](form)
        form.trim()
        folder = os.path.join(work, "%05d-%s" % (number, form.operator))
        os.makedirs(os.path.join(folder, "test_data_set_0"))
        encode("ModelProto", model_text(form), os.path.join(folder, "model.onnx"))
        for i, v in enumerate(form.values):
            encode("TensorProto", tensor_text(v["name"], v["type"], v["shape"], v["values"]),
                   os.path.join(folder, "test_data_set_0", "input_%d.pb" % i))
        with open(os.path.join(folder, "inputs.json"), "w") as out:
            json.dump(form.values, out)
    runner = os.path.join(modules, "contrib_forms_runner.js")
    with open(runner, "w") as out:
        out.write(RUNNER)
    while subprocess.run(["node", runner, work], check=False, stderr=subprocess.DEVNULL).returncode < 0:
        pass  # ONNX Runtime crashed: the form counts as refused, and the rest goes on
    os.remove(runner)
    refused = 0
    for name in sorted(os.listdir(work)):
        folder = os.path.join(work, name)
        with open(os.path.join(folder, "outputs.json")) as file:
            answer = json.load(file)
        if "error" in answer:
            refused += 1
            subprocess.run(["rm", "-r", folder], check=True)
            continue
        kinds = {"float32": FLOAT, "uint8": UINT8, "int8": INT8, "int32": INT32}
        for i, (output, v) in enumerate(answer.items()):
            encode("TensorProto", tensor_text(output, kinds[v["type"]], v["shape"], v["values"]),
                   os.path.join(folder, "test_data_set_0", "output_%d.pb" % i))
    said = subprocess.run([cli, "onnx-test", work, "--progress", "none", "--json"], stdout=subprocess.PIPE, check=False).stdout
    results = json.loads(said)["results"]
    by_operator = collections.defaultdict(collections.Counter)
    for result in results:
        operator = result["model"].split("-")[1]
        if operator == "QLinearSoftmax" and result["max_error"] == 1:
            result["verdict"] = "passed"  # ONNX Runtime takes it from a table of whole numbers: the last digit may differ
        by_operator[operator][result["verdict"]] += 1
        if result["verdict"] == "failed":
            print("FAILED", os.path.join(work, result["model"]), result["reason"])
    for operator, verdicts in sorted(by_operator.items()):
        print("%-34s %s" % (operator, ", ".join("%d %s" % (n, verdict) for verdict, n in sorted(verdicts.items()))))
    total = collections.Counter(result["verdict"] for result in results)
    print("%d forms, %d refused by ONNX Runtime; %s; kept in %s" % (count, refused, dict(total), work))
    sys.exit(1 if total["failed"] else 0)


main()
