#include "analyser/html/page_colours.h"

#include <iterator>

namespace analyser::html {

namespace {

// Eight hues, then each a step darker on light surfaces and lighter on dark ones.
enum PageHue { Blue, Vermillion, Green, Orange, Purple, Sky, Yellow, Grey, Second };
constexpr PageColour kHues[] = {{"#0072b2", "#0072b2"}, {"#c24e00", "#d55e00"}, {"#009e73", "#009e73"}, {"#c68900", "#e69f00"},
                                {"#a84a82", "#cc79a7"}, {"#4b9dcb", "#56b4e9"}, {"#524a00", "#f0e442"}, {"#8c959f", "#666d76"},
                                {"#004b75", "#61a8cf"}, {"#803300", "#e59b61"}, {"#00684c", "#61c3a8"}, {"#835a00", "#f0c361"},
                                {"#6f3156", "#dfacc8"}, {"#326886", "#96d1f1"}, {"#363100", "#f6ee8a"}, {"#5c6269", "#a0a4aa"}};

int hueOf(reports::MemoryCategory c) {
  using enum reports::MemoryCategory;
  switch (c) {
  case Variable: return Blue;
  case Constant: return Sky;
  case VertexCode:
  case SharedCodeStorage: return Vermillion;
  case InternalExchangeCode: return Orange;
  case HostExchangeCode:
  case GlobalExchangeCode: return Second + Orange;
  case ControlCode: return Purple;
  case ControlTable:
  case ControlId: return Second + Purple;
  case VertexInstanceState: return Green;
  case VertexFieldData:
  case VectorListDescriptor: return Second + Green;
  case Stack: return Yellow;
  case Message: return Second + Blue;
  case HostMessage:
  case GlobalMessage: return Second + Sky;
  case CopyDescriptor:
  case HostExchangePacketHeader:
  case GlobalExchangePacketHeader: return Second + Yellow;
  case InstrumentationResults: return Second + Grey;
  case Rearrangement: return Second + Vermillion;
  case SharedDataStorage: break;
  }
  return Grey;
}

} // namespace

PageColour memoryColour(reports::MemoryCategory category) { return kHues[hueOf(category)]; }

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
  return {"#8d959d", "#636a74"};
}

PageColour restColour() { return {"#8c959f", "#6e7681"}; }

PageColour seriesColour(int index) { return kHues[static_cast<unsigned>(index) % std::size(kHues)]; }

} // namespace analyser::html
