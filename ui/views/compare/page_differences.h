// The view "Trace" of the difference of two reports: a page of Compare as a view of its own.
#pragma once

#include "ui/views/compare/pair_view.h"

namespace ui::compare {

class TracePair;

class TraceDifferenceView : public PairView {
  Q_OBJECT

public:
  explicit TraceDifferenceView(const shell::ViewParts& parts);
  bool isBusy() const override;

protected:
  void read() override;
  void drop() override;
  void formatChanged() override;

private:
  void showVerdict();
  TracePair* m_pair;
};

} // namespace ui::compare
