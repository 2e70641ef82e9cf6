#include "ui/window/window_sheets.h"

#include "ui/window/finder.h"
#include "ui/window/help_sheet.h"
#include "ui/window/link_trail.h"
#include "ui/window/manual.h"
#include "ui/window/open_reports.h"
#include "ui/window/other_places.h"
#include "ui/window/preferences.h"
#include "ui/window/view_stack.h"
#include "ui/window/window_actions.h"
#include "ui/window/window_commands.h"

#include <QAction>
#include <QPointer>

namespace ui::shell {

namespace {

// The form used in the sheet of keys: "Open a report…" becomes "open a report".
QString asHint(QString title) {
  title.remove(QStringLiteral("…"));
  return title.left(1).toLower() + title.mid(1);
}

} // namespace

WindowSheets::WindowSheets(const Parts& parts, QWidget* window)
    : QObject(window), m_parts(parts), m_window(window), m_other(new OtherPlaces(parts.settings, this)),
      m_palette(new CommandPalette(parts.theme, window)), m_help(new HelpSheet(parts.theme, window)) {
  connect(&parts.finder, &Finder::changed, this, [this] { m_palette->setReading(m_parts.finder.isReading()); });
  connect(m_other, &OtherPlaces::changed, m_palette, &CommandPalette::refresh);
  connect(m_other, &OtherPlaces::chapterRequested, this, &WindowSheets::showChapter);
}

std::vector<Command> WindowSheets::commands() const {
  std::vector<Command> list;
  for (const WindowAction& action : m_parts.actions.all())
    if (!action.isAvailable || action.isAvailable())
      list.push_back({action.title, action.detail, action.icon, m_parts.actions.keysText(action), action.run, action.words});
  const ViewEntry* entry = m_parts.views.shownEntry();
  if (const View* view = m_parts.views.current(); view && entry)
    for (QAction* action : view->menuActions()) {
      const QString state = !action->isCheckable() ? entry->title
                            : action->isChecked()  ? tr("%1, on").arg(entry->title)
                                                   : tr("%1, off").arg(entry->title);
      list.push_back({action->text(), state, "view", {}, [at = QPointer<QAction>(action)] {
                        if (at) at->trigger();
                      }});
    }
  return list;
}

std::vector<Command> WindowSheets::find(const QString& typed) {
  LinkTrail& links = m_parts.links;
  if (const auto link = parseLink(typed); link && !links.leadsSomewhere(*link))
    return {{tr("This link names no view"), link->place.view, "error", {}, {}}};
  else if (link)
    return {{tr("Go to this link"), linkTitle(*link), "forward", {}, [&links, link = *link] { links.open(link); }}};
  if (isRemoteFile(typed))
    return {{tr("Open from another computer"), typed, "open", {}, [this, typed] { m_parts.reports.open({typed.trimmed()}); }}};
  std::vector<Command> list = m_other->find(typed);
  for (auto&& found : {m_parts.finder.find(typed), m_other->findHelp(typed)}) list.insert(list.end(), found.begin(), found.end());
  return list;
}

void WindowSheets::showPalette() {
  m_parts.finder.prepare();
  m_other->prepare();
  m_palette->open(commands(), [this](const QString& typed) { return find(typed); });
  m_palette->setReading(m_parts.finder.isReading());
}

void WindowSheets::showKeys() {
  HelpText text;
  if (const ViewEntry* entry = m_parts.views.shownEntry()) text.title = entry->title, text.question = entry->question;
  if (const View* view = m_parts.views.current()) text.viewKeys = view->keys();
  text.plotKeys = {{"Wheel", tr("zoom at the pointer")}, {"Drag", tr("pan")},
                   {"Shift+drag", tr("select a range")}, {"W S", tr("zoom in, out")},
                   {"A D", tr("pan left, right")},       {"F, Home", tr("show the selection, everything")},
                   {"← →", tr("previous, next")},        {"Enter", tr("select or enter")},
                   {"Esc", tr("clear the selection")},   {"Right-click", tr("copy or save the plot as an image")}};
  QStringList views; // their keys, which form one row
  for (const WindowAction& action : m_parts.actions.all()) {
    const QString keys = m_parts.actions.keysText(action);
    if (keys.isEmpty() || (action.isAvailable && !action.isAvailable())) continue;
    if (action.id.startsWith(kViewAction))
      views << keys;
    else
      text.windowKeys.emplace_back(keys, asHint(action.title));
  }
  if (!views.isEmpty())
    text.windowKeys.emplace_back(views.first() + QStringLiteral(" … ") + views.last(), tr("views of the report"));
  m_help->open(text);
}

void WindowSheets::showManual() {
  const ViewEntry* entry = m_parts.views.shownEntry();
  showChapter(chapterOfView(entry ? entry->title : QString()));
}

void WindowSheets::showHelp(const QString& link) { showChapter(std::max(0, chapterOfLink(QUrl(link), {}))); }

void WindowSheets::showChapter(int chapter) {
  if (!m_manual) m_manual = new Manual(m_parts.theme, m_window);
  m_manual->open(chapter);
}

void WindowSheets::showPreferences() {
  auto* preferences = new Preferences(m_parts.theme, m_parts.settings, m_parts.state, m_parts.actions, m_window);
  preferences->show();
}

} // namespace ui::shell
