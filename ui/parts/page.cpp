#include "ui/parts/page.h"

#include "ui/parts/message_place.h"
#include "ui/parts/splitter_places.h"
#include "ui/parts/state_page.h"
#include "ui/parts/verdict_line.h"
#include "ui/parts/vertical_scroll.h"
#include "ui/theme/icons.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"

#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QFrame>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QResizeEvent>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QStyle>
#include <QTabBar>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <utility>

namespace ui::shell {

namespace {

constexpr int kShort = 560;        // pixels: a 1080p screen at 200 %
constexpr int kLeastInSight = 120; // pixels of the tabs that must be visible: their titles and some rows
constexpr int kLeastTool = 84;     // pixels
constexpr int kLeastField = 60;    // a few letters
constexpr int kMostBeside = 2;     // most lines of a verdict that has its tools beside it
constexpr int kLowestPlot = 132;   // pixels: the axis and enough height to read a value

const char* toneIcon(Tone tone) {
  switch (tone) {
  case Tone::Good: return "ok";
  case Tone::Warning: return "warning";
  case Tone::Bad: return "error";
  case Tone::Neutral: break;
  }
  return "info";
}

theme::Tint toneTint(Tone tone) {
  switch (tone) {
  case Tone::Good: return theme::Tint::Good;
  case Tone::Warning: return theme::Tint::Warning;
  case Tone::Bad: return theme::Tint::Bad;
  case Tone::Neutral: break;
  }
  return theme::Tint::Accent;
}

// In document mode, tabs paint nothing themselves except lines beside a corner widget.
class PlainTabs : public QTabWidget {
protected:
  void paintEvent(QPaintEvent*) override {}
};

// The first widget in reading order that takes keys but not text.
QWidget* firstTakingKeys(QWidget& widget) {
  if (widget.isHidden() || !widget.isEnabled()) return nullptr;
  const bool takesWords =
      qobject_cast<QLineEdit*>(&widget) || qobject_cast<QComboBox*>(&widget) || qobject_cast<QAbstractSpinBox*>(&widget);
  const bool takesKeys = (widget.focusPolicy() & Qt::StrongFocus) == Qt::StrongFocus;
  if (takesKeys && !takesWords) return &widget;
  std::vector<QWidget*> children;
  if (const auto* splitter = qobject_cast<QSplitter*>(&widget)) // its children may have another order than on the screen
    for (int i = 0; i < splitter->count(); ++i) children.push_back(splitter->widget(i));
  else
    for (QObject* child : widget.children())
      if (auto* inner = qobject_cast<QWidget*>(child)) children.push_back(inner);
  for (QWidget* child : children)
    if (QWidget* found = firstTakingKeys(*child)) return found;
  return nullptr;
}

} // namespace

Page::Page(const theme::Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(theme::kMargin, theme::kGrid + theme::kHalf, theme::kMargin, theme::kGrid);
  column->setSpacing(theme::kGrid);

  m_banner = new QFrame;
  auto* bannerRow = new QHBoxLayout(m_banner);
  bannerRow->setContentsMargins(theme::kGrid + 4, theme::kHalf, theme::kGrid, theme::kHalf);
  bannerRow->addWidget(m_bannerIcon = theme::plainLabel());
  bannerRow->addWidget(m_bannerText = theme::plainLabel(), 1);
  bannerRow->addWidget(m_bannerAction = new QPushButton);
  bannerRow->addWidget(m_bannerClose = new QToolButton);
  m_bannerClose->setAccessibleName(tr("Dismiss")), m_bannerClose->setToolTip(tr("Dismiss"));
  connect(m_bannerClose, &QToolButton::clicked, this, &Page::clearBanner);
  m_bannerText->setWordWrap(true);
  m_bannerAction->setProperty("role", "plain");
  m_banner->hide();
  column->addWidget(m_banner);

  m_top = new QBoxLayout(QBoxLayout::LeftToRight);
  m_top->setSpacing(theme::kGrid);
  auto* answer = new QHBoxLayout;
  answer->setSpacing(theme::kGrid);
  answer->addWidget(m_verdictIcon = theme::plainLabel(), 0, Qt::AlignVCenter);
  answer->addWidget(m_verdict = new VerdictLine, 1);
  answer->addStretch(0);
  m_verdict->hide(), m_verdictIcon->hide();
  m_tools = new QHBoxLayout(m_toolBox = new QWidget);
  m_tools->setContentsMargins(0, 0, 0, 0);
  m_tools->setSpacing(theme::kHalf);
  m_tools->addStretch(1);
  m_top->addLayout(answer, 1);
  m_top->addWidget(m_toolBox);
  column->addLayout(m_top);
  m_header = new QVBoxLayout(m_headerBox = new QWidget);
  m_header->setContentsMargins(0, 0, 0, 0);
  m_header->setSpacing(theme::kHalf);
  column->addWidget(m_headerBox);
  m_headerBox->hide();

  m_stack = new QStackedWidget;
  m_splitter = new QSplitter(Qt::Vertical);
  m_splitter->setChildrenCollapsible(false);
  m_skeleton = new Skeleton(theme);
  m_state = new StatePage(theme);
  m_stack->addWidget(m_scroll = verticalScroll(m_splitter));
  m_scroll->viewport()->installEventFilter(this);
  m_splitter->installEventFilter(this);
  m_stack->addWidget(m_skeleton);
  m_stack->addWidget(m_state);
  column->addWidget(m_stack, 1);
  connect(m_skeleton, &Skeleton::cancelRequested, this, &Page::cancelRequested);
  connect(&m_theme, &theme::Theme::changed, this, &Page::restyle);
  restyle();
}

void Page::restyle() {
  const double scale = devicePixelRatioF();
  m_verdictIcon->setPixmap(theme::iconPixmap(toneIcon(m_tone), 20, theme::tintColour(m_theme, toneTint(m_tone)), scale));
  m_bannerIcon->setPixmap(
      theme::iconPixmap(toneIcon(m_bannerTone), 18, theme::tintColour(m_theme, toneTint(m_bannerTone)), scale));
  m_bannerClose->setIcon(theme::icon(m_theme, "close", theme::Tint::Secondary));
  if (!m_tabs) return;
  m_tallPlot->setIcon(theme::icon(m_theme, "low", theme::Tint::Secondary));
  m_tallTabs->setIcon(theme::icon(m_theme, "tall", theme::Tint::Secondary));
}

void Page::setVerdict(const analyser::Sentence& sentence, Tone tone) {
  m_verdict->setSentence(sentence);
  showTone(tone);
}

void Page::setVerdict(const QString& words, Tone tone) {
  m_verdict->setWords(words);
  showTone(tone);
}

void Page::showTone(Tone tone) {
  m_tone = tone;
  const bool said = !m_verdict->text().isEmpty();
  if (!said) m_belowAt = -1; // another report is loading
  m_verdict->setVisible(said);
  m_verdictIcon->setVisible(tone != Tone::Neutral && said);
  arrangeTop();
  restyle();
}

// Tools are beside a verdict of one or two lines, else below it.
// If the tools are wider than the page, text fields shrink and choices do not: a field holds few words, a choice shows its whole text.
void Page::fitTools() {
  const auto wanted = [](const Field& field) { return std::min(field.edit->sizeHint().width(), field.widest); };
  int missing = m_tools->sizeHint().width() - (width() - 2 * theme::kMargin);
  for (const Field& field : m_fields)
    if (!field.edit->isHidden()) missing += std::max(0, wanted(field) - field.edit->maximumWidth());
  for (const Field& field : m_fields) {
    if (field.edit->isHidden()) continue;
    const int gives = std::clamp(missing, 0, std::max(0, wanted(field) - kLeastField));
    field.edit->setMaximumWidth(gives > 0 ? wanted(field) - gives : field.widest);
    missing -= gives;
  }
}

void Page::arrangeTop() {
  fitTools();
  const int room = width() - 2 * theme::kMargin - 4 * theme::kGrid - m_tools->sizeHint().width();
  const bool beside =
      m_verdict->isHidden() || m_verdict->linesAt(std::max(1, room)) <= std::max(kMostBeside, m_verdict->ownLines());
  // Once the tools are below the verdict they stay there, so that they do not move under the pointer whenever the sentence changes.
  if (!beside) m_belowAt = width();
  m_top->setDirection(beside && m_belowAt != width() ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

// Tools appear and disappear with the content; the layout has to follow.
bool Page::event(QEvent* event) {
  if (event->type() == QEvent::LayoutRequest) arrangeTop();
  return QWidget::event(event);
}

// Divides the height again after a change. If a tab got taller, the page grows at its lower end and the plot keeps its size. If
// the text above the plot got more or fewer lines, the plot keeps its share of the remaining height.
bool Page::eventFilter(QObject* watched, QEvent* event) {
  const bool grows = watched == m_splitter && event->type() == QEvent::LayoutRequest && m_tabs &&
                     m_tabs->minimumSizeHint().height() != m_tabsLeast;
  if (grows || (watched == m_scroll->viewport() && event->type() == QEvent::Resize))
    QMetaObject::invokeMethod(this, &Page::shareHeight, Qt::QueuedConnection);
  return QWidget::eventFilter(watched, event);
}

void Page::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  setShort(height() < kShort);
  arrangeTop();
  if (m_tabs && event->size().height() != event->oldSize().height()) showTab();
  placeBanner();
}

void Page::setShort(bool isShort) {
  if (m_isShort == isShort) return;
  m_isShort = isShort;
  m_verdict->setProperty("role", isShort ? "strong" : "heading");
  m_verdict->style()->unpolish(m_verdict); // the style sheet reads a changed role only after unpolish()
  m_verdict->style()->polish(m_verdict);
  const int gap = isShort ? theme::kHalf : theme::kGrid;
  layout()->setSpacing(gap);
  layout()->setContentsMargins(theme::kMargin, gap + (isShort ? 0 : theme::kHalf), theme::kMargin, gap);
}

void Page::setFormat(const theme::Format& format) {
  m_verdict->setFormat(format);
  arrangeTop();
}

QString Page::verdict() const { return m_verdict->whole(); }

void Page::addTool(QWidget* tool) {
  // If the row is still too narrow after its fields have shrunk, choices shrink too.
  if (qobject_cast<QComboBox*>(tool)) tool->setMinimumWidth(kLeastTool);
  if (auto* field = qobject_cast<QLineEdit*>(tool)) {
    m_fields.push_back({field, field->maximumWidth()});
    field->setMinimumWidth(kLeastField);
  }
  // "View" stays last.
  m_tools->insertWidget(m_viewButton ? m_tools->count() - 1 : m_tools->count(), tool);
}

QToolButton* Page::addToolAction(const QString& icon, const QString& name, const QString& tip, std::function<void()> action) {
  auto* button = new QToolButton;
  button->setIcon(theme::icon(m_theme, icon, theme::Tint::Secondary));
  button->setIconSize({20, 20});
  button->setToolTip(theme::tipText(tip));
  button->setAccessibleName(name);
  if (action) connect(button, &QToolButton::clicked, this, [action = std::move(action)] { action(); });
  addTool(button);
  return button;
}

QMenu* Page::viewMenu() {
  if (!m_viewButton) {
    m_viewButton = addToolAction("view", tr("View options"), tr("View options"), {});
    m_viewButton->setText(tr("View"));
    m_viewButton->setProperty("role", "menu");
    m_viewButton->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_viewButton->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(m_viewButton);
    m_viewButton->setMenu(menu);
    // After the menu closes, the widget that had the keyboard focus gets it back.
    connect(menu, &QMenu::aboutToShow, this, [this] { m_hadFocus = QApplication::focusWidget(); });
    connect(menu, &QMenu::aboutToHide, this, [this] {
      QMetaObject::invokeMethod(
          this,
          [this] {
            if (m_hadFocus && m_viewButton->hasFocus()) m_hadFocus->setFocus(Qt::OtherFocusReason);
          },
          Qt::QueuedConnection);
    });
  }
  return m_viewButton->menu();
}

void Page::addHeaderRow(QWidget* row) {
  m_header->addWidget(row);
  m_headerBox->show();
}

// The minimum sizes of the parts change with their content.
int Page::leastPlot() const {
  const QWidget* plot = m_splitter->widget(0);
  return plot ? std::max(m_leastPlot, plot->minimumSizeHint().height()) : m_leastPlot;
}

void Page::setPlot(QWidget* plot, double share) {
  m_plotShare = share;
  m_leastPlot = std::max(kLowestPlot, plot->minimumHeight());
  m_splitter->insertWidget(0, plot);
  plot->setMinimumHeight(leastPlot());
  m_splitter->setStretchFactor(0, int(share * 100));
}

void Page::setPlotShareOf(const QWidget* tab, double share) { m_shareOf[tab] = share; }

void Page::limitPlot(int height) {
  m_mostOfPlot = height;
  m_splitter->widget(0)->setMinimumHeight(std::min(leastPlot(), height));
  shareHeight();
}

// The plot keeps its share of the height for every tab, so that the row of tabs stays under the pointer. If a tab is taller than
// the rest, the page scrolls.
void Page::shareHeight() {
  const int seen = m_scroll->viewport()->height();
  if (!m_tabs || seen <= 0) return;
  if (tall() != PagePart::Both)
    return m_splitter->setMinimumHeight(tall() == PagePart::Tabs ? m_tabs->minimumSizeHint().height() : 0);
  if (isPlacedByHand(*m_splitter)) return m_splitter->setMinimumHeight(0);
  // A low plot still shows its shape; a low table shows no rows. The plot keeps its share only if it is the page's main part.
  const auto own = m_shareOf.find(m_tabs->currentWidget());
  const double wanted = own == m_shareOf.end() ? m_plotShare : own->second;
  const double share = m_isShort && wanted <= 0.6 ? wanted - 0.1 : wanted;
  const int handle = m_splitter->handleWidth();
  const int least = leastPlot();
  m_splitter->widget(0)->setMinimumHeight(std::min(least, m_mostOfPlot));
  const int plot = std::min(m_mostOfPlot, std::max(least, int(share * seen)));
  m_tabsLeast = m_tabs->minimumSizeHint().height();
  const int all = std::max(seen, plot + handle + m_tabsLeast);
  m_splitter->setMinimumHeight(all > seen ? all : 0);
  m_splitter->resize(m_splitter->width(), all); // at once, because a later resize would distribute the height again
  m_splitter->setSizes({plot, all - handle - plot});
}

// Only the visible tab sets the minimum height of the tabs: the tallest hidden tab would take space from the plot for no gain.
void Page::showTab() {
  for (int i = 0; i < m_tabs->count(); ++i) {
    QSizePolicy policy = m_tabs->widget(i)->sizePolicy();
    policy.setVerticalPolicy(i == m_tabs->currentIndex() ? QSizePolicy::Preferred : QSizePolicy::Ignored);
    m_tabs->widget(i)->setSizePolicy(policy);
  }
  const bool wantsAll = m_isShort && m_shareOf.contains(m_tabs->currentWidget());
  if (wantsAll != m_wantsAll) {
    m_wantsAll = wantsAll;
    if (wantsAll && tall() == PagePart::Both)
      setTall(PagePart::Tabs), m_isTallByItself = true;
    else if (!wantsAll && m_isTallByItself)
      setTall(PagePart::Both);
  }
  shareHeight();
}

// In a low window, scrolls to the tabs if too little of them is visible; else nothing moves.
void Page::bringIntoSight() {
  const int below = m_scroll->viewport()->height() - m_tabs->mapTo(m_scroll->viewport(), QPoint()).y();
  if (below < std::min(kLeastInSight, m_tabs->height())) m_scroll->ensureWidgetVisible(m_tabs, 0, 0);
}

void Page::showTabs() {
  if (!m_tabs) return;
  if (tall() == PagePart::Plot) setTall(PagePart::Both);
  QMetaObject::invokeMethod(
      this, [this] { m_scroll->ensureWidgetVisible(m_tabs, 0, 0); }, Qt::QueuedConnection);
}

QTabWidget* Page::tabs() {
  if (!m_tabs) {
    m_tabs = new PlainTabs;
    m_tabs->setDocumentMode(true);
    connect(m_tabs, &QTabWidget::currentChanged, this, [this] {
      showTab();
      if (m_tabs->isVisible()) QMetaObject::invokeMethod(this, &Page::bringIntoSight, Qt::QueuedConnection);
    });
    addTallButtons();
    m_splitter->addWidget(m_tabs);
    m_splitter->setStretchFactor(1, 100 - int(m_plotShare * 100));
    m_splitter->setSizes({int(m_plotShare * 1000), 1000 - int(m_plotShare * 1000)});
  }
  return m_tabs;
}

void Page::addTallButtons() {
  auto* buttons = new QWidget;
  auto* row = new QHBoxLayout(buttons);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  const auto add = [&](const QString& name) {
    auto* button = new QToolButton;
    button->setCheckable(true);
    button->setIconSize({18, 18});
    button->setToolTip(theme::tipText(name));
    button->setAccessibleName(name);
    row->addWidget(button);
    return button;
  };
  m_tallPlot = add(tr("Plot at full height")), m_tallTabs = add(tr("Tabs at full height"));
  connect(m_tallPlot, &QToolButton::clicked, this, [this](bool on) { setTall(on ? PagePart::Plot : PagePart::Both); });
  connect(m_tallTabs, &QToolButton::clicked, this, [this](bool on) { setTall(on ? PagePart::Tabs : PagePart::Both); });
  connect(m_tabs, &QTabWidget::tabBarClicked, this, [this] {
    if (tall() == PagePart::Plot) setTall(PagePart::Both);
  });
  m_tabs->setCornerWidget(buttons, Qt::TopRightCorner);
  restyle();
}

void Page::setTall(PagePart part) {
  if (!m_tabs || m_splitter->count() < 2) return;
  m_isTallByItself = false;
  m_tallPlot->setChecked(part == PagePart::Plot), m_tallTabs->setChecked(part == PagePart::Tabs);
  m_splitter->widget(0)->setVisible(part != PagePart::Tabs);
  m_tabs->setMaximumHeight(part == PagePart::Plot ? m_tabs->tabBar()->sizeHint().height() : QWIDGETSIZE_MAX);
  m_splitter->handle(1)->setEnabled(part == PagePart::Both); // a drag would change the sizes for later
  shareHeight();
}

PagePart Page::tall() const {
  if (!m_tabs) return PagePart::Both;
  return m_tallPlot->isChecked() ? PagePart::Plot : m_tallTabs->isChecked() ? PagePart::Tabs : PagePart::Both;
}

void Page::setBody(QWidget* body) {
  if (m_body) m_stack->removeWidget(m_body), m_body->deleteLater();
  m_body = body;
  m_stack->insertWidget(0, body);
  m_stack->setCurrentWidget(body);
}

void Page::setBanner(const QString& text, Tone tone, const QString& action, std::function<void()> run) {
  m_bannerTone = tone;
  m_bannerText->setText(theme::bounded(text));
  m_bannerAction->setText(action);
  m_bannerAction->setVisible(!action.isEmpty());
  m_bannerAction->disconnect(this);
  if (run) connect(m_bannerAction, &QPushButton::clicked, this, [run = std::move(run)] { run(); });
  m_banner->setProperty("role", tone == Tone::Bad ? "bad" : tone == Tone::Warning ? "warning" : "note");
  m_banner->style()->unpolish(m_banner); // the style sheet reads a changed role only after unpolish()
  m_banner->style()->polish(m_banner);
  m_banner->setAccessibleName(text);
  // A banner that appears while the content is visible covers the lower edge of the page, so that the content does not move under
  // the pointer.
  if (m_banner->isHidden()) m_bannerFloats = isVisible() && !isLoading();
  auto* column = static_cast<QVBoxLayout*>(layout());
  column->removeWidget(m_banner);
  if (!m_bannerFloats) column->insertWidget(0, m_banner);
  m_banner->show();
  restyle();
  placeBanner();
}

void Page::clearBanner() { m_banner->hide(); }

void Page::placeBanner() {
  if (!m_bannerFloats || m_banner->isHidden()) return;
  m_banner->setGeometry(placeOfMessage(rect(), *m_banner->layout()));
  m_banner->raise();
}

void Page::showBody(QWidget* body, bool withTools) {
  m_stack->setCurrentWidget(body);
  m_toolBox->setVisible(withTools), m_headerBox->setVisible(withTools && m_header->count() > 0);
}

void Page::showContent() {
  showBody(m_body ? m_body : m_scroll, true);
  QMetaObject::invokeMethod(this, &Page::shareHeight, Qt::QueuedConnection); // queued: the page then has its new height
  // The view kept the keyboard focus until there was content to take it.
  if (parentWidget() && parentWidget()->hasFocus()) focusContent();
}

void Page::showLoading(const QString& title) {
  m_skeleton->begin(title);
  showBody(m_skeleton, true); // the next report probably looks like this one
}

void Page::setLoading(const QString& phase, double fraction) { m_skeleton->setProgress(phase, fraction); }

void Page::showEmpty(const QString& title, const QString& why, const QString& action, std::function<void()> run) {
  m_state->showEmpty(title, why, action, std::move(run));
  showBody(m_state, false);
}

void Page::showError(const reports::Error& error, const QString& action, std::function<void()> run) {
  m_state->showError(error, action, std::move(run));
  showBody(m_state, false);
}

bool Page::focusContent() {
  QWidget* shown = m_stack->currentWidget();
  QWidget* target = shown == m_scroll && m_splitter->count() > 0 ? firstTakingKeys(*m_splitter->widget(0)) : nullptr;
  if (!target) target = firstTakingKeys(*shown);
  if (target) target->setFocus(Qt::OtherFocusReason);
  return target;
}

bool Page::isLoading() const { return m_stack->currentWidget() == m_skeleton; }

} // namespace ui::shell
