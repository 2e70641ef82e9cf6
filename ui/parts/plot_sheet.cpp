#include "ui/parts/plot_sheet.h"

#include "ui/parts/view.h"
#include "ui/plot/plot_table.h"
#include "ui/plot/spoken.h"
#include "ui/tables/table_export.h"
#include "ui/tables/table_view.h"
#include "ui/theme/format.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"

#include <QClipboard>
#include <QDialog>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QTabWidget>
#include <QVBoxLayout>

#include <memory>

namespace ui::shell {

namespace {

tables::Kind kindOf(const plot::PlotColumn& column) {
  using Kind = plot::PlotColumn::Kind;
  switch (column.kind) {
  case Kind::Words: return tables::Kind::Text;
  case Kind::Count: return column.isDifference ? tables::Kind::CountDelta : tables::Kind::Count;
  case Kind::Bytes: return column.isDifference ? tables::Kind::BytesDelta : tables::Kind::Bytes;
  case Kind::Cycles: return column.isDifference ? tables::Kind::CyclesDelta : tables::Kind::Cycles;
  case Kind::Nanoseconds: return column.isDifference ? tables::Kind::NanosecondsDelta : tables::Kind::Nanoseconds;
  case Kind::Share: break;
  }
  return column.isDifference ? tables::Kind::PercentDelta : tables::Kind::Percent;
}

std::shared_ptr<const tables::Table> rowsOf(const plot::PlotTable& from) {
  auto table = std::make_shared<tables::Table>();
  for (const plot::PlotColumn& column : from.columns)
    table->columns.push_back({tables::idOf(column.title), column.title.left(1).toUpper() + column.title.mid(1), kindOf(column)});
  for (const auto& cells : from.rows) {
    tables::Row row;
    row.id = int64_t(table->rows.size());
    for (std::size_t c = 0; c < cells.size(); ++c) {
      tables::Cell cell;
      if (const auto* words = std::get_if<QString>(&cells[c])) cell = *words;
      if (const auto* number = std::get_if<int64_t>(&cells[c])) {
        if (from.columns[c].kind == plot::PlotColumn::Kind::Share)
          cell = double(*number) / 1e6;
        else
          cell = *number;
      }
      row.cells.push_back(std::move(cell));
    }
    table->rows.push_back(std::move(row));
  }
  return table;
}

// The page of a tab widget that contains `widget`, or the view itself.
QWidget* pageOf(QWidget& widget, View& view) {
  for (QWidget* page = &widget; page->parentWidget() && page != &view; page = page->parentWidget())
    for (QWidget* around = page->parentWidget(); around && around != view.parentWidget(); around = around->parentWidget())
      if (auto* tabs = qobject_cast<QTabWidget*>(around); tabs && tabs->indexOf(page) >= 0) return page;
  return &view;
}

// The visible table among those that the plot names, else the first of them: a table and a tree may alternate in one tab.
QAbstractItemView* twinOf(const QWidget& plot, View& view) {
  QAbstractItemView* first = nullptr;
  const QStringList names = plot.property(plot::kTwin).toString().split('|', Qt::SkipEmptyParts);
  for (auto* table : view.findChildren<QAbstractItemView*>()) {
    if (!names.contains(table->accessibleName())) continue;
    if (table->isVisibleTo(pageOf(*table, view))) return table;
    if (!first) first = table;
  }
  return first;
}

} // namespace

bool hasTable(const QWidget& plot, View& view) { return dynamic_cast<const plot::Tabled*>(&plot) || twinOf(plot, view); }

void saveTable(QWidget& plot, View& view, const theme::Theme& theme, const theme::Format& format) {
  if (QAbstractItemView* twin = twinOf(plot, view)) return tables::saveTable(*twin);
  const auto* tabled = dynamic_cast<const plot::Tabled*>(&plot);
  if (!tabled) return;
  auto table = std::make_unique<tables::TableView>(theme, plot.accessibleName());
  table->setFormat(format);
  table->setTable(rowsOf(tabled->table()));
  tables::saveTable(*table);
}

void showTable(QWidget& plot, View& view, const theme::Theme& theme, const theme::Format& format) {
  if (QAbstractItemView* twin = twinOf(plot, view)) {
    for (QWidget* page = twin; page && page != &view; page = page->parentWidget())
      for (QWidget* around = page->parentWidget(); around && around != &view; around = around->parentWidget())
        if (auto* tabs = qobject_cast<QTabWidget*>(around); tabs && tabs->indexOf(page) >= 0) tabs->setCurrentWidget(page);
    return twin->setFocus(Qt::ShortcutFocusReason);
  }
  const auto* tabled = dynamic_cast<const plot::Tabled*>(&plot);
  if (!tabled) return;
  auto* sheet = new QDialog(view.window());
  sheet->setAttribute(Qt::WA_DeleteOnClose);
  sheet->setObjectName(QStringLiteral("plot-table"));
  sheet->setWindowTitle(QObject::tr("%1, as a table").arg(plot.accessibleName()));
  auto* column = new QVBoxLayout(sheet);
  const plot::PlotTable figures = tabled->table();
  QString text = plot::shownBy(plot) + '.';
  if (figures.left > 0)
    text += ' ' + QObject::tr("%1 more are left out: zoom in to list others.")
                      .arg(theme::plural(figures.left, QObject::tr("row"), QObject::tr("rows")));
  auto* words = theme::plainLabel(text);
  words->setWordWrap(true);
  words->setProperty("role", "secondary");
  column->addWidget(words);
  auto* table = new tables::FilteredTable(theme, QObject::tr("Figures of %1").arg(plot.accessibleName()));
  column->addWidget(table, 1);
  table->view().setFormat(format);
  table->view().setEmptyText(QObject::tr("The plot shows nothing"));
  table->setTable(rowsOf(figures));
  auto* buttons = new QHBoxLayout;
  buttons->addStretch(1);
  const auto button = [&](const QString& title, auto run) {
    auto* made = new QPushButton(title);
    QObject::connect(made, &QPushButton::clicked, sheet, run);
    buttons->addWidget(made);
  };
  button(QObject::tr("Copy"), [table] {
    QGuiApplication::clipboard()->setText(tables::exportRows(*table->view().model(), {}, tables::ExportFormat::Csv));
  });
  button(QObject::tr("Save…"), [table] { tables::saveTable(table->view()); });
  button(QObject::tr("Close"), [sheet] { sheet->close(); });
  column->addLayout(buttons);
  sheet->resize(720, 520);
  sheet->show();
  table->view().setFocus(Qt::OtherFocusReason);
}

} // namespace ui::shell
