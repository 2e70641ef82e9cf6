#include "ui/views/host/argument_tree.h"

#include "ui/tables/described_table.h"
#include "ui/tables/table_view.h"
#include "ui/theme/report_text.h"

#include <QAction>
#include <QItemSelectionModel>
#include <QRegularExpression>

#include <algorithm>

namespace ui::host {

using theme::reportText;

ArgumentTree::ArgumentTree(const theme::Theme& theme, QObject* parent)
    : QObject(parent), m_view(new tables::TreeView(theme, tr("Arguments"))) {
  const auto add = [this](const QString& text, const QKeySequence& key, auto run) {
    auto* action = new QAction(text, m_view);
    action->setShortcut(key);
    action->setShortcutContext(Qt::WidgetShortcut);
    connect(action, &QAction::triggered, this, run);
    m_view->insertAction(m_view->actions().value(0), action);
    return action;
  };
  m_open = add(tr("Open its source"), {}, [this] { openPlace(); });
  m_open->setVisible(false);
  connect(m_view->selectionModel(), &QItemSelectionModel::currentChanged, this,
          [this] { m_open->setVisible(place().has_value()); });
  add(tr("Group slices by this argument"), Qt::Key_G, [this] {
    if (const auto* argument = current()) emit grouped(QString::fromStdString(argument->path));
  });
  const auto onlyThis = [this] {
    if (const auto* argument = current(); argument && argument->isLeaf)
      emit searched(QStringLiteral("%1=%2").arg(QString::fromStdString(argument->path), QString::fromStdString(argument->value)));
  };
  add(tr("Find slices with this value"), {}, onlyThis);
  connect(m_view, &tables::TreeView::idActivated, this, onlyThis);
  m_view->hide();
}

void ArgumentTree::setArguments(std::vector<analyser::host::Argument> arguments) {
  m_arguments = std::move(arguments);
  m_view->setVisible(!m_arguments.empty());
  m_open->setVisible(false);
  m_view->setTree(tables::treeOf(analyser::host::argumentColumns(), m_arguments, {},
                                 [](tables::TreeRow& row, const auto& argument) { row.parent = argument.parent; }));
}

const analyser::host::Argument* ArgumentTree::current() const {
  const int64_t id = m_view->currentId();
  return id >= 0 && std::size_t(id) < m_arguments.size() ? &m_arguments[std::size_t(id)] : nullptr;
}

// Whether a key names a line number: "line", "lineno", "source_line", "lineNumber"; not "deadline", "pipeline_stage".
bool isLineKey(const QString& key) {
  static const QRegularExpression kWord(QStringLiteral("(?:^|[^A-Za-z])line(?:_?no|_?number)?$"),
                                        QRegularExpression::CaseInsensitiveOption);
  static const QRegularExpression kHump(QStringLiteral("[a-z]Line(?:No|Number)?$"));
  return kWord.match(key).hasMatch() || kHump.match(key).hasMatch();
}

// The source that the value names ("src/a.cpp:12"), or a file with the line number beside it.
std::optional<shell::SourcePlace> ArgumentTree::place() const {
  const auto* argument = current();
  if (!argument || argument->isNumber) return std::nullopt;
  auto place = shell::sourcePlaceIn(reportText(argument->value));
  const auto line = std::find_if(m_arguments.begin(), m_arguments.end(), [&](const auto& a) {
    return a.parent == argument->parent && a.isNumber && isLineKey(QString::fromStdString(a.key));
  });
  if (!place && line != m_arguments.end())
    place = shell::SourcePlace{reportText(argument->value), QString::fromStdString(line->value).toInt()};
  return place && shell::isSourceHere(*place) ? place : std::nullopt;
}

void ArgumentTree::openPlace() {
  const auto source = place();
  const QString why = source ? shell::openSource(*source) : tr("The argument does not name a source file.");
  if (!why.isEmpty()) emit failed(why);
}

} // namespace ui::host
