// Screenshots of every view, light and dark, at three sizes, to review the window without a display.
#pragma once

#include "app/gui/options.h"

namespace ui::shell {
class MainWindow;
class Settings;
} // namespace ui::shell
namespace ui::theme {
class Theme;
}

namespace app::gui {

// Writes DIR/<view>-<light|dark>-<W>x<H>.png for each view of `window`, after the view has loaded. If the options name a view,
// theme or size, only that one. With a link (a text that parseLink() understands) the screenshots show its view with its tab,
// selection and filters. Throws reports::Error if a report cannot be opened, a view does not finish or a file cannot be written.
void renderGallery(ui::shell::MainWindow& window, ui::theme::Theme& theme, const Options& options);

} // namespace app::gui
