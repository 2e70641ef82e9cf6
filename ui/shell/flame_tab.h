// The calls of the visible range as a flame graph: from the outermost inwards, from the innermost outwards, or within one name.
#pragma once

#include "analyser/host/call_tree.h"
#include "ui/theme/format.h"

#include <QWidget>

#include <memory>

class QComboBox;
class QLabel;

namespace ui::theme {
class Theme;
}
namespace ui::plot {
class FlameGraph;
}

namespace ui::host {

class OpenHost;

struct Calls {
  std::vector<analyser::host::CallNode> down, up;
};

class FlameTab : public QWidget {
  Q_OBJECT

public:
  explicit FlameTab(const theme::Theme& theme, QWidget* parent = nullptr);
  // Null: nothing to show.
  void setCalls(std::shared_ptr<OpenHost> host, std::shared_ptr<const Calls> calls);
  // The name that "Within one name" is about: of the selected slice.
  void setName(reports::StringId name);
  void setFormat(const theme::Format& format);

private:
  enum Order { Down, Up, Name };
  void show();
  QString nameOf(reports::StringId name) const;

  const theme::Theme& m_theme;
  theme::Format m_format;
  std::shared_ptr<OpenHost> m_host;
  std::shared_ptr<const Calls> m_calls;
  std::vector<analyser::host::CallNode> m_shown;
  reports::StringId m_name;
  QComboBox* m_order;
  QLabel* m_note;
  plot::FlameGraph* m_graph;
};

} // namespace ui::host
