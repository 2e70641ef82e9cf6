// Files on another computer: an address, its folder as a table, and navigation up and down. Enter opens a file or goes into a
// folder. A sheet over the window, like the bookmarks.
#pragma once

#include "ui/jobs/latest_job.h"
#include "ui/runs/remote_files.h"

#include <QFrame>

#include <vector>

class QLabel;
class QLineEdit;
class QPushButton;

namespace ui::tables {
class TableView;
}
namespace ui::theme {
class Theme;
}

namespace ui::shell {

class RemoteSheet : public QFrame {
  Q_OBJECT

public:
  RemoteSheet(const theme::Theme& theme, QWidget* window);
  ~RemoteSheet() override;
  // Lists the folder `address`. Empty: lists the last folder, or asks for an address if there is none.
  void open(const QString& address);

signals:
  void chosen(const QString& file);

protected:
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  void hideEvent(QHideEvent* event) override;

private:
  struct Listing {
    QString address;
    std::vector<RemoteEntry> entries;
  };
  void list(const QString& address);
  void show(const Listing& listing);
  void enter(int64_t row);
  void enterSelected();
  void updateButtons();

  QLineEdit* m_address;
  QLabel* m_note;
  tables::TableView* m_table;
  QPushButton *m_up, *m_refresh, *m_open;
  QString m_shown; // the address of the table's folder; empty: none yet
  std::vector<RemoteEntry> m_entries;
  jobs::LatestJob<Listing> m_job;
};

} // namespace ui::shell
