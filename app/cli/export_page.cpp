#include "app/cli/export_page.h"

#include "analyser/html/picture.h"
#include "analyser/html/report_page.h"
#include "analyser/operations/data_flow.h"
#include "analyser/session/format.h"
#include "analyser/session/in_report.h"
#include "app/cli/output_files.h"
#include "reports/core/error.h"

#include <filesystem>
#include <fstream>
#include <ostream>

namespace app::cli {

namespace {

int writeText(Context& context, const std::string& report, const std::string& output, const std::string& page) {
  if (output.empty()) {
    context.out << page;
    return kDone;
  }
  std::error_code ignored;
  if (std::filesystem::equivalent(output, report, ignored))
    throw reports::Error(reports::ErrorCode::InvalidInput, "the report would be written over", output,
                         "name another file with -o");
  writeWhole(output, [&](const std::filesystem::path& part) {
    std::ofstream out(part, std::ios::binary);
    out.write(page.data(), static_cast<std::streamsize>(page.size()));
    out.close();
    if (!out) throw reports::Error(reports::ErrorCode::Io, "cannot write the file", output, "free some space and try again");
  });
  context.out << analyser::printable(output) << ": " << analyser::formatBytes(reports::Bytes(int64_t(page.size()))) << "\n";
  return kDone;
}

} // namespace

int exportPage(Context& context, const std::string& report, const std::string& output) {
  const auto session = analyser::Session::open(report);
  return writeText(context, report, output,
                   analyser::inReport(*session, [&] { return analyser::html::reportPage(*session, context.stop); }));
}

int exportPicture(Context& context, const std::string& report, const std::string& output, const std::string& view) {
  const auto session = analyser::Session::open(report);
  const auto which = view == "liveness" ? analyser::html::Picture::Liveness : analyser::html::Picture::Memory;
  return writeText(context, report, output,
                   analyser::inReport(*session, [&] { return analyser::html::picture(*session, which, context.stop); }));
}

int exportGraph(Context& context, const std::string& report, const std::string& output, int levels) {
  using namespace analyser::operations;
  const auto session = analyser::Session::open(report);
  const std::string text = analyser::inReport(*session, [&] {
    const Operations all = operations(*session, context.stop);
    const std::vector<TreeRow> tree = nameTree(all);
    const DataFlow flow = dataFlow(*session, all, Transfers::Operations, context.stop);
    if (!flow.isKnown)
      throw reports::Error(reports::ErrorCode::Unsupported, "the report does not say what its steps read and write", report,
                           "run the graph again with this version");
    if (!flow.issue.empty()) context.err << flow.issue << "\n";
    return dotText(operationGraph(tree, flow, openFolders(tree, levels)), tree, flow, session->identity().title);
  });
  return writeText(context, report, output, text);
}

} // namespace app::cli
