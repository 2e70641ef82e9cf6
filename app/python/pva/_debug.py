"""Debug contexts, which identify the origin of programs and variables, and operations with their programs."""

import json

from ._objects import Facts, LazyList, lazy


class SourceLocation(Facts):
    """The line of the program that created the context."""

    _names = ("fileName", "lineNumber", "functionName")


class DebugContext:
    def __init__(self, contexts, row):
        self._contexts, self._row = contexts, row

    @property
    def id(self):
        return self._row[0]

    @property
    def name(self):
        """The name within the parent."""
        return self._contexts.file.text(self._row[2])

    @lazy
    def fullName(self):
        """The context's path: the names of all enclosing contexts and its own."""
        names = [context.name for context in [self] + self._ancestors]
        return "/".join(name for name in reversed(names) if name)

    @property
    def kind(self):
        """The context's type, such as an operator type."""
        return self._contexts.file.text(self._row[4])

    @lazy
    def layer(self):
        """A JSON object whose key "layer" is model, onnx, library or poplar, as existing scripts expect."""
        return json.dumps({"layer": self._contexts.file.text(self._row[3])})

    @property
    def parents(self):
        return [] if self._row[1] is None else [self._contexts.by_id(self._row[1])]

    @property
    def _ancestors(self):
        found, context = [], self
        while context.parents:
            context = context.parents[0]
            found.append(context)
        return found

    @property
    def children(self):
        return [self._contexts.by_id(number) for number in self._contexts.children.get(self.id, ())]

    @lazy
    def _details(self):
        if self._row[5] is None:
            return {}
        try:
            details = json.loads(self._row[5])
        except (ValueError, RecursionError):
            raise self._contexts.file.damaged("the details of debug context %d are not JSON" % self.id) from None
        return details if isinstance(details, dict) else {}

    @lazy
    def json(self):
        """All facts about the context as a JSON object: id, parentId, name, layer, kind, and further ones of its creator."""
        text = self._contexts.file.text
        known = {"id": self.id, "name": self.name, "layer": text(self._row[3]), "kind": self.kind, "op_name": self.fullName,
                 "op_type": self.kind}
        if self._row[1] is not None:
            known["parentId"] = self._row[1]
        known.update(self._details)
        return json.dumps(known)

    @property
    def location(self):
        """None if the creator did not record it."""
        source = self._details.get("source")
        if not isinstance(source, dict):
            return None
        return SourceLocation(source.get("file", ""), source.get("line", 0), source.get("function", ""))

    def programs(self):
        """The programs whose context is exactly this one."""
        return [self._contexts.programs.by_id(number) for number in self._contexts.programs_of.get(self.id, ())]

    def __eq__(self, other):
        return isinstance(other, DebugContext) and self._contexts is other._contexts and self.id == other.id

    def __hash__(self):
        return hash(self.id)

    def __repr__(self):
        return "DebugContext(%d, %r)" % (self.id, self.name)


class DebugContexts:
    def __init__(self, file):
        self.file, self.programs, self._made = file, None, {}

    @lazy
    def rows(self):
        rows = self.file.by_id("debug_context", "id:int parent_id:int? name_id:int layer_id:int kind_id:int details_json:text?")
        for row in rows:
            if row[1] is not None and not 0 <= row[1] < row[0]:
                raise self.file.damaged("debug context %d has a parent that is not before it" % row[0])
        return rows

    @lazy
    def children(self):
        found = {}
        for row in self.rows:
            if row[1] is not None:
                found.setdefault(row[1], []).append(row[0])
        return found

    @lazy
    def programs_of(self):
        found = {}
        for row in self.programs.rows:
            if row[4] is not None:
                found.setdefault(row[4], []).append(row[0])
        return found

    def by_id(self, number):
        made = self._made.get(number)
        if made is None:
            if not 0 <= number < len(self.rows):
                raise self.file.damaged("debug context %d is missing" % number)
            made = self._made[number] = DebugContext(self, self.rows[number])
        return made

    @lazy
    def all(self):
        return LazyList(len(self.rows), self.by_id)


class Operation:
    """An operation of the model, such as an ONNX node, with its programs and variables."""

    def __init__(self, analysis, row):
        self._analysis, self._row = analysis, row

    @property
    def name(self):
        return self._row[1]

    @property
    def kind(self):
        return self._row[2]

    @property
    def debugContext(self):
        return self._analysis.contexts.by_id(self._row[0])

    @property
    def replacedDebugContext(self):
        """Empty: an operation in a function that several layers share keeps its own context."""
        return []

    @lazy
    def _programs(self):
        return self._analysis.programs_of(self._row[0])

    def programs(self):
        return [self._analysis.programs.by_id(number) for number in self._programs]

    @lazy
    def _steps(self):
        rows = self._analysis.programs.rows
        return [rows[number][9] for number in self._programs if rows[number][9] is not None]

    @property
    def firstStepIndex(self):
        """The first liveness step of its programs; None if they have no step."""
        return min(self._steps, default=None)

    @property
    def lastStepIndex(self):
        return max(self._steps, default=None)

    @lazy
    def vars(self):
        """The lowered variables that its programs read or write."""
        variables = self._analysis.programs.variables
        return variables.lowered_of(sorted({v for number in self._programs for v in variables.variables_of_program(number)}))

    def __repr__(self):
        return "Operation(%r)" % self.name


class OperationAnalysis:
    """The operations of a report."""

    def __init__(self, report):
        self._report = report
        self.contexts, self.programs = report._contexts, report._programs

    @lazy
    def operations(self):
        rows = self._report._file.rows("operation", "debug_context_id:int name:text kind:text", "ORDER BY id")
        return LazyList(len(rows), lambda i: Operation(self, rows[i]))

    @lazy
    def _called_for(self):
        """By operation: the operations in functions that calls run for it."""
        found = {}
        for inner, outer in self._report._file.rows("call_context", "function_context_id:int caller_context_id:int"):
            found.setdefault(outer, set()).add(inner)
        return found

    def programs_of(self, context):
        waiting, numbers = [context] + sorted(self._called_for.get(context, ())), set()
        seen = set(waiting)
        while waiting:
            current = waiting.pop()
            numbers.update(self.contexts.programs_of.get(current, ()))
            fresh = [child for child in self.contexts.children.get(current, ()) if child not in seen]
            seen.update(fresh)
            waiting += fresh
        return sorted(numbers)

    def __repr__(self):
        return "OperationAnalysis(%d operations)" % len(self.operations)
