"""GraphTransformer: rewrites a model before it is run."""

import numpy

from tilescope import onnx_bytes
from tilescope.onnx_bytes import again, fields

from ._builder import model_bytes
from ._types import not_simulated, popart_exception
from ._weights import saved_externally, tensor_of

_NODE, _INITIALISER, _INPUT, _OUTPUT, _VALUE = 1, 5, 11, 12, 13  # fields of a GraphProto


class GraphTransformer:
    """GraphTransformer(bytes or path): each method changes the model, which getModelProto() returns."""

    def __init__(self, modelProtoOrFilename):
        self._data = bytes(model_bytes(modelProtoOrFilename))

    def getModelProto(self):
        return self._data

    # ---- graphs

    def _rewrite(self, change):
        """Replaces the fields of a graph: `change` gets a list of (number, content) and returns the new one."""
        parts = []
        for field, content in fields(self._data):
            if field == 7:
                content = b"".join(again(*one) for one in change(list(fields(content))))
            parts.append(again(field, content))
        self._data = b"".join(parts)

    def _convert(self, before, after):
        old, new = onnx_bytes.TYPES[before], onnx_bytes.TYPES[after]

        def tensor(data):
            name, value = tensor_of(data)
            if value.dtype != numpy.dtype(before):
                return data
            limits = None if after.startswith("float") else numpy.iinfo(after)
            if limits is not None and value.size and (value.min() < limits.min or value.max() > limits.max):
                raise popart_exception("%s has values that are not %s" % (name, after))
            return onnx_bytes.tensor(name, value.astype(after))

        def declared(data):
            """A ValueInfoProto: its type is in tensor_type.elem_type."""
            parts = []
            for field, content in fields(data):
                if field == 2:
                    content = b"".join(again(kind, b"".join(again(key, new if key == 1 and part == old else part)
                                                             for key, part in fields(inner)) if kind == 1 else inner)
                                       for kind, inner in fields(content))
                parts.append(again(field, content))
            return b"".join(parts)

        def attribute(data, is_cast):
            parts = []
            for field, content in fields(data):
                if field == 5:
                    content = tensor(content)
                elif field == 6:
                    content = b"".join(again(*one) for one in graph(list(fields(content))))
                elif field == 3 and is_cast and content == old:
                    content = new
                parts.append(again(field, content))
            return b"".join(parts)

        def node(data):
            is_cast = any(field == 4 and content == b"Cast" for field, content in fields(data))
            return b"".join(again(field, attribute(content, is_cast) if field == 5 else content) for field, content in fields(data))

        def graph(parts):
            by_field = {_NODE: node, _INITIALISER: tensor, _INPUT: declared, _OUTPUT: declared, _VALUE: declared}
            return [(field, by_field.get(field, lambda content: content)(content)) for field, content in parts]

        self._rewrite(graph)

    # ---- what scripts call

    def convertFloatsToHalfs(self):
        self._convert("float32", "float16")

    def convertDoublesToFloats(self):
        self._convert("float64", "float32")

    def convertDoublesToHalfs(self):
        self._convert("float64", "float16")

    def convertINT64ToINT32(self, clip=False):
        if clip:
            not_simulated("GraphTransformer.convertINT64ToINT32 that cuts values")
        self._convert("int64", "int32")

    def convertUINT8ToINT32(self):
        self._convert("uint8", "int32")

    def convertUINT16ToINT32(self):
        self._convert("uint16", "int32")

    def convertINT8ToINT32(self):
        self._convert("int8", "int32")

    def convertINT16ToINT32(self):
        self._convert("int16", "int32")

    def removeUnusedInputs(self):
        def change(parts):
            nodes = [onnx_bytes.Node(content) for field, content in parts if field == _NODE]
            used = {name for one in nodes for name in one.inputs}
            used |= {onnx_bytes._declared(content)[0] for field, content in parts if field == _OUTPUT}

            def is_used(field, content):
                if field == _INPUT:
                    return onnx_bytes._declared(content)[0] in used
                return field != _INITIALISER or tensor_of(content)[0] in used

            return [part for part in parts if is_used(*part)]

        self._rewrite(change)

    def convertInitializersToConstants(self, ids):
        wanted = set(ids)

        def change(parts):
            constants, kept = [], []
            for field, content in parts:
                name, value = tensor_of(content) if field == _INITIALISER else ("", None)
                if name in wanted:
                    wanted.discard(name)
                    constants.append((_NODE, onnx_bytes.node("Constant", [], [name], {"value": value}, "", name)))
                elif not (field == _INPUT and onnx_bytes._declared(content)[0] in ids):
                    kept.append((field, content))
            return constants + kept

        self._rewrite(change)
        if wanted:
            raise popart_exception("TensorId %s not in the model initalizers" % ", ".join(sorted(wanted)))

    def convertAllFixedPointInitializersToConstants(self):
        self.convertInitializersToConstants([name for name, (dtype, _) in onnx_bytes.Model(self._data).initialisers.items()
                                             if dtype and not dtype.startswith("float")])

    def prepareNodesForTraining(self):
        not_simulated("GraphTransformer.prepareNodesForTraining: a session trains the model as it is")

    def saveInitializersExternally(self, ids, fn):
        self._data = saved_externally(self._data, ids, fn)
