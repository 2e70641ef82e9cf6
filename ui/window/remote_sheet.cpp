#include "ui/window/remote_sheet.h"

#include "ui/tables/table_view.h"
#include "ui/theme/format.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"
#include "ui/window/veil.h"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace ui::shell {

namespace {
constexpr int kSheetWide = 760, kSheetHigh = 520;

std::shared_ptr<const tables::Table> tableOf(const std::vector<RemoteEntry>& entries) {
  using tables::Kind;
  auto table = std::make_shared<tables::Table>();
  table->columns = {{"name", QObject::tr("Name"), Kind::Name},
                    {"size", QObject::tr("Size"), Kind::Bytes, {}, 110},
                    {"changed", QObject::tr("Changed"), Kind::Text}};
  for (const RemoteEntry& entry : entries) {
    const bool isFolder = entry.kind == RemoteEntry::Kind::Folder;
    tables::Row row;
    row.id = int64_t(table->rows.size());
    row.cells = {entry.name + (isFolder ? QStringLiteral("/") : QString()),
                 tables::cellIf(entry.kind == RemoteEntry::Kind::File, int64_t(entry.bytes)), entry.modified};
    table->rows.push_back(std::move(row));
  }
  return table;
}
} // namespace

RemoteSheet::RemoteSheet(const theme::Theme& theme, QWidget* window)
    : QFrame(window), m_job(tr("Listing a folder on another computer"), nullptr, this) {
  setProperty("role", "raised");
  setAccessibleName(tr("Open from another computer"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(theme::kMargin, theme::kMargin, theme::kMargin, theme::kMargin);
  column->setSpacing(theme::kGrid);
  auto* title = theme::plainLabel(tr("Open from another computer"));
  title->setProperty("role", "heading");
  column->addWidget(title);
  auto* line = new QHBoxLayout;
  line->addWidget(m_address = new QLineEdit, 1);
  m_address->setPlaceholderText(tr("ssh://[user@]host[:port]/folder, then Enter; a host alone is its home folder"));
  m_address->setAccessibleName(tr("Address of the folder"));
  line->addWidget(m_up = new QPushButton(tr("Up")));
  m_up->setToolTip(tr("The folder above (Alt+Up)"));
  line->addWidget(m_refresh = new QPushButton(tr("Refresh")));
  m_refresh->setToolTip(tr("List the folder again (F5)"));
  column->addLayout(line);
  column->addWidget(m_note = theme::plainLabel());
  m_note->setProperty("role", "secondary");
  m_note->setWordWrap(true);
  column->addWidget(m_table = new tables::TableView(theme, tr("Files on the other computer")), 1);
  auto* row = new QHBoxLayout;
  row->addStretch(1);
  auto* close = new QPushButton(tr("Close"));
  row->addWidget(close);
  row->addWidget(m_open = new QPushButton(tr("Open")));
  m_open->setProperty("role", "primary");
  column->addLayout(row);
  connect(m_up, &QPushButton::clicked, this, [this] { list(remoteParent(m_shown)); });
  connect(m_refresh, &QPushButton::clicked, this, [this] { list(m_shown); });
  connect(m_open, &QPushButton::clicked, this, &RemoteSheet::enterSelected);
  connect(close, &QPushButton::clicked, this, &QWidget::hide);
  connect(m_table, &tables::TableView::idActivated, this, &RemoteSheet::enter);
  connect(m_table, &tables::TableView::idsSelected, this, &RemoteSheet::updateButtons);
  m_address->installEventFilter(this); // a default button of a window would also react to Enter
  updateButtons();
  hide();
  new Veil(theme, *this);
}

RemoteSheet::~RemoteSheet() = default;

void RemoteSheet::open(const QString& address) {
  const QSize room = parentWidget()->size() - QSize(48, 96);
  const QSize size = QSize(kSheetWide, kSheetHigh).boundedTo(room);
  setGeometry((parentWidget()->width() - size.width()) / 2, 64, size.width(), size.height());
  raise();
  QFrame::show();
  m_address->setFocus();
  m_address->selectAll();
  if (const QString wanted = address.isEmpty() ? m_shown : address; !wanted.isEmpty()) return list(wanted);
  m_note->setText(tr("The system's ssh connects, with your keys and settings; it never asks for a password."));
}

void RemoteSheet::list(const QString& typed) {
  const QString address = remoteAddress(typed);
  if (address.isEmpty()) return;
  m_address->setText(address);
  if (m_address->hasFocus()) m_address->selectAll(); // so that the next address replaces it
  m_note->setText(tr("Asking %1 …").arg(address));
  m_job.start(
      [address](const std::stop_token& stop, reports::Progress& progress) {
        return Listing{address, remoteEntries(address, stop, progress)};
      },
      [this](const Listing& listing) { show(listing); },
      [this](const reports::Error& error) {
        const QString why = theme::messageText(error.what());
        m_note->setText(m_shown.isEmpty() ? why : tr("%1\nThe list still shows %2.").arg(why, m_shown));
      });
}

void RemoteSheet::show(const Listing& listing) {
  // The address, typed or from a link, is a file.
  if (const auto& e = listing.entries;
      e.size() == 1 && e[0].address == listing.address && e[0].kind != RemoteEntry::Kind::Folder) {
    hide();
    emit chosen(listing.address);
    return;
  }
  m_shown = listing.address, m_entries = listing.entries;
  m_table->forgetRows();
  m_table->setTable(tableOf(m_entries));
  m_table->setEmptyText(tr("The folder is empty."));
  const auto folders = std::count_if(m_entries.begin(), m_entries.end(),
                                     [](const RemoteEntry& entry) { return entry.kind == RemoteEntry::Kind::Folder; });
  m_note->setText(tr("%1, %2").arg(theme::plural(folders, tr("folder"), tr("folders")),
                                   theme::plural(int64_t(m_entries.size()) - folders, tr("file"), tr("files"))));
  updateButtons();
}

// A symbolic link may lead to a folder or a file: listing it shows which.
void RemoteSheet::enter(int64_t row) {
  if (row < 0 || std::size_t(row) >= m_entries.size()) return;
  const RemoteEntry entry = m_entries[std::size_t(row)];
  if (entry.kind != RemoteEntry::Kind::File) return list(entry.address);
  hide();
  emit chosen(entry.address);
}

void RemoteSheet::enterSelected() {
  if (const auto ids = m_table->selectedIds(); !ids.empty()) enter(ids.front());
}

void RemoteSheet::updateButtons() {
  m_up->setEnabled(!m_shown.isEmpty() && remoteParent(m_shown) != m_shown);
  m_refresh->setEnabled(!m_shown.isEmpty());
  m_open->setEnabled(!m_table->selectedIds().empty());
}

bool RemoteSheet::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::KeyPress) return QFrame::eventFilter(watched, event);
  const auto* key = static_cast<QKeyEvent*>(event);
  if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) return list(m_address->text()), true;
  if (key->key() == Qt::Key_Down) return m_table->setFocus(), true;
  return QFrame::eventFilter(watched, event);
}

// F5 lists the folder again, as long as the sheet is open; the window's F5 reloads the report.
bool RemoteSheet::event(QEvent* event) {
  if (event->type() != QEvent::ShortcutOverride || static_cast<QKeyEvent*>(event)->key() != Qt::Key_F5)
    return QFrame::event(event);
  event->accept();
  return true;
}

void RemoteSheet::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) return hide();
  if (event->key() == Qt::Key_F5 && m_refresh->isEnabled()) return list(m_shown);
  if (event->key() == Qt::Key_Up && event->modifiers() & Qt::AltModifier && m_up->isEnabled()) return list(remoteParent(m_shown));
  QFrame::keyPressEvent(event);
}

void RemoteSheet::hideEvent(QHideEvent* event) {
  m_job.cancel();
  QFrame::hideEvent(event);
}

} // namespace ui::shell
