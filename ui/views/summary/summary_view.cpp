#include "ui/views/summary/summary_view.h"

#include "analyser/memory/tile_memory.h"
#include "analyser/session/format.h"
#include "ui/parts/fact_list.h"
#include "ui/parts/page.h"
#include "ui/parts/vertical_scroll.h"
#include "ui/plot/bar_list.h"
#include "ui/plot/histogram.h"
#include "ui/plot/split_bar.h"
#include "ui/state/settings.h"
#include "ui/state/view_state.h"
#include "ui/theme/format.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"
#include "ui/views/summary/figure_button.h"
#include "ui/views/summary/findings_card.h"
#include "ui/views/summary/summary_texts.h"

#include <QFrame>
#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>

namespace ui::summary {

using analyser::summary::Summary;
using theme::messageText;
using theme::reportText;

namespace {
constexpr std::size_t kPlans = 6;      // rows shown at most
constexpr std::size_t kCategories = 8; // listed by name; the memory view has them all

} // namespace

SummaryView::SummaryView(const shell::ViewParts& parts)
    : View(parts), m_job(tr("Summarising the report"), &parts.jobs), m_barJob(tr("Looking for tiles"), &parts.jobs),
      m_cutJob(tr("Reading layers"), &parts.jobs) {
  auto* body = new QWidget;
  auto* column = new QVBoxLayout(body);
  column->setContentsMargins(0, 0, theme::kGrid, theme::kGrid);
  column->setSpacing(theme::kMargin);
  column->addWidget(buildFigures());
  auto* cards = new QHBoxLayout;
  cards->setSpacing(theme::kMargin);
  auto* left = new QVBoxLayout;
  auto* right = new QVBoxLayout;
  left->setSpacing(theme::kMargin), right->setSpacing(theme::kMargin);
  cards->addLayout(left, 3);
  cards->addLayout(right, 2);
  column->addLayout(cards);
  column->addStretch(1);
  buildLeft(left);
  buildRight(right);
  page().setBody(shell::verticalScroll(body));
  setMainJob(m_job, [this] { read(); });
  themeChanged();
}

SummaryView::~SummaryView() = default;

QWidget* SummaryView::buildFigures() {
  auto* strip = new QWidget;
  auto* row = new QHBoxLayout(strip);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(theme::kMargin);
  const auto add = [&](const QString& leadsTo, const QString& view, auto prepare) {
    auto* figure = new FigureButton(theme(), leadsTo);
    row->addWidget(figure, 1);
    m_figures.push_back(figure);
    connect(figure, &QAbstractButton::clicked, this, [this, view, prepare] {
      prepare();
      emit viewRequested(view);
    });
  };
  add(tr("Opens the trace"), QStringLiteral("trace"), [] {});
  add(tr("Opens the roofline of the operations"), QStringLiteral("operations"), [&m = state().messages()] {
    m.send(shell::ShowAll{"operations"}), m.send(shell::ShowTab{"operations", "roofline"});
  });
  add(tr("Opens memory by tile"), QStringLiteral("memory"), [] {});
  add(tr("Selects the tile in Memory"), QStringLiteral("memory"),
      [&m = state().messages()] { m.send(shell::ShowAll{"memory"}), m.send(shell::ShowFullestTile{}); });
  return strip;
}

QVBoxLayout* SummaryView::addCard(QVBoxLayout* column, const QString& title) {
  auto* card = new QFrame;
  card->setProperty("role", "card");
  auto* layout = new QVBoxLayout(card);
  layout->setContentsMargins(theme::kMargin, 12, theme::kMargin, 12);
  layout->setSpacing(theme::kGrid);
  auto* heading = theme::plainLabel(title);
  layout->addWidget(heading);
  m_titles.push_back(heading);
  column->addWidget(card);
  return layout;
}

void SummaryView::buildLeft(QVBoxLayout* column) {
  const auto note = [] {
    auto* label = theme::plainLabel();
    label->setWordWrap(true);
    label->setProperty("role", "secondary");
    return label;
  };
  QVBoxLayout* time = addCard(column, tr("Where the time goes"));
  time->addWidget(m_time = new plot::SplitBar(theme(), tr("Cycles by activity")));
  time->addWidget(m_timeNote = note());
  connect(m_time, &plot::SplitBar::partClicked, this, [this] { emit viewRequested(QStringLiteral("trace")); });
  column->addWidget(m_findings = new FindingsCard(theme(), jobs()));
  m_titles.push_back(m_findings->title());
  work().add({&m_findings->job(), &m_barJob, &m_cutJob});
  connect(m_findings, &FindingsCard::found, this, [this] { state().notes().setFindings(m_findings->findings()); });
  connect(m_findings, &FindingsCard::chosen, this, [this](int64_t finding) {
    state().messages().send(shell::ShowFinding{int(finding)});
    emit viewRequested(QStringLiteral("insights"));
  });
  QVBoxLayout* memory = addCard(column, tr("Where the memory goes"));
  memory->addWidget(m_memory = new plot::SplitBar(theme(), tr("Memory by category")));
  memory->addWidget(m_memoryNote = note());
  connect(m_memory, &plot::SplitBar::partClicked, this, [this] { emit viewRequested(QStringLiteral("memory")); });
  QVBoxLayout* fullest = addCard(column, tr("Fullest tiles"));
  fullest->addWidget(m_fullest = new plot::BarList(theme(), tr("Fullest tiles")));
  connect(m_fullest, &plot::BarList::barClicked, this, [this](int64_t tile) {
    state().messages().send(shell::ShowAll{"memory"}), state().setTiles({reports::TileId(std::size_t(tile))});
    emit viewRequested(QStringLiteral("memory"));
  });
  QVBoxLayout* histogram = addCard(column, tr("Tiles by memory used"));
  histogram->addWidget(m_histogram = new plot::Histogram(theme(), tr("Tiles by memory used")));
  m_histogram->setCaptionShown(false); // the card has the caption
  connect(m_histogram, &plot::Histogram::barClicked, this, &SummaryView::showTilesBetween);
  QVBoxLayout* plans = addCard(column, tr("Costliest plans"));
  m_planCard = plans->parentWidget();
  plans->addWidget(m_plans = new plot::BarList(theme(), tr("Costliest plans")));
  plans->addWidget(m_planNote = note());
  connect(m_plans, &plot::BarList::barClicked, this, [this](int64_t operation) {
    state().messages().send(shell::ShowAll{"operations"});
    if (operation >= 0) state().setOperation(reports::OperationId(std::size_t(operation)), {});
    emit viewRequested(QStringLiteral("operations"));
  });
  column->addStretch(1);
}

void SummaryView::buildRight(QVBoxLayout* column) {
  addCard(column, tr("What was run"))->addWidget(m_program = new shell::FactList(theme(), tr("What was run")));
  addNamedCard(column, tr("Tags"), m_tags, 1);
  addNamedCard(column, tr("Parameters"), m_parameters, 2);
  addCard(column, tr("Machine"))->addWidget(m_machine = new shell::FactList(theme(), tr("Machine")));
  addCard(column, tr("Graph"))->addWidget(m_graph = new shell::FactList(theme(), tr("Graph"), 2));
  QVBoxLayout* options = addCard(column, tr("Engine options"));
  m_optionFilter = new QLineEdit;
  m_optionFilter->setPlaceholderText(tr("Filter options"));
  m_optionFilter->setAccessibleName(tr("Filter engine options"));
  m_optionFilter->setClearButtonEnabled(true);
  fields().text("options.filter", *m_optionFilter);
  connect(m_optionFilter, &QLineEdit::textChanged, this, &SummaryView::showOptions);
  options->addWidget(m_optionFilter);
  options->addWidget(m_options = new shell::FactList(theme(), tr("Engine options")));
  options->addWidget(m_optionNote = theme::plainLabel());
  m_optionNote->setProperty("role", "secondary");
  addCard(column, tr("Provenance"))->addWidget(m_provenance = new shell::FactList(theme(), tr("Provenance")));
  column->addStretch(1);
}

void SummaryView::setSessions(shell::SessionPointer base, shell::SessionPointer) {
  work().drop();
  m_worker = base ? std::make_shared<shell::WorkerSession>(base) : nullptr;
  m_findings->read(nullptr);
  page().clearBanner();
  page().clearVerdict();
  if (m_worker)
    read();
  else
    showNoReport(tr("A summary needs a report."));
}

void SummaryView::forgetReport() {
  View::forgetReport();
  m_optionFilter->clear();
}

void SummaryView::read() {
  page().showLoading(tr("Summarising the report"));
  m_job.start(
      [worker = m_worker](const std::stop_token& stop, reports::Progress&) {
        return worker->use([&](analyser::Session& session) { return analyser::summary::summarise(session, stop); });
      },
      [this](const Summary& summary) {
        show(summary);
        m_findings->read(m_worker);
      },
      [this](const reports::Error& error) { page().showError(error, tr("Try again"), [this] { read(); }); });
}

void SummaryView::show(const Summary& summary) {
  if (summary.machine.tiles() == 0) {
    showBanner(summary);
    return showNoDevice(tr("memory or execution to sum up"));
  }
  const shell::Tone tone = summary.outOfMemory      ? shell::Tone::Bad
                           : summary.issues.empty() ? shell::Tone::Good
                                                    : shell::Tone::Warning;
  page().setVerdict(verdictWithTime(summary), tone);
  themeChanged(); // a style sheet set after the labels has reset their fonts
  m_findings->setFormat(format());
  showFigures(summary);
  showTime(summary);
  showMemory(summary);
  showPlans(summary);
  showFacts(summary);
  showOptions();
  showBanner(summary);
  page().showContent();
}

void SummaryView::showFigures(const Summary& s) {
  const auto set = [this](int i, const QString& title, const QString& value, const QString& detail, const QString& tip) {
    m_figures[std::size_t(i)]->setFigure(title, value, detail, tip);
  };
  const theme::Format& f = format();
  const auto& m = s.memory;
  // The tile of the headline is the one with the highest address if the program does not fit, else the one with the most bytes.
  const auto& full = s.outOfMemory ? m.fullest : m.fullestWithoutGaps;
  const reports::Bytes held = s.outOfMemory ? full.withGaps : full.bytes;
  set(0, tr("Time"), f.cycles(s.cycles.total),
      f.showsSeconds() ? theme::countShort(double(s.cycles.total.value())) + tr(" cycles")
      : s.seconds > 0  ? theme::seconds(s.seconds)
                       : tr("no clock in the report"),
      f.cyclesExact(s.cycles.total));
  set(1, tr("Throughput"), s.flopsPerSecond > 0 ? theme::flopsRate(s.flopsPerSecond) : tr("none counted"),
      s.peakFraction > 0
          ? tr("%1 of the %2 peak")
                .arg(theme::percent(s.peakFraction), s.precision.empty() ? tr("machine's") : reportText(s.precision))
          : tr("no peak known"),
      tr("%1 FLOP in all").arg(theme::count(s.flops.value())));
  set(2, tr("Memory"), f.bytes(m.total),
      m.available.value() > 0 ? tr("%1 of %2").arg(theme::percent(ratio(m.total, m.available)), f.bytes(m.available)) : QString(),
      f.bytesExact(m.total));
  const QString share = tr("%1 of %2")
                            .arg(theme::percent(ratio(held, std::max(s.machine.memoryPerTile, reports::Bytes(1)))),
                                 f.bytes(s.machine.memoryPerTile));
  // Another tile may have a higher address because of its gaps; the verdict names that tile.
  const bool isFarther = s.machine.memoryPerTile > reports::Bytes() &&
                         ratio(m.fullest.withGaps - full.withGaps, s.machine.memoryPerTile) >= analyser::memory::kGapsWorthSaying;
  set(3, full.tile.valid() ? tr("Tile %1, the fullest").arg(full.tile.value()) : tr("Fullest tile"), f.bytes(held),
      s.outOfMemory ? tr("%1, with gaps").arg(share)
      : isFarther   ? tr("%1; with gaps %2 on tile %3").arg(share, f.bytes(m.fullest.withGaps)).arg(m.fullest.tile.value())
      : f.bytes(full.withGaps) != f.bytes(full.bytes) ? tr("%1; %2 with gaps").arg(share, f.bytes(full.withGaps))
                                                      : share,
      tr("%1; with gaps up to %2").arg(f.bytesExact(full.bytes), f.bytesExact(isFarther ? m.fullest.withGaps : full.withGaps)));
}

void SummaryView::showTime(const Summary& s) {
  const auto part = [this](const QString& title, reports::Cycles cycles, reports::Activity activity) {
    return plot::SplitPart{title, format().cycles(cycles), format().cyclesExact(cycles), double(cycles.value()),
                           [this, activity] { return theme().activity(activity); }};
  };
  const auto& c = s.cycles;
  m_time->setParts({part(tr("Compute with on-tile copies"), c.compute, reports::Activity::Compute),
                    part(tr("Exchange"), c.exchange, reports::Activity::InternalExchange),
                    part(tr("Sync"), c.sync, reports::Activity::Sync), part(tr("Host"), c.host, reports::Activity::HostStream),
                    part(tr("Idle"), c.idle, reports::Activity::Idle)},
                   double(c.total.value()));
  const QString where = s.machine.ipus > 1 ? tr(" on the critical IPU") : QString();
  QString note = s.runs.size() == 1 ? tr("One run%1, %2.").arg(where, reportText(s.runs.front().provenance))
                                    : tr("%1 runs%2.").arg(theme::count(int64_t(s.runs.size())), where);
  int64_t folded = 0;
  for (const auto& run : s.runs) folded += run.foldedIterations;
  if (folded) note += ' ' + tr("%1 repeated iterations are grouped.").arg(theme::count(folded));
  if (c.hiddenHost > reports::Cycles())
    note += ' ' + tr("At the same time, I/O tiles exchange with the host for %1.").arg(format().cycles(c.hiddenHost));
  m_timeNote->setText(s.runs.empty() ? tr("The report holds no run: nothing was executed.") : note);
}

void SummaryView::showMemory(const Summary& s) {
  const theme::Format& f = format();
  std::vector<plot::SplitPart> parts;
  for (const auto& c : s.memory.byCategory)
    parts.push_back(
        {reportText(reports::memoryCategoryTitle(c.category)), f.bytes(c.bytes),
         tr("%1; at most %2 on tile %3")
             .arg(f.bytesExact(c.bytes), f.bytes(c.maxBytes), theme::count(c.maxTile.valid() ? c.maxTile.value() : 0)),
         double(c.bytes.value()), [this, category = c.category] { return theme().memory(category); }});
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.amount > b.amount; });
  if (parts.size() > kCategories + 1) {
    plot::SplitPart rest{tr("%1 smaller categories").arg(theme::count(int64_t(parts.size() - kCategories))), {}, {}, 0, [this] {
                           return theme().tokens().disabled;
                         }};
    QStringList names;
    for (std::size_t i = kCategories; i < parts.size(); ++i)
      rest.amount += parts[i].amount, names << QStringLiteral("%1 %2").arg(parts[i].title, parts[i].value);
    rest.value = f.bytes(reports::Bytes(int64_t(rest.amount)));
    rest.tip = names.join('\n');
    parts.resize(kCategories);
    parts.push_back(std::move(rest));
  }
  m_memory->setParts(std::move(parts));
  const auto& m = s.memory;
  QString note = tr("%1 are always live; the rest peaks at %2.").arg(f.bytes(m.alwaysLive), f.bytes(m.peakNotAlwaysLive));
  if (m.hasLiveness && m.total > m.alwaysLive + m.peakNotAlwaysLive)
    note += ' ' + tr("%1 are used, because tiles peak at different steps, and variables of different times cannot always share "
                     "memory.")
                      .arg(f.bytes(m.total));
  m_memoryNote->setText(note + ' ' + tr("Gaps between variables take %1.").arg(f.bytes(m.totalWithGaps - m.total)));
  showFullest(s);
  std::vector<plot::HistogramBar> histogram;
  for (const auto& bin : s.memory.histogram) histogram.push_back({bin.begin.value(), bin.end.value(), bin.tiles});
  m_histogram->setValueText([this](int64_t v) { return format().bytes(reports::Bytes(v)); });
  m_histogram->setLimit(s.machine.memoryPerTile.value(), tr("tile memory %1").arg(f.bytes(s.machine.memoryPerTile)));
  m_histogram->setBars(std::move(histogram), tr("tiles"));
}

void SummaryView::showTilesBetween(int64_t begin, int64_t end) {
  if (!m_worker) return;
  m_barJob.start(
      [worker = m_worker, begin, end](const std::stop_token& stop, reports::Progress&) {
        return worker->use([&](analyser::Session& session) {
          const auto memory = analyser::memory::tileMemory(session, analyser::memory::Breakdown::None, stop);
          std::vector<reports::TileId> tiles;
          for (std::size_t t = 0; t < memory.total.values.size(); ++t)
            if (const int64_t bytes = memory.total.values[t].value(); bytes >= begin && bytes < end) tiles.emplace_back(t);
          return tiles;
        });
      },
      [this](const std::vector<reports::TileId>& tiles) {
        state().messages().send(shell::ShowAll{"memory"}), state().setTiles(tiles);
        emit viewRequested(QStringLiteral("memory"));
      },
      [this](const reports::Error& error) { page().setBanner(messageText(error.what()), shell::Tone::Warning); });
}

// Bytes beyond the end of the memory have a separate colour, so that the limit is visible as a change of colour.
void SummaryView::showFullest(const Summary& s) {
  const theme::Format& f = format();
  const reports::Bytes there = s.machine.memoryPerTile;
  std::vector<plot::Bar> bars;
  reports::Bytes most = there;
  for (const auto& tile : s.memory.fullestTiles) {
    const bool over = tile.overflow.value() > 0 && tile.withGaps > there;
    const reports::Bytes inside = over ? std::min(tile.bytes, there) : tile.bytes;
    const reports::Bytes gaps = (over ? there : tile.withGaps) - inside, beyond = over ? tile.withGaps - there : reports::Bytes();
    most = std::max(most, tile.withGaps);
    bars.push_back(
        {tileTitle(s.machine, tile.tile),
         over                                            ? tr("%1, %2 too much").arg(f.bytes(tile.withGaps), f.bytes(beyond))
         : f.bytes(tile.withGaps) != f.bytes(tile.bytes) ? tr("%1, with gaps %2").arg(f.bytes(tile.bytes), f.bytes(tile.withGaps))
                                                         : f.bytes(tile.bytes),
         tr("%1 without gaps; the highest used address is %2").arg(f.bytesExact(tile.bytes), f.bytesExact(tile.withGaps)),
         {{double(inside.value()), [this] { return theme().tokens().accent; }},
          {double(gaps.value()), [this] { return theme::mix(theme().tokens().grid, theme().tokens().accent, 0.2); }},
          {double(beyond.value()), [this] { return theme().tokens().bad; }}},
         -1,
         int64_t(tile.tile.value())});
  }
  m_fullest->setBars(std::move(bars), double(most.value()));
}

// The plans with most expected cycles; the text summary with --plans lists all.
void SummaryView::showPlans(const Summary& s) {
  std::vector<const analyser::summary::Plan*> plans;
  for (const auto& plan : s.plans) plans.push_back(&plan);
  std::stable_sort(plans.begin(), plans.end(), [](const auto* a, const auto* b) { return a->predicted > b->predicted; });
  plans.resize(std::min(kPlans, plans.size()));
  m_planCard->setVisible(!plans.empty());
  std::vector<plot::Bar> bars;
  for (const auto* plan : plans) {
    plot::Bar bar{reportText(plan->operation), format().cycles(plan->predicted),
                  QStringLiteral("%1\n%2\n%3")
                      .arg(reportText(plan->operation), reportText(plan->text),
                           tr("expected: %1, %2 of temporaries on the fullest tile")
                               .arg(format().cyclesExact(plan->predicted), format().bytes(plan->temporary)))};
    bar.share = reportText(plan->method.substr(0, plan->method.find(" (")));
    bar.segments = {{double(plan->predicted.value()), [this] { return theme().activity(reports::Activity::Compute); }}};
    bar.id = plan->operationId.valid() ? int64_t(plan->operationId.value()) : -1;
    bars.push_back(std::move(bar));
  }
  m_plans->setBars(std::move(bars));
  m_planNote->setText(tr("Cycles of one execution, as the planner expects; %1 in all.")
                          .arg(theme::plural(int64_t(s.plans.size()), tr("plan"), tr("plans"))));
}

void SummaryView::showFacts(const Summary& s) {
  const theme::Format& f = format();
  const auto n = [](int64_t v) { return theme::count(v); };
  m_program->setFacts(programFacts(s, f));
  if (s.machine.ipus > 1) readCut(s);
  showNamed(s, m_tags, tagName);
  showNamed(s, m_parameters, parameterName);
  m_machine->setFacts(machineFacts(s, f));
  const auto& g = s.graph;
  m_graph->setFacts({{tr("Operations"), n(g.operations), {}, false},
                     {tr("Compute sets"), n(g.computeSets), {}, false},
                     {tr("Vertices"), n(g.vertices), {}, false},
                     {tr("Vertex types"), n(g.vertexTypes), {}, false},
                     {tr("Edges"), n(g.edges), {}, false},
                     {tr("Variables"), n(g.variables), {}, false},
                     {tr("Exchanges"), n(g.exchanges), {}, false},
                     {tr("Program steps"), n(g.programSteps), {}, false}});
  std::vector<shell::Fact> provenance{{tr("File"), reportText(s.identity.fileName), reportText(s.identity.path), true},
                                      {tr("Size"), f.bytes(s.identity.fileSize), f.bytesExact(s.identity.fileSize), false},
                                      {tr("Numbers are"), reportText(s.identity.provenance), {}, false}};
  for (const auto& [key, value] : s.metadata)
    if (!parameterName(key) && !tagName(key) && !isOfTheRun(key) && !isPass(key) && !isOfTheFile(key))
      provenance.push_back({metadataTitle(key), metadataText(key, value), {}, key == "command_line", key == "command_line"});
  removeEmpty(provenance);
  boundFacts(provenance, QStringLiteral("metadata"));
  m_provenance->setFacts(provenance);
}

// The layers of each IPU take longer to read than the rest, and are added when they are there.
void SummaryView::readCut(const Summary& summary) {
  m_cutJob.start(
      [worker = m_worker](const std::stop_token& stop, reports::Progress&) {
        return worker->use([&](analyser::Session& session) { return analyser::operations::layersByIpu(session, stop); });
      },
      [this, known = programFacts(summary, format())](const LayersByIpu& layers) {
        auto facts = known;
        for (auto& fact : cutFacts(layers)) facts.push_back(std::move(fact));
        m_program->setFacts(facts);
      },
      [](const reports::Error&) {}); // the summary is whole without them
}

void SummaryView::addNamedCard(QVBoxLayout* column, const QString& title, NamedCard& card, int columns) {
  QVBoxLayout* body = addCard(column, title);
  card.frame = body->parentWidget();
  body->addWidget(card.facts = new shell::FactList(theme(), title, columns));
}

void SummaryView::showNamed(const Summary& s, const NamedCard& card, std::optional<QString> (*nameOf)(const std::string&)) {
  std::vector<shell::Fact> facts;
  for (const auto& [key, value] : s.metadata)
    if (const auto name = nameOf(key); name && !isLeftToOthers(key, value))
      facts.push_back({*name, reportText(value), {}, false});
  removeEmpty(facts);
  card.frame->setVisible(!facts.empty());
  boundFacts(facts, QStringLiteral("metadata"));
  card.facts->setFacts(facts);
}

void SummaryView::showOptions() {
  const auto summary = m_job.result();
  if (!summary) return;
  const QString filter = m_optionFilter->text().trimmed();
  std::vector<shell::Fact> facts;
  for (const bool defaults : {false, true}) // options set by the user come first
    for (const auto& option : summary->options) {
      if (option.isDefault != defaults) continue;
      const QString key = reportText(option.key), value = reportText(option.value);
      if (!filter.isEmpty() && !key.contains(filter, Qt::CaseInsensitive) && !value.contains(filter, Qt::CaseInsensitive))
        continue;
      facts.push_back({key, defaults ? value : tr("%1 (set)").arg(value), {}, false});
    }
  m_optionFilter->setVisible(!summary->options.empty());
  m_optionNote->setText(
      summary->options.empty()
          ? tr("The report names no engine options.")
          : tr("%1 of %2 options").arg(theme::count(int64_t(facts.size())), theme::count(int64_t(summary->options.size()))));
  boundFacts(facts, QStringLiteral("engine_option"));
  m_options->setFacts(facts);
}

void SummaryView::showBanner(const Summary& s) {
  // The window shows out of memory above every view, and the verdict names it, too.
  std::vector<const analyser::summary::Issue*> issues;
  for (const auto& issue : s.issues)
    if (!s.outOfMemory || !issue.message.starts_with("out of memory")) issues.push_back(&issue);
  if (!issues.empty()) {
    const auto& first = *issues.front();
    QString text = messageText(first.message);
    if (!text.isEmpty()) text[0] = text[0].toUpper();
    if (!first.place.empty()) text += tr(" (%1)").arg(reportText(first.place));
    if (!first.advice.empty()) text += tr(": %1").arg(messageText(first.advice));
    if (!text.endsWith('.')) text += '.';
    if (issues.size() > 1)
      text += ' ' + tr("And %1.").arg(theme::plural(int64_t(issues.size()) - 1, tr("more issue"), tr("more issues")));
    page().setBanner(text, shell::Tone::Warning);
  } else {
    page().clearBanner();
  }
}

bool SummaryView::focusFilter() {
  m_optionFilter->setFocus(Qt::ShortcutFocusReason);
  return m_optionFilter->isVisible();
}

void SummaryView::themeChanged() {
  for (QLabel* title : m_titles) title->setFont(theme().strong());
  for (FigureButton* figure : m_figures) figure->setValueFont(theme().title());
}

void SummaryView::formatChanged() {
  m_findings->setFormat(format());
  if (const auto summary = m_job.result()) show(*summary);
}

} // namespace ui::summary
