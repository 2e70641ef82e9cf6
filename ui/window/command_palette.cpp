#include "ui/window/command_palette.h"

#include "ui/theme/elide.h"
#include "ui/theme/icons.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"
#include "ui/window/veil.h"

#include <QEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>

namespace ui::shell {

namespace {

constexpr int kPaletteWidth = 720, kItemHeight = 34, kMostShown = 12, kFrame = 60, kNote = 24;
constexpr int kIcon = 28, kGap = 12;
enum { DetailRole = Qt::UserRole, KeysRole };

class CommandDelegate : public QStyledItemDelegate {
public:
  CommandDelegate(const theme::Theme& theme, QObject* parent) : QStyledItemDelegate(parent), m_theme(theme) {}
  QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override { return {200, kItemHeight}; }
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const theme::Tokens& t = m_theme.tokens();
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    if (option.state & QStyle::State_Selected) {
      painter->setPen(Qt::NoPen);
      painter->setBrush(t.selection);
      painter->drawRoundedRect(option.rect.adjusted(0, 1, 0, -1), 4, 4);
    }
    const QRect row = option.rect.adjusted(10, 0, -10, 0);
    index.data(Qt::DecorationRole).value<QIcon>().paint(painter, QRect(row.left(), row.center().y() - 9, 18, 18));
    painter->setFont(m_theme.text());
    painter->setPen(t.text);
    // Title and detail at the left, keys or costs at the right; a long title is shortened before the detail.
    const QString detail = index.data(DetailRole).toString(), keys = index.data(KeysRole).toString();
    const QFontMetrics small(m_theme.small());
    const int keyWidth = keys.isEmpty() ? 0 : small.horizontalAdvance(keys) + kGap;
    const int room = row.width() - kIcon - keyWidth, detailWidth = std::min(small.horizontalAdvance(detail), room / 2);
    const int titleRoom = room - detailWidth - kGap;
    const QString title = theme::elided(painter->fontMetrics(), index.data().toString(), titleRoom);
    painter->drawText(row.adjusted(kIcon, 0, 0, 0), Qt::AlignVCenter, title);
    const int after = kIcon + painter->fontMetrics().horizontalAdvance(title) + kGap;
    painter->setFont(m_theme.small());
    painter->setPen(t.secondary);
    const QRect words = row.adjusted(after, 0, -keyWidth, 0);
    painter->drawText(words, Qt::AlignVCenter, small.elidedText(detail, Qt::ElideRight, words.width()));
    painter->drawText(row, Qt::AlignVCenter | Qt::AlignRight, keys);
    painter->restore();
  }

private:
  const theme::Theme& m_theme;
};

} // namespace

int matchScore(const QString& typed, const QString& text) {
  constexpr qsizetype kLeastInside = 3;
  int score = 0;
  qsizetype after = 0; // end of the previous word's match
  for (const QString& word : typed.split(' ', Qt::SkipEmptyParts)) {
    qsizetype inside = -1, beginning = -1;
    for (qsizetype at = text.indexOf(word, 0, Qt::CaseInsensitive); at >= 0 && beginning < 0;
         at = text.indexOf(word, at + 1, Qt::CaseInsensitive))
      (at == 0 || !text[at - 1].isLetterOrNumber() || !word.front().isLetterOrNumber() ? beginning : inside) = at;
    if (beginning < 0 && (inside < 0 || word.size() < kLeastInside)) return -1;
    const qsizetype at = beginning >= 0 ? beginning : inside;
    score += beginning == 0 ? 5 : beginning > 0 ? 4 : 1;
    if (at >= after) ++score;
    after = at + word.size();
  }
  return score * 1000 - int(std::min<qsizetype>(text.size(), 999)); // shorter texts first if scores are equal
}

namespace {
// Whether a synonym begins with the typed words. Needs three letters, because fewer would find too much.
bool isCalled(const Command& command, const QString& words) {
  constexpr int kLeastLetters = 3;
  if (words.size() < kLeastLetters) return false;
  const QStringList others = command.words.split(' ', Qt::SkipEmptyParts);
  return std::any_of(others.begin(), others.end(), [&](const QString& w) { return w.startsWith(words, Qt::CaseInsensitive); });
}
} // namespace

CommandPalette::CommandPalette(const theme::Theme& theme, QWidget* window) : QFrame(window), m_theme(theme) {
  setProperty("role", "raised");
  setAccessibleName(tr("Command palette"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(8, 8, 8, 8);
  column->addWidget(m_input = new QLineEdit);
  column->addWidget(m_list = new QListWidget);
  column->addWidget(m_note = theme::plainLabel());
  m_note->setProperty("role", "secondary");
  m_note->setContentsMargins(10, 0, 10, 0);
  m_note->setFixedHeight(kNote);
  m_input->setPlaceholderText(
      tr("Type a view, a command, a name or tile of the report, a sample, a recent report, or a word of the manual"));
  m_input->setAccessibleName(tr("Command"));
  m_list->setItemDelegate(new CommandDelegate(theme, m_list));
  m_list->setFrameShape(QFrame::NoFrame);
  m_list->setStyleSheet(QStringLiteral("QListWidget { border: 0; background: transparent; }"));
  m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_list->setAccessibleName(tr("Commands"));
  m_list->setFocusPolicy(Qt::NoFocus);
  m_input->installEventFilter(this);
  connect(m_input, &QLineEdit::textChanged, this, &CommandPalette::refill);
  connect(m_input, &QLineEdit::returnPressed, this, &CommandPalette::runCurrent);
  connect(m_list, &QListWidget::itemClicked, this, &CommandPalette::runCurrent);
  hide();
  new Veil(theme, *this);
}

void CommandPalette::open(std::vector<Command> commands, Find find) {
  m_commands = std::move(commands), m_find = std::move(find);
  const int width = std::min(kPaletteWidth, parentWidget()->width() - 64);
  setGeometry((parentWidget()->width() - width) / 2, 64, width, height());
  m_input->clear();
  refill({});
  raise();
  show();
  m_input->setFocus();
}

void CommandPalette::refresh() {
  if (isVisible()) refill(m_input->text());
}

void CommandPalette::setReading(bool reading) {
  m_reading = reading;
  refresh();
}

// Order: commands whose title or synonym has the typed words, what `find` finds, commands whose detail has them.
void CommandPalette::refill(const QString& typed) {
  const QString words = typed.simplified();
  std::vector<std::pair<int, int>> ranked, others; // minus the score, and the index
  for (std::size_t i = 0; i < m_commands.size(); ++i) {
    const int title = matchScore(words, m_commands[i].title);
    if (words.isEmpty())
      ranked.emplace_back(0, int(i));
    else if (title >= 0)
      ranked.emplace_back(-title, int(i));
    else if (isCalled(m_commands[i], words))
      ranked.emplace_back(0, int(i)); // after commands whose title has the words
    else if (const int detail = matchScore(words, m_commands[i].detail); detail >= 0)
      others.emplace_back(-detail, int(i));
  }
  m_shown.clear();
  const auto show = [&](auto& list) {
    std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [score, index] : list) m_shown.push_back(m_commands[std::size_t(index)]);
  };
  show(ranked);
  if (m_find && !words.isEmpty())
    for (Command& found : m_find(words)) m_shown.push_back(std::move(found));
  show(others);
  fillList();
}

void CommandPalette::fillList() {
  m_list->clear();
  for (const Command& command : m_shown) {
    auto* item = new QListWidgetItem(theme::icon(m_theme, command.icon, theme::Tint::Secondary), command.title, m_list);
    item->setData(DetailRole, command.detail);
    item->setData(KeysRole, command.keys);
    item->setToolTip(theme::tipText(command.title));
  }
  m_list->setCurrentRow(0);
  m_list->setVisible(!m_shown.empty());
  m_note->setText(m_reading ? tr("Reading the names of the report…") : tr("No name and no command contains this"));
  m_note->setVisible(m_reading || m_shown.empty());
  const int rows = std::min(int(m_shown.size()), kMostShown), note = m_note->isHidden() ? 0 : kNote + theme::kGrid;
  resize(width(), std::min(kFrame + kItemHeight * rows + note, parentWidget()->height() - 96));
}

void CommandPalette::runCurrent() {
  const int row = m_list->currentRow();
  if (row < 0 || row >= int(m_shown.size()) || !m_shown[std::size_t(row)].run) return;
  const auto run = m_shown[std::size_t(row)].run;
  hide();
  run();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::FocusOut && watched == m_input) hide();
  if (event->type() != QEvent::KeyPress) return QFrame::eventFilter(watched, event);
  const int key = static_cast<QKeyEvent*>(event)->key();
  if (key == Qt::Key_Escape) {
    hide();
    parentWidget()->setFocus();
    return true;
  }
  if (key == Qt::Key_Down || key == Qt::Key_Up) {
    const int count = m_list->count();
    if (count > 0) m_list->setCurrentRow((m_list->currentRow() + (key == Qt::Key_Down ? 1 : count - 1)) % count);
    return true;
  }
  return QFrame::eventFilter(watched, event);
}

} // namespace ui::shell
