// The start page: open a report, reopen an earlier one, or run a sample with one click.
#pragma once

#include "ui/parts/view.h"

class QLabel;
class QLineEdit;
class QPushButton;

namespace ui::home {

class RecentList;
class SampleGrid;

class HomeView : public shell::View {
  Q_OBJECT

public:
  explicit HomeView(const shell::ViewParts& parts);
  void setSessions(shell::SessionPointer base, shell::SessionPointer other) override;
  bool isBusy() const override { return m_asking; }
  QString verdict() const override;
  bool focusFilter() override;

protected:
  void themeChanged() override;
  void showEvent(QShowEvent* event) override;

private:
  QWidget* buildHero();
  QWidget* buildRecent();
  QWidget* buildSamples();
  QLabel* sectionTitle(const QString& text);
  void refreshRecent();
  void askSamples();

  QLabel *m_mark, *m_noRecent, *m_sampleNote;
  QPushButton *m_clear, *m_more, *m_compare;
  RecentList* m_recent;
  QLineEdit* m_filter;
  SampleGrid* m_samples;
  bool m_asking = false;
};

} // namespace ui::home
