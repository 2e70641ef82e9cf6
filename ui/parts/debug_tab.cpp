#include "ui/parts/debug_tab.h"

#include "ui/parts/debug_rows.h"
#include "ui/theme/report_text.h"

#include <QObject>

namespace ui::shell {

namespace {

constexpr int kOpenLayers = 2;

std::shared_ptr<const tables::Tree> emptyTree() { return std::make_shared<const tables::Tree>(); }

// Facts of the variable first, then the layers that made it.
std::shared_ptr<const tables::Tree> variableTree(analyser::Session& session, reports::VariableId variable) {
  const auto made = analyser::madeVariable(session, variable);
  if (!made) return emptyTree();
  auto tree = std::make_shared<tables::Tree>(*debugTree(made->debug));
  std::vector<tables::TreeRow> facts;
  const auto add = [&](const QString& what, const QString& value) {
    tables::TreeRow fact;
    fact.cells = {what, value};
    facts.push_back(std::move(fact));
  };
  add(QObject::tr("variable"), theme::reportText(made->name));
  add(QObject::tr("type"), theme::reportText(made->type));
  if (made->alignment > 1) add(QObject::tr("alignment"), QObject::tr("%1 bytes").arg(made->alignment));
  if (!made->demands.empty()) add(QObject::tr("requirements on its address"), theme::reportText(made->demands));
  for (tables::TreeRow& row : tree->rows)
    if (row.parent >= 0) row.parent += int(facts.size());
  tree->rows.insert(tree->rows.begin(), facts.begin(), facts.end());
  for (std::size_t i = 0; i < tree->rows.size(); ++i) tree->rows[i].id = int64_t(i);
  return tree;
}

} // namespace

DebugTab::DebugTab(const theme::Theme& theme, jobs::JobBoard& board, const QString& name, QWidget* parent)
    : tables::TreeView(theme, name, parent), m_job(tr("Reading the debug information"), &board) {}

void DebugTab::showContext(std::shared_ptr<WorkerSession> worker, reports::DebugContextId context) {
  if (!context.valid()) worker = nullptr;
  read(std::move(worker),
       [context](analyser::Session& session) { return debugTree(analyser::debugChain(session, int64_t(context.value()))); });
}

void DebugTab::showVariable(std::shared_ptr<WorkerSession> worker, reports::VariableId variable) {
  if (!variable.valid()) worker = nullptr;
  read(std::move(worker), [variable](analyser::Session& session) { return variableTree(session, variable); });
}

void DebugTab::read(std::shared_ptr<WorkerSession> worker, std::function<Rows(analyser::Session&)> rows) {
  m_job.drop();
  if (!worker) return setTree(emptyTree(), 0);
  m_job.start(
      [worker = std::move(worker), rows = std::move(rows)](const std::stop_token&, reports::Progress&) {
        return worker->use([&](analyser::Session& session) { return rows(session); });
      },
      [this](const Rows& tree) { setTree(tree, kOpenLayers); },
      [this](const reports::Error& error) { // shown instead of the result
        auto tree = std::make_shared<tables::Tree>();
        tree->columns = {{"error", tr("Error"), tables::Kind::Text, {}, 0, false}};
        tables::TreeRow row;
        row.id = 0, row.cells = {theme::messageText(error.what())};
        tree->rows.push_back(std::move(row));
        setTree(tree, 0);
      });
}

} // namespace ui::shell
