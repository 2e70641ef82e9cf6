// The one context menu of all tables and trees: views that show the row under the pointer (from the window, see RowGuide), then copying and
// saving. An entry has the same key in every table.
#pragma once

#include "analyser/columns/subject.h"

#include <QKeySequence>
#include <QString>

#include <functional>
#include <vector>

class QAbstractItemView;
class QContextMenuEvent;
class QKeyEvent;
class QMenu;
class QWidget;

namespace ui::tables {

// Lists the menu entries that lead from a subject to the views. The window implements it; a table finds it among its parents.
class RowGuide {
public:
  struct Way {
    QString title, icon;
    QKeySequence key;
    std::function<void()> go;
    bool beginsGroup = false;
  };
  virtual ~RowGuide() = default;
  virtual std::vector<Way> waysOf(const analyser::columns::Subject& subject) const = 0;
  // "Tile 12", "Report B": the title of the submenu of a further subject of a row.
  virtual QString titleOf(const analyser::columns::Subject& subject) const = 0;
};

// Adds a submenu for each item selected in a plot: "Selected step", or "Tile 3 in A". Adds nothing if the widget is outside a window.
void addSelectionMenus(QMenu& menu, const QWidget& plot, const analyser::columns::Subjects& selected);
// Gives the view actions to copy and save rows, and the context menu and keys of rows.
void addRowMenu(QAbstractItemView& view);
// Opens the menu of the row at the event, or of the current row if a key asked for it.
void openRowMenu(QAbstractItemView& view, const QContextMenuEvent& event);
// Runs the menu entry of the current row that has this key. Returns false if there is none.
bool followKey(QAbstractItemView& view, const QKeyEvent& key);

} // namespace ui::tables
