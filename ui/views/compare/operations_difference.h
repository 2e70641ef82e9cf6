// Operations of both reports: cycles and memory of each in A, in B, and the difference.
#pragma once

#include "analyser/compare/compare.h"
#include "ui/views/compare/table_difference.h"

class QLabel;

namespace ui::compare {

class OperationsTable;

class OperationsDifference : public TableDifference<analyser::compare::Comparison> {
  Q_OBJECT

public:
  explicit OperationsDifference(const shell::ViewParts& parts);
  QString selectionText() const override;

protected:
  Finder finder() const override;
  void shown(const analyser::compare::Comparison& comparison) override;
  void drop() override;

private:
  OperationsTable& operations() const;
  QLabel* m_same;
};

} // namespace ui::compare
