// Reads the findings of a report for the marks in its views, unless Summary or Insights reads them itself.
#pragma once

#include "analyser/insights/insights.h"
#include "ui/jobs/latest_job.h"
#include "ui/state/report_file.h"

#include <QCoreApplication>

namespace ui::shell {

class ViewState;

class FindingsReader {
  Q_DECLARE_TR_FUNCTIONS(ui::shell::FindingsReader)

public:
  FindingsReader(ViewState& state, jobs::JobBoard& jobs);
  // Does nothing if they are known or being read. Does not report errors: Insights does.
  void read(const SessionPointer& session);
  void forget();

private:
  ViewState& m_state;
  jobs::LatestJob<analyser::insights::Insights> m_job;
  std::weak_ptr<analyser::Session> m_reading; // the session that the job reads
};

} // namespace ui::shell
