// Program and Trace of the difference: the pages of Compare as separate views.
#pragma once

#include "ui/views/compare/pair_view.h"

namespace ui::compare {

class ProgramPair;
class TracePair;

class ProgramDifferenceView : public PairView {
  Q_OBJECT

public:
  explicit ProgramDifferenceView(const shell::ViewParts& parts);

protected:
  void read() override;
  void drop() override;
  void formatChanged() override;

private:
  void showVerdict();
  ProgramPair* m_pair;
};

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
