#include "ui/parts/search_tools.h"

#include "ui/parts/page.h"
#include "ui/theme/icons.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

namespace ui::shell {

namespace {
constexpr int kSearchWidth = 230, kClearButton = 26;
} // namespace

SearchTools::SearchTools(Page& page, const theme::Theme& theme, const QString& what)
    : QObject(&page), m_field(new QLineEdit), m_note(theme::plainLabel()), m_beside(theme::plainLabel()) {
  m_field->setPlaceholderText(what);
  m_field->setAccessibleName(what);
  m_field->setClearButtonEnabled(true);
  m_field->setFixedWidth(kSearchWidth);
  m_field->addAction(theme::icon(theme, QStringLiteral("search"), theme::Tint::Secondary), QLineEdit::LeadingPosition);
  m_field->installEventFilter(this);
  m_note->setProperty("role", "secondary");
  m_note->setParent(m_field); // inside the field: beside it, a note that appears and disappears would move the buttons
  m_note->setAttribute(Qt::WA_TransparentForMouseEvents);
  m_note->hide();
  m_beside->setProperty("role", "secondary");
  m_beside->hide();
  page.addTool(m_beside); // left of the field, which stays in place
  page.addTool(m_field);
  page.addToolAction(QStringLiteral("back"), tr("Previous match"), tr("Previous match (Shift+F3)"), [this] { emit asked(false); })
      ->setShortcut(QKeySequence(Qt::SHIFT | Qt::Key_F3));
  page.addToolAction(QStringLiteral("forward"), tr("Next match"), tr("Next match (F3)"), [this] { emit asked(true); })
      ->setShortcut(Qt::Key_F3);
  connect(m_field, &QLineEdit::returnPressed, this, [this] { emit asked(true); });
  connect(m_field, &QLineEdit::textChanged, this, &SearchTools::edited);
}

bool SearchTools::eventFilter(QObject* watched, QEvent* event) {
  const bool isKey = event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride;
  if (watched != m_field || !isKey || static_cast<QKeyEvent*>(event)->key() != Qt::Key_Escape)
    return QObject::eventFilter(watched, event);
  event->accept(); // the window does not handle it as "back"
  if (event->type() == QEvent::ShortcutOverride) return true;
  if (m_field->text().isEmpty())
    emit left();
  else
    clear();
  return true;
}

QString SearchTools::text() const { return m_field->text().trimmed(); }

void SearchTools::clear() {
  m_field->clear();
  setNote({});
}

void SearchTools::setNote(const QString& note) {
  // The note is right of the typed text, between the icons at both ends of the field.
  const int wide = m_note->fontMetrics().horizontalAdvance(note),
            typed = m_field->fontMetrics().horizontalAdvance(m_field->text());
  const bool fits = wide < kSearchWidth * 9 / 20 && wide + typed + 3 * kClearButton < kSearchWidth;
  m_beside->setText(note);
  m_beside->setVisible(!fits && !note.isEmpty());
  m_note->setText(note);
  m_note->setVisible(fits && !note.isEmpty());
  m_note->adjustSize();
  const int room = m_note->isVisibleTo(m_field) ? m_note->width() + theme::kHalf : 0;
  m_field->setTextMargins(0, 0, room, 0);
  m_note->move(m_field->width() - kClearButton - room, (m_field->height() - m_note->height()) / 2);
}

void SearchTools::focus() {
  m_field->setFocus(Qt::ShortcutFocusReason);
  m_field->selectAll();
}

} // namespace ui::shell
