// Words on as many lines as they need. A label in a form inside a scroll area is given the height of a guess and cuts its first
// and last line; this one fixes its height as soon as it knows its width.
#pragma once

#include <QLabel>

namespace ui::shell {

class WrappedLabel : public QLabel {
  Q_OBJECT

public:
  explicit WrappedLabel(const QString& text = {}, QWidget* parent = nullptr);
  void setWords(const QString& text);

protected:
  void resizeEvent(QResizeEvent* event) override;

private:
  void fit();
};

} // namespace ui::shell
