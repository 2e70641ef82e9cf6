// The calls of the visible range as a flame graph: from the outermost inwards, from the innermost outwards, or within one name.
// Used for host threads and for IPUs.
#pragma once

#include "analyser/trace/call_tree.h"

#include <QColor>
#include <QWidget>

#include <functional>
#include <memory>

class QComboBox;
class QHBoxLayout;
class QLabel;

namespace ui::theme {
class Theme;
}
namespace ui::plot {
class FlameGraph;
}

namespace ui::shell {

class ViewFields;

struct Calls {
  std::vector<analyser::trace::CallNode> down, up;
};
// At most `limit` nodes for each order.
std::shared_ptr<const Calls> callsOf(std::vector<analyser::trace::CallNode> down, std::size_t limit);

// The view's names, colours and units for its slices.
struct FlameWords {
  std::function<QString(reports::StringId)> name;
  std::function<QString(int colour)> category;
  std::function<QColor(int colour)> colour;
  std::function<QString(int64_t ticks)> amount;
  QString note; // "%1 of all threads together, in the visible range"
  // The argument of `category` and `colour` for a node; if null, the node's category.
  std::function<int(const analyser::trace::CallNode& node)> colourOf = {};
};

class FlameTab : public QWidget {
  Q_OBJECT

public:
  FlameTab(const theme::Theme& theme, FlameWords words, QWidget* parent = nullptr);
  // Null: nothing to show.
  void setCalls(std::shared_ptr<const Calls> calls);
  // The name for "Within the selected name": the name of the selected slice.
  void setName(reports::StringId name);
  void addFields(shell::ViewFields& fields);
  void addChoice(QWidget* choice);                                   // at the start of the toolbar
  void setNote(const QString& note) { m_words.note = note, draw(); } // see FlameWords::note
  void draw();                                                       // draws again, after the texts have changed

private:
  enum class Order { Down, Up, Name };
  int colourOf(const analyser::trace::CallNode& node) const {
    return m_words.colourOf ? m_words.colourOf(node) : int(node.category);
  }
  FlameWords m_words;
  std::shared_ptr<const Calls> m_calls;
  std::vector<analyser::trace::CallNode> m_shown;
  reports::StringId m_name;
  Order m_order = Order::Down;
  QHBoxLayout* m_line;
  QComboBox* m_orders;
  QLabel* m_note;
  plot::FlameGraph* m_graph;
};

} // namespace ui::shell
