#include "ui/window/bookmark_sheet.h"

#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"
#include "ui/window/veil.h"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QLocale>
#include <QPushButton>
#include <QVBoxLayout>

namespace ui::shell {

namespace {
constexpr int kWide = 640, kHigh = 420;
}

BookmarkSheet::BookmarkSheet(const theme::Theme& theme, QWidget* window) : QFrame(window), m_theme(theme) {
  setProperty("role", "raised");
  setAccessibleName(tr("Bookmarks"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(theme::kMargin, theme::kMargin, theme::kMargin, theme::kMargin);
  column->setSpacing(theme::kGrid);
  auto* title = theme::plainLabel(tr("Bookmarks"));
  title->setProperty("role", "heading");
  column->addWidget(title);
  column->addWidget(m_place = theme::plainLabel());
  m_place->setProperty("role", "secondary");
  m_place->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  auto* line = new QHBoxLayout;
  line->addWidget(m_note = new QLineEdit, 1);
  m_note->setPlaceholderText(tr("Note for the current view, then Enter"));
  m_note->setAccessibleName(tr("Note of a new bookmark"));
  auto* button = new QPushButton(tr("Add"));
  line->addWidget(button);
  column->addLayout(line);
  column->addWidget(m_list = new QListWidget, 1);
  m_list->setAccessibleName(tr("Bookmarks of the report"));
  m_list->setUniformItemSizes(false);
  auto* row = new QHBoxLayout;
  row->addWidget(m_go = new QPushButton(tr("Go there")));
  row->addWidget(m_remove = new QPushButton(tr("Remove")));
  row->addStretch(1);
  auto* import = new QPushButton(tr("Import…"));
  row->addWidget(import);
  row->addWidget(m_export = new QPushButton(tr("Export…")));
  column->addLayout(row);
  connect(button, &QPushButton::clicked, this, &BookmarkSheet::add);
  connect(m_list, &QListWidget::itemActivated, this, &BookmarkSheet::go);
  connect(m_go, &QPushButton::clicked, this, &BookmarkSheet::go);
  connect(m_remove, &QPushButton::clicked, this, &BookmarkSheet::removeCurrent);
  connect(m_export, &QPushButton::clicked, this, &BookmarkSheet::exportRequested);
  connect(import, &QPushButton::clicked, this, &BookmarkSheet::importRequested);
  m_note->installEventFilter(this); // a default button of a window would also react to Enter
  hide();
  new Veil(theme, *this);
}

void BookmarkSheet::open(std::vector<Bookmark> bookmarks, const ViewLink& here) {
  m_bookmarks = std::move(bookmarks), m_here = here;
  m_place->setText(tr("Shown now: %1").arg(linkTitle(here)));
  const QSize room = parentWidget()->size() - QSize(48, 96);
  const QSize size = QSize(kWide, kHigh).boundedTo(room);
  setGeometry((parentWidget()->width() - size.width()) / 2, 64, size.width(), size.height());
  m_note->clear();
  fill(0);
  raise();
  show();
  m_note->setFocus();
}

void BookmarkSheet::fill(int current) {
  m_list->clear();
  for (const Bookmark& b : m_bookmarks) {
    const QString what = linkTitle(b.link), when = QLocale(QLocale::English).toString(b.made.toLocalTime(), "d MMM yyyy, hh:mm");
    auto* item = new QListWidgetItem(
        theme::bounded(b.note.isEmpty() ? what : b.note, 200) + '\n' + what + QStringLiteral(" · ") + when, m_list);
    item->setToolTip(theme::tipText(b.note));
  }
  m_list->setCurrentRow(std::min(current, m_list->count() - 1));
  const bool any = !m_bookmarks.empty();
  for (QPushButton* button : {m_go, m_remove, m_export}) button->setEnabled(any);
}

int BookmarkSheet::currentRow() const {
  const int row = m_list->currentRow();
  return row >= 0 && row < int(m_bookmarks.size()) ? row : -1;
}

void BookmarkSheet::add() {
  m_bookmarks.insert(m_bookmarks.begin(), {m_note->text().trimmed(), m_here, QDateTime::currentDateTimeUtc()});
  m_note->clear();
  fill(0);
  emit changed(m_bookmarks);
}

void BookmarkSheet::removeCurrent() {
  const int row = currentRow();
  if (row < 0) return;
  m_bookmarks.erase(m_bookmarks.begin() + row);
  fill(row);
  emit changed(m_bookmarks);
}

void BookmarkSheet::go() {
  const int row = currentRow();
  if (row < 0) return;
  const ViewLink link = m_bookmarks[std::size_t(row)].link;
  hide();
  emit chosen(link);
}

bool BookmarkSheet::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::KeyPress) return QFrame::eventFilter(watched, event);
  const int key = static_cast<QKeyEvent*>(event)->key();
  if (key == Qt::Key_Return || key == Qt::Key_Enter) return add(), true;
  if (key == Qt::Key_Down) return m_list->setFocus(), true;
  return QFrame::eventFilter(watched, event);
}

void BookmarkSheet::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
  case Qt::Key_Escape: return hide();
  case Qt::Key_Delete: return removeCurrent();
  default: QFrame::keyPressEvent(event);
  }
}

} // namespace ui::shell
