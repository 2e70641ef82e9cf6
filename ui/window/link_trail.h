// Follows links, also to other reports and other computers, and Back to the reports before a link.
#pragma once

#include "ui/state/view_link.h"

#include <QCoreApplication>

#include <vector>

namespace ui::shell {

class LinkNavigator;
class MessageBar;
class Settings;
class OpenReports;
struct ReportChange;
class ViewStack;

class LinkTrail {
  Q_DECLARE_TR_FUNCTIONS(ui::shell::LinkTrail)

public:
  LinkTrail(ViewState& state, OpenReports& reports, const ViewStack& views, LinkNavigator& links, MessageBar& message,
            const Settings& settings);
  // Whether the window has the view that the link names.
  bool leadsSomewhere(const ViewLink& link) const;
  // Opens the link's reports if they are not open. A report that is missing at the link's path is searched by its id and file
  // name among the open and recent reports and in their folders; if that fails, the user is asked for it. A report on another
  // computer is fetched only after the user agreed.
  void open(const ViewLink& link);
  // Offers a link that comes from outside, e.g. from a web page or a mail: shows it, and follows it only if the user agrees.
  void offer(const ViewLink& link);
  void copy();
  void goBack();
  // Warns if a report that was found by its name is not the run that the link means.
  void compare(const ViewLink& link);
  // Call before other reports are open.
  void leave(const ReportChange& change);

private:
  QString found(const QString& report, const QString& id) const; // the report's file on this computer; empty: not found
  void locate(ViewLink link, qsizetype missing);
  void openFound(const ViewLink& link);
  ViewState& m_state;
  OpenReports& m_reports;
  const ViewStack& m_views;
  LinkNavigator& m_links;
  MessageBar& m_message;
  const Settings& m_settings;
  std::vector<ViewLink> m_left; // locations before links to other reports, for Back
};

} // namespace ui::shell
