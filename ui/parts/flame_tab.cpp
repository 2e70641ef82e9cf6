#include "ui/parts/flame_tab.h"

#include "ui/parts/picture_menu.h"
#include "ui/parts/view_fields.h"
#include "ui/plot/flame_graph.h"
#include "ui/theme/format.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"

#include <QComboBox>
#include <QLabel>
#include <QVBoxLayout>

namespace ui::shell {

std::shared_ptr<const Calls> callsOf(std::vector<analyser::trace::CallNode> down, std::size_t limit) {
  auto up = analyser::trace::bottomUp(down, limit);
  return std::make_shared<const Calls>(Calls{std::move(down), std::move(up)});
}

FlameTab::FlameTab(const theme::Theme& theme, FlameWords words, QWidget* parent)
    : QWidget(parent), m_words(std::move(words)), m_orders(new QComboBox), m_note(theme::plainLabel()),
      m_graph(new plot::FlameGraph(theme, tr("Flame graph of the visible range"))) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, theme::kGrid, 0, 0);
  column->setSpacing(theme::kGrid);
  auto* line = m_line = new QHBoxLayout;
  m_orders->setAccessibleName(tr("Order of the flame graph"));
  line->addWidget(m_orders);
  line->addSpacing(theme::kGrid);
  line->addWidget(m_note, 1);
  m_note->setProperty("role", "secondary");
  m_note->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  column->addLayout(line);
  column->addWidget(m_graph, 1);
  m_graph->setProperty(kSelectsNothing, true); // a box stands for many slices
  m_graph->setColours(m_words.colour);
  m_graph->setCard([this](int box) {
    plot::Card card;
    if (box < 0 || std::size_t(box) >= m_shown.size()) return card;
    const auto& node = m_shown[std::size_t(box)];
    card.title = m_words.name(node.name);
    card.rows.push_back(
        {m_words.category(colourOf(node)), theme::plural(node.count, tr("slice"), tr("slices")), m_words.colour(colourOf(node))});
    card.rows.push_back({tr("total"), m_words.amount(node.total), {}});
    card.rows.push_back({tr("itself"), m_words.amount(node.self), {}});
    card.hint = tr("Click zooms in on this box, Escape zooms out");
    return card;
  });
  connect(m_orders, &QComboBox::activated, this, [this] {
    m_graph->enter(-1); // a box of one order does not exist in another
    draw();
  });
  connect(m_graph, &plot::FlameGraph::boxClicked, this, [this](int box) {
    if (std::size_t(box) < m_shown.size()) m_name = m_shown[std::size_t(box)].name;
  });
}

void FlameTab::addFields(shell::ViewFields& fields) {
  fields.choice<Order>("flames.order", *m_orders, m_order,
                       {{Order::Down, "topDown", tr("Top-down: callers above")},
                        {Order::Up, "bottomUp", tr("Bottom-up: callers below")},
                        {Order::Name, "within", tr("Within the selected name")}});
}

void FlameTab::addChoice(QWidget* choice) {
  m_line->insertWidget(0, choice);
  m_line->insertSpacing(1, theme::kGrid);
}

void FlameTab::setCalls(std::shared_ptr<const Calls> calls) {
  m_calls = std::move(calls);
  if (!m_calls) m_name = {}; // the name belongs to another report
  draw();
}

void FlameTab::setName(reports::StringId name) {
  m_name = name;
  if (m_order == Order::Name) draw();
}

void FlameTab::draw() {
  m_shown.clear();
  QString empty = tr("The visible range has no slices."), note;
  if (m_calls) {
    if (m_order == Order::Name && m_name.valid())
      m_shown = analyser::trace::withinName(m_calls->down, m_name);
    else if (m_order != Order::Name)
      m_shown = m_order == Order::Up ? m_calls->up : m_calls->down;
    if (m_order == Order::Name)
      empty = m_name.valid() ? tr("“%1” does not occur in the visible range.").arg(m_words.name(m_name))
                             : tr("Select a slice to see what runs inside all slices with its name.");
    int64_t whole = 0;
    for (const auto& node : m_shown)
      if (node.parent < 0) whole += node.total;
    if (!m_shown.empty()) note = m_words.note.arg(m_words.amount(whole));
  }
  std::vector<plot::FlameBox> boxes;
  boxes.reserve(m_shown.size());
  for (const auto& node : m_shown) boxes.push_back({node.parent, m_words.name(node.name), node.total, colourOf(node)});
  m_note->setText(note);
  m_graph->setBoxes(std::move(boxes), empty);
}

} // namespace ui::shell
