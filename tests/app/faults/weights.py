"""Reads float32 weights out of .npy and .onnx files with nothing but Python."""

import array
import struct


def array_in(npy):
    """The values of a .npy file of float32."""
    assert npy[:6] == b"\x93NUMPY"
    size = struct.unpack_from("<H" if npy[6] == 1 else "<I", npy, 8)[0]
    start = (10 if npy[6] == 1 else 12) + size
    if b"'<f4'" not in npy[:start]:
        return None
    return array.array("f", npy[start:])


def fields(message):
    """Number and value of each field of a protobuf message."""
    at = 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            value |= (message[at] & 127) << shift
            at, shift = at + 1, shift + 7
            if message[at - 1] < 128:
                return value

    while at < len(message):
        tag = number()
        if tag & 7 == 0:
            yield tag >> 3, number()
        else:
            size = {1: 8, 5: 4}.get(tag & 7) or number()
            yield tag >> 3, message[at:at + size]
            at += size


def weights_of(onnx):
    """The float32 initialisers of a model by name."""
    graph = next(value for number, value in fields(onnx) if number == 7)
    weights = {}
    for number, tensor in fields(graph):
        if number == 5:
            parts = list(fields(tensor))
            named = dict(parts)
            if named.get(2) == 1:
                weights[named[8].decode()] = array.array("f", named[9] if 9 in named else b"".join(v for n, v in parts if n == 4))
    return weights
