#include "ui/views/run/estimate_card.h"

#include "ui/parts/fact_list.h"
#include "ui/parts/vertical_scroll.h"
#include "ui/parts/wrapped_label.h"
#include "ui/plot/bar_list.h"
#include "ui/tables/table_view.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"
#include "ui/theme/tokens.h"
#include "ui/views/run/batch_fit.h"
#include "ui/views/run/fit_changes.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QScrollBar>

#include <algorithm>

namespace ui::run {

namespace {

constexpr int kLeastTable = 200;    // pixels: filter, head and five rows
constexpr qsizetype kLongest = 600; // letters of a fact
constexpr std::size_t kNamed = 6;   // inputs, outputs and kinds listed by name; the rest is counted

template<class T, class F> QString listed(const std::vector<T>& all, F text) {
  QStringList words;
  for (std::size_t i = 0; i < std::min(kNamed, all.size()); ++i) words << text(all[i]);
  if (all.size() > kNamed) words << QObject::tr("%1 more").arg(theme::count(int64_t(all.size() - kNamed)));
  return words.join(QStringLiteral(", "));
}

} // namespace

EstimateCard::EstimateCard(const theme::Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  // Everything scrolls if the height is small: neither facts nor table are squashed.
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, theme::kGrid, 0, 0);
  auto* content = new QWidget;
  outer->addWidget(m_scroll = shell::verticalScroll(content));
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(theme::kGrid);
  column->addWidget(m_verdict = new shell::WrappedLabel);
  m_verdict->setProperty("role", "strong");
  m_verdict->setAccessibleName(tr("Memory before the run"));
  column->addWidget(m_state = theme::plainLabel());
  m_state->setProperty("role", "secondary");
  column->addWidget(m_batch = new BatchFit);
  connect(m_batch, &BatchFit::chosen, this, &EstimateCard::batchChosen);
  column->addWidget(m_changes = new FitChanges);
  connect(m_changes, &FitChanges::chosen, this, &EstimateCard::changeChosen);
  connect(m_changes, &FitChanges::busyChanged, this, &EstimateCard::busyChanged);
  connect(&m_child, &RunEstimate::busyChanged, this, &EstimateCard::busyChanged);
  column->addWidget(m_memory = buildMemory());
  column->addWidget(m_facts = new shell::FactList(theme, tr("The graph before the run")));
  column->addWidget(m_operations = new tables::FilteredTable(theme, tr("Operations of the graph")), 1);
  m_operations->setMinimumHeight(kLeastTable);
  m_facts->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Minimum);
  m_operations->view().setEmptyText(tr("The graph has no operations."));
  for (QWidget* part :
       std::initializer_list<QWidget*>{m_memory, m_facts, m_operations}) { // hidden parts keep their space, so that nothing moves
    QSizePolicy policy = part->sizePolicy();
    policy.setRetainSizeWhenHidden(true);
    part->setSizePolicy(policy);
  }
  connect(&m_child, &RunEstimate::asked, this, [this] { forget(tr("Estimating…")); });
  connect(&m_child, &RunEstimate::begun, this, [this] { sayEstimating(tr("Estimating…")); });
  connect(&m_child, &RunEstimate::progressed, this, [this](const QString& phase, double fraction) {
    if (phase == QStringLiteral("writing")) return sayEstimating(tr("Estimating…")); // the rows of a report, but no file
    sayEstimating(fraction > 0 ? tr("Estimating: %1, %2.").arg(phase, theme::percent(fraction))
                               : tr("Estimating: %1.").arg(phase));
  });
  connect(&m_child, &RunEstimate::estimated, this, &EstimateCard::show);
  connect(&m_child, &RunEstimate::failed, this, [this](const QString& why) { showNothing(tr("No estimate: %1").arg(why)); });
  showNothing(tr("The graph, its inputs and its memory appear here as soon as the form is filled."));
}

QWidget* EstimateCard::buildMemory() {
  auto* memory = new QWidget;
  auto* column = new QVBoxLayout(memory);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(theme::kHalf);
  const auto add = [&](const QString& title, plot::BarList*& bars, const QString& name) {
    auto* label = theme::plainLabel(title);
    label->setProperty("role", "strong");
    column->addWidget(label);
    column->addWidget(bars = new plot::BarList(m_theme, name));
    return label;
  };
  add(tr("Fullest tiles"), m_tiles, tr("The fullest tiles"));
  m_partsTitle = add({}, m_parts, tr("The fullest tile by category"));
  m_variablesTitle = add({}, m_variables, tr("The largest variables of the fullest tile"));
  return memory;
}

bool EstimateCard::isBusy() const { return m_child.isBusy() || m_changes->isBusy(); }

void EstimateCard::setFormat(const theme::Format& format) {
  m_format = format;
  m_changes->setFormat(format);
  m_operations->view().setFormat(format);
  m_batch->setFormat(format);
  showEstimate();
}

void EstimateCard::setReference(const QString& name, std::optional<reports::Bytes> fullest) {
  if (name == m_referenceName && fullest == m_reference) return;
  m_referenceName = name, m_reference = fullest;
  showEstimate();
}

// Shows `words` instead of figures, because figures of other settings must never be visible.
void EstimateCard::forget(const QString& words) {
  m_estimate.reset();
  m_scroll->verticalScrollBar()->setValue(0); // the next forecast begins at its verdict
  m_changes->setChanges({}, {});
  m_verdict->setWords(words);
  m_state->clear();
  for (QWidget* part : std::initializer_list<QWidget*>{m_memory, m_facts, m_operations}) part->hide();
}

void EstimateCard::sayEstimating(const QString& words) {
  if (!m_estimate) m_verdict->setWords(words);
}

void EstimateCard::show(const shell::DryRun& estimate) {
  m_estimate = estimate;
  m_state->setText(tr("Planned by the compiler; the run adds cycles and values."));
  m_changes->setChanges(m_run, estimate.changes);
  showEstimate();
  showTable();
}

void EstimateCard::ask(const QString& program, const RunRequest& run, const std::optional<RunRequest>& withoutBatch) {
  m_run = run;
  m_child.ask(program, run);
  m_batch->setRun(withoutBatch);
}

void EstimateCard::showNothing(const QString& why) {
  m_child.cancel();
  m_batch->setRun(std::nullopt);
  forget(why);
}

void EstimateCard::showEstimate() {
  if (!m_estimate) return;
  const shell::DryRun& e = *m_estimate;
  // Prints bytes exactly if rounding hides the difference: "256 KiB of 256 KiB" would not say why the program does not fit.
  const auto bytes = [&](reports::Bytes b) {
    const bool areAlike = m_format.bytes(e.maxTileWithGapsBytes) == m_format.bytes(e.tileBytes);
    return areAlike ? m_format.bytesExact(b) : m_format.bytes(b);
  };
  QString verdict =
      e.fits ? tr("Fits: %1 of %2 on the fullest tile, with gaps up to %3")
                   .arg(m_format.bytes(e.maxTileBytes), m_format.bytes(e.tileBytes), m_format.bytes(e.maxTileWithGapsBytes))
             : tr("Does not fit: tile %1 needs %2 of %3 with gaps, %4")
                   .arg(theme::count(e.maxTileWithGaps), bytes(e.maxTileWithGapsBytes), bytes(e.tileBytes),
                        theme::plural(e.overflowTiles, tr("tile overflows"), tr("tiles overflow")));
  if (m_reference && e.fits)
    verdict += e.maxTileBytes == *m_reference
                   ? tr("; the same as %1").arg(m_referenceName)
                   : tr("; %1 against %2").arg(m_format.bytesDelta(e.maxTileBytes - *m_reference), m_referenceName);
  m_verdict->setWords(verdict + '.');
  showMemory();
  const auto values = [this](const shell::DryRun::Values& v) {
    const QString extent = v.shape.isEmpty() ? theme::count(v.elements) : QString(v.shape).replace(u'x', QChar(0x00D7));
    return tr("%1 (%2 %3, %4)").arg(v.name, extent, v.type, m_format.bytes(v.bytes));
  };
  std::vector<shell::Fact> facts{
      {tr("All tiles"),
       tr("%1 without gaps, %2 of it always live").arg(m_format.bytes(e.totalBytes), m_format.bytes(e.alwaysLiveBytes)),
       {}}};
  if (e.weightElements > 0)
    facts.push_back({tr("Weights"), tr("%1 values, %2").arg(theme::count(e.weightElements), m_format.bytes(e.weightBytes)), {}});
  if (!e.trained.isEmpty()) facts.push_back({tr("Trained"), e.trained, {}, false, true});
  if (!e.notTrained.isEmpty()) {
    const bool isLong = e.notTrained.size() > kLongest;
    facts.push_back({tr("Not trained"), isLong ? e.notTrained.left(kLongest) + QChar(0x2026) : e.notTrained,
                     isLong ? e.notTrained : QString(), false, true});
  }
  facts.push_back({tr("Inputs"), e.inputs.empty() ? tr("none") : listed(e.inputs, values), {}, false, true});
  facts.push_back({tr("Outputs"), e.outputs.empty() ? tr("none") : listed(e.outputs, values), {}, false, true});
  facts.push_back(
      {tr("Graph"),
       theme::plural(int64_t(e.operations.size()), tr("operation"), tr("operations")) +
           (e.kinds.empty() ? QString() : QStringLiteral(": ")) +
           listed(e.kinds, [](const auto& kind) { return QStringLiteral("%1 %2").arg(theme::count(kind.second), kind.first); }),
       {},
       false,
       true});
  m_facts->setFacts(facts);
  for (QWidget* part : std::initializer_list<QWidget*>{m_memory, m_facts, m_operations}) part->show();
}

// Shows tiles without gaps if the program fits, else with gaps, which decide that it does not fit.
void EstimateCard::showMemory() {
  const shell::DryRun& e = *m_estimate;
  const auto accent = [this] { return m_theme.tokens().accent; };
  const auto barOf = [&](const QString& title, reports::Bytes bytes, const std::function<QColor()>& colour) {
    plot::Bar bar{title, m_format.bytes(bytes), m_format.bytesExact(bytes)};
    bar.segments = {{double(bytes.value()), colour}};
    return bar;
  };
  std::vector<plot::Bar> tiles, parts, variables;
  reports::Bytes most = e.tileBytes;
  for (const auto& t : e.fullest) {
    const reports::Bytes held = e.fits ? t.bytes : t.withGaps;
    most = std::max(most, held);
    tiles.push_back(barOf(tr("Tile %1").arg(theme::count(t.tile)), held,
                          [this, fits = held <= e.tileBytes] { return fits ? m_theme.tokens().accent : m_theme.tokens().bad; }));
  }
  if (m_reference && !tiles.empty()) tiles.front().other = double(m_reference->value());
  m_tiles->setBars(std::move(tiles), double(most.value()));
  for (const auto& p : e.parts) {
    plot::Bar bar = barOf(p.name, p.bytes, accent);
    bar.other = double(p.median.value());
    bar.tip = tr("%1; the median tile holds %2").arg(m_format.bytesExact(p.bytes), m_format.bytesExact(p.median));
    parts.push_back(std::move(bar));
  }
  for (const auto& v : e.variables) {
    plot::Bar bar = barOf(v.name, v.bytes, accent);
    bar.tip = QStringLiteral("%1\n%2, %3").arg(v.name, v.category, m_format.bytesExact(v.bytes));
    variables.push_back(std::move(bar));
  }
  const QString tile = e.fullest.empty() ? QString() : theme::count(e.fullest.front().tile);
  m_partsTitle->setText(tr("Tile %1 by category, beside the median tile").arg(tile));
  m_variablesTitle->setText(tr("Largest variables of tile %1").arg(tile));
  m_partsTitle->setVisible(!parts.empty()), m_variablesTitle->setVisible(!variables.empty());
  m_parts->setBars(std::move(parts));
  m_variables->setBars(std::move(variables));
}

void EstimateCard::showTable() {
  using tables::Kind;
  auto table = std::make_shared<tables::Table>();
  table->columns = {
      {"operation", tr("Operation"), Kind::Name, tr("In the order of the program")},
      {"kind", tr("Kind"), Kind::Text, {}},
      {"variables", tr("Variables"), Kind::Bytes, tr("Bytes of the operation's variables, over all tiles"), 96, true}};
  for (const auto& o : m_estimate->operations) {
    tables::Row row;
    row.id = int64_t(table->rows.size());
    row.cells = {o.name, o.kind, o.bytes.value()};
    table->rows.push_back(std::move(row));
  }
  m_operations->setTable(table);
}

} // namespace ui::run
