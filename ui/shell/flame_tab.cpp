#include "ui/views/host/flame_tab.h"

#include "ui/plot/flame_graph.h"
#include "ui/shell/report_text.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"
#include "ui/views/host/host_source.h"

#include <QComboBox>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>

namespace ui::host {

FlameTab::FlameTab(const theme::Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_order(new QComboBox), m_note(theme::plainLabel()),
      m_graph(new plot::FlameGraph(theme, tr("Flame graph of the visible range"))) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, theme::kGrid, 0, 0);
  column->setSpacing(theme::kGrid);
  auto* line = new QHBoxLayout;
  m_order->addItems({tr("Top-down: callers above"), tr("Bottom-up: callers below"), tr("Within the selected name")});
  m_order->setAccessibleName(tr("Order of the flame graph"));
  line->addWidget(m_order);
  line->addSpacing(theme::kGrid);
  line->addWidget(m_note, 1);
  m_note->setProperty("role", "secondary");
  m_note->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  column->addLayout(line);
  column->addWidget(m_graph, 1);
  m_graph->setColours([this](int channel) { return channelColour(channel, m_theme.isDark()); });
  m_graph->setCard([this](int box) {
    plot::Card card;
    if (!m_host || box < 0 || std::size_t(box) >= m_shown.size()) return card;
    const auto& node = m_shown[std::size_t(box)];
    card.title = nameOf(node.name);
    card.rows.push_back({m_host->channelName(node.channel), theme::plural(node.count, tr("slice"), tr("slices")),
                         channelColour(node.channel, m_theme.isDark())});
    card.rows.push_back({tr("total"), m_format.nanoseconds(node.total), {}});
    card.rows.push_back({tr("itself"), m_format.nanoseconds(node.self), {}});
    card.hint = tr("Click makes it as wide as the picture, Escape leads back");
    return card;
  });
  connect(m_order, &QComboBox::activated, this, [this] { show(); });
  connect(m_graph, &plot::FlameGraph::boxClicked, this, [this](int box) {
    if (std::size_t(box) < m_shown.size()) m_name = m_shown[std::size_t(box)].name;
  });
}

QString FlameTab::nameOf(reports::StringId name) const { return shell::reportText(m_host->session().text(name)); }

void FlameTab::setCalls(std::shared_ptr<OpenHost> host, std::shared_ptr<const Calls> calls) {
  m_host = std::move(host), m_calls = std::move(calls);
  show();
}

void FlameTab::setName(reports::StringId name) {
  m_name = name;
  if (m_order->currentIndex() == Name) show();
}

void FlameTab::setFormat(const theme::Format& format) { m_format = format; }

void FlameTab::show() {
  m_shown.clear();
  QString empty = tr("No slice lies in the visible range."), note;
  if (m_calls && m_host) {
    const int order = m_order->currentIndex();
    if (order == Name && m_name.valid())
      m_shown = analyser::host::withinName(m_calls->down, m_name);
    else if (order != Name)
      m_shown = order == Up ? m_calls->up : m_calls->down;
    if (order == Name)
      empty = m_name.valid() ? tr("“%1” does not occur in the visible range.").arg(nameOf(m_name))
                             : tr("Select a slice: this shows all that happens within slices of its name.");
    reports::Nanoseconds whole;
    for (const auto& node : m_shown)
      if (node.parent < 0) whole += node.total;
    if (!m_shown.empty()) note = tr("%1 of all threads together, in the visible range").arg(m_format.nanoseconds(whole));
  }
  std::vector<plot::FlameBox> boxes;
  boxes.reserve(m_shown.size());
  for (const auto& node : m_shown) boxes.push_back({node.parent, nameOf(node.name), node.total.value(), node.channel});
  m_note->setText(note);
  m_graph->setBoxes(std::move(boxes), empty);
}

} // namespace ui::host
