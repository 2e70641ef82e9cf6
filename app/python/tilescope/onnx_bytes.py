"""Messages of ONNX as bytes, written and read without another package: as much of protobuf's wire format as models need.

A message is a string of fields, and two strings one after the other are one message with the fields of both: that is how nodes are added
to a model that was read. Field numbers are those of onnx.proto.
"""

import struct

import numpy

TYPES = {"float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7, "bool": 9, "float16": 10,
         "float64": 11, "uint32": 12, "uint64": 13}
NAMES = {number: name for name, number in TYPES.items()}


def varint(value):
    value &= (1 << 64) - 1
    parts = bytearray()
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    parts.append(value)
    return bytes(parts)


def number(field, value):
    return varint(field << 3) + varint(int(value))


def block(field, value):
    data = value.encode() if isinstance(value, str) else bytes(value)
    return varint(field << 3 | 2) + varint(len(data)) + data


def real(field, value):
    return varint(field << 3 | 5) + struct.pack("<f", value)


def fields(data):
    """The fields of a message as (number, value): an integer, or the bytes of a block, string or fixed number."""
    at, end = 0, len(data)
    while at < end:
        key, at = _varint_at(data, at)
        kind = key & 7
        if kind == 0:
            value, at = _varint_at(data, at)
        else:
            if kind == 2:
                size, at = _varint_at(data, at)
            elif kind in (1, 5):
                size = 8 if kind == 1 else 4
            else:
                raise ValueError("this is not a whole ONNX model")
            value = data[at:at + size]
            if len(value) < size:
                raise ValueError("this is not a whole ONNX model")
            at += size
        yield key >> 3, value


def _varint_at(data, at):
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise ValueError("this is not a whole ONNX model")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def again(field, content):
    """The bytes of a field that fields() returned."""
    return number(field, content) if isinstance(content, int) else block(field, content)


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def tensor(name, array):
    array = numpy.asarray(array)
    if array.dtype.name not in TYPES:
        raise TypeError("%s: ONNX has no type for %s" % (name, array.dtype))
    data = array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
    return b"".join([number(1, size) for size in array.shape] + [number(2, TYPES[array.dtype.name]), block(8, name), block(9, data)])


def value(name, dtype, shape):
    """A ValueInfoProto. A dimension is a number or a symbol. Without a shape, the shape is unknown."""
    inner = number(1, TYPES[numpy.dtype(dtype).name])
    if shape is not None:
        inner += block(2, b"".join(block(1, block(2, size) if isinstance(size, str) else number(1, size)) for size in shape))
    return block(1, name) + block(2, block(1, inner))


class Graph:
    """An attribute's value that is a graph: the bytes of a GraphProto."""

    def __init__(self, data):
        self.data = data


def attribute(name, given):
    head = block(1, name)
    if isinstance(given, Graph):
        return head + block(6, given.data) + number(20, 5)
    if isinstance(given, numpy.ndarray):
        return head + block(5, tensor("", given)) + number(20, 4)
    if isinstance(given, (bool, int, numpy.integer)):
        return head + number(3, given) + number(20, 2)
    if isinstance(given, (float, numpy.floating)):
        return head + real(2, given) + number(20, 1)
    if isinstance(given, (str, bytes)):
        return head + block(4, given) + number(20, 3)
    given = list(given)
    if all(isinstance(one, (bool, int, numpy.integer)) for one in given):
        return head + b"".join(number(8, one) for one in given) + number(20, 7)
    if all(isinstance(one, str) for one in given):
        return head + b"".join(block(9, one) for one in given) + number(20, 8)
    return head + b"".join(real(7, float(one)) for one in given) + number(20, 6)


def node(kind, inputs, outputs, attributes=None, domain="", name=""):
    parts = [block(1, one) for one in inputs] + [block(2, one) for one in outputs] + [block(3, name), block(4, kind)]
    parts += [block(5, attribute(key, given)) for key, given in (attributes or {}).items()]
    return b"".join(parts) + (block(7, domain) if domain else b"")


def function(name, domain, inputs, outputs, nodes, opsets):
    """A FunctionProto; `nodes`: bytes of NodeProto."""
    parts = [block(1, name)] + [block(4, one) for one in inputs] + [block(5, one) for one in outputs]
    parts += [block(7, one) for one in nodes] + [block(9, opset(*one)) for one in opsets.items()]
    return b"".join(parts) + block(10, domain)


def opset(domain, version):
    return block(1, domain) + number(2, version)


def model(graph, opsets, functions=(), producer="tilescope", ir=8):
    parts = [number(1, ir), block(2, producer)] + [block(8, opset(*one)) for one in opsets.items()]
    return b"".join(parts) + block(7, graph) + b"".join(block(25, one) for one in functions)


def _declared(data):
    """Name, dtype (None if numpy does not have it) and shape (None if unknown) of a ValueInfoProto."""
    name, dtype, shape = "", None, None
    for field, content in fields(data):
        if field == 1:
            name = content.decode()
        elif field == 2:
            for kind, inner in fields(content):
                for key, part in fields(inner) if kind == 1 else ():
                    if key == 1:
                        dtype = NAMES.get(part)
                    elif key == 2:
                        shape = [_dimension(one) for tag, one in fields(part) if tag == 1]
    return name, dtype, shape


def _dimension(data):
    for field, content in fields(data):
        return content if field == 1 else content.decode()
    return "?"


class Node:
    def __init__(self, data):
        self.inputs, self.outputs, self.name, self.kind, self.domain, self.attributes = [], [], "", "", "", {}
        for field, content in fields(data):
            if field == 1:
                self.inputs.append(content.decode())
            elif field == 2:
                self.outputs.append(content.decode())
            elif field == 3:
                self.name = content.decode()
            elif field == 4:
                self.kind = content.decode()
            elif field == 5:
                self._attribute(content)
            elif field == 7:
                self.domain = content.decode()

    def _attribute(self, data):
        name = ""
        for field, content in fields(data):
            if field == 1:
                name = content.decode()
            elif field == 3:
                self.attributes[name] = signed(content)
            elif field == 4:
                self.attributes[name] = content.decode("utf-8", "replace")


class Model:
    """The contents of a model: nodes, initialisers (name: dtype and shape), inputs and outputs (name: dtype and shape), opsets."""

    def __init__(self, data):
        self.data = bytes(data)
        self.nodes, self.initialisers, self.inputs, self.outputs, self.opsets = [], {}, {}, {}, {}
        for field, content in fields(self.data):
            if field == 7:
                self._graph(content)
            elif field == 8:
                pair = dict(fields(content))
                self.opsets[pair.get(1, b"").decode()] = pair.get(2, 0)
        for name in self.initialisers:
            self.inputs.pop(name, None)

    def _graph(self, data):
        for field, content in fields(data):
            if field == 1:
                self.nodes.append(Node(content))
            elif field == 5:
                name, dtype, shape = "", None, []
                for key, part in fields(content):
                    if key == 1:  # packed or one by one
                        shape += [part] if isinstance(part, int) else list(_packed(part))
                    elif key == 2:
                        dtype = NAMES.get(part)
                    elif key == 8:
                        name = part.decode()
                self.initialisers[name] = (dtype, shape)
            elif field in (11, 12):
                name, dtype, shape = _declared(content)
                (self.inputs if field == 11 else self.outputs)[name] = (dtype, shape)


def _packed(data):
    at = 0
    while at < len(data):
        one, at = _varint_at(data, at)
        yield one
