#include "ui/views/home/home_view.h"

#include "ui/parts/page.h"
#include "ui/runs/cli_call.h"
#include "ui/runs/field_names.h"
#include "ui/runs/model_dialog.h"
#include "ui/state/settings.h"
#include "ui/state/view_state.h"
#include "ui/theme/format.h"
#include "ui/theme/icons.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"
#include "ui/views/home/recent_list.h"
#include "ui/views/home/sample_grid.h"
#include "ui/views/home/time_strip.h"

#include <QFrame>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <iterator>

namespace ui::home {

namespace {
constexpr int kPageWidth = 1680;
constexpr int kMark = 56, kFilterWidth = 200;

// One of each kind: a network that trains, an operation with its plan, a program over several IPUs.
constexpr std::array kStart{"mnist-train", "matmul", "bert-pipeline"};

// The models that most people look for are the first of their groups.
constexpr std::array kSought{"resnet50", "gnn", "llm"};

std::vector<SampleText> soughtFirst(std::vector<SampleText> samples) {
  for (const char* name : kSought) {
    const auto at =
        std::find_if(samples.begin(), samples.end(), [&](const SampleText& s) { return s.name == QLatin1String(name); });
    if (at == samples.end()) continue;
    const auto first = std::find_if(samples.begin(), at, [&](const SampleText& s) { return s.group == at->group; });
    std::rotate(first, at, at + 1);
  }
  return samples;
}

// Puts the samples of kStart first, as a group of their own, each with its whole first sentence.
std::vector<SampleText> startFirst(std::vector<SampleText> samples) {
  std::vector<SampleText> sorted;
  for (const char* name : kStart)
    if (const auto at =
            std::find_if(samples.begin(), samples.end(), [&](const SampleText& s) { return s.name == QLatin1String(name); });
        at != samples.end()) {
      sorted.push_back(std::move(*at));
      samples.erase(at);
      sorted.back().names += ' ' + sorted.back().group;
      sorted.back().group = HomeView::tr("Start here"), sorted.back().isBrief = false;
    }
  std::move(samples.begin(), samples.end(), std::back_inserter(sorted));
  return sorted;
}
} // namespace

HomeView::HomeView(const shell::ViewParts& parts) : View(parts) {
  auto* scroll = new QScrollArea;
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setFocusPolicy(Qt::NoFocus);
  auto* sheet = new QWidget;
  auto* centre = new QHBoxLayout(sheet);
  centre->setContentsMargins(theme::kMargin, theme::kMargin, theme::kMargin, theme::kMargin);
  auto* column = new QVBoxLayout;
  column->setSpacing(theme::kMargin);
  column->addWidget(buildHero());
  column->addWidget(buildRecent());
  column->addWidget(buildSamples());
  column->addStretch(1);
  auto* page = new QWidget;
  page->setLayout(column);
  page->setMaximumWidth(kPageWidth);
  centre->addWidget(page);
  scroll->setWidget(sheet);
  View::page().setBody(scroll);
  View::page().layout()->setContentsMargins(0, 0, 0, 0);
  themeChanged();
  askSamples();
}

QLabel* HomeView::sectionTitle(const QString& text) {
  auto* label = theme::plainLabel(text);
  label->setProperty("role", "heading");
  return label;
}

QWidget* HomeView::buildHero() {
  auto* hero = new QWidget;
  hero->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  auto* row = new QHBoxLayout(hero);
  row->setContentsMargins(0, theme::kMargin, 0, theme::kGrid);
  row->setSpacing(theme::kMargin);
  row->addWidget(m_mark = theme::plainLabel());
  auto* words = new QVBoxLayout;
  words->setSpacing(0);
  auto* title = theme::plainLabel(QStringLiteral("Tilescope"));
  title->setProperty("role", "title");
  words->addWidget(title);
  for (const QString& line :
       {tr("See what thousands of tiles do with their memory and their time."),
        tr("Drop a report on the window, two to compare, a model to run; Ctrl+Shift+O opens from another computer.")}) {
    auto* label = theme::plainLabel(line);
    label->setProperty("role", "secondary");
    label->setWordWrap(true);
    words->addWidget(label);
  }
  row->addLayout(words, 1);
  auto* open = new QPushButton(theme::icon(theme(), "open", theme::Tint::OnAccent), tr("Open a report…"));
  open->setProperty("role", "primary");
  m_compare = new QPushButton(theme::icon(theme(), "compare"), tr("Compare two…"));
  connect(open, &QPushButton::clicked, this, [this] { emit openRequested({}); });
  connect(m_compare, &QPushButton::clicked, this, [this] { emit compareRequested({}, {}); });
  row->addWidget(open);
  row->addWidget(m_compare);
  return hero;
}

QWidget* HomeView::buildRecent() {
  auto* card = new QFrame;
  card->setProperty("role", "card");
  auto* column = new QVBoxLayout(card);
  column->setContentsMargins(theme::kGrid, theme::kGrid + 4, theme::kGrid, theme::kGrid);
  auto* head = new QHBoxLayout;
  head->setContentsMargins(12, 0, 0, 0);
  head->addWidget(sectionTitle(tr("Recent")));
  head->addStretch(1);
  m_clear = new QPushButton(tr("Clear"));
  m_clear->setProperty("role", "plain");
  m_clear->setToolTip(tr("Forget all recent reports"));
  connect(m_clear, &QPushButton::clicked, this, [this] {
    settings().clearRecent();
    refreshRecent();
  });
  m_more = new QPushButton;
  m_more->setProperty("role", "plain");
  connect(m_more, &QPushButton::clicked, this, [this] { m_recent->setAllShown(!m_recent->isAllShown()); });
  head->addWidget(m_more);
  head->addWidget(m_clear);
  column->addLayout(head);
  m_noRecent = theme::plainLabel(tr("Reports you open appear here. Run a sample to make one in seconds."));
  m_noRecent->setProperty("role", "secondary");
  m_noRecent->setWordWrap(true);
  m_noRecent->setContentsMargins(12, 4, 12, 16);
  column->addWidget(m_noRecent);
  m_recent = new RecentList(theme());
  column->addWidget(m_recent);
  connect(m_recent, &RecentList::shownChanged, this, [this] {
    m_more->setText(m_recent->isAllShown() ? tr("Show fewer") : tr("Show all %1").arg(m_recent->count()));
    m_more->setVisible(m_recent->isAllShown() || m_recent->shown() < m_recent->count());
  });
  connect(m_recent, &RecentList::openRequested, this, &View::openRequested);
  connect(m_recent, &RecentList::removeRequested, this, [this](const QStringList& files) {
    settings().removeRecent(files);
    refreshRecent();
  });
  return card;
}

QWidget* HomeView::buildSamples() {
  auto* card = new QFrame;
  card->setProperty("role", "card");
  auto* column = new QVBoxLayout(card);
  column->setContentsMargins(theme::kMargin + 4, theme::kGrid + 4, theme::kMargin, theme::kGrid);
  column->setSpacing(theme::kHalf);
  auto* head = new QHBoxLayout;
  head->addWidget(sectionTitle(tr("Samples")));
  head->addStretch(1);
  head->addWidget(new TimeLegend(theme()));
  m_filter = new QLineEdit;
  m_filter->setPlaceholderText(tr("Filter samples"));
  m_filter->setAccessibleName(tr("Filter samples"));
  m_filter->setClearButtonEnabled(true);
  m_filter->setFixedWidth(kFilterWidth);
  m_filter->addAction(theme::icon(theme(), "filter", theme::Tint::Secondary), QLineEdit::LeadingPosition);
  head->addWidget(m_filter);
  auto* own = new QPushButton(tr("Run an ONNX file…"));
  own->setProperty("role", "plain");
  own->setObjectName(QStringLiteral("runModel"));
  connect(own, &QPushButton::clicked, this, [this] {
    const QString file = shell::chooseModel(this);
    if (file.isEmpty()) return;
    state().messages().send(shell::FillModel{file});
    emit viewRequested(QStringLiteral("run"));
  });
  head->addWidget(own);
  column->addLayout(head);
  m_sampleNote = theme::plainLabel(tr("Reading the list of samples…"));
  m_sampleNote->setProperty("role", "secondary");
  m_sampleNote->setWordWrap(true);
  m_sampleNote->setContentsMargins(0, 4, 0, 12);
  column->addWidget(m_sampleNote);
  column->addWidget(m_samples = new SampleGrid(theme()));
  auto* beside = new QHBoxLayout;
  auto* example =
      theme::plainLabel(tr("One example records a Python program beside a simulated device: what does the host do while the IPU "
                           "waits? It runs in a terminal and needs Python 3 with the package python3-tilescope."));
  example->setProperty("role", "secondary");
  example->setWordWrap(true);
  auto* how = new QPushButton(tr("Host waits: how…"));
  how->setProperty("role", "plain");
  connect(how, &QPushButton::clicked, this, [this] { emit helpRequested(QStringLiteral("host-waits.md#in-one-command")); });
  beside->addWidget(example, 1);
  beside->addWidget(how);
  column->addLayout(beside);
  connect(m_filter, &QLineEdit::textChanged, this, [this](const QString& words) {
    m_samples->setFilter(words);
    m_sampleNote->setText(tr("No sample has “%1” in its name or text.").arg(words));
    m_sampleNote->setVisible(m_samples->shown() == 0);
  });
  connect(m_samples, &SampleGrid::runRequested, this, [this](const QString& name) {
    state().messages().send(shell::RunSample{name});
    emit viewRequested(QStringLiteral("run"));
  });
  return card;
}

bool HomeView::focusFilter() {
  m_filter->setFocus(Qt::ShortcutFocusReason);
  return true;
}

void HomeView::askSamples() {
  m_asking = true;
  const auto settle = [this] {
    m_asking = false;
    emit busyChanged();
  };
  auto* call = new shell::CliCall(
      {"samples", "--json"},
      [this, settle](const QJsonDocument& answer) {
        const QJsonArray list = answer.array();
        m_sampleNote->setVisible(list.isEmpty());
        m_sampleNote->setText(tr("This build has no samples."));
        std::vector<SampleText> samples;
        for (const QJsonValue value : list) {
          const QJsonObject sample = value.toObject();
          samples.push_back({sample.value("name").toString(), sample.value("title").toString(),
                             shell::withFieldNames(sample.value("text").toString()), sample.value("group").toString(),
                             sample.value("names").toString()});
          const QJsonObject figures = sample.value("baseline").toObject().value("default").toObject();
          for (std::size_t i = 0; i < kTimeParts; ++i)
            samples.back().time[i] = figures.value(QLatin1String(kTimeKeys[i])).toInteger();
        }
        m_samples->setSamples(startFirst(soughtFirst(std::move(samples))));
        settle();
      },
      [this, settle](const reports::Error& error) {
        m_sampleNote->setText(tr("Samples are not available: %1; %2.")
                                  .arg(theme::messageText(error.message()), theme::messageText(error.advice())));
        settle();
      },
      this);
  call->endAfter(shell::kListTime);
}

void HomeView::setSessions(shell::SessionPointer base, shell::SessionPointer) {
  m_compare->setText(base ? tr("Compare with…") : tr("Compare two…"));
  refreshRecent();
}

void HomeView::showEvent(QShowEvent* event) {
  View::showEvent(event);
  refreshRecent();
}

void HomeView::refreshRecent() {
  const auto recent = settings().recent();
  m_recent->setEntries(recent);
  m_recent->setVisible(!recent.isEmpty());
  m_noRecent->setVisible(recent.isEmpty());
  m_clear->setVisible(!recent.isEmpty());
  if (recent.isEmpty()) m_more->hide();
}

QString HomeView::verdict() const { return tr("Open a report, or run a sample"); }

void HomeView::themeChanged() {
  m_mark->setPixmap(theme::iconPixmap("tilescope", kMark, theme().tokens().accent, devicePixelRatioF()));
}

} // namespace ui::home
