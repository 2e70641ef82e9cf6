// Files dragged over the window. Every widget below the pointer would otherwise be asked first, and a text field takes a file
// for its name: so the sheet hears drags before any of them, shows over the window what a drop would do, and tells who asked.
#pragma once

#include <QStringList>
#include <QTimer>
#include <QWidget>

#include <optional>
#include <vector>

class QDropEvent;
class QMimeData;

namespace ui::theme {
class Theme;
}

namespace ui::shell {

enum class DropDeed { Open, Compare, Run, Nothing };

struct DropPlan {
  DropDeed deed = DropDeed::Nothing;
  QStringList files;
};

// The meaning of dropped files: one report, two to compare, a model (or its folder) to run. Files of no known ending
// count as reports: whether they are is for the reader to say.
DropPlan planDrop(const QStringList& files);

class DropSheet : public QWidget {
  Q_OBJECT

public:
  DropSheet(const theme::Theme& theme, QWidget* window);
  // The file name of the open report, beside which another may be dropped; empty: none is open.
  void setOpen(const QString& name);

signals:
  void dropped(const ui::shell::DropPlan& plan, bool besideOpen);

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

private:
  struct Zone {
    QRect area;
    QString icon, title, detail;
  };
  bool offersTwo() const { return m_plan && m_plan->deed == DropDeed::Open && !m_open.isEmpty(); }
  std::vector<Zone> zones() const;
  void take(const QWidget& below, QDropEvent& event);
  void put();

  const theme::Theme& m_theme;
  QString m_open;
  std::optional<DropPlan> m_plan; // of the drag under way
  bool m_beside = false;
  QTimer m_leave; // a drag leaves one widget before it enters the next
};

} // namespace ui::shell
