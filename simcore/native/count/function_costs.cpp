#include "simcore/native/count/function_costs.h"

#include <algorithm>
#include <array>
#include <map>

namespace simcore::native {

namespace {

using Pipe = MachineOp::Pipe;

int64_t parts(int64_t lanes, int64_t each) { return (lanes + each - 1) / each; }

void append(MachineCost& cost, int64_t count, int slots) {
  for (int64_t i = 0; i < count; ++i) cost.ops.push_back({Pipe::Aux, slots});
}

// Slots of a function for one float, and for two halves if the machine has such an instruction (decision 060, 7; ipu-reference
// 9.1).
struct Slots {
  int single = 0, halves = 0; // halves = 0: computed as floats
  bool isCall = false;
};

const std::map<std::string_view, Slots>& functions() {
  static const std::map<std::string_view, Slots> table = {{"sqrt", {5}},
                                                          {"rsqrt", {4}},
                                                          {"exp", {3, 2}},
                                                          {"exp2", {3, 2}},
                                                          {"log", {6, 2}},
                                                          {"log2", {6, 2}},
                                                          {"log10", {6, 2}},
                                                          {"tanh", {5, 1}},
                                                          {"sigmoid", {5, 1}},
                                                          {"sin", {2300, 0, true}},
                                                          {"cos", {2300, 0, true}},
                                                          {"tan", {5100, 0, true}},
                                                          {"pow", {312, 0, true}},
                                                          {"fmod", {67, 0, true}},
                                                          {"remainder", {67, 0, true}},
                                                          {"atan2", {136, 0, true}},
                                                          {"asin", {102, 0, true}},
                                                          {"acos", {102, 0, true}},
                                                          {"atan", {102, 0, true}},
                                                          {"erf", {41, 0, true}},
                                                          {"cbrt", {27, 0, true}},
                                                          {"expm1", {4, 0, true}},
                                                          {"log1p", {18, 0, true}}};
  return table;
}

// Whether the function is one aux instruction per word, like an add.
bool isSimpleFloat(std::string_view name) {
  static constexpr std::array names = {"fabs",      "minnum",    "maxnum",       "minimum", "maximum", "fmin",
                                       "fmax",      "floor",     "ceil",         "trunc",   "rint",    "round",
                                       "roundeven", "nearbyint", "canonicalize", "fmaxnum", "fminnum"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

int integerOps(std::string_view name) { // for intrinsics on integers; 0: not one of them
  static constexpr std::array one = {"smax", "smin", "umax", "umin", "abs", "ctlz", "cttz", "ctpop", "bswap", "bitreverse"};
  static constexpr std::array two = {"fshl",
                                     "fshr",
                                     "sadd.sat",
                                     "uadd.sat",
                                     "ssub.sat",
                                     "usub.sat",
                                     "sadd.with.overflow",
                                     "uadd.with.overflow",
                                     "ssub.with.overflow",
                                     "usub.with.overflow",
                                     "smul.with.overflow",
                                     "umul.with.overflow"};
  if (std::find(one.begin(), one.end(), name) != one.end()) return 1;
  return std::find(two.begin(), two.end(), name) != two.end() ? 2 : 0;
}

// "llvm.sqrt.v2f32" -> "sqrt", "sqrtf" -> "sqrt".
std::string plainName(std::string_view callee) {
  std::string name(callee);
  if (name.rfind("llvm.", 0) == 0) {
    name.erase(0, 5);
    const auto isSuffix = [](std::string_view part) {
      return part.size() > 1 && (part[0] == 'f' || part[0] == 'i' || part[0] == 'v' || part[0] == 'p') &&
             std::isdigit(static_cast<unsigned char>(part[1]));
    };
    for (auto dot = name.rfind('.'); dot != std::string::npos && isSuffix(std::string_view(name).substr(dot + 1));
         dot = name.rfind('.'))
      name.erase(dot);
    return name;
  }
  if (name.size() > 2 && name.back() == 'f' &&
      (functions().count(std::string_view(name).substr(0, name.size() - 1)) ||
       isSimpleFloat(std::string_view(name).substr(0, name.size() - 1))))
    name.pop_back();
  return name;
}

MachineCost longFunction(const Slots& slots, const IrType& type) {
  MachineCost cost;
  cost.isChain = false;
  const int64_t lanes = type.lanes();
  if (slots.isCall) return callOps(lanes * (slots.single + 2));
  if (type.isHalf() && slots.halves > 0) return auxOps(parts(lanes, 2), slots.halves);
  if (type.isHalf()) append(cost, parts(lanes, 2), 1);
  append(cost, lanes, slots.single);
  if (type.isHalf()) append(cost, parts(lanes, 4), 1);
  return cost;
}

// The cost of a builtin of the machine's compiler, e.g. "__builtin_ipu_f32v2exp".
MachineCost builtinCost(std::string_view name, const IrType& type) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  for (const auto* long_ : {"rsqrt", "sqrt", "tanh", "sigmoid", "exp", "log", "ln"})
    if (has(long_)) return longFunction(functions().at(std::string_view(long_) == "ln" ? "log" : long_), type);
  if (has("get_") || has("put") || has("tapack") || has("load") || has("store") || has("ld") || has("is_worker"))
    return mainOps(1);
  return auxOps(std::max<int64_t>(1, auxWords(type)));
}

} // namespace

MachineCost mainOps(int64_t count) {
  MachineCost cost;
  cost.isChain = false;
  cost.ops.assign(count, {Pipe::Main});
  return cost;
}

MachineCost auxOps(int64_t count, int slots) {
  MachineCost cost;
  cost.isChain = false;
  append(cost, count, slots);
  return cost;
}

MachineCost callOps(int64_t slots) {
  MachineCost cost;
  cost.ops.push_back({Pipe::Main, static_cast<int>(std::min<int64_t>(slots, 1 << 30)), true});
  return cost;
}

int64_t auxWords(const IrType& type) { return parts(type.lanes(), type.isHalf() ? 4 : 2); }

bool isMarker(std::string_view callee) {
  static constexpr std::array prefixes = {
      "llvm.lifetime.", "llvm.dbg.",       "llvm.assume",      "llvm.experimental.noalias.scope",
      "llvm.invariant", "llvm.expect",     "llvm.annotation",  "llvm.threadlocal.address",
      "llvm.donothing", "llvm.sideeffect", "llvm.trap",        "llvm.var.annotation",
      "llvm.prefetch",  "llvm.stacksave",  "llvm.stackrestore"};
  return std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view p) { return callee.substr(0, p.size()) == p; });
}

int copySlots(std::string_view callee) {
  if (callee.rfind("llvm.", 0) == 0) callee.remove_prefix(5);
  if (callee.substr(0, 6) == "memcpy" || callee.substr(0, 7) == "memmove") return 2;
  return callee.substr(0, 6) == "memset" ? 1 : 0;
}

MachineCost divisionCost(const IrType& type) {
  MachineCost cost = longFunction({4}, type);
  if (type.isHalf()) append(cost, parts(type.lanes(), 2), 1); // two operands become floats
  return cost;
}

MachineCost functionCost(const IrInstruction& call) {
  const std::string_view callee = call.callee;
  const IrType& type =
      call.type->kind == IrType::Kind::Struct && !call.type->parts.empty() ? *call.type->parts.front() : *call.type;
  if (isMarker(callee)) return mainOps(0);
  if (callee.rfind("__builtin_ipu_", 0) == 0) return builtinCost(callee.substr(14), type);
  // Casts of pointers, and replaced assembly, which counts its own bundles, cost nothing here.
  if (callee.rfind("__tilescope_", 0) == 0 && callee != "__tilescope_print") return mainOps(0);
  const std::string name = plainName(callee);
  if (type.isDouble()) return {{}, true, false};
  if (const int ops = integerOps(name)) return mainOps(ops * type.lanes());
  if (name.rfind("vector.reduce.", 0) == 0 && !call.operands.empty()) {
    const IrType& vector = *call.operands.back().type;
    MachineCost cost = vector.isInteger() ? mainOps(vector.lanes()) : auxOps(vector.lanes());
    cost.isChain = true;
    return cost;
  }
  // Clang vectorises the last iterations of an unrolled loop with masks. The machine has no masks, so it accesses each element
  // separately.
  if (name == "masked.load") return mainOps(type.lanes());
  if (name == "masked.store" && !call.operands.empty()) return mainOps(call.operands.front().type->lanes());
  if (isSimpleFloat(name)) return auxOps(auxWords(type));
  if (name == "copysign") return auxOps(2 * auxWords(type));
  if (name == "fma" || name == "fmuladd") {
    MachineCost cost = auxOps(auxWords(type));
    append(cost, auxWords(type), 1);
    cost.isChain = type.lanes() * (type.isHalf() ? 1 : 2) <= 4; // of one word: the sum needs the product
    return cost;
  }
  const auto found = functions().find(name);
  if (found != functions().end()) return longFunction(found->second, type);
  return {{}, true, false};
}

} // namespace simcore::native
