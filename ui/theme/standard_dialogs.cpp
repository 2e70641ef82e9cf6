#include "ui/theme/standard_dialogs.h"

#include "ui/theme/icons.h"

#include <QApplication>
#include <QDialogButtonBox>
#include <QEvent>
#include <QFileDialog>
#include <QHeaderView>
#include <QInputDialog>
#include <QPushButton>
#include <QScreen>
#include <QSplitter>
#include <QToolButton>
#include <QTreeView>

#include <algorithm>
#include <utility>

namespace ui::theme {

namespace {
constexpr QSize kRoom{920, 560};
constexpr int kPlacesWidth = 150, kNameWidth = 360, kSizeWidth = 90, kTypeWidth = 120,
              kDateWidth = 170; // pixels of the list of folders, and of columns
constexpr int kInputLetters = 60;

// The names that Qt gives the buttons of its dialog.
constexpr std::pair<const char*, const char*> kIcons[] = {{"backButton", "back"},      {"forwardButton", "forward"},
                                                          {"toParentButton", "up"},    {"newFolderButton", "folder-new"},
                                                          {"listModeButton", "icons"}, {"detailModeButton", "rows"}};

void arrange(QFileDialog& dialog, const Theme& theme) {
  const QRect screen = dialog.screen()->availableGeometry();
  QRect place(QPoint(), dialog.size().expandedTo(kRoom).boundedTo(screen.size() * 9 / 10));
  place.moveCenter(dialog.parentWidget() ? dialog.parentWidget()->window()->geometry().center() : screen.center());
  place.moveLeft(std::clamp(place.left(), screen.left(), screen.right() - place.width()));
  place.moveTop(std::clamp(place.top(), screen.top(), screen.bottom() - place.height()));
  dialog.setGeometry(place);
  for (const auto& [button, name] : kIcons)
    if (auto* tool = dialog.findChild<QToolButton*>(QLatin1String(button))) tool->setIcon(icon(theme, name));
  if (auto* splitter = dialog.findChild<QSplitter*>()) splitter->setSizes({kPlacesWidth, dialog.width() - kPlacesWidth});
  auto* list = dialog.findChild<QTreeView*>(QStringLiteral("treeView"));
  if (!list) return;
  for (const auto& [column, width] : {std::pair(0, kNameWidth), {1, kSizeWidth}, {2, kTypeWidth}, {3, kDateWidth}})
    list->header()->resizeSection(column, width);
}

// Qt makes these as wide as their label, which cuts the text to edit.
void widen(QInputDialog& dialog) {
  dialog.resize(std::max(dialog.width(), dialog.fontMetrics().averageCharWidth() * kInputLetters), dialog.height());
}
} // namespace

StandardDialogs::StandardDialogs(const Theme& theme, QObject* parent) : QObject(parent), m_theme(theme) {
  qApp->installEventFilter(this);
}

bool StandardDialogs::eventFilter(QObject* object, QEvent* event) {
  if (event->type() == QEvent::Show) { // later than Polish, when the dialog has its last buttons and its size
    if (auto* dialog = qobject_cast<QFileDialog*>(object)) arrange(*dialog, m_theme);
    if (auto* dialog = qobject_cast<QInputDialog*>(object)) widen(*dialog);
    if (auto* box = qobject_cast<QDialogButtonBox*>(object))
      for (QAbstractButton* button : box->buttons()) button->setIcon({});
  }
  return QObject::eventFilter(object, event);
}

} // namespace ui::theme
