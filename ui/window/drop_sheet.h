// Handles files that are dragged over the window. Without this sheet, the widget below the pointer would handle the drag, and a
// text field would insert the file's name. The sheet shows what a drop would do, and emits the dropped files.
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

enum class DropDeed { Open, Compare, AddTraces, Run, Nothing };

struct DropPlan {
  DropDeed deed = DropDeed::Nothing;
  QStringList files;
};

// The meaning of dropped files: one report, several to compare, a model (or its folder) to run. Files with an unknown extension
// count as reports; opening them shows whether they are.
DropPlan planDrop(const QStringList& files);
// The files without ONNX models, and the models.
std::pair<QStringList, QStringList> withoutModels(const QStringList& files);

class DropSheet : public QWidget {
  Q_OBJECT

public:
  DropSheet(const theme::Theme& theme, QWidget* window);
  // The name of the open report, to which a drop may add another; empty: none is open.
  void setOpen(const QString& name);

signals:
  // The plan of the zone under the pointer. In the zone for comparing, a single dropped file is compared with the open report.
  void dropped(const ui::shell::DropPlan& plan);

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

private:
  struct Zone {
    DropDeed deed;
    QString icon, title, detail;
  };
  std::vector<Zone> zones() const; // side by side, in equal parts
  QRect areaOf(int zone, int count) const;
  void take(const QWidget& below, QDropEvent& event);
  void put();

  const theme::Theme& m_theme;
  QString m_open;
  std::optional<DropPlan> m_plan; // of the current drag
  bool m_areTraces = false;
  int m_at = 0;   // zone
  QTimer m_leave; // a drag leaves one widget before it enters the next
};

} // namespace ui::shell
