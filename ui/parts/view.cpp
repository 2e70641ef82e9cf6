#include "ui/parts/view.h"

#include "ui/parts/fact_list.h"
#include "ui/parts/finding_marks.h"
#include "ui/parts/page.h"
#include "ui/parts/picture_menu.h"
#include "ui/parts/plot_sheet.h"
#include "ui/parts/search_tools.h"
#include "ui/parts/source_place.h"
#include "ui/parts/verdict_line.h"
#include "ui/plot/bar_list.h"
#include "ui/plot/histogram.h"
#include "ui/plot/legend.h"
#include "ui/plot/spoken.h"
#include "ui/plot/step_plot.h"
#include "ui/plot/timeline.h"
#include "ui/state/view_state.h"
#include "ui/tables/row_menu.h"
#include "ui/tables/table_view.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QShortcut>
#include <QTimer>
#include <QVBoxLayout>

namespace ui::shell {

namespace {
constexpr int kPickMs = 10, kPickTurns = 40; // a menu waits for the selected slice: milliseconds per check, most checks
}

View::View(const ViewParts& parts, QWidget* parent) : QWidget(parent), m_parts(parts), m_page(new Page(parts.theme, this)) {
  setFocusPolicy(Qt::ClickFocus); // so that keys of the window are not typed into the first field of a view
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(m_page);
  m_page->addTool(m_marks = new FindingMarks(parts.theme, parts.state));
  connect(&m_work, &jobs::JobSet::busyChanged, this, &View::busyChanged);
  connect(m_marks, &FindingMarks::evidenceSelected, this, [this] {
    m_parts.state.messages().take<ShowAll>(m_marks->view()); // the view has cleared its filters by now
    takeTab();
  });
  connect(&m_parts.state.messages(), &ViewMessages::allAsked, this, [this](const ShowAll& asked) {
    if (asked.view != m_marks->view()) return;
    m_page->setTall(PagePart::Both); // the plot or a tab may have the requested content
    widen();
  });
  connect(this, &View::selectionTextChanged, this, [this] {
    QWidget* focus = window()->focusWidget();
    if (focus && isAncestorOf(focus) && plot::isSpokenBySelection(*focus)) plot::speak(*focus, selectionText());
  });
  connect(m_marks, &FindingMarks::allRequested, this, [this] { emit viewRequested(QStringLiteral("insights")); });
  connect(&m_parts.theme, &theme::Theme::changed, this, [this] { themeChanged(); });
  // Not every desktop opens a menu on these keys.
  auto* menuKeys = new QShortcut(QKeySequence(Qt::SHIFT | Qt::Key_F10), this);
  menuKeys->setContext(Qt::WidgetWithChildrenShortcut);
  connect(menuKeys, &QShortcut::activated, this, &View::openMenuOfFocus);
  m_page->setFormat(format());
  connect(&m_parts.state, &ViewState::formatChanged, this, [this] {
    m_page->setFormat(format());
    formatChanged();
  });
}

View::~View() = default;

void View::setMainJob(jobs::JobBase& job, std::function<void()> again) {
  m_work.add({&job});
  connect(&job, &jobs::JobBase::progressed, m_page, [this, &job] {
    if (m_page->isLoading()) m_page->setLoading(job.phase(), job.fraction());
  });
  connect(m_page, &Page::cancelRequested, &job, &jobs::JobBase::cancel);
  connect(&job, &jobs::JobBase::cancelled, m_page, [this, again = std::move(again)] {
    if (m_page->isLoading())
      m_page->showEmpty(Page::tr("Reading was cancelled"), Page::tr("Nothing was changed in the report."), Page::tr("Read again"),
                        again);
  });
}

bool View::event(QEvent* event) {
  if (event->type() == QEvent::Show && m_parts.state.shown() != Shown::Difference) m_marks->setView(m_parts.state.view());
  return QWidget::event(event);
}

void View::openMenuOfFocus() {
  QWidget* focus = QApplication::focusWidget();
  if (!focus) return;
  const QPoint at = focus->inputMethodQuery(Qt::ImCursorRectangle).toRect().center();
  QContextMenuEvent asked(QContextMenuEvent::Keyboard, at, focus->mapToGlobal(at));
  QApplication::sendEvent(focus, &asked);
}

QString View::verdict() const { return m_page->verdict(); }

void View::keepFirstFields() { m_first = m_fields.values(ViewFields::Which::First); }

QList<QAction*> View::menuActions() const {
  QList<QAction*> all;
  for (const auto* menu : findChildren<QMenu*>())
    for (QAction* action : menu->actions())
      if (action->isEnabled() && action->isVisible() && !action->isSeparator() && !action->menu()) all << action;
  return all;
}

void View::showFirst() {
  for (auto* legend : findChildren<plot::Legend*>()) legend->showAll();
  for (auto* search : findChildren<SearchTools*>()) search->clear();
  for (auto* table : findChildren<tables::FilteredTable*>()) table->filter().clear();
  m_fields.set(m_first);
}

void View::forgetReport() {
  for (auto* plot : findChildren<plot::StepPlot*>()) plot->fit(), plot->forget();
  for (auto* histogram : findChildren<plot::Histogram*>()) histogram->setBars({}, {});
  for (auto* table : findChildren<tables::TableView*>()) table->forgetRows();
  for (auto* tree : findChildren<tables::TreeView*>()) tree->forgetRows();
  showFirst();
  m_page->setTall(PagePart::Both);
  // Figures of the previous report must not stay until the new ones are read.
  m_page->clearVerdict();
  for (auto* words : findChildren<VerdictLine*>()) words->setWords({});
  for (auto* facts : findChildren<FactList*>()) facts->setFacts({});
  for (auto* bars : findChildren<plot::BarList*>()) bars->setBars({});
}

bool View::openFilter() {
  if (m_page->tall() == PagePart::Plot) m_page->setTall(PagePart::Both);
  return focusFilter();
}

void View::toggleTall(PagePart part) { m_page->setTall(m_page->tall() == part ? PagePart::Both : part); }

void View::focusContent() {
  if (!m_page->focusContent()) setFocus(Qt::OtherFocusReason);
}

void View::showAsTable(QWidget* plot) {
  QWidget* focus = window()->focusWidget();
  if (!plot && focus && isAncestorOf(focus)) plot = pictured(focus, *this);
  for (auto* candidate : findChildren<QWidget*>())
    if (!plot && candidate->isVisible() && candidate->property(kPicture).toBool() && hasTable(*candidate, *this))
      plot = candidate;
  if (plot) showTable(*plot, *this, theme(), format());
}

QAbstractItemView* View::tableToSave() const {
  const auto isTable = [](const QWidget* widget) {
    return qobject_cast<const tables::TableView*>(widget) || qobject_cast<const tables::TreeView*>(widget);
  };
  QWidget* focus = window()->focusWidget();
  if (focus && isAncestorOf(focus) && isTable(focus)) return qobject_cast<QAbstractItemView*>(focus);
  for (auto* table : findChildren<QAbstractItemView*>())
    if (table->isVisible() && isTable(table)) return table;
  return nullptr;
}

void View::saveTable() {
  if (QAbstractItemView* table = tableToSave()) tables::saveTable(*table);
}

void View::openSource(const QString& text) {
  const auto place = sourcePlaceIn(text);
  if (!place) return;
  if (const QString problem = shell::openSource(*place); !problem.isEmpty()) page().setBanner(problem, Tone::Warning);
}

void View::savePicture() { savePicture({this}); }

void View::savePicture(const Picture& picture) {
  if (!picture.widget) return;
  if (const QString why = shell::savePicture(picture, pictureName(picture.widget->accessibleName())); !why.isEmpty())
    page().setBanner(why, Tone::Bad);
}

// "Memory per tile – mnist.tsr": a plot in a paper needs the name of its report.
QString View::pictureTitle(const QWidget& plot) const {
  const QString report = window()->windowTitle().section(QStringLiteral(" – Tilescope"), 0, 0);
  return report.isEmpty() || report == QLatin1String("Tilescope") ? plot.accessibleName()
                                                                  : plot.accessibleName() + QStringLiteral(" – ") + report;
}

namespace {
// The selection made by clicks in plots. While the difference of two reports is shown, only tiles are common to both.
analyser::columns::Subjects selectionOf(const ViewState& state) {
  using analyser::columns::Thing;
  analyser::columns::Subjects selected;
  if (state.shown() == Shown::Difference) {
    using In = analyser::columns::Subject::In;
    if (state.tiles().size() == 1)
      for (const In in : {In::Base, In::Other}) selected.push_back({Thing::Tile, int64_t(state.tiles().front().value()), {}, in});
    return selected;
  }
  const auto add = [&selected](analyser::columns::Subjects more) { selected.insert(selected.end(), more.begin(), more.end()); };
  add(analyser::columns::about(Thing::Step, state.step()));
  add(analyser::columns::about(Thing::Operation, state.operation()));
  add(analyser::columns::about(Thing::Variable, state.variable()));
  if (state.tiles().size() == 1) add(analyser::columns::about(Thing::Tile, state.tiles().front()));
  return selected;
}
} // namespace

namespace {
// Selects the slice at a point, because the menu is about the item that was clicked. False if no slice is there or it is already
// selected.
bool pickSlice(QWidget& plot, const QPoint& at) {
  auto* lanes = qobject_cast<plot::Timeline*>(&plot);
  const auto hit = lanes ? lanes->hitAt(at) : std::nullopt;
  if (!hit || hit->slice.id == lanes->selectedId()) return false;
  for (const auto type : {QEvent::MouseButtonPress, QEvent::MouseButtonRelease}) {
    QMouseEvent click(type, at, plot.mapToGlobal(at), Qt::LeftButton, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&plot, &click);
  }
  return true;
}
} // namespace

void View::contextMenuEvent(QContextMenuEvent* event) {
  QWidget* plot = pictured(childAt(event->pos()), *this);
  if (!plot) return event->ignore();
  const auto open = [this, plot, at = event->globalPos()] {
    QMenu menu(this);
    if (!plot->property(kSelectsNothing).toBool()) tables::addSelectionMenus(menu, *this, selectionOf(m_parts.state));
    emit menuOpened(&menu, plot);
    const Picture picture{plot, legendOf(*plot, *this), pictureTitle(*plot)};
    menu.addAction(theme::icon(theme(), "copy", theme::Tint::Secondary), tr("Copy image"), plot,
                   [picture] { copyPicture(picture); });
    menu.addAction(theme::icon(theme(), "save", theme::Tint::Secondary), tr("Save image…"), this,
                   [this, picture] { savePicture(picture); });
    menu.addAction(tr("Save image in another size…"), this, [this, picture] {
      if (!picture.widget) return;
      Picture sized = picture;
      sized.size = askPictureSize(*picture.widget);
      if (sized.size.isValid()) savePicture(sized);
    });
    menu.addAction(tr("Save image of the whole view…"), this, [this] { savePicture({this}); });
    if (hasTable(*plot, *this)) {
      menu.addSeparator();
      menu.addAction(tr("Show as a table"), plot, [this, plot] { showAsTable(plot); });
      menu.addAction(tr("Save as a table…"), plot, [this, plot] { shell::saveTable(*plot, *this, theme(), format()); });
    }
    if (theme().isDark()) { // a dark image wastes ink, and a journal prints it grey
      Picture light = picture;
      light.paper = &m_parts.theme;
      menu.addSeparator();
      menu.addAction(tr("Copy image in light colours"), plot, [light] { copyPicture(light); });
      menu.addAction(tr("Save image in light colours…"), this, [this, light] { savePicture(light); });
      Picture whole{this};
      whole.paper = &m_parts.theme;
      menu.addAction(tr("Save the whole view in light colours…"), this, [this, whole] { savePicture(whole); });
    }
    menu.exec(at);
  };
  if (event->reason() != QContextMenuEvent::Mouse || !pickSlice(*plot, plot->mapFrom(this, event->pos()))) return open();
  // The step of a slice is read in the background.
  auto* wait = new QTimer(plot);
  connect(wait, &QTimer::timeout, this, [this, wait, open, left = kPickTurns]() mutable {
    if (isBusy() && --left > 0) return;
    wait->stop();
    wait->deleteLater();
    open();
  });
  wait->start(kPickMs);
}

void View::showNoDevice(const QString& what) {
  page().clearVerdict();
  page().showEmpty(tr("This report covers only the host"), tr("It holds a trace without a device, so it has no %1.").arg(what),
                   tr("Show the host timeline"), [this] { emit viewRequested(QStringLiteral("host")); });
}

void View::showNoReport(const QString& why) {
  m_page->showEmpty(tr("No report is open"), why, tr("Go to the start page"),
                    [this] { emit viewRequested(QStringLiteral("home")); });
}

const theme::Format& View::format() const { return m_parts.state.format(); }

} // namespace ui::shell
