#include "ui/window/top_bar.h"

#include "ui/theme/icons.h"
#include "ui/theme/plain_text.h"
#include "ui/window/report_chip.h"
#include "ui/window/search_button.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QMenu>
#include <QPainter>
#include <QToolButton>

namespace ui::shell {

namespace {
constexpr int kPairWithUnits = 1000; // pixels; a narrower bar has the units in a menu
}

TopBar::TopBar(const theme::Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  setFixedHeight(theme::kTopBar);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(theme::kMargin, 0, theme::kGrid, 1);
  row->setSpacing(theme::kGrid);

  m_open = tool("open", tr("Open a report"), tr("Open a report (Ctrl+O)"));
  m_open->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  m_open->setText(tr("Open"));
  row->addWidget(m_open);
  for (int i = 0; i < 2; ++i) {
    m_chips[i] = new ReportChip(theme, i ? "B" : "A", this);
    if (i == 1) {
      m_swap = tool("swap", tr("Swap the reports"), tr("Swap the two reports"));
      row->addWidget(m_swap);
      connect(m_swap, &QToolButton::clicked, this, &TopBar::swapRequested);
    }
    row->addWidget(m_chips[i]);
    connect(m_chips[i], &ReportChip::reloadRequested, this, &TopBar::reloadRequested);
    connect(m_chips[i], &ReportChip::closeRequested, this, [this, i] { emit closeRequested(i); });
    connect(m_chips[i], &ReportChip::runRequested, this, [this, i] { emit runRequested(i); });
    connect(m_chips[i], &ReportChip::tracesRequested, this, [this, i] { emit tracesRequested(i); });
    connect(m_chips[i], &ReportChip::compareRequested, this, &TopBar::compareRequested);
    connect(m_chips[i], &ReportChip::linkRequested, this, &TopBar::linkRequested);
    connect(m_chips[i], &ReportChip::bookmarksRequested, this, &TopBar::bookmarksRequested);
    connect(m_chips[i], &ReportChip::lessonRequested, this, &TopBar::lessonRequested);
    connect(m_chips[i], &ReportChip::pageRequested, this, [this, i] { emit pageRequested(i); });
  }
  m_further = tool("compare", tr("Further reports"), tr("Further reports of the comparison"));
  m_further->setToolButtonStyle(Qt::ToolButtonTextOnly);
  row->addWidget(m_further);
  connect(m_further, &QToolButton::clicked, this, &TopBar::showFurther);
  m_shownBox = new QWidget;
  auto* shown = new QHBoxLayout(m_shownBox);
  shown->setContentsMargins(0, 0, 0, 0);
  m_shown = segments(shown, {tr("A"), tr("B"), tr("Difference")}, tr("Report to show"));
  const QStringList tips{tr("Every view shows report A (Alt+1)"), tr("Every view shows report B (Alt+2)")};
  for (int i = 0; i < tips.size(); ++i) m_shown->button(i)->setToolTip(theme::tipText(tips[i]));
  connect(m_shown, &QButtonGroup::idClicked, this, [this](int id) { emit shownChosen(Shown(id)); });
  row->addWidget(m_shownBox);
  row->addStretch(1);

  row->addWidget(m_search = new SearchButton(theme), 2);
  connect(m_search, &QAbstractButton::clicked, this, &TopBar::searchRequested);
  row->addSpacing(theme::kHalf);

  m_time = segments(row, {tr("cycles"), tr("time")}, tr("Unit of time"));
  m_memory = segments(row, {QStringLiteral("KiB"), QStringLiteral("kB"), QStringLiteral("B")}, tr("Unit of memory"));
  connect(m_time, &QButtonGroup::idClicked, this, [this](int id) { emit unitsChosen({theme::TimeUnit(id), m_units.memory}); });
  connect(m_memory, &QButtonGroup::idClicked, this, [this](int id) { emit unitsChosen({m_units.time, theme::MemoryUnit(id)}); });
  m_unitMenu = tool("theme", tr("Units"), tr("Units of time and memory"));
  m_unitMenu->setToolButtonStyle(Qt::ToolButtonTextOnly);
  row->addWidget(m_unitMenu);
  connect(m_unitMenu, &QToolButton::clicked, this, &TopBar::showUnits);
  m_themeButton = tool("theme", tr("Light or dark"), tr("Light or dark (Ctrl+T)"));
  auto* help = tool("help", tr("Help"), tr("Help and keys (F1)"));
  row->addWidget(m_themeButton);
  row->addWidget(help);
  connect(m_open, &QToolButton::clicked, this, &TopBar::openRequested);
  connect(m_themeButton, &QToolButton::clicked, this, &TopBar::themeToggled);
  connect(help, &QToolButton::clicked, this, &TopBar::helpRequested);
  connect(&theme, &theme::Theme::changed, this, qOverload<>(&QWidget::update));
  setReports({});
}

QToolButton* TopBar::tool(const QString& iconName, const QString& name, const QString& tip) {
  auto* button = new QToolButton(this);
  button->setIcon(theme::icon(m_theme, iconName, theme::Tint::Secondary));
  button->setIconSize({20, 20});
  button->setAccessibleName(name);
  button->setToolTip(theme::tipText(tip));
  button->setFocusPolicy(Qt::TabFocus);
  return button;
}

QButtonGroup* TopBar::segments(QHBoxLayout* row, const QStringList& titles, const QString& name) {
  auto* group = new QButtonGroup(this);
  auto* box = new QHBoxLayout;
  box->setSpacing(0);
  for (int i = 0; i < titles.size(); ++i) {
    auto* button = new QToolButton;
    button->setText(titles[i]);
    button->setCheckable(true);
    button->setProperty("role", "segment");
    button->setProperty("place", i == 0 ? "first" : i + 1 == titles.size() ? "last" : "middle");
    button->setAccessibleName(name + ": " + titles[i]);
    button->setFocusPolicy(Qt::TabFocus);
    group->addButton(button, i);
    box->addWidget(button);
  }
  row->addLayout(box);
  return group;
}

void TopBar::setReports(const QList<ChipText>& reports) {
  m_open->setVisible(reports.isEmpty());
  m_swap->setVisible(reports.size() > 1);
  m_shownBox->setVisible(reports.size() > 1);
  m_reports = reports;
  m_further->setVisible(reports.size() > 2);
  m_further->setText(QStringLiteral("+%1").arg(reports.size() - 2));
  fit();
  for (int i = 0; i < 2; ++i) {
    m_chips[i]->setVisible(i < reports.size());
    if (i < reports.size()) m_chips[i]->setReport(reports[i], reports.size() > 1);
  }
}

void TopBar::setLesson(bool has) { m_chips[0]->setLesson(has); }

void TopBar::setUnits(theme::Units units, bool hasClock) {
  m_units = units;
  m_time->button(int(units.time))->setChecked(true);
  m_memory->button(int(units.memory))->setChecked(true);
  m_unitMenu->setText(QStringLiteral("%1, %2 \u25be").arg(m_time->checkedButton()->text(), m_memory->checkedButton()->text()));
  const QString times = hasClock ? tr("Times from the machine's clock") : tr("Times, once a report with a clock is open");
  m_time->button(1)->setToolTip(theme::tipText(times));
}

void TopBar::showFurther() {
  QMenu menu(this);
  for (int i = 2; i < m_reports.size(); ++i) {
    QMenu* report = menu.addMenu(
        QStringLiteral("%1  %2").arg(QChar('A' + i)).arg(QString(m_reports[i].name).replace('&', QStringLiteral("&&"))));
    report->addAction(theme::icon(m_theme, "swap"), tr("Make it B"), this, [this, i] { emit otherChosen(i); });
    report->addAction(theme::icon(m_theme, "close"), tr("Close"), this, [this, i] { emit closeRequested(i); });
  }
  menu.exec(m_further->mapToGlobal(QPoint(0, m_further->height() + 4)));
}

void TopBar::setShown(Shown shown, const QString& whyNot) {
  m_shown->button(int(shown))->setChecked(true);
  QAbstractButton* difference = m_shown->button(int(Shown::Difference));
  difference->setEnabled(whyNot.isEmpty());
  const QString tip = whyNot.isEmpty() ? tr("Every view shows what changed from A to B (Alt+3)") : whyNot;
  difference->setToolTip(theme::tipText(tip));
}

void TopBar::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fit();
}

// The units as a menu.
void TopBar::showUnits() {
  QMenu menu(this);
  for (QButtonGroup* group : {m_time, m_memory}) {
    if (group == m_memory) menu.addSeparator();
    for (QAbstractButton* unit : group->buttons()) {
      QAction* action = menu.addAction(unit->text(), unit, &QAbstractButton::click);
      action->setCheckable(true);
      action->setChecked(unit->isChecked());
    }
  }
  menu.exec(m_unitMenu->mapToGlobal(QPoint(0, m_unitMenu->height() + 4)));
}

void TopBar::fit() {
  const bool room = m_reports.size() < 2 || width() >= kPairWithUnits;
  m_unitMenu->setVisible(!room);
  for (const QButtonGroup* group : {m_time, m_memory})
    for (QAbstractButton* unit : group->buttons()) unit->setVisible(room);
}

void TopBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), m_theme.tokens().surface);
  painter.fillRect(QRect(0, height() - 1, width(), 1), m_theme.tokens().line);
}

} // namespace ui::shell
