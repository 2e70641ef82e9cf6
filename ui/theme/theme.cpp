#include "ui/theme/theme.h"

#include "ui/theme/style_pages.h"

#include <QApplication>
#include <QEvent>
#include <QFontDatabase>
#include <QFontInfo>
#include <QStyleFactory>

#include <algorithm>

namespace ui::theme {

namespace {
QFont scaledFont(QFont font, double factor, QFont::Weight weight) {
  font.setPointSizeF(font.pointSizeF() * factor);
  font.setWeight(weight);
  return font;
}
} // namespace

Theme::Theme(QObject* parent) : QObject(parent) {
  m_desktop = QGuiApplication::palette();
  chooseFonts();
  settle();
}

void Theme::chooseFonts() {
  m_text = QFontDatabase::systemFont(QFontDatabase::GeneralFont);
  // Without a desktop Qt falls back to a generic family; an installed text face is better.
  const QString family = QFontInfo(m_text).family();
  if (family.startsWith("DejaVu") || m_text.family().compare("sans serif", Qt::CaseInsensitive) == 0) {
    const QStringList installed = QFontDatabase::families();
    for (const char* preferred : {"Inter", "Cantarell", "Noto Sans", "Open Sans"})
      if (installed.contains(QLatin1String(preferred))) {
        m_text.setFamily(QLatin1String(preferred));
        break;
      }
  }
  m_text.setPointSizeF(10);
  m_text.setHintingPreference(QFont::PreferVerticalHinting);
  m_mono = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  const QStringList installed = QFontDatabase::families();
  for (const char* preferred : {"JetBrains Mono", "Noto Sans Mono", "DejaVu Sans Mono"})
    if (!QFontInfo(m_mono).fixedPitch() && installed.contains(QLatin1String(preferred)))
      m_mono.setFamily(QLatin1String(preferred));
}

void Theme::settle() {
  const bool desktopIsDark = m_desktopDark.value_or(m_desktop.color(QPalette::Window).lightness() < 128);
  m_dark = m_scheme == Scheme::Dark || (m_scheme == Scheme::System && desktopIsDark);
}

void Theme::setDesktopDark(std::optional<bool> dark) {
  if (dark == m_desktopDark) return;
  m_desktopDark = dark;
  const bool wasDark = m_dark;
  settle();
  if (m_dark != wasDark) setScheme(m_scheme);
}

void Theme::setScheme(Scheme scheme) {
  m_scheme = scheme;
  settle();
  if (m_application) apply(*m_application);
  emit changed();
}

void Theme::poseLight(bool light) {
  if (light == m_posesLight) return;
  m_posesLight = light;
  if (m_application) apply(*m_application);
  emit posed();
}

void Theme::setPointSize(double points) {
  points = std::clamp(points, kLeastPoints, kMostPoints);
  if (points == m_text.pointSizeF()) return;
  m_text.setPointSizeF(points);
  if (m_application) apply(*m_application);
  emit changed();
}

void Theme::setScale(Scale scale) {
  if (scale == m_scale) return;
  m_scale = scale;
  emit changed();
}

void Theme::setTilesPerRow(int tiles) {
  tiles = std::clamp(tiles, 0, kMostTilesPerRow);
  if (tiles == m_tilesPerRow) return;
  m_tilesPerRow = tiles;
  emit changed();
}

void Theme::apply(QApplication& application) {
  m_applying = true;
  if (!m_application) {
    m_application = &application;
    application.setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    application.installEventFilter(this);
  }
  application.setFont(m_text);
  application.setPalette(palette());
  StylePages::setSheet(application, styleSheet());
  m_applying = false;
}

bool Theme::eventFilter(QObject* watched, QEvent* event) {
  // setPalette() here sends the same event; only a change from outside comes from the desktop.
  if (event->type() == QEvent::ApplicationPaletteChange && watched == m_application && !m_applying) {
    const QPalette now = QGuiApplication::palette();
    if (now.color(QPalette::Window) != palette().color(QPalette::Window)) {
      m_desktop = now;
      if (m_scheme == Scheme::System) setScheme(Scheme::System);
    }
  }
  return QObject::eventFilter(watched, event);
}

QFont Theme::strong() const { return scaledFont(m_text, 1.0, QFont::DemiBold); }
QFont Theme::small() const { return scaledFont(m_text, 0.88, QFont::Normal); }
QFont Theme::heading() const { return scaledFont(m_text, 1.2, QFont::DemiBold); }
QFont Theme::title() const { return scaledFont(m_text, 2.2, QFont::DemiBold); }

QFont Theme::mono() const {
  QFont font = m_mono;
  font.setPointSizeF(m_text.pointSizeF() * 0.94);
  return font;
}

QPalette Theme::palette() const {
  const Tokens& t = tokens();
  QPalette p;
  p.setColor(QPalette::Window, t.background);
  p.setColor(QPalette::WindowText, t.text);
  p.setColor(QPalette::Base, t.surface);
  p.setColor(QPalette::AlternateBase, t.background);
  p.setColor(QPalette::Text, t.text);
  p.setColor(QPalette::Button, t.surface);
  p.setColor(QPalette::ButtonText, t.text);
  p.setColor(QPalette::BrightText, t.bad);
  p.setColor(QPalette::ToolTipBase, t.raised);
  p.setColor(QPalette::ToolTipText, t.text);
  p.setColor(QPalette::PlaceholderText, t.secondary);
  p.setColor(QPalette::Link, t.accent);
  p.setColor(QPalette::LinkVisited, t.accent);
  p.setColor(QPalette::Highlight, t.accent);
  p.setColor(QPalette::HighlightedText, t.accentText);
  p.setColor(QPalette::Light, t.raised);
  p.setColor(QPalette::Midlight, t.grid);
  p.setColor(QPalette::Mid, t.line);
  p.setColor(QPalette::Dark, t.line);
  p.setColor(QPalette::Shadow, t.line);
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    p.setColor(QPalette::Disabled, role, t.disabled);
  return p;
}

} // namespace ui::theme
