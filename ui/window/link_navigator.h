// Makes links to what a window shows, goes where they lead, and remembers for each report where one was when it was last open.
#pragma once

#include "ui/state/view_link.h"

#include <QObject>
#include <QPointer>
#include <QSet>

namespace analyser {
struct Machine;
}

namespace ui::shell {

class Settings;
class View;

class LinkNavigator : public QObject {
  Q_OBJECT

public:
  LinkNavigator(ViewState& state, Settings& settings, QObject* parent = nullptr);

  // The open reports; empty: none. `machine` is the first one's, or null.
  void setReports(const QStringList& files, const analyser::Machine* machine);
  // The shown view, whose fields are part of a link. Those that a followed link asks for are set as soon as it is loaded.
  void setView(View* view);

  ViewLink here() const;
  // Within the open reports: the link's own are not looked at.
  void follow(const ViewLink& link);

  // Where the open reports were left the last time; and keeps where they are now.
  std::optional<ViewLink> remembered() const;
  bool isRestoring() const; // the shown view waits for fields that a link or its place has for it
  void remember();

private:
  void applySoon();
  void applyFields();
  void rememberView();
  void recallView();

  ViewState& m_state;
  Settings& m_settings;
  QStringList m_files;
  uint32_t m_tiles = 0; // of the machine
  QPointer<View> m_view;
  QString m_viewId;

  QSet<QString> m_recalled; // views that have their fields since the reports were opened
  QString m_awaited;        // the view whose fields are still to be set
  FieldValues m_fields;
  FieldValues m_positions; // whose other fields are set
  bool m_arePositionsLeft = false;
};

} // namespace ui::shell
