#include "simcore/native/count/data_dependence.h"

#include "simcore/native/count/function_costs.h"

#include <algorithm>

namespace simcore::native {

namespace {

// What a pointer points to.
enum class Place { Nothing, Vertex, Field, Vector, Local, Constant, Unknown };

struct Mark {
  bool isData = false; // depends on an element
  Place place = Place::Nothing;
  int root = -1; // for a Field: the value loaded from the vertex
  bool operator==(const Mark&) const = default;
};

Mark joined(const Mark& a, const Mark& b) {
  Mark result = a;
  result.isData |= b.isData;
  if (a.place == Place::Nothing)
    result.place = b.place, result.root = b.root;
  else if (b.place != Place::Nothing && (a.place != b.place || a.root != b.root))
    result.place = Place::Unknown, result.root = -1;
  return result;
}

struct FunctionState {
  std::vector<Mark> marks;      // by value
  std::vector<bool> isListRoot; // by value: vectors are loaded through it, so it is a VectorList's table
  Mark returned;
  bool localHoldsData = false, depends = false, isReached = false;
  std::set<std::string> callees;
};

class Analysis {
public:
  explicit Analysis(const IrModule& module) {
    for (const auto& function : module.functions) {
      m_functions[function.name] = &function;
      FunctionState& state = m_states[function.name];
      state.marks.resize(function.definedBy.size());
      state.isListRoot.assign(function.definedBy.size(), false);
    }
    for (const auto& global : module.globals)
      if (global.isConstant) m_constants.insert(global.name);
  }

  void start(const std::string& entry) {
    const auto found = m_states.find(entry);
    if (found == m_states.end()) return;
    found->second.isReached = true;
    if (!found->second.marks.empty() && !m_functions[entry]->arguments.empty()) found->second.marks[0].place = Place::Vertex;
  }

  void run() {
    do {
      m_changed = false;
      for (auto& [name, state] : m_states)
        if (state.isReached) visit(*m_functions[name], state);
    } while (m_changed);
  }

  bool depends(const std::string& entry) const {
    std::set<std::string> seen;
    std::vector<std::string> open = {entry};
    while (!open.empty()) {
      const std::string name = open.back();
      open.pop_back();
      const auto found = m_states.find(name);
      if (found == m_states.end() || !seen.insert(name).second) continue;
      if (found->second.depends) return true;
      open.insert(open.end(), found->second.callees.begin(), found->second.callees.end());
    }
    return false;
  }

private:
  void set(bool& flag, bool value) {
    if (!value || flag) return;
    flag = true;
    m_changed = true;
  }

  Mark markOf(const IrOperand& operand, const FunctionState& state) const {
    if (operand.value >= 0) return state.marks[operand.value];
    if (operand.global.empty()) return {};
    return {false, m_constants.count(operand.global) || m_functions.count(operand.global) ? Place::Constant : Place::Unknown, -1};
  }

  void visit(const IrFunction& function, FunctionState& state) {
    for (const auto& i : function.instructions) {
      Mark mark = result(i, state);
      if (i.value < 0) continue;
      mark = joined(state.marks[i.value], mark);
      if (mark == state.marks[i.value]) continue;
      state.marks[i.value] = mark;
      m_changed = true;
    }
  }

  Mark result(const IrInstruction& i, FunctionState& state) {
    if (i.is("load")) return loaded(i, state);
    if (i.is("alloca")) return {false, Place::Local, -1};
    if (i.is("call")) return called(i, state);
    Mark mark;
    for (const auto& operand : i.operands) mark = joined(mark, markOf(operand, state));
    if (i.is("getelementptr")) {
      mark.place = markOf(i.operands[0], state).place;
      mark.root = markOf(i.operands[0], state).root;
    }
    if (i.is("store")) stored(i, state);
    if (i.is("br") || i.is("switch")) set(state.depends, mark.isData);
    if (i.is("ret")) {
      const Mark before = state.returned;
      state.returned = joined(before, mark);
      m_changed |= !(state.returned == before);
    }
    return mark;
  }

  Mark loaded(const IrInstruction& i, FunctionState& state) {
    const Mark address = markOf(i.operands[0], state);
    set(state.depends, address.isData);
    const bool isPointer = i.type->isPointer();
    switch (address.place) {
    case Place::Vertex:
      return {m_vertexHoldsData || address.isData, isPointer ? Place::Field : Place::Nothing, isPointer ? i.value : -1};
    case Place::Field:
      if (isPointer && address.root >= 0 && !state.isListRoot[address.root]) {
        state.isListRoot[address.root] = true;
        m_changed = true;
      }
      if (isPointer) return {address.isData, Place::Vector, -1};
      return {address.root < 0 || !state.isListRoot[address.root] || address.isData, Place::Nothing, -1};
    case Place::Local: return {state.localHoldsData || address.isData, isPointer ? Place::Unknown : Place::Nothing, -1};
    case Place::Constant: return {address.isData, isPointer ? Place::Unknown : Place::Nothing, -1};
    default: return {true, isPointer ? Place::Unknown : Place::Nothing, -1};
    }
  }

  void stored(const IrInstruction& i, FunctionState& state) {
    const Mark value = markOf(i.operands[0], state), address = markOf(i.operands[1], state);
    set(state.depends, address.isData);
    if (!value.isData) return;
    if (address.place == Place::Vertex || address.place == Place::Unknown) set(m_vertexHoldsData, true);
    if (address.place == Place::Local || address.place == Place::Unknown) set(state.localHoldsData, true);
  }

  Mark called(const IrInstruction& i, FunctionState& state) {
    if (isMarker(i.callee)) return {};
    Mark mark;
    bool passesLocal = false;
    for (const auto& operand : i.operands) {
      const Mark own = markOf(operand, state);
      mark.isData |= own.isData;
      passesLocal |= own.place == Place::Local;
    }
    if (copySlots(i.callee) > 0 && i.operands.size() > 2) {
      set(state.depends, markOf(i.operands[2], state).isData || markOf(i.operands[0], state).isData);
      const bool moves = copySlots(i.callee) == 2;
      if (moves && markOf(i.operands[0], state).place == Place::Local) set(state.localHoldsData, true);
      if (moves && markOf(i.operands[0], state).place == Place::Vertex) set(m_vertexHoldsData, true);
      return {};
    }
    if (passesLocal) set(state.localHoldsData, true);
    const auto found = m_functions.find(i.callee);
    if (found != m_functions.end()) return calledCode(i, *found->second, state);
    if (i.callee.rfind("__builtin_ipu_", 0) != 0 && functionCost(i).isKnown) return {mark.isData, Place::Nothing, -1};
    if (i.callee.rfind("__builtin_ipu_get_worker", 0) == 0 || i.callee.rfind("__builtin_ipu_is_worker", 0) == 0) return {};
    return {true, i.type->isPointer() ? Place::Unknown : Place::Nothing, -1};
  }

  Mark calledCode(const IrInstruction& i, const IrFunction& callee, FunctionState& state) {
    FunctionState& other = m_states[callee.name];
    state.callees.insert(callee.name);
    set(other.isReached, true);
    for (std::size_t a = 0; a < i.operands.size() && a < callee.arguments.size(); ++a) {
      Mark own = markOf(i.operands[a], state);
      own.root = -1;
      if (own.place == Place::Local) own.place = Place::Unknown;
      const Mark together = joined(other.marks[a], own);
      m_changed |= !(together == other.marks[a]);
      other.marks[a] = together;
    }
    Mark returned = other.returned;
    returned.root = -1;
    return returned;
  }

  std::map<std::string, const IrFunction*> m_functions;
  std::map<std::string, FunctionState> m_states;
  std::set<std::string> m_constants;
  bool m_vertexHoldsData = false, m_changed = false;
};

} // namespace

std::map<std::string, bool> entriesThatDependOnData(const IrModule& module, const std::vector<std::string>& entries) {
  std::map<std::string, bool> result;
  for (const auto& entry : entries) {
    Analysis analysis(module);
    analysis.start(entry);
    analysis.run();
    result[entry] = analysis.depends(entry);
  }
  return result;
}

} // namespace simcore::native
