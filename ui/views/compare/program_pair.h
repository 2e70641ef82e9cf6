// The programs of both reports: a difference flame graph by the names of steps, and below it the aligned tree with the cycles of both.
#pragma once

#include "ui/jobs/latest_job.h"
#include "ui/parts/on_worker.h"
#include "ui/parts/view.h"
#include "ui/tables/table.h"
#include "ui/views/compare/difference_flame.h"

class QLabel;

namespace ui::tables {
class TreeView;
}

namespace ui::compare {

class ProgramPair : public QWidget {
  Q_OBJECT

public:
  ProgramPair(const theme::Theme& theme, jobs::JobBoard& jobs, QWidget* parent = nullptr);
  ~ProgramPair() override;
  // Read when the page is first shown.
  void setSessions(std::shared_ptr<shell::WorkerSession> base, std::shared_ptr<shell::WorkerSession> other);
  void setFormat(const theme::Format& format);
  jobs::JobBase& job() { return m_job; }
  // The aligned steps; null before they are read.
  std::shared_ptr<const analyser::compare::ProgramDifference> steps() const;

signals:
  void programsRead();

protected:
  void showEvent(QShowEvent* event) override;

private:
  struct Answer {
    std::shared_ptr<const analyser::compare::ProgramDifference> tree, steps; // by the paths of names; step by step
    std::shared_ptr<const tables::Tree> rows;
  };
  void align();
  std::shared_ptr<shell::WorkerSession> m_base, m_other;
  DifferenceFlame* m_flame;
  tables::TreeView* m_tree;
  QLabel* m_words;
  jobs::LatestJob<Answer> m_job;
  bool m_due = false;
};

} // namespace ui::compare
