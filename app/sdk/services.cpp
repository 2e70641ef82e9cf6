// The report services of programs: report files, the text of printProfileSummary, values.
#include "analyser/session/session.h"
#include "analyser/summary/summary.h"
#include "app/sdk/profile_values.h"
#include "app/sdk/pva_report.h"
#include "reports/sqlite/writer.h"
#include "simcore/poplar/report_services.h"

#include <filesystem>
#include <unistd.h>

namespace app::sdk {

namespace {

using simcore::poplar::Rows;

void writeFile(const std::string& file, const Rows& rows) {
  reports::Writer writer(file);
  rows(writer);
  writer.commit();
}

// A temporary report of the runs so far, removed with the object.
class PassingReport {
public:
  explicit PassingReport(const Rows& rows) {
    std::string folder = (std::filesystem::temp_directory_path() / ("tilescope-" + std::string(6, 'X'))).string();
    if (!mkdtemp(folder.data())) throw reports::Error(reports::ErrorCode::Io, "cannot be made", folder);
    m_folder = folder;
    writeFile(file(), rows);
    m_session = analyser::Session::open(file());
  }
  ~PassingReport() {
    m_session.reset();
    std::error_code none;
    std::filesystem::remove_all(m_folder, none);
  }
  PassingReport(const PassingReport&) = delete;
  PassingReport& operator=(const PassingReport&) = delete;
  analyser::Session& session() { return *m_session; }

private:
  std::string file() const { return (m_folder / "profile.tsr").string(); }
  std::filesystem::path m_folder;
  std::shared_ptr<analyser::Session> m_session;
};

class Services final : public simcore::poplar::ReportServices {
public:
  void write(const std::string& file, const Rows& rows) override { writeFile(file, rows); }
  std::string summary(const Rows& rows, const simcore::poplar::SummaryOptions& options) override {
    PassingReport report(rows);
    return analyser::summary::profileSummaryText(report.session(), analyser::summary::summarise(report.session()),
                                                 {options.showExecutionSteps, options.showVarStorage});
  }
  pva::Report report(const Rows& rows) override {
    PassingReport report(rows);
    return pvaReport(report.session());
  }
  poplar::ProfileValue graphProfile(const Rows& rows) override {
    PassingReport report(rows);
    return sdk::graphProfile(report.session(), analyser::summary::summarise(report.session()));
  }
  poplar::ProfileValue executionProfile(const Rows& rows) override {
    PassingReport report(rows);
    return sdk::executionProfile(report.session(), analyser::summary::summarise(report.session()));
  }
};

// Registers the report services when the library is loaded, because programs that load it have their own main().
[[maybe_unused]] const bool kGiven = [] {
  simcore::poplar::giveReportServices(std::make_unique<Services>());
  return true;
}();

} // namespace

} // namespace app::sdk
