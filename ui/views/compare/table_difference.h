// A view of the difference with one verdict and one table. Each subclass chooses the rows and what else it shows.
#pragma once

#include "ui/parts/page.h"
#include "ui/tables/table_view.h"
#include "ui/views/compare/pair_view.h"

#include <QLineEdit>

namespace ui::compare {

template<class Found> class TableDifference : public PairView {
public:
  bool focusFilter() override {
    m_table->filter().setFocus(Qt::ShortcutFocusReason);
    return true;
  }

protected:
  struct Answer {
    Found found;
    std::shared_ptr<const tables::Table> table;
  };
  using Rows = std::shared_ptr<const tables::Table> (*)(const Found&); // made in the background
  using Verdict = analyser::Sentence (*)(const Found&);
  using Finder = std::function<Found(analyser::Session& base, analyser::Session& other, const std::stop_token& stop)>;

  // `reading` is the title of the work in the status line, `id` the table's field in links.
  TableDifference(const shell::ViewParts& parts, const QString& reading, tables::FilteredTable* table, const QString& id,
                  Verdict verdictOf, Rows rows)
      : PairView(parts), m_job(reading, &parts.jobs), m_table(table), m_verdict(verdictOf), m_rows(rows) {
    fields().table(id, *m_table);
    setMainJob(m_job, [this] { read(); });
  }
  virtual Finder finder() const = 0;
  virtual void shown(const Found&) {}

  tables::FilteredTable& table() const { return *m_table; }
  std::shared_ptr<const Found> found() const {
    const auto answer = m_job.result();
    return answer ? std::shared_ptr<const Found>(answer, &answer->found) : nullptr;
  }
  void formatChanged() override { m_table->view().setFormat(format()); }
  void read() override {
    fill(
        m_job,
        [find = finder(), rows = m_rows](analyser::Session& a, analyser::Session& b, const std::stop_token& stop) {
          Answer answer{find(a, b, stop), nullptr};
          answer.table = rows(answer.found);
          return answer;
        },
        [this](const Answer& answer) {
          page().setVerdict(m_verdict(answer.found));
          formatChanged();
          m_table->setTable(answer.table);
          shown(answer.found);
        });
  }

private:
  jobs::LatestJob<Answer> m_job;
  tables::FilteredTable* m_table;
  Verdict m_verdict;
  Rows m_rows;
};

} // namespace ui::compare
