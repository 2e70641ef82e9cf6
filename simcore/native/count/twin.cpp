#include "simcore/native/count/twin.h"

#include "simcore/native/count/ir_line.h"
#include "simcore/native/count/trip_count.h"

#include <fmt/format.h>

#include <array>
#include <cctype>

namespace simcore::native {

namespace {

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
    m_out = header() + "\n";
    for (std::size_t block = 0; block < m_function.blocks.size(); ++block) writeBlock(static_cast<int>(block));
    for (const auto& [edge, text] : m_edges) m_out += text;
    if (m_usesLimit)
      m_out +=
          fmt::format("tilescope.over:\n  %tilescope.z = load i64, {0} %tilescope.n\n  call void @{1}.over(i64 %tilescope.z)\n"
                      "  unreachable\n",
                      m_pointer, m_names.counters);
    return m_out + "}\n\n";
  }

private:
  // Decides which edges get a separate block, and which loops are counted at their entry.
  void plan() {
    m_isHoisted.assign(m_loops.all().size(), false);
    m_exitLabel.resize(m_function.blocks.size());
    for (std::size_t b = 0; b < m_function.blocks.size(); ++b) m_exitLabel[b] = m_function.blocks[b].name;
    for (std::size_t loop = 0; loop < m_loops.all().size(); ++loop) {
      const Loop& l = m_loops.all()[loop];
      m_headers[l.header] = static_cast<int>(loop);
      std::vector<int> outside;
      for (const int p : m_function.blocks[l.header].predecessors)
        if (!l.blocks.count(p)) outside.push_back(p);
      m_isHoisted[loop] = l.isCounted && l.blocks.size() == 1 && !copiesInside(l.header) && !readsClockInside(l.header);
      std::map<int, std::string> counts;
      for (const int p : outside) {
        if (m_isHoisted[loop])
          counts[p] = tripCount(m_function, m_loops, static_cast<int>(loop), p, fmt::format("tilescope.t{}.{}", p, l.header));
        m_isHoisted[loop] = m_isHoisted[loop] && !counts[p].empty();
      }
      if (!m_isHoisted[loop]) {
        m_exitLabel[l.header] = fmt::format("tilescope.s{}", l.header);
        m_usesLimit = true;
      }
      for (const int p : outside)
        if (m_isHoisted[loop] || m_prices.entries[loop] > 0)
          writeEdge(p, l.header, static_cast<int>(loop), m_isHoisted[loop] ? counts[p] : "");
    }
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
    const std::string id = fmt::format("{}.{}", from, header), end = "  br label %" + m_function.blocks[header].name + "\n";
    std::string text = fmt::format("tilescope.e{}:\n{}", id, trips);
    std::string label = "tilescope.e" + id;
    if (trips.empty()) {
      text += added("e" + id, std::to_string(m_prices.entries[loop])) + end;
    } else {
      text += fmt::format("  %tilescope.p{0} = mul i64 %tilescope.t{0}, {1}\n  %tilescope.w{0} = add i64 %tilescope.p{0}, {2}\n",
                          id, m_prices.blocks[header], m_prices.entries[loop]);
      text += added("e" + id, "%tilescope.w" + id);
      text += fmt::format("  %tilescope.o{0} = icmp sgt i64 %tilescope.d.e{0}, %tilescope.limit\n"
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

  std::string header() const {
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
    return fmt::format("define {}{}@{}{}", m_names.isExported ? "" : "internal ", before, m_names.functions->at(m_function.name),
                       after);
  }

  void writeBlock(int index) {
    const IrBlock& block = m_function.blocks[index];
    if (block.hasLabel) m_out += block.name + ":\n";
    if (index == 0) begin();
    int at = block.first;
    for (; at < block.end && m_function.instructions[at].is("phi"); ++at) m_out += "  " + phi(m_function.instructions[at]) + "\n";
    const auto loop = m_headers.find(index);
    const bool isHoisted = loop != m_headers.end() && m_isHoisted[loop->second];
    const int64_t price = std::max<int64_t>(m_prices.blocks[index], loop != m_headers.end() ? 1 : 0); // an endless loop must end
    const std::vector<int> readings = clockReadings(at, block.end - 1);
    const int first = at;
    const auto priceUntil = [&](int instruction) { return price * (instruction - first) / std::max(1, block.end - first); };
    int64_t counted = readings.empty() ? price : std::max<int64_t>(1, priceUntil(readings.front()));
    if (!isHoisted && price > 0) m_out += added(std::to_string(index), std::to_string(counted));
    if (loop != m_headers.end() && !isHoisted)
      m_out += fmt::format("  %tilescope.o{0} = icmp sgt i64 %tilescope.d.{0}, %tilescope.limit\n"
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
    if (m_function.instructions[at].is("ret")) m_out += flushed(fmt::format("r{}", index));
    m_out += "  " + terminator(m_function.instructions[at], index) + "\n";
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
                       "  call void @{2}.flush(i64 %tilescope.h.{0})\n"
                       "  store i64 %tilescope.n.{0}, {1} %tilescope.given\n",
                       id, m_pointer, m_names.counters);
  }

  void begin() {
    for (const char* const name : {"n", "given"})
      m_out += fmt::format("  %tilescope.{0} = alloca i64, align 8\n  store i64 0, {1} %tilescope.{0}\n", name, m_pointer);
    if (m_usesLimit) m_out += fmt::format("  %tilescope.limit = call i64 @{}.limit()\n", m_names.counters);
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
    m_out += "  " + withNames(instruction.text, *m_names.functions) + "\n";
  }

  std::string phi(const IrInstruction& i) const {
    std::string out;
    std::size_t at = 0, incoming = 0;
    while (at < i.text.size()) {
      const auto end = i.text.find(" ]", at);
      if (end == std::string::npos || incoming >= i.labels.size()) break;
      const auto label = i.text.rfind(", %", end);
      const auto edge = m_edgeEnd.find({i.labels[incoming], i.block});
      out += i.text.substr(at, label + 3 - at) + (edge != m_edgeEnd.end() ? edge->second : m_exitLabel[i.labels[incoming]]);
      at = end;
      ++incoming;
      out += " ]";
      at += 2;
    }
    return withNames(out + i.text.substr(at), *m_names.functions);
  }

  std::string terminator(const IrInstruction& i, int from) const {
    std::string out;
    std::size_t at = 0;
    for (const int target : i.labels) {
      const auto found = i.text.find("label %", at);
      if (found == std::string::npos) break;
      const auto end = nameEnd(i.text, found + 7);
      const auto edge = m_edges.find({from, target});
      out += i.text.substr(at, found + 7 - at);
      out += edge != m_edges.end() ? fmt::format("tilescope.e{}.{}", from, target) : i.text.substr(found + 7, end - found - 7);
      at = end;
    }
    return withNames(out + i.text.substr(at), *m_names.functions);
  }

  const IrFunction& m_function;
  const Loops& m_loops;
  const FunctionPrices& m_prices;
  const TwinNames& m_names;
  const std::string m_pointer; // the type of a pointer to i64
  std::string m_out;
  std::vector<bool> m_isHoisted;                                 // by loop: counted at its entry
  std::vector<std::string> m_exitLabel;                          // by block: label of its last part
  std::map<int, int> m_headers;                                  // block -> loop
  std::map<std::pair<int, int>, std::string> m_edges, m_edgeEnd; // code on an edge; label of its end
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

std::string countersCode(const std::string& symbol, bool opaquePointers) {
  const auto place = [&](int index) {
    return opaquePointers
               ? fmt::format("ptr getelementptr inbounds ([3 x i64], ptr @{}.place, i64 0, i64 {})", symbol, index)
               : fmt::format("i64* getelementptr inbounds ([3 x i64], [3 x i64]* @{}.place, i64 0, i64 {})", symbol, index);
  };
  const std::string address = opaquePointers ? "ptr" : "i8*", callee = opaquePointers ? "ptr" : "void ()*";
  std::string out = fmt::format("@{}.place = internal thread_local global [3 x i64] zeroinitializer, align 8\n\n", symbol);
  out += fmt::format("define {0} @{1}() {{\n  ret {0} {2}\n}}\n\n", address, symbol,
                     opaquePointers ? fmt::format("@{}.place", symbol)
                                    : fmt::format("bitcast ([3 x i64]* @{}.place to i8*)", symbol));
  out += fmt::format("define internal i64 @{0}.limit() alwaysinline {{\n  %b = load i64, {1}\n  ret i64 %b\n}}\n\n", symbol,
                     place(1));
  out += fmt::format("define internal void @{0}.flush(i64 %n) alwaysinline {{\n  %c = load i64, {1}\n  %d = add i64 %c, %n\n"
                     "  store i64 %d, {1}\n  %e = load i64, {2}\n  %f = sub i64 %e, %n\n  store i64 %f, {2}\n  ret void\n}}\n\n",
                     symbol, place(0), place(1));
  out += fmt::format(
      "define internal void @{0}.over(i64 %n) noinline cold {{\n  call void @{0}.flush(i64 %n)\n  %f = load i64, {1}\n"
      "  %g = inttoptr i64 %f to {2}\n  call void %g()\n  unreachable\n}}\n\n",
      symbol, place(2), callee);
  return out;
}

} // namespace simcore::native
