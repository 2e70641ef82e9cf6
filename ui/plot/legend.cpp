#include "ui/plot/legend.h"

#include "ui/theme/elide.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"

#include <QAbstractButton>
#include <QEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace ui::plot {

namespace {
constexpr int kHeight = 22, kMark = 14, kEntryPad = 6, kEntryGap = 6;
constexpr int kWhole = 1 << 20;                                     // pixels: a title is not shortened
constexpr int kWidestTitle = 200, kLeastTitle = 90, kTitleStep = 5; // pixels: a title is cut only as far as the lines need it
// Shows only this entry. Several window managers reserve Alt+click, so Ctrl+click does the same.
constexpr Qt::KeyboardModifiers kAloneKeys = Qt::ControlModifier | Qt::AltModifier;
} // namespace

class Legend::Chip : public QAbstractButton {
public:
  Chip(const theme::Theme& theme, Legend& legend, int index)
      : QAbstractButton(&legend), m_theme(theme), m_legend(legend), m_index(index) {
    setCheckable(true);
    setChecked(true);
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
    QObject::connect(this, &QAbstractButton::clicked, &legend, [this] { m_legend.toggled(m_index, m_alone); });
  }
  void describe(const LegendEntry& entry) {
    m_entry = entry;
    setAccessibleName(entry.value.isEmpty() ? entry.title : entry.title + ", " + entry.value);
    // The whole text: the chip may be too narrow for it.
    const QString hint = QObject::tr("Click hides or shows, Ctrl-click shows only this one");
    setToolTip(theme::tipText(entry.fixed ? accessibleName() : accessibleName() + '\n' + hint));
    setEnabled(!entry.fixed);
  }
  QSize sizeWithin(int title, bool withValue) const {
    const QFontMetrics metrics(m_theme.small());
    const int value = m_entry.value.isEmpty() || !withValue ? 0 : metrics.horizontalAdvance(m_entry.value) + kEntryGap;
    return {kMark + kEntryGap + std::min(title, metrics.horizontalAdvance(m_entry.title)) + value + 2 * kEntryPad, kHeight};
  }
  QSize sizeHint() const override { return sizeWithin(kWhole, true); }
  void setRoom(int title, bool withValue) {
    if (m_room == title && m_showsValue == withValue) return;
    m_room = title, m_showsValue = withValue;
    update();
  }

protected:
  bool event(QEvent* event) override {
    if (event->type() == QEvent::HoverEnter || event->type() == QEvent::FocusIn) emit m_legend.entryHovered(m_index);
    if (event->type() == QEvent::HoverLeave || event->type() == QEvent::FocusOut) emit m_legend.entryHovered(-1);
    return QAbstractButton::event(event);
  }
  void mousePressEvent(QMouseEvent* event) override {
    m_alone = event->modifiers() & kAloneKeys;
    QAbstractButton::mousePressEvent(event);
  }
  void keyPressEvent(QKeyEvent* event) override {
    m_alone = event->modifiers() & kAloneKeys;
    QAbstractButton::keyPressEvent(event);
  }
  void paintEvent(QPaintEvent*) override {
    const theme::Tokens& t = m_theme.tokens();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (underMouse() && isEnabled()) painter.setPen(Qt::NoPen), painter.setBrush(t.hover), painter.drawRoundedRect(rect(), 4, 4);
    if (hasFocus())
      painter.setPen(t.accent), painter.setBrush(Qt::NoBrush),
          painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    const QColor colour = m_entry.colour();
    const bool shown = isChecked();
    const QRectF mark(kEntryPad, (height() - 10) / 2.0, 10, 10);
    if (m_entry.mark == Mark::Area) {
      painter.setPen(shown ? QPen(Qt::NoPen) : QPen(colour, 1.5));
      painter.setBrush(shown ? QBrush(colour) : QBrush(Qt::NoBrush));
      painter.drawRoundedRect(shown ? mark : mark.adjusted(1, 1, -1, -1), 2, 2);
    } else {
      painter.setPen(QPen(shown ? colour : t.line, 2, m_entry.mark == Mark::Dashes ? Qt::DashLine : Qt::SolidLine));
      painter.drawLine(QPointF(kEntryPad - 1, height() / 2.0), QPointF(kEntryPad + 12, height() / 2.0));
    }
    QFont font = m_theme.small();
    font.setStrikeOut(!shown);
    painter.setFont(font);
    painter.setPen(shown ? t.text : t.secondary);
    const int x = kEntryPad + kMark + kEntryGap - 2;
    const QString title = m_room == kWhole ? m_entry.title : theme::elided(painter.fontMetrics(), m_entry.title, m_room);
    painter.drawText(QRect(x, 0, width() - x, height()), Qt::AlignVCenter, title);
    if (m_entry.value.isEmpty() || !m_showsValue) return;
    const int after = x + painter.fontMetrics().horizontalAdvance(title) + kEntryGap;
    font.setStrikeOut(false);
    painter.setFont(font);
    painter.setPen(t.secondary);
    painter.drawText(QRect(after, 0, width() - after, height()), Qt::AlignVCenter, m_entry.value);
  }

private:
  const theme::Theme& m_theme;
  Legend& m_legend;
  LegendEntry m_entry;
  int m_index, m_room = kWhole; // pixels of the title
  bool m_alone = false, m_showsValue = true;
};

Legend::Legend(const theme::Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
  setAccessibleName(tr("Legend"));
  connect(&theme, &theme::Theme::changed, this, qOverload<>(&QWidget::update));
}

void Legend::setEntries(std::vector<LegendEntry> entries) {
  for (std::size_t i = 0; i < m_chips.size(); ++i)
    if (m_hidden.removeAll(m_entries[i].key()); !m_chips[i]->isChecked()) m_hidden.append(m_entries[i].key());
  m_entries = std::move(entries);
  while (m_chips.size() > m_entries.size()) delete m_chips.back(), m_chips.pop_back();
  while (m_chips.size() < m_entries.size()) {
    m_chips.push_back(new Chip(m_theme, *this, int(m_chips.size())));
    m_chips.back()->show();
  }
  for (std::size_t i = 0; i < m_entries.size(); ++i) {
    m_chips[i]->describe(m_entries[i]);
    m_chips[i]->setChecked(!m_hidden.contains(m_entries[i].key()));
  }
  const bool isMenu = std::any_of(m_entries.begin(), m_entries.end(), [](const LegendEntry& entry) { return entry.inMenu; });
  for (std::size_t i = 0; i < m_entries.size(); ++i) m_chips[i]->setVisible(!m_entries[i].inMenu);
  if (isMenu && !m_menu) {
    m_menu = new QToolButton(this);
    m_menu->setProperty("role", "menu");
    m_menu->setPopupMode(QToolButton::InstantPopup);
    m_menu->setMenu(new QMenu(m_menu));
    m_menu->show();
    connect(m_menu->menu(), &QMenu::aboutToShow, this, &Legend::fillMenu);
  } else if (!isMenu) {
    delete std::exchange(m_menu, nullptr);
  }
  if (m_menu) m_menu->setText(m_menuTitle + QStringLiteral(" \u25be")), m_menu->setAccessibleName(m_menuTitle);
  fit(); // the number of lines may have changed
  updateGeometry();
  update();
}

void Legend::fillMenu() {
  m_menu->menu()->clear();
  for (std::size_t i = 0; i < m_entries.size(); ++i) {
    if (!m_entries[i].inMenu) continue;
    const QString value = m_entries[i].value.isEmpty() ? QString() : QStringLiteral("\t") + m_entries[i].value;
    QAction* action = m_menu->menu()->addAction(QString(m_entries[i].title).replace('&', QStringLiteral("&&")) + value);
    action->setCheckable(true);
    action->setChecked(m_chips[i]->isChecked());
    connect(action, &QAction::toggled, this, [this, i](bool shown) { setShown(int(i), shown); });
  }
}

bool Legend::isShown(int entry) const {
  return entry < 0 || entry >= int(m_chips.size()) || m_chips[std::size_t(entry)]->isChecked();
}

std::vector<bool> Legend::shown() const {
  std::vector<bool> all;
  for (const Chip* chip : m_chips) all.push_back(chip->isChecked());
  return all;
}

void Legend::showAll() {
  m_hidden.clear();
  const bool hides = std::any_of(m_chips.begin(), m_chips.end(), [](const Chip* chip) { return !chip->isChecked(); });
  for (Chip* chip : m_chips) chip->setChecked(true);
  if (hides) emit shownChanged();
}

QStringList Legend::hidden() const {
  QStringList ids;
  for (std::size_t i = 0; i < m_chips.size(); ++i)
    if (!m_chips[i]->isChecked() && !m_entries[i].fixed) ids << m_entries[i].key();
  return ids;
}

void Legend::hide(const QStringList& ids) {
  m_hidden = ids;
  const auto isMeant = [&](const LegendEntry& entry) { return ids.contains(entry.key()) || ids.contains(entry.title); };
  for (std::size_t i = 0; i < m_chips.size(); ++i) m_chips[i]->setChecked(m_entries[i].fixed || !isMeant(m_entries[i]));
  emit shownChanged();
}

void Legend::setShown(int entry, bool shown) {
  if (entry < 0 || entry >= int(m_chips.size()) || isShown(entry) == shown) return;
  m_chips[std::size_t(entry)]->setChecked(shown);
  emit shownChanged();
}

void Legend::toggled(int entry, bool alone) {
  if (alone) {
    bool wasAlone = true;
    for (int i = 0; i < int(m_chips.size()); ++i)
      if (i != entry && !m_entries[std::size_t(i)].fixed) wasAlone = wasAlone && !m_chips[std::size_t(i)]->isChecked();
    for (int i = 0; i < int(m_chips.size()); ++i)
      if (!m_entries[std::size_t(i)].fixed) m_chips[std::size_t(i)]->setChecked(wasAlone || i == entry);
  }
  emit shownChanged();
}

int Legend::linesOf(int width, const Room& room, bool withExtra) const {
  int x = 0, lines = 1;
  const auto put = [&](int size) {
    if (x > 0 && x + size > width) x = 0, ++lines;
    x += size + kEntryGap;
  };
  for (std::size_t i = 0; i < m_chips.size(); ++i)
    if (!m_entries[i].inMenu && (withExtra || !m_entries[i].isExtra))
      put(m_chips[i]->sizeWithin(room.title, room.values).width());
  if (m_menu) put(m_menu->sizeHint().width());
  return lines;
}

// The widest form of the chips in which extra entries add no line; the narrowest form if they add one in every form.
Legend::Room Legend::roomFor(int width) const {
  const Room whole{kWhole, true};
  const int most = linesOf(width, whole, false);
  if (linesOf(width, whole, true) <= most) return whole;
  for (const bool values : {true, false})
    for (int title = kWidestTitle; title >= kLeastTitle; title -= kTitleStep)
      if (linesOf(width, {title, values}, true) <= most) return {title, values};
  return {kLeastTitle, false};
}

int Legend::place(int width, bool move) const {
  if (m_chips.empty()) return 0;
  int x = 0, y = 0;
  const Room room = roomFor(width);
  const auto put = [&](QWidget* widget, const QSize& size) {
    if (x > 0 && x + size.width() > width) x = 0, y += kHeight + 2;
    if (move) widget->setGeometry(QRect(QPoint(x, y), size));
    x += size.width() + kEntryGap;
  };
  for (std::size_t i = 0; i < m_chips.size(); ++i) {
    if (m_entries[i].inMenu) continue;
    if (move) m_chips[i]->setRoom(room.title, room.values);
    put(m_chips[i], m_chips[i]->sizeWithin(room.title, room.values));
  }
  if (m_menu) put(m_menu, {m_menu->sizeHint().width(), kHeight});
  return y + kHeight;
}

int Legend::heightForWidth(int width) const { return place(width, false); }
QSize Legend::sizeHint() const { return {480, heightForWidth(std::max(width(), 240))}; }
QSize Legend::minimumSizeHint() const { return {120, kHeight}; }

void Legend::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fit();
}

void Legend::fit() {
  const int height = place(width(), true);
  if (height > 0 && minimumHeight() != height) setFixedHeight(height);
}

bool Legend::event(QEvent* event) {
  if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) place(width(), true);
  return QWidget::event(event);
}

} // namespace ui::plot
