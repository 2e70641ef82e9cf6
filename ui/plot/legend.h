// A legend that is a filter: a click hides an entry; Ctrl-click (or Alt-click) shows only that entry; a second Ctrl-click shows
// all.
#pragma once

#include <QColor>
#include <QString>
#include <QStringList>
#include <QWidget>

#include <functional>
#include <vector>

class QToolButton;

namespace ui::theme {
class Theme;
}

namespace ui::plot {

enum class Mark { Area, Line, Dashes };

struct LegendEntry {
  QString title;
  QString value = {};                  // printed after the title; may be empty
  std::function<QColor()> colour = {}; // called at every paint, so that a theme change is visible
  Mark mark = Mark::Area;
  bool fixed = false;   // cannot be hidden
  QString id = {};      // for links; empty: the title, which comes from the report
  bool isExtra = false; // comes and goes with a selection: adds no line, titles are shortened instead
  bool inMenu = false;  // an entry without a mark in the plot: a switch in the menu at the end

  const QString& key() const { return id.isEmpty() ? title : id; }
};

class Legend : public QWidget {
  Q_OBJECT

public:
  explicit Legend(const theme::Theme& theme, QWidget* parent = nullptr);
  // Keeps hidden entries hidden (by id).
  void setEntries(std::vector<LegendEntry> entries);
  void setMenuTitle(const QString& title) { m_menuTitle = title; } // of the entries in the menu: "Categories that count"
  bool isShown(int entry) const;
  std::vector<bool> shown() const;
  void setShown(int entry, bool shown);
  void showAll();
  // The ids of hidden entries; the setter hides these and shows all others. It also accepts titles, as in links of older builds.
  QStringList hidden() const;
  void hide(const QStringList& ids);

  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

signals:
  void entryHovered(int entry); // the pointer or the focus is on the entry; -1: on none
  void shownChanged();

protected:
  void resizeEvent(QResizeEvent* event) override;
  bool event(QEvent* event) override;

private:
  class Chip;
  // How much of each chip is drawn. The widest form that fits is used.
  struct Room {
    int title; // pixels at most
    bool values;
  };
  int linesOf(int width, const Room& room, bool withExtra) const;
  Room roomFor(int width) const;
  void fillMenu();
  int place(int width, bool move) const;
  void fit();
  void toggled(int entry, bool alone);
  const theme::Theme& m_theme;
  std::vector<LegendEntry> m_entries;
  QStringList m_hidden; // hidden since the last showAll(), also removed entries: they may return
  std::vector<Chip*> m_chips;
  QString m_menuTitle;
  QToolButton* m_menu = nullptr; // only with entries for it
};

} // namespace ui::plot
