"""Weights in models: tensors as PopART writes them, tensors in files of their own, and the state of the optimiser beside its weights."""

import os
import shutil

import numpy

from tilescope import onnx_bytes
from tilescope.onnx_bytes import again, block, fields, number

from ._types import not_simulated, popart_exception

_EXTERNAL = 1  # TensorProto.DataLocation
# The names of optimiser state in model files, by optimiser and the session's name, in PopART's order.
_STATES = {"sgd": {"velocity": "Accl___"}, "adam": {"firstMoment": "Accl1___", "secondMoment": "Accl2___"},
           "adaptive": {"secondMoment": "Accl1___", "meanGradient": "Accl2___", "velocity": "Accl3___"}}
_STEP = "Step___"
_PREFIXES = ("Accl1___", "Accl2___", "Accl3___", "Accl___", _STEP, "Accum___")


def typed(name, array):
    """A TensorProto with its numbers in the field of their type, as PopART writes it."""
    array = numpy.asarray(array)
    if array.dtype not in (numpy.float32, numpy.float64):
        return onnx_bytes.tensor(name, array)
    head = [number(1, size) for size in array.shape] + [number(2, onnx_bytes.TYPES[array.dtype.name])]
    values = array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
    return b"".join(head) + block(4 if array.dtype == numpy.float32 else 10, values) + block(8, name)


def _entries(content):
    """Key and value of a StringStringEntryProto."""
    pair = dict(fields(content))
    return pair.get(1, b"").decode(), pair.get(2, b"").decode()


def _raw_of_file(name, entries):
    path = entries.get("location", "")
    try:
        with open(path, "rb") as file:
            file.seek(int(entries.get("offset", 0)))
            return file.read(int(entries["length"])) if "length" in entries else file.read()
    except (OSError, ValueError) as error:
        raise popart_exception("the data of %s is in %s, which cannot be read: %s" % (name, path, error)) from None


def tensor_of(data):
    """Name and array of a TensorProto."""
    name, kind, shape, raw, parts, entries = "", 0, [], None, {4: [], 5: [], 7: [], 10: [], 11: []}, {}
    for field, content in fields(data):
        if field == 1:
            shape += [content] if isinstance(content, int) else list(onnx_bytes._packed(content))
        elif field == 2:
            kind = content
        elif field == 8:
            name = content.decode()
        elif field == 9:
            raw = content
        elif field == 13:
            entries.update([_entries(content)])
        elif field in parts:
            if field in (4, 10) and not isinstance(content, int):
                parts[field].append(numpy.frombuffer(content, "<f4" if field == 4 else "<f8"))
            else:
                parts[field].append(numpy.array([content] if isinstance(content, int) else list(onnx_bytes._packed(content)), numpy.uint64))
    if kind not in onnx_bytes.NAMES:
        not_simulated("type %d of the tensor %s" % (kind, name))
    dtype = numpy.dtype(onnx_bytes.NAMES[kind])
    if entries:
        raw = _raw_of_file(name, entries)
    if raw is None:
        values = next((numpy.concatenate(part) for part in parts.values() if part), numpy.zeros(0))
        if values.dtype == numpy.uint64:
            values = values.astype(numpy.uint16).view(numpy.float16) if dtype == numpy.float16 else values.astype(numpy.int64).astype(dtype)
        return name, values.astype(dtype).reshape(shape)
    return name, numpy.frombuffer(raw, dtype.newbyteorder("<")).astype(dtype).reshape(shape)


def name_of(data):
    return next((content.decode() for field, content in fields(data) if field == 8), "")


def location_of(data):
    """Where a TensorProto is in a separate file: {"location": …, "offset": …, "length": …}; {} if it is in the model."""
    return dict(_entries(content) for field, content in fields(data) if field == 13)


def external(data, location, offset, length):
    """The TensorProto with its values in a separate file."""
    kept = b"".join(again(field, content) for field, content in fields(data) if field in (1, 2, 8))
    entries = [("location", location), ("offset", str(offset))] + ([] if length is None else [("length", str(length))])
    return kept + b"".join(block(13, block(1, key) + block(2, value)) for key, value in entries) + number(14, _EXTERNAL)


def changed(data, change):
    """The model with each initialiser replaced by change(TensorProto); None removes it."""
    parts = []
    for field, content in fields(data):
        if field == 7:
            made = [(key, change(part) if key == 5 else part) for key, part in fields(content)]
            content = b"".join(again(key, part) for key, part in made if part is not None)
        parts.append(again(field, content))
    return b"".join(parts)


def tensors(data):
    """Initialisers by name, as TensorProto."""
    return {name_of(part): part for field, content in fields(data) if field == 7 for key, part in fields(content) if key == 5}


def initialisers(data):
    """Arrays by name."""
    return dict(map(tensor_of, tensors(data).values()))


def located(data, folder):
    """The model of a file in this folder, with absolute paths of the files that it names."""
    def change(part):
        place = location_of(part)
        path = os.path.join(folder, place.get("location", ""))
        return external(part, path, place.get("offset", 0), place.get("length")) if place and os.path.exists(path) else part

    return changed(data, change) if any(map(location_of, tensors(data).values())) else data


def saved_externally(data, names, path):
    """The model with these initialisers in the file `path`, one after the other."""
    names = list(names)
    known = tensors(data)
    for name in names:
        if name not in known:
            raise popart_exception("Tensor '%s' is not an initializer" % name)
        if location_of(known[name]):
            raise popart_exception("Tensor '%s' already has an external data_location" % name)
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise popart_exception("cannot save to %s: its parent directory does not exist" % path)
    places = {}
    with open(path, "wb") as file:
        for name in names:
            value = tensor_of(known[name])[1]
            places[name] = (file.tell(), value.nbytes)
            file.write(value.astype(value.dtype.newbyteorder("<"), copy=False).tobytes())

    def change(part):
        name = name_of(part)
        return external(part, os.fspath(path), *places[name]) if name in places else part

    return changed(data, change)


def inside(data):
    """The model with the values of all initialisers inside it."""
    if not any(map(location_of, tensors(data).values())):
        return data
    return changed(data, lambda part: typed(*tensor_of(part)) if location_of(part) else part)


# ---- the optimiser's state

def state_of(name):
    """(prefix, weight) of a name like Accl___w; ("", name) of any other."""
    prefix = next((word for word in _PREFIXES if name.startswith(word)), "")
    return prefix, name[len(prefix):]


def without_states(data):
    """The model without saved optimiser state, and that state by name."""
    found = {}

    def change(part):
        name = name_of(part)
        prefix, weight = state_of(name)
        if not prefix or weight not in known:
            return part
        found[name] = tensor_of(part)[1]
        return None

    known = set(tensors(data))
    return (changed(data, change), found) if any(state_of(name)[0] for name in known) else (data, found)


def state_names(optimiser, weights, known):
    """Maps the names that files give to the optimiser states of these weights to the session's names. The order is PopART's: all states of one
    kind, then those of the next. `known`: the ports of the session by name."""
    names = {prefix + weight: "%s/%s" % (weight, word) for word, prefix in _STATES.get(optimiser, {}).items() for weight in weights}
    names.update({_STEP + weight: "stepCount" for weight in weights})
    return {name: own for name, own in names.items() if own in known and known[own].kind == "state"}


def moved(data, before, after):
    """The model with the file `before` replaced by `after`, a copy of it."""
    if not os.path.exists(before):
        raise popart_exception("the locations are to change from '%s', but file '%s' does not exist" % (before, before))
    places = {name: location_of(part) for name, part in tensors(data).items()}
    if not any(place.get("location") == before for place in places.values()):
        raise popart_exception("No ONNX model initializers have external location set to '%s'" % before)
    shutil.copyfile(before, after)

    def change(part):
        place = places[name_of(part)]
        return external(part, after, place.get("offset", 0), place.get("length")) if place.get("location") == before else part

    return changed(data, change)


def with_values(data, values, states):
    """The model with these values of initialisers and these states of the optimiser. If the data of a weight is in an external file, its
    value and states are written to that file."""
    ends = {}

    def change(part):
        name, place = name_of(part), location_of(part)
        if name not in values:
            return part
        value = values[name]
        if not place:
            return typed(name, value)
        path, offset = place["location"], int(place.get("offset", 0))
        _write(path, offset, value)
        ends[name] = place["location"]
        sizes[path] = max(sizes.get(path, 0), offset + value.nbytes)
        return part

    sizes = {}
    data, extra = changed(data, change), []
    for name, value in states.items():
        location = ends.get(state_of(name)[1])
        part = typed(name, value)
        if location is not None:
            _write(location, sizes[location], value)
            part = external(part, location, sizes[location], value.nbytes)
            sizes[location] += value.nbytes
        extra.append(block(5, part))
    return data + (block(7, b"".join(extra)) if extra else b"")


def _write(path, offset, value):
    if not os.path.exists(path):
        raise popart_exception("Unrecognised file name '%s': the weights were in this file, and no file is made anew" % path)
    with open(path, "r+b") as file:
        file.seek(offset)
        file.write(value.astype(value.dtype.newbyteorder("<"), copy=False).tobytes())
