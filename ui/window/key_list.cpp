#include "ui/window/key_list.h"

#include "ui/parts/vertical_scroll.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"
#include "ui/window/window_actions.h"

#include <QFormLayout>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace ui::shell {

namespace {
constexpr int kKeySearchWidth = 160, kListHeight = 320;
}

KeyList::KeyList(WindowActions& actions) : m_actions(actions) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, theme::kGrid, 0, 0);
  auto* rows = new QWidget;
  auto* form = new QFormLayout(rows);
  form->setFieldGrowthPolicy(QFormLayout::FieldsStayAtSizeHint);
  form->setHorizontalSpacing(theme::kMargin);
  for (const WindowAction& action : m_actions.all()) {
    auto* field = new QKeySequenceEdit;
    field->setFixedWidth(kKeySearchWidth);
    field->setAccessibleName(action.title);
    if (auto* line = field->findChild<QLineEdit*>()) line->setClearButtonEnabled(true), line->setPlaceholderText(tr("no key"));
    connect(field, &QKeySequenceEdit::editingFinished, this, [this, id = action.id, field] {
      if (const WindowAction* changed = m_actions.find(id)) take(*changed, *field);
    });
    form->addRow(action.title, field);
    m_fields.emplace_back(action.id, field);
  }
  auto* scroll = verticalScroll(rows);
  scroll->setMinimumHeight(kListHeight);
  column->addWidget(scroll, 1);
  column->addWidget(m_refusal = theme::plainLabel(QString()));
  m_refusal->setWordWrap(true);
  auto* reset = new QPushButton(tr("Reset all keys"));
  connect(reset, &QPushButton::clicked, this, [this] {
    m_refusal->clear();
    m_actions.resetKeys();
  });
  column->addWidget(reset, 0, Qt::AlignLeft);
  connect(&m_actions, &WindowActions::keysChanged, this, &KeyList::showKeys);
  showKeys();
}

void KeyList::take(const WindowAction& action, QKeySequenceEdit& field) {
  // A field records up to four presses in a row; a command uses the first.
  const QKeySequence key = field.keySequence().isEmpty() ? QKeySequence() : QKeySequence(field.keySequence()[0]);
  QList<QKeySequence> keys = m_actions.keys(action);
  if (key == (keys.isEmpty() ? QKeySequence() : keys.front())) return showKeys();
  if (const auto reason = key.isEmpty() ? std::nullopt : m_actions.refusal(action, key)) {
    m_refusal->setText(tr("%1 keeps its key: %2").arg(action.title, *reason));
    return showKeys();
  }
  m_refusal->clear();
  m_actions.setKeys(action, key.isEmpty() ? QList<QKeySequence>() : QList<QKeySequence>{key});
}

void KeyList::showKeys() {
  for (const auto& [id, field] : m_fields) {
    const WindowAction* action = m_actions.find(id);
    const QList<QKeySequence> keys = action ? m_actions.keys(*action) : QList<QKeySequence>();
    field->setKeySequence(keys.isEmpty() ? QKeySequence() : keys.front());
  }
}

} // namespace ui::shell
