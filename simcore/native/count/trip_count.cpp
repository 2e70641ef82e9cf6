#include "simcore/native/count/trip_count.h"

#include "simcore/native/count/ir_line.h"

#include <fmt/format.h>

#include <cstdlib>

namespace simcore::native {

namespace {

constexpr int64_t kMostTrips = int64_t(1) << 38;

std::string textOf(const IrOperand& operand) {
  if (!operand.local.empty()) return "%" + operand.local;
  if (!operand.constant) return {};
  if (operand.type->kind == IrType::Kind::Pointer) return *operand.constant == 0 ? "null" : std::string();
  return std::to_string(*operand.constant);
}

// The condition under which the loop continues, with the induction variable on the left.
std::string stayCondition(const Loop& loop, std::string p) {
  const auto swapped = [](std::string s) {
    if (s.size() == 3) s[1] = s[1] == 'l' ? 'g' : 'l';
    return s;
  };
  const auto inverted = [](const std::string& s) -> std::string {
    if (s == "eq") return "ne";
    if (s == "ne") return "eq";
    return {s[0], s[1] == 'l' ? 'g' : 'l', s[2] == 't' ? 'e' : 't'};
  };
  if (!loop.inductionIsFirst) p = swapped(p);
  return loop.staysOnTrue ? p : inverted(p);
}

// The type in the compare's spelling, because typed pointers cannot be reconstructed.
std::string typeText(const IrInstruction& compare) {
  IrModule none;
  IrLine line(compare.text, compare.line, none);
  while (line.peek() != "icmp") line.next();
  line.next();
  if (line.peek() == "samesign") line.next();
  line.next();
  const auto before = line.rest();
  line.type();
  return std::string(before.substr(0, before.size() - line.rest().size()));
}

} // namespace

std::string tripCount(const IrFunction& function, const Loops& loops, int index, const IrOperand& first,
                      const std::string& name) {
  const Loop& loop = loops.all()[index];
  const IrInstruction& compare = function.instructions[loop.compare];
  const IrInstruction& phi = function.instructions[loop.induction];
  const IrOperand& bound = compare.operands[loop.inductionIsFirst ? 1 : 0];
  const IrOperand& compared = compare.operands[loop.inductionIsFirst ? 0 : 1];
  const bool isPointer = bound.type->kind == IrType::Kind::Pointer;
  if (!isPointer && (bound.type->kind != IrType::Kind::Integer || bound.type->bits > 64)) return {};
  // Casts between the phi and the compare could wrap.
  if (!isPointer && (phi.type->kind != IrType::Kind::Integer || phi.type->bits != compared.type->bits)) return {};
  if (isPointer && phi.type->kind != IrType::Kind::Pointer) return {};
  const std::string start = textOf(first), end = textOf(bound), p = stayCondition(loop, compare.predicate);
  if (start.empty() || end.empty() || p == "eq") return {};
  const bool isUp = loop.step > 0;
  if (p != "ne" && (p[1] == 'l') != isUp) return {};
  const int64_t step = std::abs(loop.step);
  const std::string type = typeText(compare), v = "%" + name;
  std::string out;
  const auto widened = [&](const std::string& value, const std::string& to) {
    if (isPointer)
      out += fmt::format("  {}{} = ptrtoint {} {} to i64\n", v, to, type, value);
    else if (bound.type->bits == 64)
      out += fmt::format("  {}{} = add i64 {}, 0\n", v, to, value);
    else
      out += fmt::format("  {}{} = {} {} {} to i64\n", v, to, p[0] == 's' ? "sext" : "zext", type, value);
  };
  widened(start, ".s");
  widened(end, ".b");
  out += fmt::format("  {0}.d = sub i64 {0}{1}, {0}{2}\n", v, isUp ? ".b" : ".s", isUp ? ".s" : ".b");
  std::string distance = v + ".d";
  if (p == "ne" && !isPointer && bound.type->bits < 64) { // the distance is taken modulo the width
    out += fmt::format("  {0}.m = and i64 {0}.d, {1}\n", v, (int64_t(1) << bound.type->bits) - 1);
    distance = v + ".m";
  }
  const int64_t extra = (p != "ne" && p[2] == 'e' ? 1 : 0) + step - 1;
  out += fmt::format("  {0}.u = add i64 {1}, {2}\n  {0}.q = {3} i64 {0}.u, {4}\n", v, distance, p == "ne" ? 0 : extra,
                     p == "ne" ? "udiv" : "sdiv", step);
  out += fmt::format("  {0}.t = add i64 {0}.q, {1}\n  {0}.l = icmp slt i64 {0}.t, 1\n", v, loop.comparesNext ? 0 : 1);
  // A negative count means a huge number of iterations for "ne", and none for other compares.
  out += fmt::format("  {0}.o = select i1 {0}.l, i64 {1}, i64 {0}.t\n", v, p == "ne" ? kMostTrips : 1);
  out += fmt::format("  {0}.g = icmp sgt i64 {0}.o, {1}\n  {0}.h = select i1 {0}.g, i64 {1}, i64 {0}.o\n", v, kMostTrips);
  // If the start is beyond the bound, the distance may wrap around to a positive number. So the start is compared with the bound
  // in the loop's own width.
  if (p == "ne")
    out += fmt::format("  {0} = add i64 {0}.h, 0\n", v);
  else
    out += fmt::format("  {0}.x = icmp {1} {2} {3}, {4}\n  {0} = select i1 {0}.x, i64 {0}.h, i64 1\n", v, p, type, start, end);
  return out;
}

std::string tripCount(const IrFunction& function, const Loops& loops, int index, int from, const std::string& name) {
  const IrInstruction& phi = function.instructions[loops.all()[index].induction];
  for (std::size_t i = 0; i < phi.labels.size(); ++i)
    if (phi.labels[i] == from) return tripCount(function, loops, index, phi.operands[i], name);
  return {};
}

} // namespace simcore::native
