#include "analyser/html/page_colours.h"

#include <iterator>

namespace analyser::html {

namespace {

// Eight hues, then each a step darker on light surfaces and lighter on dark ones.
enum PageHue { Blue, Vermillion, Green, Orange, Purple, Sky, Yellow, Grey };
constexpr PageColour kHues[] = {{"#0072b2", "#0072b2"}, {"#c24e00", "#d55e00"}, {"#009e73", "#009e73"}, {"#c68900", "#e69f00"},
                                {"#a84a82", "#cc79a7"}, {"#4b9dcb", "#56b4e9"}, {"#848744", "#f0e442"}, {"#8c959f", "#666d76"},
                                {"#004b75", "#61a8cf"}, {"#803300", "#e59b61"}, {"#00684c", "#61c3a8"}, {"#835a00", "#f0c361"},
                                {"#6f3156", "#dfacc8"}, {"#326886", "#96d1f1"}, {"#57592d", "#f6ee8a"}, {"#5c6269", "#a0a4aa"}};

} // namespace

PageColour memoryColour(reports::MemoryCategory c) {
  using enum reports::MemoryCategory;
  switch (c) {
  case Variable: return kHues[Blue];
  case Constant: return kHues[Sky];
  case VertexCode:
  case SharedCodeStorage: return kHues[Vermillion];
  case InternalExchangeCode: return kHues[Orange];
  case HostExchangeCode: return {"#a98b7e", "#916808"};
  case GlobalExchangeCode: return {"#8a6242", "#b89878"};
  case ControlCode: return kHues[Purple];
  case ControlTable: return {"#5e2750", "#a66cd9"};
  case ControlId: return {"#3d1a0b", "#8d675e"};
  case VertexInstanceState: return kHues[Green];
  case VertexFieldData: return {"#005740", "#7fe3c4"};
  case VectorListDescriptor: return {"#5e8c1b", "#a2c93f"};
  case Stack: return {"#524a00", "#f0e442"};
  case Message: return {"#3a3fa8", "#8e98ff"};
  case HostMessage: return {"#669994", "#4c969e"};
  case GlobalMessage: return {"#007e86", "#5cd3de"};
  case CopyDescriptor:
  case HostExchangePacketHeader:
  case GlobalExchangePacketHeader: return {"#7d7a2e", "#a89e4e"};
  case InstrumentationResults: return {"#4a5058", "#c6cacf"};
  case Rearrangement: return {"#9a2f45", "#f29ca3"};
  case SharedDataStorage: break;
  }
  return kHues[Grey];
}

PageColour activityColour(reports::Activity activity) {
  using reports::Activity;
  switch (activity) {
  case Activity::Compute: return kHues[Vermillion];
  case Activity::OnTileCopy: return kHues[Orange];
  case Activity::InternalExchange: return kHues[Sky];
  case Activity::GlobalExchange: return kHues[Green];
  case Activity::HostStream: return kHues[Purple];
  case Activity::Sync: return kHues[Yellow];
  case Activity::Control: return kHues[Blue];
  case Activity::Idle: return kHues[Grey];
  case Activity::Scope: break;
  }
  return {"#7389ae", "#5e7699"};
}

PageColour restColour() { return {"#8c959f", "#6e7681"}; }

PageColour seriesColour(int index) { return kHues[static_cast<unsigned>(index) % std::size(kHues)]; }

} // namespace analyser::html
