// FilteredTable of table_view.h: a table with a filter field.
#include "ui/tables/column_completer.h"
#include "ui/tables/column_wishes.h"
#include "ui/tables/table_view.h"
#include "ui/theme/format.h"
#include "ui/theme/icons.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"

#include <QAction>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace ui::tables {

namespace {
template<class View> QToolButton* leftOutOf(View& view) {
  auto* more = new QToolButton;
  more->hide();
  QObject::connect(&view, &View::columnsLeftOut, more, [more](const QStringList& titles) {
    more->setVisible(!titles.isEmpty());
    const QString count = theme::plural(titles.size(), TableView::tr("column"), TableView::tr("columns"));
    more->setText(TableView::tr("+%1").arg(count));
    more->setAccessibleName(TableView::tr("%1 more, choose columns").arg(count));
    more->setToolTip(theme::tipText(
        TableView::tr("The window is too narrow for %1. A click chooses the columns.").arg(titles.join(QStringLiteral(", ")))));
  });
  QObject::connect(more, &QToolButton::clicked, &view, [&view] {
    for (QAction* action : view.actions())
      if (action->objectName() == kColumnsAction) action->trigger();
  });
  return more;
}
} // namespace

QToolButton* leftOutButton(TableView& view) { return leftOutOf(view); }
QToolButton* leftOutButton(TreeView& view) { return leftOutOf(view); }

namespace {
constexpr int kMostProblem = 420, kLeastProblem = 160; // pixels; a longer text would make the page wider than the window

// The pixels of a line that its other widgets leave.
int roomBeside(const QHBoxLayout& line, const QWidget& widget, int width) {
  for (int i = 0; i < line.count(); ++i)
    if (line.itemAt(i)->widget() != &widget) width -= line.itemAt(i)->minimumSize().width() + line.spacing();
  return std::clamp(width, kLeastProblem, kMostProblem);
}
} // namespace

FilteredTable::FilteredTable(const theme::Theme& theme, const QString& name, QWidget* parent)
    : QWidget(parent), m_view(new TableView(theme, name)), m_filter(new QLineEdit), m_count(theme::plainLabel()) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, theme::kGrid, 0, 0);
  column->setSpacing(theme::kGrid);
  m_line = new QHBoxLayout;
  m_filter->setPlaceholderText(tr("Filter"));
  m_filter->setToolTip(theme::tipText(tr("Rows with all of these words; /…/ is a regular expression, such as /fwd.*weights$/; "
                                         "conditions name columns: bytes > 1MiB and name ~ weights")));
  m_filter->setClearButtonEnabled(true);
  m_filter->setAccessibleName(tr("Filter of %1").arg(name));
  m_filter->addAction(theme::icon(theme, "filter", theme::Tint::Secondary), QLineEdit::LeadingPosition);
  m_filter->setMaximumWidth(320);
  m_count->setProperty("role", "secondary");
  m_line->addWidget(m_filter, 1);
  m_line->addWidget(m_count);
  m_line->addWidget(leftOutButton(*m_view));
  m_line->addStretch(1);
  column->addLayout(m_line);
  column->addWidget(m_view, 1);
  m_filter->setCompleter(new ColumnCompleter(*m_filter, m_view->rows()));
  connect(m_filter, &QLineEdit::textChanged, this, [this](const QString& text) { m_view->rows().setFilter(text); });
  connect(&m_view->rows(), &QAbstractItemModel::modelReset, this, &FilteredTable::updateCount);
}

// A note gets most of the line; a longer one is shortened.
void FilteredTable::addNote(QWidget* note) {
  m_line->addWidget(note, note->sizePolicy().horizontalPolicy() == QSizePolicy::Ignored ? 4 : 0);
}

void FilteredTable::setOf(const QString& of) {
  m_of = of;
  updateCount();
}

void FilteredTable::addChoice(QWidget* choice) { m_line->insertWidget(0, choice); }

void FilteredTable::addAbove(QWidget* row) { static_cast<QVBoxLayout*>(layout())->insertWidget(0, row); }

void FilteredTable::setTable(std::shared_ptr<const Table> table) { m_view->setTable(std::move(table)); }

void FilteredTable::updateCount() {
  const int shown = m_view->rows().shownRows(), total = m_view->rows().total();
  const QString problem = m_view->rows().filterProblem();
  m_count->setToolTip(theme::tipText(problem));
  if (!problem.isEmpty())
    return m_count->setText(m_count->fontMetrics().elidedText(problem, Qt::ElideRight, roomBeside(*m_line, *m_count, width())));
  const QString rows = shown == total ? theme::plural(total, tr("row"), tr("rows"))
                                      : tr("%1 of %2 rows").arg(theme::count(shown), theme::count(total));
  m_count->setText(m_of.isEmpty() ? rows : rows + ' ' + m_of);
}

} // namespace ui::tables
