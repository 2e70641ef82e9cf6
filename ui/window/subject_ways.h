// The menu entries of every table's rows: from a variable, step, operation, tile, vertex type or compute set to the views that
// show it, to the comparison of both reports, and to a link. One table in the code says which views show what. Facts that the row
// lacks (e.g. the operation that made a variable) are read in the background when an entry is chosen.
#pragma once

#include "analyser/program/related.h"
#include "ui/jobs/latest_job.h"
#include "ui/parts/on_worker.h"
#include "ui/parts/view.h"
#include "ui/state/view_link.h"
#include "ui/tables/row_menu.h"

#include <array>

namespace ui::shell {

class LinkNavigator;
class MessageBar;
class OpenReports;
class ViewStack;

class SubjectWays : public QObject, public tables::RowGuide {
  Q_OBJECT

public:
  SubjectWays(ViewState& state, jobs::JobBoard& jobs, const OpenReports& reports, const ViewStack& views, LinkNavigator& links,
              MessageBar& message, QObject* parent);
  std::vector<Way> waysOf(const analyser::columns::Subject& subject) const override;
  QString titleOf(const analyser::columns::Subject& subject) const override;
  // Call when other reports are open.
  void forget();

private:
  using Subject = analyser::columns::Subject;
  using Related = analyser::program::Related;
  struct Target {
    ViewLink link;
    QString sql = {};     // the query to run in Query
    QString missing = {}; // why there is nothing to show; else empty
  };
  using Then = void (SubjectWays::*)(const Target&);
  void start(const Subject& subject, const QString& view, Then then);
  Target targetOf(const Subject& subject, const Related& related, const QString& view) const;
  Target comparisonOf(const Related& related) const;
  void go(const Target& target);
  void copy(const Target& target);
  bool isOther(const Subject& subject) const; // of report B
  QKeySequence keyOf(const QString& view) const;

  ViewState& m_state;
  const OpenReports& m_reports;
  const ViewStack& m_views;
  LinkNavigator& m_links;
  MessageBar& m_message;
  jobs::LatestJob<Related> m_job;
  std::array<std::shared_ptr<WorkerSession>, 2> m_workers; // of A and B; null until needed
};

} // namespace ui::shell
