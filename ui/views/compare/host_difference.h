// The host side of both reports: time and calls of each label in A, in B, and the difference.
#pragma once

#include "analyser/compare/host_difference.h"
#include "ui/views/compare/table_difference.h"

namespace ui::compare {

class HostDifference : public TableDifference<analyser::compare::HostDifference> {
  Q_OBJECT

public:
  explicit HostDifference(const shell::ViewParts& parts);

protected:
  Finder finder() const override;
};

} // namespace ui::compare
