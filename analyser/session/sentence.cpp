#include "analyser/session/sentence.h"

#include "analyser/session/format.h"

namespace analyser {

namespace {

struct Printer {
  std::size_t nameWidth;
  std::string operator()(const std::string& words) const { return words; }
  std::string operator()(const Sentence::Name& name) const { return elideMiddle(printable(name.text), nameWidth); }
  std::string operator()(const Sentence::Percent& p) const { return formatPercent(p.fraction); }
  std::string operator()(int64_t count) const { return formatCount(count); }
  std::string operator()(reports::Bytes b) const { return formatBytes(b); }
  std::string operator()(reports::Cycles c) const { return formatCycles(c); }
  std::string operator()(reports::Nanoseconds n) const { return formatNanoseconds(n); }
  std::string operator()(const Sentence::Change<reports::Bytes>& c) const { return formatSignedBytes(c.value); }
  std::string operator()(const Sentence::Change<reports::Cycles>& c) const {
    return formatSignedCount(c.value.value()) + " cycles";
  }
};

} // namespace

std::string Sentence::text(std::size_t nameWidth) const {
  std::string text;
  for (const Part& part : m_parts) text += std::visit(Printer{nameWidth}, part);
  return text;
}

} // namespace analyser
