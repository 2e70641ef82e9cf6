#include "ui/window/preferences.h"

#include "ui/state/settings.h"
#include "ui/state/view_state.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"
#include "ui/window/key_list.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>
#include <QVBoxLayout>

namespace ui::shell {

namespace {

QComboBox* choice(const QString& name, const QStringList& items, int current) {
  auto* box = new QComboBox;
  box->addItems(items);
  box->setCurrentIndex(current);
  box->setAccessibleName(name);
  return box;
}

} // namespace

Preferences::Preferences(theme::Theme& theme, Settings& settings, ViewState& state, WindowActions& actions, QWidget* window)
    : QDialog(window), m_theme(theme), m_settings(settings), m_state(state) {
  setWindowTitle(tr("Preferences"));
  setAttribute(Qt::WA_DeleteOnClose);
  auto* column = new QVBoxLayout(this);
  auto* form = new QFormLayout;
  form->setContentsMargins(0, theme::kGrid, 0, 0);
  form->setHorizontalSpacing(theme::kMargin);
  form->setVerticalSpacing(theme::kGrid);
  addLook(*form);
  addUnits(*form);
  addFiles(*form);
  auto* general = new QWidget;
  general->setLayout(form);
  auto* pages = new QTabWidget;
  pages->setDocumentMode(true);
  pages->addTab(general, tr("General"));
  pages->addTab(new KeyList(actions), tr("Keys"));
  column->addWidget(pages);
  auto* where = theme::plainLabel(tr("Kept in %1").arg(settings.path()));
  where->setProperty("role", "secondary");
  where->setWordWrap(true);
  column->addWidget(where);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
  buttons->button(QDialogButtonBox::Close)->setIcon({}); // the desktop's icon is dark in every theme
  column->addWidget(buttons);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

void Preferences::addLook(QFormLayout& form) {
  auto* scheme = choice(tr("Theme"), {tr("As the desktop"), tr("Light"), tr("Dark")}, int(m_theme.scheme()));
  connect(scheme, &QComboBox::activated, this, [this](int index) {
    m_settings.setScheme(theme::Scheme(index));
    m_theme.setScheme(theme::Scheme(index));
  });
  form.addRow(tr("Theme"), scheme);
  auto* size = new QSpinBox;
  size->setRange(int(theme::Theme::kLeastPoints), int(theme::Theme::kMostPoints));
  size->setSuffix(tr(" pt"));
  size->setButtonSymbols(QAbstractSpinBox::PlusMinus);
  size->setValue(int(m_theme.pointSize()));
  size->setAccessibleName(tr("Text size"));
  connect(size, &QSpinBox::valueChanged, this, [this](int points) {
    m_settings.setPointSize(points);
    m_theme.setPointSize(points);
  });
  form.addRow(tr("Text size"), size);
  auto* scale = choice(tr("Palette"), {tr("Cividis"), tr("Viridis"), tr("Grey")}, int(m_theme.scale()));
  scale->setToolTip(tr("Colours an amount: tile maps, heat maps and the graph of operations"));
  connect(scale, &QComboBox::activated, this, [this](int index) {
    m_settings.setScale(theme::Scale(index));
    m_theme.setScale(theme::Scale(index));
  });
  form.addRow(tr("Palette of amounts"), scale);
  auto* tiles = new QSpinBox;
  tiles->setRange(0, theme::Theme::kMostTilesPerRow);
  tiles->setSpecialValueText(tr("as on the chip"));
  tiles->setButtonSymbols(QAbstractSpinBox::PlusMinus);
  tiles->setValue(m_theme.tilesPerRow());
  tiles->setAccessibleName(tr("Tiles per row"));
  connect(tiles, &QSpinBox::valueChanged, this, [this](int count) {
    m_settings.setTilesPerRow(count);
    m_theme.setTilesPerRow(count);
  });
  form.addRow(tr("Tiles per row of a tile map"), tiles);
}

void Preferences::addUnits(QFormLayout& form) {
  const theme::Units units = m_state.format().units();
  auto* time = choice(tr("Unit of time"), {tr("Cycles"), tr("Seconds")}, int(units.time));
  connect(time, &QComboBox::activated, this, [this](int index) {
    m_state.setUnits({theme::TimeUnit(index), m_state.format().units().memory});
  });
  form.addRow(tr("Unit of time"), time);
  auto* memory = choice(tr("Unit of memory"), {tr("KiB (1,024 bytes)"), tr("kB (1,000 bytes)"), tr("Bytes")}, int(units.memory));
  connect(memory, &QComboBox::activated, this, [this](int index) {
    m_state.setUnits({m_state.format().units().time, theme::MemoryUnit(index)});
  });
  form.addRow(tr("Unit of memory"), memory);
}

void Preferences::addFiles(QFormLayout& form) {
  auto* recent = new QSpinBox;
  recent->setRange(1, Settings::kMostRecent);
  recent->setButtonSymbols(QAbstractSpinBox::PlusMinus);
  recent->setValue(m_settings.recentCount());
  recent->setAccessibleName(tr("Recent reports"));
  connect(recent, &QSpinBox::valueChanged, this, [this](int count) { m_settings.setRecentCount(count); });
  form.addRow(tr("Recent reports to remember"), recent);
  auto* places = new QCheckBox(tr("Open a report where it was left"));
  places->setChecked(m_settings.remembersPlaces());
  connect(places, &QCheckBox::toggled, this, [this](bool on) { m_settings.setRemembersPlaces(on); });
  form.addRow(QString(), places);
}

} // namespace ui::shell
