// The static half of a report: machine, names, program tree, compute sets, exchanges, variables, where they lie, liveness.
#pragma once

#include "reports/rows/report_sink.h"
#include "simcore/compile/compiler.h"

#include <map>
#include <string>
#include <unordered_map>

namespace simcore::compile {

// Strings get their ids here; written once at the end, when all users have asked.
class StringPool {
public:
  int64_t id(const std::string& text) {
    const auto [it, added] = m_ids.emplace(text, int64_t(m_texts.size()));
    if (added) m_texts.push_back(&it->first);
    return it->second;
  }
  void writeTo(reports::ReportSink& sink) const;

private:
  std::unordered_map<std::string, int64_t> m_ids;
  std::vector<const std::string*> m_texts;
};

void writeMachine(const arch::Machine& machine, reports::ReportSink& sink);
void writeExecutable(const Executable& executable, StringPool& strings, reports::ReportSink& sink);

} // namespace simcore::compile
