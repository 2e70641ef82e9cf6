#include "ui/tables/row_menu.h"

#include "ui/tables/row_filter.h"
#include "ui/tables/table_export.h"
#include "ui/tables/table_model.h"
#include "ui/tables/table_view.h"

#include <QAbstractItemView>
#include <QAction>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>

#include <algorithm>
#include <utility>

namespace ui::tables {

using analyser::columns::Subjects;

namespace {

const RowGuide* guideOf(const QWidget& view) {
  for (const QWidget* around = view.parentWidget(); around; around = around->parentWidget())
    if (const auto* guide = dynamic_cast<const RowGuide*>(around)) return guide;
  return nullptr;
}

Subjects subjectsAt(const QAbstractItemView& view, const QModelIndex& at) {
  if (const auto* table = qobject_cast<const TableModel*>(view.model())) return table->aboutRow(at.row());
  if (const auto* tree = qobject_cast<const TreeModel*>(view.model())) return tree->aboutRow(at);
  return {};
}

void addWays(QMenu& menu, const std::vector<RowGuide::Way>& ways) {
  for (const RowGuide::Way& way : ways) {
    if (way.beginsGroup && !menu.isEmpty()) menu.addSeparator();
    QAction* action = menu.addAction(QString(way.title).replace('&', QStringLiteral("&&")));
    action->setShortcut(way.key);
    action->setShortcutVisibleInContextMenu(true);
    QObject::connect(action, &QAction::triggered, &menu, way.go);
  }
}

// The filter condition that keeps rows with the value of this cell; empty if the table has no filter.
QString conditionOf(const QAbstractItemView& view, const QModelIndex& at) {
  const auto* model = qobject_cast<const TableModel*>(view.model());
  if (!model || !at.isValid() || !qobject_cast<const FilteredTable*>(view.parentWidget())) return {};
  return model->conditionAt(at);
}

// Adds `condition` to typed conditions, or replaces any other typed text.
void filterBy(const QAbstractItemView& view, const QString& condition) {
  const auto& model = *qobject_cast<const TableModel*>(view.model());
  QLineEdit& filter = qobject_cast<FilteredTable*>(view.parentWidget())->filter();
  filter.setText(withCondition(filter.text(), condition, model.table()->columns, model.format()));
}

void copyCell(QAbstractItemView& view) {
  const QModelIndex at = view.currentIndex();
  if (at.isValid()) QGuiApplication::clipboard()->setText(at.data(PlainRole).toString());
}

} // namespace

void addSelectionMenus(QMenu& menu, const QWidget& plot, const Subjects& selected) {
  const RowGuide* guide = guideOf(plot);
  if (!guide) return;
  for (const auto& subject : selected) {
    const std::string_view thing = analyser::columns::titleOf(subject.thing);
    const bool isShown = subject.in == analyser::columns::Subject::In::Shown;
    addWays(*menu.addMenu(isShown ? QObject::tr("Selected %1").arg(QLatin1String(thing.data(), int(thing.size())))
                                  : guide->titleOf(subject)),
            guide->waysOf(subject));
  }
  if (!selected.empty()) menu.addSeparator();
}

void addRowMenu(QAbstractItemView& view) {
  view.setContextMenuPolicy(Qt::DefaultContextMenu);
  const auto add = [&view](const QString& title, const QKeySequence& key, std::function<void()> run) {
    auto* action = new QAction(title, &view);
    action->setShortcut(key);
    action->setShortcutContext(Qt::WidgetShortcut);
    QObject::connect(action, &QAction::triggered, &view, std::move(run));
    view.addAction(action);
  };
  add(QObject::tr("Copy cell"), Qt::CTRL | Qt::SHIFT | Qt::Key_C, [&view] { copyCell(view); });
  const std::pair<QString, ExportFormat> ways[] = {{QObject::tr("Copy rows as CSV"), ExportFormat::Csv},
                                                   {QObject::tr("Copy rows as Markdown"), ExportFormat::Markdown},
                                                   {QObject::tr("Copy rows as JSON"), ExportFormat::Json}};
  for (const auto& [title, format] : ways)
    add(title, format == ExportFormat::Csv ? QKeySequence(QKeySequence::Copy) : QKeySequence(), [&view, way = format] {
      QModelIndexList rows = view.selectionModel()->selectedRows();
      std::sort(rows.begin(), rows.end());
      QGuiApplication::clipboard()->setText(exportRows(*view.model(), rows, way));
    });
  add(QObject::tr("Save table…"), {}, [&view] { saveTable(view); });
}

void openRowMenu(QAbstractItemView& view, const QContextMenuEvent& event) {
  const bool isKey = event.reason() == QContextMenuEvent::Keyboard;
  const QModelIndex at = isKey ? view.currentIndex() : view.indexAt(view.viewport()->mapFromGlobal(event.globalPos()));
  auto* menu = new QMenu(&view);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  const RowGuide* guide = guideOf(view);
  const Subjects subjects = guide && at.isValid() ? subjectsAt(view, at) : Subjects();
  // The first subject's entries are in the menu itself. Further subjects, and a row of two reports, get titled submenus.
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    const bool isFirst = i == 0 && subjects[i].in == analyser::columns::Subject::In::Shown;
    addWays(isFirst ? *menu : *menu->addMenu(guide->titleOf(subjects[i])), guide->waysOf(subjects[i]));
  }
  if (!menu->isEmpty()) menu->addSeparator();
  if (const QString condition = conditionOf(view, at); !condition.isEmpty())
    QObject::connect(menu->addAction(QObject::tr("Only rows with this value")), &QAction::triggered, &view,
                     [&view, condition] { filterBy(view, condition); });
  menu->addActions(view.actions());
  const QRect row = view.visualRect(at);
  menu->popup(isKey && row.isValid() ? view.viewport()->mapToGlobal(row.bottomLeft() + QPoint(24, 0)) : event.globalPos());
}

bool followKey(QAbstractItemView& view, const QKeyEvent& key) {
  if (!(key.modifiers() & Qt::ControlModifier)) return false;
  const RowGuide* guide = guideOf(view);
  const QModelIndex at = view.currentIndex();
  const Subjects subjects = guide && at.isValid() ? subjectsAt(view, at) : Subjects();
  if (subjects.empty()) return false;
  const QKeySequence pressed(int(key.modifiers() & ~Qt::KeypadModifier) | key.key());
  for (const RowGuide::Way& way : guide->waysOf(subjects.front()))
    if (!way.key.isEmpty() && way.key == pressed) {
      way.go();
      return true;
    }
  return false;
}

} // namespace ui::tables
