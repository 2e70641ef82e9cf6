#include "app/cli/export_command.h"

#include "analyser/session/format.h"
#include "app/cli/durations.h"
#include "app/cli/export_page.h"
#include "app/cli/options.h"
#include "app/cli/output_files.h"
#include "reports/exchange/export.h"
#include "reports/sqlite/reader.h"

#include <fstream>
#include <ostream>

namespace app::cli {

namespace {

// "1ms..2ms", counted from the start of the report.
reports::TickRange rangeOf(const std::string& text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos)
    throw reports::Error(reports::ErrorCode::InvalidInput, "'" + text + "' is not a range", "--range",
                         "write for example 1ms..2.5ms");
  const reports::TickRange range{nanosecondsOf(text.substr(0, dots), "--range"), nanosecondsOf(text.substr(dots + 2), "--range")};
  if (range.empty())
    throw reports::Error(reports::ErrorCode::InvalidInput, "the range is empty", "--range", "put the earlier time first");
  return range;
}

} // namespace

void ExportCommand::declare(Options& command) {
  command.addOption("REPORT", m_report, "a report (.tsr)").required().check(isNamed());
  command
      .addOption("--format", m_format,
                 "chrome (JSON), perfetto (protobuf), pvti (SQLite), folded (stacks), html (the report as one page), svg "
                 "(a plot, which --view names) or dot (operations as a graph)")
      .required()
      .check(isOneOf({"chrome", "perfetto", "pvti", "folded", "html", "svg", "dot"}));
  command.addOption("-o,--output", m_output, "the file to write; standard output if none is given").check(isNamed());
  command.addOption("--what", m_what, "device, host or both").check(isOneOf({"device", "host", "both"})).showDefault();
  command.addOption("--range", m_range, "only events that touch FROM..TO, times since the start, for example 1ms..2.5ms");
  command.addOption("--by", m_by, "values of folded stacks: time (nanoseconds) or cycles (of the device)")
      .check(isOneOf({"time", "cycles"}))
      .showDefault();
  command.addOption("--view", m_view, "svg: memory (of the tiles by category) or liveness (over the steps of the program)")
      .check(isOneOf({"memory", "liveness"}));
  command.addOption("--levels", m_levels, "dot: open levels of names; 0: as many as stay readable")
      .check(isInRange(0, 1000))
      .showDefault();
  declareProgress(command, m_progress);
}

int ExportCommand::run(Context& context) {
  if (m_view.empty() != (m_format != "svg"))
    throw reports::Error(reports::ErrorCode::InvalidInput,
                         m_view.empty() ? "the name of the plot is missing" : "only --format svg has plots", "--view",
                         m_view.empty() ? "name memory or liveness" : "leave it out, or write --format svg");
  if (m_format == "html") return exportPage(context, m_report, m_output);
  if (m_format == "svg") return exportPicture(context, m_report, m_output, m_view);
  if (m_format == "dot") return exportGraph(context, m_report, m_output, m_levels);
  reports::exchange::ExportRequest request;
  request.byCycles = m_by == "cycles";
  request.device = m_what != "host";
  request.host = m_what != "device" && !request.byCycles;
  if (!request.device && !request.host)
    throw reports::Error(reports::ErrorCode::InvalidInput, "the host has no cycles", "--by cycles", "leave out --what host");
  if (!m_range.empty()) request.range = rangeOf(m_range);
  reports::Reader reader(m_report);
  const auto write = [&](std::ostream& out) {
    const auto progress = makeProgress(context, m_progress);
    if (m_format == "chrome") return exportChromeJson(reader, request, out, *progress, context.stop);
    if (m_format == "perfetto") return exportPerfetto(reader, request, out, *progress, context.stop);
    return exportFolded(reader, request, out, *progress, context.stop);
  };
  if (m_output.empty()) {
    if (m_format == "pvti")
      throw reports::Error(reports::ErrorCode::InvalidInput, "a .pvti file is a database", "--format pvti",
                           "name a file with -o");
    write(context.out);
    return kDone;
  }
  std::error_code ignored;
  if (std::filesystem::equivalent(m_output, m_report, ignored))
    throw reports::Error(reports::ErrorCode::InvalidInput, "the report would be written over", m_output,
                         "name another file with -o");
  reports::exchange::ExportCounts counts;
  writeWhole(m_output, [&](const std::filesystem::path& part) {
    if (m_format == "pvti") {
      const auto progress = makeProgress(context, m_progress);
      counts = exportPvti(reader, request, part, *progress, context.stop);
      return;
    }
    std::ofstream out(part, std::ios::binary);
    counts = write(out);
    out.close();
    if (!out) throw reports::Error(reports::ErrorCode::Io, "cannot write the file", m_output, "free some space and try again");
  });
  context.out << analyser::printable(m_output) << ": ";
  if (m_format == "folded")
    context.out << analyser::formatCount(counts.stacks) << " stacks\n";
  else
    context.out << analyser::formatCount(counts.slices) << " slices, " << analyser::formatCount(counts.instants) << " instants, "
                << analyser::formatCount(counts.counterSamples) << " counter samples, " << analyser::formatCount(counts.flows)
                << " flows on " << analyser::formatCount(counts.tracks) << " tracks\n";
  if (counts.samples > 0) context.out << "  samples of call stacks: " << analyser::formatCount(counts.samples) << "\n";
  if (counts.notFinite > 0)
    context.out << "  counter samples that are infinite were left out: " << analyser::formatCount(counts.notFinite) << "\n";
  if (const int64_t heatmaps = m_format == "pvti" ? 0 : reader.count<reports::HeatmapRow>(); heatmaps > 0)
    context.out << "  heatmaps are not in this format: " << analyser::formatCount(heatmaps) << " left out\n";
  return kDone;
}

} // namespace app::cli
