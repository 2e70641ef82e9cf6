#include "simcore/native/count/short_sums.h"

#include "simcore/native/count/host_loops.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cstdlib>
#include <set>

namespace simcore::native {

namespace {

constexpr int64_t kMostIterations = int64_t(1) << 20, kFewestIterations = int64_t(1) << 12;
constexpr int64_t kEndOfSum = int64_t(1) << 32;

// Whether the host's compiler may vectorise a loop. If it stays scalar, splitting the loop in two only makes it slower.
class HostVectors {
public:
  HostVectors(const IrFunction& function, const Loops& loops, int loop)
      : m_function(function), m_loops(loops), m_loop(loop), m_header(loops.all()[std::size_t(loop)].header) {}

  bool mayBe() const {
    for (const int block : m_loops.all()[std::size_t(m_loop)].blocks) {
      if (m_loops.innermost(block) != m_loop) return false;
      for (int i = m_function.blocks[block].first; i < m_function.blocks[block].end; ++i)
        if (isForScalars(m_function.instructions[i])) return false;
    }
    return true;
  }

  // Whether a branch contains a store of a size for which the host has no masks.
  bool needsUnknownMasks() const {
    for (const int block : m_loops.all()[std::size_t(m_loop)].blocks)
      for (int i = m_function.blocks[block].first; i < m_function.blocks[block].end; ++i)
        if (m_function.instructions[i].is("store") && !hasMasks(m_function.instructions[i])) return true;
    return false;
  }

private:
  bool isForScalars(const IrInstruction& i) const {
    if (i.is("phi") && i.block == m_header)
      return !i.type->isInteger() && !i.type->isPointer(); // sums of floats keep their order
    return i.is("switch") || i.isVolatile || (i.is("call") && i.callee.rfind("llvm.", 0) != 0) ||
           (i.isMemory() && !isOfNextElement(i) && !isOfOneElement(i));
  }

  bool isOfOneElement(const IrInstruction& i) const {
    return i.is("load") && m_loops.isInvariant(i.pointer(), m_loop) && runsAlways(i);
  }

  bool runsAlways(const IrInstruction& i) const {
    return m_loops.dominates(i.block, m_loops.all()[std::size_t(m_loop)].latches.front());
  }

  bool hasMasks(const IrInstruction& access) const {
    const int64_t bytes = sizeOf(*access.accessed);
    return bytes == 4 || bytes == 8 || runsAlways(access);
  }

  // Whether consecutive iterations access adjacent elements.
  bool isOfNextElement(const IrInstruction& access) const {
    const auto address = m_loops.affine(access.pointer(), m_loop);
    if (!address || !address->varies) return false;
    int64_t stride = 0;
    for (const auto& [value, coefficient] : address->terms) {
      const int from = m_function.definedBy[value];
      if (from < 0 || m_function.instructions[from].block != m_header || !m_function.instructions[from].is("phi")) continue;
      const auto next = m_loops.affine(m_loops.incoming(m_function.instructions[from], m_loop, true), m_loop);
      if (!next) return false;
      stride += coefficient * next->constant;
    }
    return hasMasks(access) && std::abs(stride) == sizeOf(*access.accessed);
  }

  const IrFunction& m_function;
  const Loops& m_loops;
  int m_loop, m_header;
};

constexpr std::string_view kLoopOfBranch = ", !llvm.loop !";
// Numbers of metadata nodes that clang does not use: of loops with a short sum, and of scalar loops.
constexpr int64_t kFirstInterleaved = 1'000'000, kFirstScalar = 2'000'000, kInterleavedNode = 3'000'000, kScalarNode = 3'000'001;

// The text of a phi before its values, with another result name.
std::string renamed(const std::string& head, const std::string& name) { return "%" + name + head.substr(head.find(" = ")); }

// The number of the loop's metadata node in a branch; -1 if it has none.
int64_t nodeAt(std::string_view text, std::size_t loop) {
  int64_t node = -1;
  if (loop != std::string_view::npos) std::from_chars(text.data() + loop + kLoopOfBranch.size(), text.data() + text.size(), node);
  return node;
}

// The end of a branch, with its loop's node number increased by `first`.
std::string withNode(const std::string& rest, int64_t first) {
  const auto at = rest.find(kLoopOfBranch);
  const int64_t node = nodeAt(rest, at);
  return node < 0 ? rest : fmt::format("{}{}{}", rest.substr(0, at), kLoopOfBranch, first + node);
}

} // namespace

std::optional<ShortSum> ShortSum::of(const IrFunction& function, const Loops& loops, int loop, int64_t added,
                                     bool opaquePointers) {
  const Loop& l = loops.all()[std::size_t(loop)];
  if (!l.isCounted || l.header == l.latches.front() || added <= 0 || !HostVectors(function, loops, loop).mayBe())
    return std::nullopt;
  ShortSum sum(function, l, opaquePointers);
  sum.m_iterations = kMostIterations;
  while (sum.m_iterations >= kFewestIterations && sum.m_iterations > (kEndOfSum - 1) / added) sum.m_iterations /= 2;
  if (sum.m_iterations < kFewestIterations) return std::nullopt;
  return sum;
}

ShortSum::ShortSum(const IrFunction& function, const Loop& loop, bool opaquePointers)
    : m_function(function), m_loop(loop), m_header(loop.header), m_latch(loop.latches.front()),
      m_short(opaquePointers ? "ptr" : "i32*"), m_long(opaquePointers ? "ptr" : "i64*") {}

std::string ShortSum::start() const { return fmt::format("tilescope.a{}", m_header); }
std::string ShortSum::end() const { return fmt::format("tilescope.z{}", m_header); }
std::string ShortSum::variable() const { return fmt::format("%tilescope.short{}", m_header); }

std::string ShortSum::startBlock(const Incoming& incoming, const std::map<std::string, std::string>& trips) const {
  const IrBlock& header = m_function.blocks[m_header];
  std::string out = start() + ":\n";
  for (int at = header.first; at < header.end && m_function.instructions[at].is("phi"); ++at) {
    const IrInstruction& phi = m_function.instructions[at];
    out += "  " + renamed(phiText(phi).head, fmt::format("tilescope.a{}.{}", m_header, at));
    for (std::size_t k = 0; k < phi.labels.size(); ++k) {
      const bool isAgain = phi.labels[k] == m_latch;
      out += k ? ", " : "";
      out += isAgain ? fmt::format("[ {}, %{} ]", phiText(phi).values[k], end()) : incoming(phi, k);
    }
    out += "\n";
  }
  const std::string id = start();
  out += fmt::format("  %{}.r = phi i64 [ %{}.r, %{} ]", id, end(), end());
  for (const auto& [label, count] : trips) out += fmt::format(", [ {}, %{} ]", count, label);
  return out + fmt::format("\n  %{0}.p = icmp sgt i64 %{0}.r, 1\n  %{0}.s = select i1 %{0}.p, i64 %{0}.r, i64 1\n"
                           "  %{0}.m = icmp sgt i64 %{0}.s, {1}\n  %{0}.t = select i1 %{0}.m, i64 {1}, i64 %{0}.s\n"
                           "  store i32 0, {2} {3}\n  br label %{4}\n",
                           id, m_iterations, m_short, variable(), header.name);
}

std::string ShortSum::headerPhi(const IrInstruction& phi, const Incoming& incoming) const {
  const auto at = &phi - m_function.instructions.data();
  const PhiText text = phiText(phi);
  std::string out = text.head + fmt::format("[ %tilescope.a{}.{}, %{} ]", m_header, at, start());
  for (std::size_t k = 0; k < phi.labels.size(); ++k)
    if (phi.labels[k] == m_latch) out += ", " + incoming(phi, k);
  return out + text.tail;
}

std::string ShortSum::iterationPhi(const std::string& latchLabel) const {
  return fmt::format("  %{0}.i = phi i64 [ 0, %{1} ], [ %{0}.j, %{2} ]\n", end(), start(), latchLabel);
}

std::string ShortSum::added(const std::string& id, int64_t amount) const {
  return fmt::format("  %tilescope.c.{0} = load i32, {1} {2}\n  %tilescope.d.{0} = add i32 %tilescope.c.{0}, {3}\n"
                     "  store i32 %tilescope.d.{0}, {1} {2}\n",
                     id, m_short, variable(), amount);
}

std::string ShortSum::latchBranch(const std::string& rest) const {
  return fmt::format("  %{0}.j = add nuw nsw i64 %{0}.i, 1\n  %{0}.l = icmp eq i64 %{0}.j, %{1}.t\n"
                     "  br i1 %{0}.l, label %{0}, label %{2}{3}\n",
                     end(), start(), m_function.blocks[m_header].name, withNode(rest, kFirstInterleaved));
}

std::string ShortSum::endBlock(const std::string& total, const std::string& exitLabel) const {
  const std::string& compare = m_function.instructions[m_loop.compare].text;
  return fmt::format("{0}:\n  %{0}.c = load i32, {1} {2}\n  %{0}.w = zext i32 %{0}.c to i64\n  %{0}.n = load i64, {3} {4}\n"
                     "  %{0}.s = add i64 %{0}.n, %{0}.w\n  store i64 %{0}.s, {3} {4}\n  %{0}.r = sub i64 %{5}.r, %{5}.t\n"
                     "  %{0}.k{6}\n  br i1 %{0}.k, label %{7}, label %{8}\n",
                     end(), m_short, variable(), m_long, total, start(), compare.substr(compare.find(" = ")),
                     m_loop.staysOnTrue ? start() : exitLabel, m_loop.staysOnTrue ? exitLabel : start());
}

std::string endOfScalarLatch(const IrFunction& function, const Loops& loops, int loop, const std::string& rest) {
  return HostVectors(function, loops, loop).needsUnknownMasks() ? withNode(rest, kFirstScalar) : rest;
}

std::string nodesOfCountingLoops(std::string_view text, const std::vector<std::string>& nodes) {
  std::set<int64_t> loops;
  for (auto at = text.find(kLoopOfBranch); at != std::string_view::npos; at = text.find(kLoopOfBranch, at + 1))
    if (const int64_t node = nodeAt(text, at); node >= kFirstInterleaved) loops.insert(node);
  if (loops.empty()) return {};
  std::string out =
      fmt::format("!{} = !{{!\"llvm.loop.interleave.count\", i32 2}}\n!{} = !{{!\"llvm.loop.vectorize.width\", i32 1}}\n",
                  kInterleavedNode, kScalarNode);
  for (const int64_t loop : loops) {
    const bool isScalar = loop >= kFirstScalar;
    const std::string begin = fmt::format("!{0} = distinct !{{!{0}", loop - (isScalar ? kFirstScalar : kFirstInterleaved));
    std::string rest = "}";
    for (const auto& line : nodes)
      if (line.starts_with(begin) && !std::isdigit(static_cast<unsigned char>(line[begin.size()])))
        rest = line.substr(begin.size());
    out += fmt::format("!{0} = distinct !{{!{0}, !{1}{2}\n", loop, isScalar ? kScalarNode : kInterleavedNode, rest);
  }
  return out;
}

} // namespace simcore::native
