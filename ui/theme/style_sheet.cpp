// The style sheet of the shell: flat surfaces, one line colour, one accent. Written as a template whose @names are tokens.
#include "ui/theme/theme.h"

namespace ui::theme {

namespace {

constexpr const char* kSheet = R"(
* { outline: 0; }
QToolTip { background: @raised; color: @text; border: 1px solid @line; padding: 4px 6px; }
QMainWindow, QDialog { background: @background; }
QLabel { background: transparent; }
QLabel[role="secondary"] { color: @secondary; }
QLabel[role="error"] { color: @bad; }
QLabel[role="strong"] { font-weight: 600; }
QLabel[role="heading"] { font-weight: 600; font-size: @headingpt; }
QLabel[role="title"] { font-weight: 600; font-size: @titlept; }
QLabel[role="mono"] { color: @secondary; font-family: "@mono"; }
QPlainTextEdit[role="mono"] { font-family: "@mono"; font-size: @monopt; }

QPushButton, QToolButton[role="button"] { background: @surface; color: @text; border: 1px solid @line; border-radius: 6px;
  padding: 4px 12px; min-height: 18px; }
QPushButton:hover, QToolButton[role="button"]:hover { background: @hover; }
QPushButton:pressed, QPushButton:checked { background: @pressed; }
QPushButton:focus, QToolButton[role="button"]:focus { border-color: @accent; }
QPushButton::menu-indicator { image: url(@chevron); width: 12px; subcontrol-origin: padding; subcontrol-position: center right; right: 6px; }
QPushButton[role="menu"] { padding-right: 24px; }
QPushButton:disabled { color: @disabled; background: @background; }
QPushButton[role="primary"] { background: @accent; color: @accentText; border-color: @accent; font-weight: 600; }
QPushButton[role="primary"]:hover { background: @accentHover; border-color: @accentHover; }
QPushButton[role="primary"]:focus { border-color: @text; }
QPushButton[role="primary"]:disabled { background: @line; border-color: @line; color: @secondary; }
QPushButton[role="plain"] { background: transparent; border: 1px solid transparent; color: @accent; padding: 4px 8px; }
QPushButton[role="plain"]:hover { background: @hover; }
QPushButton[role="plain"]:focus { border-color: @accent; }

QToolButton { background: transparent; color: @text; border: 1px solid transparent; border-radius: 6px; padding: 4px; }
QToolButton[role="menu"] { padding: 4px 2px 4px 10px; }
QToolButton:hover { background: @hover; }
QToolButton:pressed { background: @pressed; }
QToolButton:checked { background: @selection; color: @text; }
QToolButton:focus { border-color: @accent; }
QToolButton:disabled { color: @disabled; }
QToolButton::menu-indicator { image: none; width: 0; }
QToolButton[role="step"] { border: 1px solid @line; border-radius: 12px; padding: 0; min-width: 22px; min-height: 22px; background: @surface; color: @text; }
QToolButton[role="step"]:hover { background: @hover; }
QToolButton[role="step"]:checked { background: @accent; color: @accentText; border-color: @accent; font-weight: 600; }
QToolButton[role="step"]:focus { border: 1px solid @accent; }
QToolButton[role="step"]:checked:focus { border: 2px solid @text; }
QToolButton[role="segment"] { border: 1px solid @line; border-radius: 0; padding: 3px 10px; background: @surface; min-height: 18px; color: @secondary; }
QToolButton[role="segment"][place="first"] { border-top-left-radius: 6px; border-bottom-left-radius: 6px; }
QToolButton[role="segment"][place="middle"] { border-left: 0; }
QToolButton[role="segment"][place="last"] { border-left: 0; border-top-right-radius: 6px; border-bottom-right-radius: 6px; }
QToolButton[role="segment"]:hover { background: @hover; }
QToolButton[role="segment"]:checked { background: @selection; color: @text; }
QToolButton[role="segment"]:focus { border: 1px solid @accent; }
QToolButton[role="segment"][place="middle"]:focus, QToolButton[role="segment"][place="last"]:focus { padding-left: 9px; }

QLineEdit, QComboBox, QSpinBox, QDoubleSpinBox { background: @surface; border: 1px solid @line; border-radius: 6px;
  padding: 3px 8px; min-height: 20px; selection-background-color: @accent; selection-color: @accentText; }
QLineEdit:focus, QComboBox:focus, QSpinBox:focus, QDoubleSpinBox:focus { border-color: @accent; }
QLineEdit[invalid="true"], QLineEdit[invalid="true"]:focus, QPlainTextEdit[invalid="true"], QPlainTextEdit[invalid="true"]:focus {
  border-color: @bad; }
QLineEdit:disabled, QComboBox:disabled, QSpinBox:disabled { color: @disabled; background: @background; }
QComboBox::drop-down { border: 0; width: 22px; }
QComboBox::down-arrow { image: url(@chevron); width: 12px; height: 12px; }
QComboBox QAbstractItemView { background: @raised; color: @text; border: 1px solid @line; padding: 4px; outline: 0;
  selection-background-color: @selection; selection-color: @text; }
QSpinBox::up-button, QSpinBox::down-button, QDoubleSpinBox::up-button, QDoubleSpinBox::down-button { width: 0; border: 0; }
QPlainTextEdit, QTextEdit, QTextBrowser { background: @surface; color: @text; border: 1px solid @line; border-radius: 6px; padding: 4px;
  selection-background-color: @accent; selection-color: @accentText; }
QCheckBox { spacing: 8px; }
QCheckBox::indicator { width: 14px; height: 14px; border: 1px solid @secondary; border-radius: 3px; background: @surface; }
QCheckBox::indicator:checked { background: @accent; border-color: @accent; image: url(@check); }
QCheckBox:focus { color: @accent; }
QCheckBox::indicator:focus { border-color: @accent; }

QTabWidget::pane { border: 0; border-top: 1px solid @line; top: -1px; background: transparent; }
QTabBar { background: transparent; qproperty-drawBase: 0; }
QTabBar::tab { background: transparent; color: @secondary; border: 0; border-bottom: 2px solid transparent; padding: 6px 4px; margin: 0 16px 0 0; }
QTabBar::tab:disabled { color: @disabled; }
QTabBar::tab:hover:enabled { color: @text; }
QTabBar::tab:selected { color: @text; border-bottom-color: @accent; }
QTabBar::tab:focus { color: @accent; }
QTabBar[role="reports"]::tab, QTabBar[role="reports"]::tab:selected { border-bottom-color: transparent; }
QTabBar[role="reports"]::tab:first { margin-left: 16px; }

QTableView, QTreeView, QListView { background: @surface; color: @text; border: 1px solid @line; border-radius: 6px; gridline-color: @grid;
  selection-background-color: @selection; selection-color: @text; alternate-background-color: @surface; }
QTableView::item, QTreeView::item { padding: 0 8px; border: 0; border-bottom: 1px solid @grid; }
QTreeView::item, QListView::item { padding: 0 4px; }
QTableView::item:hover, QTreeView::item:hover, QListView::item:hover { background: @hover; }
QTableView::item:selected, QTreeView::item:selected, QListView::item:selected { background: @selection; color: @text; }
QTableView:focus, QTreeView:focus, QListView:focus { border-color: @accent; }
QHeaderView { background: transparent; border: 0; }
QHeaderView::section { background: @surface; color: @secondary; border: 0; border-bottom: 1px solid @line; padding: 0 0 0 8px; height: 26px; }
QHeaderView::section:first { border-top-left-radius: 5px; }
QHeaderView::section:last { border-top-right-radius: 5px; }
QHeaderView::section:only-one { border-top-left-radius: 5px; border-top-right-radius: 5px; }
QHeaderView::section:hover { color: @text; }
QHeaderView::up-arrow { image: url(@sortUp); width: 10px; height: 10px; }
QHeaderView::down-arrow { image: url(@sortDown); width: 10px; height: 10px; }
QTableCornerButton::section { background: @surface; border: 0; }
QTreeView::branch { background: transparent; }
QTreeView::branch:has-children:!has-siblings:closed, QTreeView::branch:closed:has-children:has-siblings { image: url(@chevronRight); }
QTreeView::branch:open:has-children:!has-siblings, QTreeView::branch:open:has-children:has-siblings { image: url(@chevron); }

QScrollBar:vertical { background: transparent; width: 12px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 12px; margin: 0; }
QScrollBar::handle { background: @handle; border-radius: 4px; border: 2px solid @surface; }
QScrollBar::handle:vertical { min-height: 32px; }
QScrollBar::handle:horizontal { min-width: 32px; }
QScrollBar::handle:hover { background: @secondary; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QAbstractScrollArea::corner { background: transparent; }

QSplitter::handle { background: transparent; }
QSplitter::handle:vertical { height: 9px; image: url(@gripH); }
QSplitter::handle:horizontal { width: 9px; image: url(@gripV); }
QSplitter::handle:hover { background: @hover; }
QFrame[role="focusMark"] { background: @accent; border-radius: 2px; }

QProgressBar { background: @grid; border: 0; border-radius: 2px; max-height: 4px; min-height: 4px; }
QProgressBar::chunk { background: @accent; border-radius: 2px; }
QMenu { background: @raised; color: @text; border: 1px solid @line; border-radius: 6px; padding: 4px; }
QMenu::item { padding: 5px 24px 5px 12px; border-radius: 4px; }
QMenu::item:selected { background: @selection; color: @text; }
QMenu::item:disabled { color: @disabled; }
QMenu::separator { height: 1px; background: @grid; margin: 4px 8px; }

QFrame[role="card"] { background: @surface; border: 1px solid @line; border-radius: 8px; }
QFrame[role="raised"] { background: @raised; border: 1px solid @line; border-radius: 8px; }
QFrame[role="line"] { background: @line; border: 0; }
QFrame[role="bar"] { background: @surface; border: 0; }
QFrame[role="drop"] { background: transparent; border: 1px dashed @secondary; border-radius: 8px; }
QFrame[role="warning"] { background: @warningFill; border: 1px solid @warning; border-radius: 6px; }
QFrame[role="bad"] { background: @badFill; border: 1px solid @bad; border-radius: 6px; }
QFrame[role="note"] { background: @selection; border: 1px solid @accent; border-radius: 6px; }
QScrollArea { border: 0; background: transparent; }
QScrollArea[role="card"] { background: @surface; border: 1px solid @line; padding: 4px; }
QScrollArea > QWidget > QWidget { background: transparent; }
)";

} // namespace

QString Theme::styleSheet() const {
  const Tokens& t = tokens();
  const QString folder = QStringLiteral(":/icons/sheet/%1/").arg(QLatin1String(t.dark ? "dark" : "light"));
  // Longest names first, so that @accent does not replace the start of @accentText.
  const std::pair<const char*, QString> values[] = {
      {"@accentHover", mix(t.accent, t.dark ? Qt::white : Qt::black, 0.12).name()},
      {"@accentText", t.accentText.name()},
      {"@accent", t.accent.name()},
      {"@background", t.background.name()},
      {"@badFill", mix(t.surface, t.bad, 0.08).name()},
      {"@bad", t.bad.name()},
      {"@chevronRight", folder + "chevron-right.svg"},
      {"@chevron", folder + "chevron-down.svg"},
      {"@check", folder + "check.svg"},
      {"@disabled", t.disabled.name()},
      {"@gripH", folder + "grip-h.svg"},
      {"@gripV", folder + "grip-v.svg"},
      {"@grid", t.grid.name()},
      {"@heading", QString::number(heading().pointSizeF(), 'f', 1)},
      {"@handle", mix(t.surface, t.secondary, 0.45).name()},
      {"@hover", t.hover.name()},
      {"@line", t.line.name()},
      {"@monopt", QString::number(mono().pointSizeF(), 'f', 1) + QStringLiteral("pt")},
      {"@mono", mono().family()},
      {"@pressed", t.pressed.name()},
      {"@raised", t.raised.name()},
      {"@secondary", t.secondary.name()},
      {"@selection", t.selection.name()},
      {"@sortDown", folder + "sort-down.svg"},
      {"@sortUp", folder + "sort-up.svg"},
      {"@surface", t.surface.name()},
      {"@text", t.text.name()},
      {"@title", QString::number(title().pointSizeF(), 'f', 1)},
      {"@warningFill", mix(t.surface, t.warning, 0.10).name()},
      {"@warning", t.warning.name()},
  };
  QString sheet = QString::fromLatin1(kSheet);
  for (const auto& [name, value] : values) sheet.replace(QLatin1String(name), value);
  return sheet;
}

} // namespace ui::theme
