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
  int score = 0;
  qsizetype at = 0;
  for (const QChar c : typed) {
    if (c.isSpace()) continue;
    qsizetype found = -1;
    bool atWord = false;
    for (qsizetype i = at; i < text.size() && !atWord; ++i) {
      if (text[i].toLower() != c.toLower()) continue;
      atWord = i == 0 || !text[i - 1].isLetterOrNumber();
      if (found < 0 || atWord) found = i;
      if (i == at) break; // goes on where the last letter was: best
    }
    if (found < 0) return -1;
    score += found == at && at > 0 ? 3 : atWord || found == 0 ? 4 : 1;
    at = found + 1;
  }
  return score * 100 - int(text.size());
}

namespace {
// One of its other words begins so, from the third letter on: fewer would find too much.
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
  m_input->setPlaceholderText(tr("Type a view, a command, or an operation, step, variable or tile of the report"));
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

// Order: commands whose title or synonym has the typed text, names of the report, commands that have its letters in order.
void CommandPalette::refill(const QString& typed) {
  const QString words = typed.simplified();
  std::vector<std::pair<int, int>> ranked;
  for (std::size_t i = 0; i < m_commands.size(); ++i) {
    const int title = matchScore(typed, m_commands[i].title), detail = matchScore(typed, m_commands[i].detail);
    const int score = std::max(title, detail >= 0 ? detail - 100 : -1);
    if (words.isEmpty())
      ranked.emplace_back(0, int(i));
    else if (title >= 0 || detail >= 0)
      ranked.emplace_back(-score, int(i));
    else if (isCalled(m_commands[i], words))
      ranked.emplace_back(0, int(i)); // after those whose title has the letters
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  const auto literal = [&](const auto& rank) {
    const Command& command = m_commands[std::size_t(rank.second)];
    return command.title.contains(words, Qt::CaseInsensitive) || isCalled(command, words);
  };
  const auto loose = std::stable_partition(ranked.begin(), ranked.end(), literal);
  m_shown.clear();
  for (auto rank = ranked.begin(); rank != loose; ++rank) m_shown.push_back(m_commands[std::size_t(rank->second)]);
  if (m_find && !words.isEmpty())
    for (Command& found : m_find(words)) m_shown.push_back(std::move(found));
  for (auto rank = loose; rank != ranked.end(); ++rank) m_shown.push_back(m_commands[std::size_t(rank->second)]);
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
  m_note->setText(m_reading ? tr("Reading the names of the report…") : tr("No name and no command has this in it"));
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
