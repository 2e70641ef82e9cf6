#include "simcore/native/count/twin.h"

#include "simcore/native/count/host_loops.h"
#include "simcore/native/count/ir_line.h"
#include "simcore/native/count/short_sums.h"
#include "simcore/native/count/trip_count.h"
#include "simcore/native/count/twin_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace simcore::native {

namespace {

// The parameter for the caller's count, which is 0 when the budget is spent.
constexpr const char* kCount = "%tilescope.count";

bool isNameLetter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '-' || c == '$'; }

// The end of a name that begins at `at`, after its prefix.
std::size_t nameEnd(std::string_view text, std::size_t at) {
  if (at < text.size() && text[at] == '"') {
    const auto end = text.find('"', at + 1);
    return end == std::string_view::npos ? text.size() : end + 1;
  }
  while (at < text.size() && isNameLetter(text[at])) ++at;
  return at;
}

void erasePhrase(std::string& text, std::string_view phrase, bool withNumber) {
  for (auto at = text.find(phrase); at != std::string::npos; at = text.find(phrase, at)) {
    auto end = at + phrase.size();
    if (withNumber)
      while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
    else if (end < text.size() && text[end] == '(')
      end = text.find(')', end) + 1;
    text.erase(at, end - at);
  }
}

class Twin {
public:
  Twin(const IrFunction& function, const Loops& loops, const FunctionPrices& prices, const TwinNames& names)
      : m_function(function), m_loops(loops), m_prices(prices), m_names(names), m_pointer(names.opaquePointers ? "ptr" : "i64*") {
  }

  std::string write() {
    plan();
    m_out = header("internal ", copyName());
    if (takesCounters(m_function.name)) m_out = withCount(m_out, copyName(), m_function.returnsText, kCount);
    m_out += "\n";
    for (std::size_t block = 0; block < m_function.blocks.size(); ++block) writeBlock(static_cast<int>(block));
    for (const auto& [edge, text] : m_edges) m_out += text;
    for (const auto& [loop, sum] : m_sums) {
      const int exit = m_function.terminator(sum.latch()).labels[m_loops.all()[std::size_t(loop)].staysOnTrue ? 1 : 0];
      m_out += sum.endBlock("%tilescope.n", targetOf(sum.latch(), exit));
    }
    if (m_usesLimit) m_out += fmt::format("tilescope.over:\n  call void @{}.over()\n  unreachable\n", m_names.counters);
    return m_out + "}\n\n" + (m_names.entry.empty() ? "" : entry());
  }

private:
  // Decides which edges get a block of their own, which loops are counted at their entry, and which loops run at the host's
  // width.
  void plan() {
    planLoops();
    for (const HostLoop& host : hostLoops(m_function, m_loops)) planHostLoop(host);
  }

  void planLoops() {
    m_isHoisted.assign(m_loops.all().size(), false);
    m_iteration.assign(m_loops.all().size(), 0);
    m_isPaid.assign(m_function.blocks.size(), false);
    m_exitLabel.resize(m_function.blocks.size());
    for (std::size_t b = 0; b < m_function.blocks.size(); ++b) m_exitLabel[b] = m_function.blocks[b].name;
    for (std::size_t loop = 0; loop < m_loops.all().size(); ++loop) {
      const Loop& l = m_loops.all()[loop];
      m_headers[l.header] = static_cast<int>(loop);
      std::vector<int> outside;
      for (const int p : m_function.blocks[l.header].predecessors)
        if (!l.blocks.count(p)) outside.push_back(p);
      m_isHoisted[loop] = l.isCounted &&
                          std::none_of(l.blocks.begin(), l.blocks.end(), [&](int b) { return readsClockInside(b); }) &&
                          !(l.blocks.size() == 1 && copiesInside(l.header));
      std::map<int, std::string> counts;
      for (const int p : outside) {
        if (m_isHoisted[loop])
          counts[p] = tripCount(m_function, m_loops, static_cast<int>(loop), p, fmt::format("tilescope.t{}.{}", p, l.header));
        m_isHoisted[loop] = m_isHoisted[loop] && !counts[p].empty();
      }
      if (m_isHoisted[loop]) {
        sumIteration(static_cast<int>(loop));
        if (auto sum = ShortSum::of(m_function, m_loops, int(loop), mostAdded(l), m_names.opaquePointers))
          m_sums.emplace(loop, *sum);
      } else {
        m_exitLabel[l.header] = fmt::format("tilescope.s{}", l.header);
        m_usesLimit = true;
      }
      for (const int p : outside)
        if (m_isHoisted[loop] || m_prices.entries[loop] > 0)
          writeEdge(p, l.header, static_cast<int>(loop), m_isHoisted[loop] ? counts[p] : "");
    }
  }

  // Sums the prices of the blocks that run in every iteration: the entry of the loop pays them for all iterations, and the blocks
  // themselves pay nothing.
  void sumIteration(int index) {
    const Loop& loop = m_loops.all()[std::size_t(index)];
    for (const int block : loop.blocks)
      if (m_loops.innermost(block) == index && m_loops.dominates(block, loop.latches.front())) {
        m_isPaid[std::size_t(block)] = true;
        m_iteration[std::size_t(index)] += m_prices.blocks[std::size_t(block)];
      }
    m_iteration[std::size_t(index)] = std::max<int64_t>(1, m_iteration[std::size_t(index)]);
  }

  // Upper bound of the counts that a loop's blocks add in one iteration.
  int64_t mostAdded(const Loop& loop) const {
    int64_t sum = 0;
    for (const int block : loop.blocks)
      if (!m_isPaid[std::size_t(block)]) sum += m_prices.blocks[std::size_t(block)];
    return sum;
  }
  const ShortSum* sumOf(int block) const { // of the innermost loop around the block
    const auto found = m_sums.find(m_loops.innermost(block));
    return found != m_sums.end() ? &found->second : nullptr;
  }

  // Runs the scalar loop from the first iteration on. Its iterations cost the machine's vectorised loop and the code after it, so
  // the edge into it pays the difference to `width` scalar iterations per vector.
  void planHostLoop(const HostLoop& host) {
    const int vector = m_headers.at(host.vector), scalar = m_headers.at(host.scalar);
    if (!m_isHoisted[vector] || !m_isHoisted[scalar]) return;
    const std::string id = fmt::format("{}.{}", host.from, host.vector);
    const int64_t iteration = m_prices.blocks[host.scalar], entry = m_prices.entries[scalar] + m_prices.blocks[host.resume];
    std::string code = tripCount(m_function, m_loops, vector, host.from, "tilescope.v" + id), ended = "false";
    if (code.empty()) return;
    if (!host.alwaysResumes) {
      const IrInstruction& branch = m_function.terminator(host.middle);
      const IrInstruction* const condition = m_function.definition(branch.operands[0]);
      if (!condition || !condition->is("icmp")) return;
      for (const IrOperand& operand : condition->operands)
        if (!isKnownAt(operand, host.from)) return;
      ended = "%tilescope.k" + id;
      code += fmt::format("  {} {}\n", ended, condition->text.substr(condition->text.find('=')));
      if (branch.labels[0] == host.resume) {
        code += fmt::format("  {0}.n = xor i1 {0}, true\n", ended);
        ended += ".n";
      }
    }
    code += fmt::format("  %tilescope.b{0} = mul i64 %tilescope.v{0}, {1}\n  %tilescope.i{0} = select i1 {2}, i64 {3}, i64 {4}\n"
                        "  %tilescope.w{0} = add i64 %tilescope.b{0}, %tilescope.i{0}\n",
                        id, m_prices.blocks[host.vector] - host.width * iteration, ended,
                        m_prices.entries[vector] + m_prices.blocks[host.middle] - entry,
                        m_prices.entries[vector] + m_prices.blocks[host.middle]);
    // The vectorised loop stays as unreachable code, because unnamed values are numbered in order.
    m_edges[{host.from, host.vector}] = fmt::format("tilescope.e{0}:\n{1}{2}  br i1 false, label %{3}, label %{4}\n", id, code,
                                                    added("e" + id, "%tilescope.w" + id), m_function.blocks[host.vector].name,
                                                    m_function.blocks[host.resume].name);
    m_edgeEnd[{host.from, host.vector}] = "tilescope.e" + id;
    m_hosts[host.resume] = {"tilescope.e" + id, host.starts};
    m_hostLatches.insert(host.scalar);
  }

  bool isKnownAt(const IrOperand& operand, int block) const {
    const IrInstruction* const definition = m_function.definition(operand);
    return !definition || m_loops.dominates(definition->block, block);
  }

  bool readsClockInside(int block) const {
    return !clockReadings(m_function.blocks[block].first, m_function.blocks[block].end).empty();
  }

  bool copiesInside(int block) const {
    for (const auto& [instruction, slots] : m_prices.lengths)
      if (m_function.instructions[instruction].block == block) return true;
    return false;
  }

  void writeEdge(int from, int header, int loop, const std::string& trips) {
    const std::string id = fmt::format("{}.{}", from, header),
                      end = fmt::format("  br label %{}\n",
                                        m_sums.count(loop) ? m_sums.at(loop).start() : m_function.blocks[header].name);
    std::string text = fmt::format("tilescope.e{}:\n{}", id, trips);
    std::string label = "tilescope.e" + id;
    if (trips.empty()) {
      text += added("e" + id, std::to_string(m_prices.entries[loop])) + end;
    } else {
      text += fmt::format("  %tilescope.p{0} = mul i64 %tilescope.t{0}, {1}\n  %tilescope.w{0} = add i64 %tilescope.p{0}, {2}\n",
                          id, m_iteration[std::size_t(loop)], m_prices.entries[loop]);
      text += added("e" + id, "%tilescope.w" + id);
      text += fmt::format("  %tilescope.o{0} = icmp sgt i64 %tilescope.d.e{0}, -1\n"
                          "  br i1 %tilescope.o{0}, label %tilescope.over, label %tilescope.f{0}\ntilescope.f{0}:\n",
                          id) +
              end;
      label = "tilescope.f" + id;
      m_usesLimit = true;
    }
    m_edges[{from, header}] = text;
    m_edgeEnd[{from, header}] = label;
  }

  // Adds to the local counter; the sum is %tilescope.d.<id>.
  std::string added(const std::string& id, const std::string& amount) const {
    return fmt::format("  %tilescope.c.{0} = load i64, {1} %tilescope.n\n  %tilescope.d.{0} = add i64 %tilescope.c.{0}, {2}\n"
                       "  store i64 %tilescope.d.{0}, {1} %tilescope.n\n",
                       id, m_pointer, amount);
  }

  std::string header(std::string_view linkageOfCopy, const std::string& symbol) const {
    static constexpr std::array linkage = {
        "private",  "internal",  "available_externally", "linkonce", "linkonce_odr", "weak",      "weak_odr",
        "external", "dso_local", "dso_preemptable",      "default",  "hidden",       "protected", "extern_weak"};
    const std::string name = "@" + m_function.name;
    std::string text = m_function.header;
    const auto at = text.find(name + "(");
    std::string before = text.substr(std::string_view("define ").size(), at - std::string_view("define ").size());
    for (const auto* word : linkage)
      for (auto found = before.find(word); found != std::string::npos; found = before.find(word, found + 1)) {
        const auto end = found + std::string_view(word).size();
        if ((found == 0 || before[found - 1] == ' ') && end < before.size() && before[end] == ' ')
          before.erase(found, end - found + 1);
        if (found >= before.size()) break;
      }
    std::string after = text.substr(at + name.size());
    erasePhrase(after, " !dbg !", true);
    erasePhrase(after, " comdat", false);
    after = after.substr(0, after.find('{')) + "{";
    return withCountingAttributes(fmt::format("define {}{}@{}{}", linkageOfCopy, before, symbol, after));
  }

  // The function that the engine calls. It passes the counters on, because looking up the thread's counters takes as long as a
  // small vertex.
  std::string entry() const {
    const std::string& copy = copyName();
    const std::string definition = header("", m_names.entry);
    const auto open = definition.find("@" + m_names.entry + "(") + m_names.entry.size() + 1;
    const auto close = closingBracket(definition, open);
    const std::string parameters = definition.substr(open + 1, close - open - 1);
    const std::string returned = definition.substr(7, definition.find('@') - 7);
    const std::string address = m_names.opaquePointers ? "ptr" : "i8*";
    std::string call = fmt::format("call {}@{}({})", returned, copy, parameters);
    const std::string out =
        fmt::format("{}, {} %tilescope.given{}\n", definition.substr(0, close), address, definition.substr(close));
    const bool isVoid = m_function.returnsText == "void";
    const std::string returns =
        isVoid ? "  ret void\n}\n\n" : fmt::format("  ret {} %tilescope.result\n}}\n\n", m_function.returnsText);
    if (!takesCounters(m_function.name))
      return fmt::format("{}  {}{}\n{}", out, isVoid ? "" : "%tilescope.result = ", call, returns);
    return fmt::format(
        "{}  %tilescope.at = bitcast {} %tilescope.given to {}\n  %tilescope.start = call i64 @{}.start({} %tilescope.at)\n"
        "{}  %tilescope.h = sub i64 %tilescope.n.entry, %tilescope.start\n"
        "  call void @{}.flush({} %tilescope.at, i64 %tilescope.h)\n{}",
        out, address, m_pointer, m_names.counters, m_pointer,
        counted("entry", isVoid ? "" : "%tilescope.result", call, copy, m_function.returnsText, "%tilescope.start"),
        m_names.counters, m_pointer, returns);
  }

  // Calls a copy that returns its count, as %tilescope.n.<id>.
  static std::string counted(const std::string& id, const std::string& result, const std::string& call, const std::string& copy,
                             const std::string& returns, const std::string& count) {
    const std::string text = withCount(call, copy, returns, count);
    if (returns == "void") return fmt::format("  %tilescope.n.{} = {}\n", id, text);
    std::string out = fmt::format("  %tilescope.r.{0} = {1}\n  %tilescope.n.{0} = extractvalue {2} %tilescope.r.{0}, 1\n", id,
                                  text, countedType(returns));
    if (!result.empty()) out += fmt::format("  {} = extractvalue {} %tilescope.r.{}, 0\n", result, countedType(returns), id);
    return out;
  }

  const std::string& copyName() const { return m_names.functions->at(m_function.name); }

  bool takesCounters(const std::string& function) const { return m_names.takers && m_names.takers->count(function) > 0; }

  void writeBlock(int index) {
    const IrBlock& block = m_function.blocks[index];
    const auto loop = m_headers.find(index);
    const ShortSum* const sum = sumOf(index);
    const ShortSum* const begun = loop != m_headers.end() ? sum : nullptr;
    const auto incomingOf = [&](const IrInstruction& i, std::size_t edge) { return incoming(i, edge); };
    if (begun) m_out += withNames(begun->startBlock(incomingOf, tripsInto(index)), *m_names.functions);
    if (block.hasLabel) m_out += block.name + ":\n";
    if (index == 0) begin();
    int at = block.first;
    for (; at < block.end && m_function.instructions[at].is("phi"); ++at)
      m_out += "  " +
               (begun ? withNames(begun->headerPhi(m_function.instructions[at], incomingOf), *m_names.functions) : phi(at)) +
               "\n";
    if (begun) m_out += begun->iterationPhi(m_exitLabel[begun->latch()]);
    const bool isChecked = loop != m_headers.end() && !m_isHoisted[loop->second];
    // At least 1 in a loop that checks the count, so that an endless loop reaches the limit.
    const int64_t price = m_isPaid[index] ? 0 : std::max<int64_t>(m_prices.blocks[index], isChecked ? 1 : 0);
    const std::vector<int> readings = clockReadings(at, block.end - 1);
    const int first = at;
    const auto priceUntil = [&](int instruction) { return price * (instruction - first) / std::max(1, block.end - first); };
    int64_t counted = readings.empty() ? price : std::max<int64_t>(1, priceUntil(readings.front()));
    if (price > 0)
      m_out += sum ? sum->added(std::to_string(index), price) : added(std::to_string(index), std::to_string(counted));
    if (isChecked)
      m_out += fmt::format("  %tilescope.o{0} = icmp sgt i64 %tilescope.d.{0}, -1\n"
                           "  br i1 %tilescope.o{0}, label %tilescope.over, label %tilescope.s{0}\ntilescope.s{0}:\n",
                           index);
    for (; at + 1 < block.end; ++at) {
      if (readsClock(at)) {
        const int64_t due = std::max<int64_t>(0, priceUntil(at) - counted);
        m_out += added(fmt::format("c{}", at), std::to_string(due)) + flushed(fmt::format("c{}", at));
        counted += due;
      }
      writeInstruction(at);
    }
    if (!readings.empty() && price > counted) m_out += added(fmt::format("l{}", index), std::to_string(price - counted));
    const IrInstruction& last = m_function.instructions[at];
    if (last.is("ret") && takesCounters(m_function.name)) {
      const std::string id = fmt::format("r{}", index);
      m_out +=
          fmt::format("  %tilescope.n.{0} = load i64, {1} %tilescope.n\n  {2}\n", id, m_pointer,
                      countedReturn(withNames(last.text, *m_names.functions), m_function.returnsText, "%tilescope.n." + id, id));
      return;
    }
    if (last.is("ret")) m_out += flushed(fmt::format("r{}", index));
    if (sum && sum->latch() == index)
      m_out += sum->latchBranch(last.text.substr(endOfLabels(last)));
    else
      m_out += "  " + terminator(last, index) + "\n";
  }

  // For the label of each edge into a counted loop: the variable with the number of iterations.
  std::map<std::string, std::string> tripsInto(int header) const {
    std::map<std::string, std::string> trips;
    for (const auto& [edge, label] : m_edgeEnd)
      if (edge.second == header) trips[label] = fmt::format("%tilescope.t{}.{}", edge.first, header);
    return trips;
  }

  bool readsClock(int at) const {
    const IrInstruction& i = m_function.instructions[at];
    return i.is("call") && m_names.clockReaders && m_names.clockReaders->count(i.callee) > 0;
  }
  std::vector<int> clockReadings(int first, int end) const {
    std::vector<int> found;
    for (int at = first; at < end; ++at)
      if (readsClock(at)) found.push_back(at);
    return found;
  }

  // Adds the counts of this function since the last flush to the thread's counters.
  std::string flushed(const std::string& id) const {
    return fmt::format("  %tilescope.n.{0} = load i64, {1} %tilescope.n\n  %tilescope.g.{0} = load i64, {1} %tilescope.given\n"
                       "  %tilescope.h.{0} = sub i64 %tilescope.n.{0}, %tilescope.g.{0}\n"
                       "  call void @{2}.flush({1} %tilescope.at, i64 %tilescope.h.{0})\n"
                       "  store i64 %tilescope.n.{0}, {1} %tilescope.given\n",
                       id, m_pointer, m_names.counters);
  }

  void begin() {
    for (const char* const name : {"n", "given"}) m_out += fmt::format("  %tilescope.{0} = alloca i64, align 8\n", name);
    for (const auto& [loop, sum] : m_sums) m_out += fmt::format("  {} = alloca i32, align 4\n", sum.variable());
    if (takesCounters(m_function.name)) {
      m_out += fmt::format("  store i64 {}, {} %tilescope.n\n", kCount, m_pointer);
      return;
    }
    m_out += fmt::format("  %tilescope.at = call {0} @{1}.here()\n  %tilescope.start = call i64 @{1}.start({0} %tilescope.at)\n"
                         "  store i64 %tilescope.start, {0} %tilescope.n\n  store i64 %tilescope.start, {0} %tilescope.given\n",
                         m_pointer, m_names.counters);
  }

  void writeInstruction(int at) {
    const IrInstruction& instruction = m_function.instructions[at];
    const auto length = m_prices.lengths.find(at);
    if (length != m_prices.lengths.end()) {
      const IrOperand& operand = instruction.operands[2];
      const int bits = operand.type->bits;
      if (bits == 64)
        m_out += fmt::format("  %tilescope.x{} = add i64 %{}, 0\n", at, operand.local);
      else
        m_out += fmt::format("  %tilescope.x{} = zext i{} %{} to i64\n", at, bits, operand.local);
      m_out += fmt::format("  %tilescope.y{0} = lshr i64 %tilescope.x{0}, 3\n  %tilescope.m{0} = mul i64 %tilescope.y{0}, {1}\n",
                           at, length->second);
      m_out += added(fmt::format("x{}", at), fmt::format("%tilescope.m{}", at));
    }
    if (!instruction.is("call")) {
      m_out += "  " + withNames(instruction.text, *m_names.functions) + "\n";
      return;
    }
    const auto copy = m_names.functions->find(instruction.callee);
    std::string text = withNames(instruction.text, *m_names.functions);
    if (copy != m_names.functions->end() || instruction.callee.empty()) text = withCountingAttributes(text);
    if (!takesCounters(instruction.callee)) {
      m_out += "  " + text + "\n";
      return;
    }
    const std::string id = fmt::format("k{}", at);
    m_out += fmt::format(
        "  %tilescope.g.{0} = load i64, {1} %tilescope.n\n{2}  store i64 %tilescope.n.{0}, {1} %tilescope.n\n", id, m_pointer,
        counted(id, resultOf(text), text, copy->second, m_names.takers->at(instruction.callee), "%tilescope.g." + id));
  }

  // The value of a phi and the label that it comes from.
  std::string incoming(const IrInstruction& phi, std::size_t edge) const {
    const int from = phi.labels[edge];
    const auto end = m_edgeEnd.find({from, phi.block});
    const ShortSum* const sum = sumOf(from);
    std::string label = m_exitLabel[from];
    if (end != m_edgeEnd.end())
      label = end->second;
    else if (sum && sum->latch() == from && m_loops.innermost(phi.block) != m_loops.innermost(from))
      label = sum->end();
    return fmt::format("[ {}, %{} ]", phiText(phi).values[edge], label);
  }

  std::string phi(int index) const {
    const IrInstruction& i = m_function.instructions[index];
    const PhiText text = phiText(i);
    const auto host = m_hosts.find(i.block);
    std::string out = text.head;
    for (std::size_t k = 0; k < text.values.size(); ++k) out += (k ? ", " : "") + incoming(i, k);
    if (host != m_hosts.end()) out += fmt::format(", [ {}, %{} ]", host->second.starts.at(index), host->second.end);
    return withNames(out + text.tail, *m_names.functions);
  }

  std::string targetOf(int from, int to) const {
    return m_edges.count({from, to}) ? fmt::format("tilescope.e{}.{}", from, to) : m_function.blocks[to].name;
  }

  static std::size_t endOfLabels(const IrInstruction& branch) { return nameEnd(branch.text, branch.text.rfind("label %") + 7); }

  std::string terminator(const IrInstruction& i, int from) const {
    std::string out;
    std::size_t at = 0;
    for (const int target : i.labels) {
      const auto found = i.text.find("label %", at);
      if (found == std::string::npos) break;
      out += i.text.substr(at, found + 7 - at) + targetOf(from, target);
      at = nameEnd(i.text, found + 7);
    }
    std::string rest = i.text.substr(at);
    if (m_hostLatches.count(from))
      rest = rest.substr(0, rest.find(", !llvm.loop")); // drops "is vectorised", which is true only for the machine
    else if (const int loop = m_loops.innermost(from); loop >= 0 && m_loops.all()[std::size_t(loop)].blocks.size() > 1)
      rest = endOfScalarLatch(m_function, m_loops, loop, rest);
    return withNames(out + rest, *m_names.functions);
  }

  // Start of a HostLoop's scalar loop: the label of the new edge into it, and the values of phis.
  struct HostStart {
    std::string end;
    std::map<int, std::string> starts;
  };

  const IrFunction& m_function;
  const Loops& m_loops;
  const FunctionPrices& m_prices;
  const TwinNames& m_names;
  const std::string m_pointer; // the type of a pointer to i64
  std::string m_out;
  std::vector<bool> m_isHoisted;                                 // by loop: counted at its entry
  std::vector<int64_t> m_iteration;                              // by loop: cost that its entry pays for each iteration
  std::vector<bool> m_isPaid;                                    // by block: paid at the entry of its loop
  std::vector<std::string> m_exitLabel;                          // by block: label of its last part
  std::map<int, int> m_headers;                                  // block -> loop
  std::map<std::pair<int, int>, std::string> m_edges, m_edgeEnd; // code on an edge; label of its end
  std::map<int, ShortSum> m_sums;                                // by loop
  std::map<int, HostStart> m_hosts;                              // by block
  std::set<int> m_hostLatches;
  bool m_usesLimit = false;
};

} // namespace

std::string twinOf(const IrFunction& function, const Loops& loops, const FunctionPrices& prices, const TwinNames& names) {
  return Twin(function, loops, prices, names).write();
}

std::string withNames(const std::string& text, const std::map<std::string, std::string>& names) {
  if (text.find('@') == std::string::npos) return text;
  std::string out;
  std::size_t at = 0;
  while (true) {
    const auto sign = text.find('@', at);
    if (sign == std::string::npos) return out + text.substr(at);
    const auto end = nameEnd(text, sign + 1);
    const auto found = names.find(text.substr(sign + 1, end - sign - 1));
    out += text.substr(at, sign + 1 - at) + (found != names.end() ? found->second : text.substr(sign + 1, end - sign - 1));
    at = end;
  }
}

} // namespace simcore::native
