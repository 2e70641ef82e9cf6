// The bar at the top: the open report and its machine, the search field, the units, the theme.
#pragma once

#include "ui/state/view_state.h"
#include "ui/theme/format.h"
#include "ui/theme/theme.h"

#include <QWidget>

class QButtonGroup;
class QHBoxLayout;
class QToolButton;

namespace ui::shell {

class ReportChip;
class SearchButton;

// The texts of a report's chip.
struct ChipText {
  QString name, machine, provenance, size, path;
};

class TopBar : public QWidget {
  Q_OBJECT

public:
  explicit TopBar(const theme::Theme& theme, QWidget* parent = nullptr);
  // None, one, or several reports: base, other, and further ones behind a button.
  void setReports(const QList<ChipText>& reports);
  void setLesson(bool has); // whether the report has a lesson
  void setUnits(theme::Units units, bool hasClock);
  // Sets which of two reports the view shows. `whyNot` says why the view has no difference; empty if it has one.
  void setShown(Shown shown, const QString& whyNot);

signals:
  void unitsChosen(theme::Units units);
  void shownChosen(ui::shell::Shown shown);
  void themeToggled();
  void openRequested();
  void reloadRequested();
  void closeRequested(int report); // 0 base, 1 other, 2 … the further ones
  void otherChosen(int report);    // make this further report B
  void linkRequested();
  void bookmarksRequested();
  void lessonRequested();
  void pageRequested(int report);   // 0 base, 1 other: as one web page
  void tracesRequested(int report); // 0 base, 1 other: lay traces on its time axis
  void runRequested(int report);    // 0 base, 1 other: run it again with other settings
  void compareRequested();          // choose a second report
  void swapRequested();
  void helpRequested();
  void searchRequested();

protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

private:
  QToolButton* tool(const QString& icon, const QString& name, const QString& tip);
  QButtonGroup* segments(QHBoxLayout* row, const QStringList& titles, const QString& name);

  const theme::Theme& m_theme;
  void showFurther();
  void showUnits();
  void fit();
  QToolButton *m_open, *m_swap, *m_further, *m_themeButton;
  QList<ChipText> m_reports;
  ReportChip* m_chips[2];
  QWidget* m_shownBox; // the buttons A | B | Difference
  QButtonGroup* m_shown;
  SearchButton* m_search;
  QButtonGroup *m_time, *m_memory;
  QToolButton* m_unitMenu; // replaces the unit buttons in a narrow bar
  theme::Units m_units;
};

} // namespace ui::shell
