#include "ui/window/nav_rail.h"

#include "ui/theme/icons.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"

#include <QAbstractButton>
#include <QPainter>
#include <QVBoxLayout>

namespace ui::shell {

namespace {
constexpr int kItem = 36, kRailIcon = 20, kInset = 8, kKeyCap = 18;
}

class NavRail::Item : public QAbstractButton {
public:
  Item(const theme::Theme& theme, QString iconName, const QString& title, QString key, QWidget* parent)
      : QAbstractButton(parent), m_theme(theme), m_icon(std::move(iconName)), m_key(std::move(key)) {
    setText(title);
    setAccessibleName(title);
    setCheckable(true);
    setFixedHeight(kItem);
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
  }
  QString id;
  Needs needs = Needs::Nothing;
  void setDim(bool dim) { m_dim = dim, update(); }
  void setFolded(bool folded) { m_folded = folded, update(); }
  QSize sizeHint() const override { return {theme::kRail, kItem}; }

protected:
  void paintEvent(QPaintEvent*) override {
    const theme::Tokens& t = m_theme.tokens();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF box = QRectF(rect()).adjusted(kInset, 1.5, -kInset, -1.5);
    if (isChecked() || underMouse()) {
      painter.setPen(Qt::NoPen);
      painter.setBrush(isChecked() ? t.selection : t.hover);
      painter.drawRoundedRect(box, theme::kRadius, theme::kRadius);
    }
    if (hasFocus()) {
      painter.setPen(t.accent);
      painter.setBrush(Qt::NoBrush);
      painter.drawRoundedRect(box, theme::kRadius, theme::kRadius);
    }
    const QColor ink = isChecked() ? t.accent : m_dim ? t.disabled : t.secondary;
    const int left = theme::kRailFolded / 2 - kRailIcon / 2;
    painter.drawPixmap(left, (height() - kRailIcon) / 2, theme::iconPixmap(m_icon, kRailIcon, ink, devicePixelRatioF()));
    if (m_folded) return;
    painter.setFont(isChecked() ? m_theme.strong() : m_theme.text());
    painter.setPen(m_dim && !isChecked() ? t.disabled : t.text);
    painter.drawText(QRect(left + kRailIcon + 12, 0, width() - left - kRailIcon - 12 - kInset, height()), Qt::AlignVCenter,
                     text());
    if (m_key.isEmpty() || !underMouse()) return;
    // Framed like a key, because a bare number beside a name reads as a count.
    const QRect cap(width() - kInset - 10 - kKeyCap, (height() - kKeyCap) / 2, kKeyCap, kKeyCap);
    painter.setFont(m_theme.small());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(t.secondary);
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(cap).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    painter.drawText(cap, Qt::AlignCenter, m_key);
  }

private:
  const theme::Theme& m_theme;
  QString m_icon, m_key;
  bool m_dim = false, m_folded = false;
};

NavRail::NavRail(const theme::Theme& theme, const ViewList& views, QWidget* parent) : QWidget(parent), m_theme(theme) {
  setFixedWidth(theme::kRail);
  setAccessibleName(tr("Views"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, theme::kGrid, 0, theme::kGrid);
  column->setSpacing(0);
  int key = 0;
  Section section = Section::Top;
  for (const ViewEntry& view : views) {
    if (view.section != section) view.section == Section::Bottom ? column->addStretch(1) : column->addSpacing(theme::kGrid);
    section = view.section;
    const QString number = section == Section::Report && key < 9 ? QString::number(++key) : QString();
    auto* item = new Item(theme, view.id, view.title, number, this);
    item->id = view.id, item->needs = view.needs;
    item->setAutoExclusive(true); // a click on the shown view keeps it marked
    item->setToolTip(theme::tipText(number.isEmpty() ? view.question : tr("%1  (key %2)").arg(view.question, number)));
    item->setAccessibleDescription(view.question);
    connect(item, &QAbstractButton::clicked, this, [this, item] { emit chosen(item->id); });
    column->addWidget(item);
    m_items.push_back(item);
  }
  column->addSpacing(theme::kGrid);
  m_fold = new Item(theme, "rail", tr("Collapse"), {}, this);
  m_fold->setCheckable(false);
  m_fold->setToolTip(tr("Show icons only (Ctrl+B)"));
  connect(m_fold, &QAbstractButton::clicked, this, [this] { setFolded(!m_folded); });
  column->addWidget(m_fold);
  connect(&theme, &theme::Theme::changed, this, qOverload<>(&QWidget::update));
  setOpen(false, false);
}

void NavRail::setCurrent(const QString& id) {
  for (Item* item : m_items) item->setChecked(item->id == id);
}

void NavRail::setOpen(bool report, bool comparison) {
  for (Item* item : m_items)
    item->setDim((item->needs == Needs::Report && !report) || (item->needs == Needs::Comparison && !comparison));
}

void NavRail::setFolded(bool folded) {
  if (folded == m_folded) return;
  m_folded = folded;
  setFixedWidth(folded ? theme::kRailFolded : theme::kRail);
  for (Item* item : m_items) item->setFolded(folded);
  m_fold->setFolded(folded);
  m_fold->setText(folded ? tr("Expand") : tr("Collapse"));
  m_fold->setAccessibleName(m_fold->text());
  m_fold->setToolTip(theme::tipText(folded ? tr("Show icons and names (Ctrl+B)") : tr("Show icons only (Ctrl+B)")));
  emit foldedChanged(folded);
}

void NavRail::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), m_theme.tokens().surface);
  painter.fillRect(QRect(width() - 1, 0, 1, height()), m_theme.tokens().line);
}

} // namespace ui::shell
