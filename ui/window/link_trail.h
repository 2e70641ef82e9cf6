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
  // A window without the view of a link cannot follow it.
  bool leadsSomewhere(const ViewLink& link) const;
  // Opens the link's reports if they are not open. A report that is missing at the link's path is searched by its id and its file name: among
  // the open reports, the recent ones, and in their folders; if that fails, the user is asked for it. A report on another computer is fetched only once the
  // user agreed.
  void open(const ViewLink& link);
  // A link from outside, from a web page or a mail: it is displayed, and followed only if the user agrees.
  void offer(const ViewLink& link);
  void copy();
  void goBack();
  // Says so if the reports that were found by their names are not those of the link.
  void compare(const ViewLink& link);
  // Call before other reports are open.
  void leave(const ReportChange& change);

private:
  QString found(const QString& report, const QString& id) const; // its file here; empty: not found
  void locate(ViewLink link, qsizetype missing);
  void openFound(const ViewLink& link);
  ViewState& m_state;
  OpenReports& m_reports;
  const ViewStack& m_views;
  LinkNavigator& m_links;
  MessageBar& m_message;
  const Settings& m_settings;
  std::vector<ViewLink> m_left; // locations in other reports before a link was followed, for Back
};

} // namespace ui::shell
