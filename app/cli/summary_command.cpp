#include "app/cli/summary_command.h"

#include "analyser/host/waits.h"
#include "analyser/session/format.h"
#include "analyser/session/in_report.h"
#include "app/cli/options.h"
#include "app/cli/summary_json.h"

#include <fmt/format.h>

#include <ostream>

namespace app::cli {

namespace {

using analyser::printable;

void writeIssues(std::ostream& out, const analyser::summary::Summary& s) {
  for (const auto& issue : s.issues) {
    out << issue.severity << ": " << (issue.place.empty() ? "" : printable(issue.place) + ": ") << printable(issue.message);
    if (issue.count > 1) out << " (" << analyser::formatCount(issue.count) << " times)";
    if (!issue.advice.empty()) out << " - " << printable(issue.advice);
    out << "\n";
  }
}

void writeHead(std::ostream& out, const analyser::summary::Summary& s) {
  out << printable(s.identity.title) << " on " << printable(s.identity.machine) << "\n"
      << s.verdict.text() << "\n"
      << s.timeVerdict << "\n";
  if (const auto waste = analyser::summary::wasteVerdict(s); !waste.empty()) out << waste.text() << ".\n";
  writeIssues(out, s);
  out << "\n";
}

// Prints the summary of a host trace. It has no device, so all other figures would be zeros.
void writeHostTrace(std::ostream& out, analyser::Session& session, const analyser::summary::Summary& s,
                    const std::stop_token& stop) {
  analyser::host::HostTimeline host(session);
  out << printable(s.identity.title) << ", a trace of a host without a device\n" << host.verdict(stop).text() << "\n";
  writeIssues(out, s);
  const auto count = [](int64_t n, const char* word) { return analyser::formatCount(n) + " " + word + (n == 1 ? "" : "s"); };
  out << "\n";
  for (const auto& process : host.processes()) {
    int64_t slices = 0;
    for (const auto& thread : process.threads) slices += thread.slices;
    out << printable(process.name) << ": " << count(int64_t(process.threads.size()), "thread") << ", " << count(slices, "slice")
        << "\n";
  }
}

// Prints the waits of a trace that has a device on the same axis.
void writeWaits(std::ostream& out, analyser::Session& session, const std::stop_token& stop) {
  analyser::host::HostTimeline host(session);
  if (const auto waits = analyser::host::waitsOf(host, stop)) out << wordsOf(*waits).text() << "\n\n";
}

void writePlans(std::ostream& out, const analyser::summary::Summary& s) {
  std::size_t methods = 14, names = 12;
  for (const auto& p : s.plans)
    methods = std::max(methods, printable(p.method).size()), names = std::max(names, printable(p.operation).size());
  out << fmt::format("{:<{}} {:<{}} {:>14} {:>14}  {}\n", "OPERATION", names, "METHOD", methods, "CYCLES", "TEMPORARIES", "PLAN");
  for (const auto& p : s.plans)
    out << fmt::format("{:<{}} {:<{}} {:>14} {:>14}  {}\n", printable(p.operation), names, printable(p.method), methods,
                       analyser::formatCount(p.predicted.value()), analyser::formatBytes(p.temporary), printable(p.text));
}

} // namespace

void SummaryCommand::declare(Options& command) {
  command.footer(keysText(summaryFigures({}).figures));
  command.addOption("REPORT", m_report, "a report (.tsr)").required().check(isNamed());
  command.addFlag("--json", m_json, "print JSON");
  command
      .addOption("--fail-if", m_budgets,
                 "KEY>LIMIT or KEY<LIMIT: exit with 1 if a figure is over its budget, e.g. memory.max_tile_bytes>600000; keys "
                 "are the keys of --json, levels joined by dots, as listed below; may be repeated")
      .oneValueEach();
  command.addFlag("--plans", m_plans, "print the plans of operations instead");
  command.addFlag("--steps", m_steps, "add the execution steps");
  command.addFlag("--variables", m_variables, "add the storage of variables");
}

int SummaryCommand::run(Context& context) {
  const auto budgets = readBudgets(m_budgets, BudgetKind::Values);
  const auto session = analyser::Session::open(m_report);
  const auto summary = analyser::inReport(*session, [&] { return analyser::summary::summarise(*session, context.stop); });
  const std::string broken = brokenBudgets(budgets, summaryFigures(summary));
  if (m_json) {
    context.out << summaryJson(summary);
  } else if (m_plans) {
    writePlans(context.out, summary);
  } else if (summary.machine.tiles() == 0) {
    analyser::inReport(*session, [&] { writeHostTrace(context.out, *session, summary, context.stop); });
  } else {
    analyser::summary::ProfileTextOptions options;
    options.showExecutionSteps = m_steps;
    options.showVarStorage = m_variables;
    const std::string text = analyser::inReport(
        *session, [&] { return analyser::summary::profileSummaryText(*session, summary, options, context.stop); });
    writeHead(context.out, summary);
    analyser::inReport(*session, [&] { writeWaits(context.out, *session, context.stop); });
    context.out << text;
  }
  context.err << broken;
  return broken.empty() ? kDone : kAnswerIsNo;
}

} // namespace app::cli
