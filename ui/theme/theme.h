// The one object that gives every colour, font and distance of the interface. It follows the desktop, or an explicit light or dark
// scheme. Qt 6.4 cannot tell the desktop's scheme: its portal does (DesktopScheme), else the lightness of its palette decides.
#pragma once

#include "ui/theme/tokens.h"

#include <QFont>
#include <QObject>
#include <QPalette>

#include <optional>

class QApplication;

namespace ui::theme {

enum class Scheme { System, Light, Dark };

// Distances in device-independent pixels, on a grid of 8.
inline constexpr int kGrid = 8;
inline constexpr int kHalf = 4;
inline constexpr int kMargin = 16;
inline constexpr int kRow = 24;
inline constexpr int kControl = 28;
inline constexpr int kTopBar = 44;
inline constexpr int kRail = 200;
inline constexpr int kRailFolded = 48;
inline constexpr int kStatus = 28;
inline constexpr int kLane = 18;
inline constexpr int kMinimap = 32;
inline constexpr int kRadius = 6;

class Theme : public QObject {
  Q_OBJECT

public:
  explicit Theme(QObject* parent = nullptr);

  Scheme scheme() const { return m_scheme; }
  // Changes the scheme and, if `apply` was called, restyles the application.
  void setScheme(Scheme scheme);
  // The desktop's scheme. Nothing: the colours of its palette decide.
  void setDesktopDark(std::optional<bool> dark);
  // Styles the application now, and again at every change of the desktop's palette.
  void apply(QApplication& application);

  // The size of text, in points; headings and captions follow it.
  static constexpr double kLeastPoints = 8, kMostPoints = 13; // rows have a fixed height, too low for larger letters
  double pointSize() const { return m_text.pointSizeF(); }
  void setPointSize(double points);

  Scale scale() const { return m_scale; }
  void setScale(Scale scale);
  // Tiles per row of a tile map; 0: arranged as on the chip.
  static constexpr int kMostTilesPerRow = 256;
  int tilesPerRow() const { return m_tilesPerRow; }
  void setTilesPerRow(int tiles);

  bool isDark() const { return m_dark && !m_posesLight; }
  const Tokens& tokens() const { return theme::tokens(isDark()); }
  QColor activity(reports::Activity a) const { return activityColour(a, isDark()); }
  QColor memory(reports::MemoryCategory c) const { return memoryColour(c, isDark()); }
  QColor series(int index) const { return seriesColour(index, isDark()); }
  // Greys, because hues stand for categories, and both kinds hold memory of all categories.
  QColor alwaysLive() const { return mix(tokens().surface, tokens().text, 0.3); }
  QColor notAlwaysLive() const { return mix(tokens().surface, tokens().text, 0.75); }
  QColor quantity(double share) const { return quantityColour(share, m_scale); }
  QColor difference(double share) const { return differenceColour(share, isDark()); }

  // For painting. Labels take a role instead (setProperty("role", …): strong, heading, title, secondary, mono): a font set on
  // a widget is lost when the style sheet is applied to it.
  QFont text() const { return m_text; }
  QFont strong() const;  // same size, semi-bold
  QFont small() const;   // axis labels, captions
  QFont heading() const; // the verdict line
  QFont title() const;   // the start page
  QFont mono() const;    // addresses and names of variables

  QPalette palette() const;
  QString styleSheet() const;

  // Until poseLight(false) everything has its light colours, whatever scheme the window has: for an image on paper. Emits `posed`
  // instead of `changed`, because views read again at `changed`; only objects that keep colours outside of their painting must
  // handle it. Nothing is painted on the screen meanwhile, so that the window does not flicker.
  void poseLight(bool light);

signals:
  void changed();
  void posed();

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  void settle();
  void chooseFonts();

  QApplication* m_application = nullptr;
  QPalette m_desktop;
  QFont m_text, m_mono;
  Scheme m_scheme = Scheme::System;
  std::optional<bool> m_desktopDark;
  Scale m_scale = Scale::Cividis;
  int m_tilesPerRow = 0;
  bool m_dark = false, m_posesLight = false, m_applying = false;
};

} // namespace ui::theme
