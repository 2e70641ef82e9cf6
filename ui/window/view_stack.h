// The views of a window, one above the other: makes a view when it is first shown, gives it the open reports, and says which
// reports to open if it needs others.
#pragma once

#include "ui/parts/view.h"

#include <QStackedWidget>

#include <map>
#include <set>

namespace ui::shell {

class OpenReports;
class StatePage;

class ViewStack : public QStackedWidget {
  Q_OBJECT

public:
  ViewStack(const ViewParts& parts, ViewList views, const OpenReports& reports);

  const ViewList& list() const { return m_views; }
  const ViewEntry* entryOf(const QString& id) const; // null if the id is unknown
  const QString& shownId() const { return m_shown; }
  const ViewEntry* shownEntry() const { return entryOf(m_shown); }
  View* current() const; // null: the reports that it needs are not open
  bool canShow(const ViewEntry& entry) const;
  bool showsDifference(const ViewEntry& entry) const; // false: the entry shows a single report
  View* made(const QString& id) const;                // the view of single reports; null: it was not shown yet
  View* present(const ViewEntry& entry);              // returns the shown view, like current()

  // Takes the reports from all views, also hidden ones, because a view would show old data until its next update. `isSame`: the
  // files are the same, so filters and zooms stay.
  void dropReports(bool isSame);
  // A, B or the difference was chosen: views of one report get the new one when they are next shown; views of the difference keep
  // both.
  void dropShown();
  // A followed trace has grown: the shown view reads it and keeps its last plot until then.
  void takeGrown();
  QStringList unfinished() const; // work that ends with the window

signals:
  void selectionTextChanged();
  void viewRequested(const QString& id);
  void openRequested(const QStringList& files); // none: the user chooses
  void tracesRequested();
  void helpRequested(const QString& link);
  void compareRequested(const QString& base, const QString& other); // empty: the user chooses
  void offerRequested(const QString& text, const QStringList& files);

private:
  View* viewFor(const ViewEntry& entry, bool difference);
  void showNeed(const ViewEntry& entry);

  using Made = std::pair<QString, bool>; // the id of a view, and whether it is the view of the difference
  ViewParts m_parts;
  ViewList m_views;
  const OpenReports& m_reports;
  std::map<Made, View*> m_made;
  std::set<Made> m_stale; // views that have not received the current sessions
  QString m_shown;
  StatePage* m_unmet;
};

} // namespace ui::shell
