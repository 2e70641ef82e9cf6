// Looks like a search field and opens the palette, which has the real field, so that all searches are typed in one field.
#pragma once

#include <QAbstractButton>

namespace ui::theme {
class Theme;
}

namespace ui::shell {

class SearchButton : public QAbstractButton {
  Q_OBJECT

public:
  explicit SearchButton(const theme::Theme& theme, QWidget* parent = nullptr);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

protected:
  void paintEvent(QPaintEvent* event) override;

private:
  const theme::Theme& m_theme;
};

} // namespace ui::shell
