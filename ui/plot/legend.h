// A legend that is a filter: a click hides an entry, Ctrl-click (or Alt-click) shows it alone, and once more brings all back.
#pragma once

#include <QColor>
#include <QString>
#include <QStringList>
#include <QWidget>

#include <functional>
#include <vector>

namespace ui::theme {
class Theme;
}

namespace ui::plot {

enum class Mark { Area, Line, Dashes };

struct LegendEntry {
  QString title;
  QString value = {};                  // printed after the title; may be empty
  std::function<QColor()> colour = {}; // asked at every paint, so that a theme change shows
  Mark mark = Mark::Area;
  bool fixed = false; // cannot be hidden
  QString id = {};    // for links; none: the title, which is the report's

  const QString& key() const { return id.isEmpty() ? title : id; }
};

class Legend : public QWidget {
  Q_OBJECT

public:
  explicit Legend(const theme::Theme& theme, QWidget* parent = nullptr);
  // Keeps hidden entries hidden (by id).
  void setEntries(std::vector<LegendEntry> entries);
  bool isShown(int entry) const;
  std::vector<bool> shown() const;
  void setShown(int entry, bool shown);
  void showAll();
  // By id: which are hidden, and hides these and shows all others. Titles are known, too, as links of older builds have them.
  QStringList hidden() const;
  void hide(const QStringList& ids);

  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

signals:
  void entryHovered(int entry); // the pointer or the focus is on it; -1: on none
  void shownChanged();

protected:
  void resizeEvent(QResizeEvent* event) override;
  bool event(QEvent* event) override;

private:
  class Chip;
  int place(int width, bool move) const;
  void fit();
  void toggled(int entry, bool alone);
  const theme::Theme& m_theme;
  std::vector<LegendEntry> m_entries;
  QStringList m_hidden; // hidden since the last showAll(), also entries that are gone: they may come back
  std::vector<Chip*> m_chips;
};

} // namespace ui::plot
