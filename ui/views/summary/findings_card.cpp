#include "ui/views/summary/findings_card.h"

#include "ui/parts/sentence_text.h"
#include "ui/plot/bar_list.h"
#include "ui/theme/format.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"

#include <QLabel>
#include <QVBoxLayout>

namespace ui::summary {

namespace {
constexpr std::size_t kShownFindings = 4;

// The parts of a finding's path that distinguish it from findings with the same title: "layer3" for "net/layer3/add/reduceMany"
// if another one is "net/layer4/add/reduceMany". A narrow card would show only the end, which both have in common.
QString placeWithin(const std::vector<analyser::insights::Insight>& all, const analyser::insights::Insight& finding) {
  const QStringList own = theme::reportText(finding.where).split('/');
  qsizetype first = own.size(), last = 0;
  for (const auto& other : all) {
    const QStringList parts = theme::reportText(other.where).split('/');
    if (&other == &finding || other.title != finding.title || (parts.size() == 1 && own.size() > 1)) continue;
    qsizetype at = 0;
    while (at < own.size() && at < parts.size() && own[at] == parts[at]) ++at;
    first = std::min(first, at), last = std::max(last, at);
  }
  if (first >= own.size()) return own.last();
  return own.mid(first, last - first + 1).join('/');
}

} // namespace

FindingsCard::FindingsCard(const theme::Theme& theme, jobs::JobBoard& board, QWidget* parent)
    : QFrame(parent), m_theme(theme), m_job(tr("Looking for savings"), &board) {
  setProperty("role", "card");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(theme::kMargin, 12, theme::kMargin, 12);
  column->setSpacing(theme::kGrid);
  column->addWidget(m_title = theme::plainLabel(tr("Suggested changes")));
  column->addWidget(m_bars = new plot::BarList(theme, tr("Largest findings")));
  column->addWidget(m_note = theme::plainLabel());
  m_note->setProperty("role", "secondary");
  m_note->setWordWrap(true);
  connect(m_bars, &plot::BarList::barClicked, this, &FindingsCard::chosen);
  hide();
}

void FindingsCard::read(std::shared_ptr<shell::WorkerSession> worker) {
  m_job.drop();
  setVisible(bool(worker));
  if (!worker) return;
  // The card gets its height before it is filled, so that nothing below it moves under the pointer.
  m_bars->setBars({});
  m_bars->setMinimumHeight(int(kShownFindings) * theme::kRow);
  m_note->setText(tr("Looking for savings …"));
  m_job.start(
      [worker = std::move(worker)](const std::stop_token& stop, reports::Progress&) {
        return worker->use([&](analyser::Session& session) { return analyser::insights::insights(session, stop); });
      },
      [this](const analyser::insights::Insights&) {
        show();
        emit found();
      },
      [this](const reports::Error& error) { // the Insights view shows the details
        m_bars->setBars({});
        m_note->setText(theme::messageText(error.what()));
        QFrame::show();
      });
}

void FindingsCard::setFormat(const theme::Format& format) {
  m_format = format;
  show();
}

void FindingsCard::show() {
  const auto all = m_job.result();
  if (!all) return;
  std::vector<plot::Bar> bars;
  for (std::size_t i = 0; i < std::min(kShownFindings, all->list.size()); ++i) {
    const auto& finding = all->list[i];
    plot::Bar bar;
    bar.id = int64_t(i);
    bar.title = theme::reportText(finding.title);
    // If several findings have the same title, their location distinguishes them.
    const auto alike = [&](const auto& other) { return other.title == finding.title; };
    if (std::count_if(all->list.begin(), all->list.end(), alike) > 1 && !finding.where.empty())
      bar.title += tr(" · %1").arg(placeWithin(all->list, finding));
    bar.text = finding.savesMemory() ? m_format.bytes(finding.bytes) : m_format.cycles(finding.cycles);
    if (finding.lacks) bar.text = tr("%1 too much").arg(bar.text);
    bar.share = theme::percent(finding.share);
    bar.tip = shell::sentenceText(finding.what, m_format, analyser::Sentence::kNameWidth);
    bar.segments = {{std::min(1.0, finding.share), [this] { return m_theme.tokens().secondary; }}};
    bars.push_back(std::move(bar));
  }
  m_bars->setBars(std::move(bars), 1);
  m_note->setText(all->list.empty()
                      ? tr("No rule found anything worth changing.")
                      : tr("Upper bounds, as shares of the memory or of the run. A click opens the finding; there are %1.")
                            .arg(theme::plural(int64_t(all->list.size()), tr("finding"), tr("findings"))));
  QFrame::show();
}

} // namespace ui::summary
