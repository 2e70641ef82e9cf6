"""The weights of a session: read, written, reset and saved."""

import numpy

from . import _weights
from ._builder import model_bytes
from ._types import popart_exception


class SessionWeights:
    """The part of a session that handles weights; the session has the attributes that it uses."""

    def _weight_names(self):
        return [name for name, port in self._session.weights.items() if name in self._model.initialisers and port.dtype.kind == "f"]

    def _state_names(self):
        """The session's names of optimiser state, by PopART's names (Accl___w)."""
        return _weights.state_names(self._optimizer.kept, self._trained(), self._session.weights) if self._optimizer else {}

    def _all_names(self):
        """The session's names of weights and optimiser state, by PopART's names."""
        return dict({name: name for name in self._weight_names()}, **self._state_names())

    def _write_weight(self, name, value):
        names = self._all_names()
        if name in names:  # state of another optimiser is ignored
            port = self._session.weights[names[name]]
            self._session.write_weight(names[name], numpy.asarray(value, port.dtype).reshape(port.shape))

    def weightsFromHost(self):
        self._require_prepared()
        self._weights_are_there = True
        for name in self._dirty | (set(self._host) if self._ran else set()):
            self._write_weight(name, self._host[name])
        for name in list(self._states):
            self._write_weight(name, self._states.pop(name))
        if self._ran and not self._host:
            self._reset_from_model()
        self._dirty.clear()
        self._ran = False

    def _reset_from_model(self):
        fresh = _weights.initialisers(self._model_bytes)
        for name in self._weight_names():
            self._session.write_weight(name, fresh[name])

    def weightsToHost(self):
        self._require_prepared()
        self._host = {name: self._session.read_weight(own) for name, own in self._all_names().items()}
        self._ran = False

    def readWeights(self, weightsIo):
        names = self._all_names()
        for name, array in weightsIo.weights.items():
            if not numpy.asarray(array).flags.c_contiguous:
                raise popart_exception("the array of %s cannot be written to: it is not c-contiguous (numpy.ascontiguousarray)" % name)
            value = self._host[name] if name in self._host else self._session.read_weight(names.get(name, name))
            numpy.copyto(array, value.reshape(numpy.shape(array)), casting="no")

    def writeWeights(self, weightsIo):
        for name, array in weightsIo.weights.items():
            if name not in self._model.initialisers and name not in self._state_names():
                raise popart_exception("the model has no weight %s" % name)
            self._host[name] = numpy.array(array)
            self._dirty.add(name)

    def modelToHost(self, path):
        """Writes the original model, with its current weights, and the optimiser's state as initialisers."""
        self._require_prepared("Devicex::prepare() must be called before Devicex::weightsToHost() is called.")
        values = {name: self._session.read_weight(name) for name in self._weight_names()} if self._loss is not None or self._ran else {}
        if self._loss is not None:
            self.weightsToHost()
        states = {name: self._session.read_weight(own).reshape(self._session.weights[own].shape or [1])
                  for name, own in self._state_names().items()}
        data = _weights.with_values(self._original, values, states)
        with open(path, "wb") as file:
            file.write(data)

    def updateExternallySavedTensorLocations(self, fromLocation, toLocation):
        self._original = _weights.moved(self._original, fromLocation, toLocation)

    def resetHostWeights(self, model, ignoreWeightsInModelWithoutCorrespondingHostWeight=False):
        if self._loss is None and self._options.constantWeights:
            raise popart_exception("Cannot call resetHostWeights when constantWeights is set")
        for name, value in _weights.initialisers(model_bytes(model)).items():
            if name in self._model.initialisers or _weights.state_of(name)[1] in self._model.initialisers:
                self._host[name] = value
                self._dirty.add(name)
            elif not ignoreWeightsInModelWithoutCorrespondingHostWeight:
                raise popart_exception("the session has no weight %s" % name)
