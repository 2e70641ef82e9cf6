#include "ui/views/compare/host_difference.h"

#include "ui/parts/page.h"
#include "ui/tables/table_view.h"
#include "ui/theme/theme.h"
#include "ui/views/compare/difference_tables.h"

#include <QLineEdit>

namespace ui::compare {

HostDifference::HostDifference(const shell::ViewParts& parts) : PairView(parts), m_job(tr("Comparing the hosts"), &parts.jobs) {
  page().setBody(m_table = new tables::FilteredTable(theme(), tr("Labels of the host in both reports")));
  fields().table("labels", *m_table);
  m_table->view().setEmptyText(tr("Neither report holds events of the host."));
  setMainJob(m_job, [this] { read(); });
}

bool HostDifference::focusFilter() {
  m_table->filter().setFocus(Qt::ShortcutFocusReason);
  return true;
}

void HostDifference::formatChanged() { m_table->view().setFormat(format()); }

void HostDifference::read() {
  page().showLoading(tr("Comparing the hosts"));
  ask(
      m_job,
      [](analyser::Session& a, analyser::Session& b, const std::stop_token& stop) {
        const auto difference = analyser::compare::hostDifference(a, b, stop);
        return Answer{difference.verdict, labelTable(difference.labels)};
      },
      [this](const Answer& answer) {
        page().setVerdict(answer.verdict);
        formatChanged();
        m_table->setTable(answer.table);
        page().showContent();
      });
}

} // namespace ui::compare
