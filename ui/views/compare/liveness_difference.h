// Liveness of both reports: the curves merged or apart, and the variables alive at a step of A and at the matching step of B.
#pragma once

#include "analyser/compare/liveness_difference.h"
#include "ui/tables/table.h"
#include "ui/views/compare/pair_view.h"

class QComboBox;
class QLabel;

namespace ui::tables {
class FilteredTable;
}

namespace ui::compare {

class PairPlot;

class LivenessDifference : public PairView {
  Q_OBJECT

public:
  explicit LivenessDifference(const shell::ViewParts& parts);
  QString selectionText() const override;
  bool focusFilter() override;
  int64_t baseStep() const { return m_baseStep; }
  int64_t otherStep() const { return m_otherStep; }

protected:
  void read() override;
  void drop() override;
  void formatChanged() override { show(); }

private:
  struct Answer {
    analyser::liveness::Liveness base, other;
  };
  using Alive = std::shared_ptr<const tables::Table>;
  void show();
  void showPeaks();
  void choose(int64_t step, bool ofBase);
  void readAlive();
  QString stepName(bool ofBase, int64_t step) const;
  jobs::LatestJob<Answer> m_job;
  jobs::LatestJob<Alive> m_alive;
  int64_t m_baseStep = -1, m_otherStep = -1;
  bool m_isMerged = true;
  QComboBox* m_kind;
  PairPlot* m_plot;
  QLabel* m_steps;
  tables::FilteredTable* m_table;
};

} // namespace ui::compare
