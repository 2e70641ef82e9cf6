// Makes links to the content of a window, follows them, and remembers for each report the location when it was last open.
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
  void setReports(const QStringList& files, const QStringList& ids, const analyser::Machine* machine);
  const QStringList& ids() const { return m_ids; } // of the open reports
  // Sets the shown view, whose fields are part of a link. Fields of a followed link are set as soon as the view has loaded.
  void setView(View* view);

  ViewLink here() const;
  // Follows a link within the open reports; ignores the reports that it names.
  void follow(const ViewLink& link);

  // remembered(): the location at which the open reports were last left. remember() stores the current one.
  std::optional<ViewLink> remembered() const;
  // Forgets the locations of reports that are not among these tabs and that the settings do not keep.
  void keepOnly(const QList<QStringList>& tabs);
  bool isRestoring() const; // the shown view still waits for fields of a link or of the stored location
  void remember();

private:
  void applySoon();
  void applyFields();
  void rememberView();
  void store(const QString& key, const ViewLink& link);
  std::optional<ViewLink> stored(const QString& key) const;
  void recallView();

  ViewState& m_state;
  QMap<QString, QString> m_kept; // links of the open tabs, by their keys in the settings
  Settings& m_settings;
  QStringList m_files, m_ids;
  uint32_t m_tiles = 0; // of the machine
  QPointer<View> m_view;
  QString m_viewId;

  QSet<QString> m_recalled; // views whose fields have been restored for these reports
  QString m_awaited;        // the view whose fields must still be set
  FieldValues m_fields;
  FieldValues m_positions; // of a view whose other fields are set
  bool m_arePositionsLeft = false;
};

} // namespace ui::shell
