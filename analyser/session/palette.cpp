#include "analyser/session/palette.h"

#include <fmt/format.h>

#include <iterator>

namespace analyser {

namespace {

// The hues of Okabe and Ito, with the neutral grey of idle time as the eighth; then a variant of each, darker on light surfaces
// and lighter on dark ones. On white, light hues are darkened. Those whose lightness would then be equal look alike to a
// colour-blind person, so some are darkened further.
enum Hue { Blue, Vermillion, Green, Orange, Purple, Sky, Yellow, Grey };
constexpr Colour kHues[] = {{0x0072B2, 0x0072B2}, {0xC24E00, 0xD55E00}, {0x009E73, 0x009E73}, {0xC68900, 0xE69F00},
                            {0xA84A82, 0xCC79A7}, {0x4B9DCB, 0x56B4E9}, {0x848744, 0xF0E442}, {0x8C959F, 0x666D76},
                            {0x004B75, 0x61A8CF}, {0x803300, 0xE59B61}, {0x00684C, 0x61C3A8}, {0x835A00, 0xF0C361},
                            {0x6F3156, 0xDFACC8}, {0x326886, 0x96D1F1}, {0x57592D, 0xF6EE8A}, {0x5C6269, 0xA0A4AA}};

} // namespace

// The most frequent entries of legends have the hues of the palette; the others have colours between them. Any two stay about
// twelve apart (CIEDE2000) in each theme. Eight hues in two lightnesses were not enough, because the pale blues were too similar,
// and so were the pale oranges.
Colour memoryColour(reports::MemoryCategory c) {
  using enum reports::MemoryCategory;
  switch (c) {
  case Variable: return kHues[Blue];
  case Constant: return kHues[Sky];
  case VertexCode:
  case SharedCodeStorage: return kHues[Vermillion];
  case InternalExchangeCode: return kHues[Orange];
  case HostExchangeCode: return {0xA98B7E, 0x916808};
  case GlobalExchangeCode: return {0x8A6242, 0xB89878};
  case ControlCode: return kHues[Purple];
  case ControlTable: return {0x5E2750, 0xA66CD9};
  case ControlId: return {0x3D1A0B, 0x8D675E};
  case VertexInstanceState: return kHues[Green];
  case VertexFieldData: return {0x005740, 0x7FE3C4};
  case VectorListDescriptor: return {0x5E8C1B, 0xA2C93F};
  case Stack: return {0x524A00, 0xF0E442}; // on light surfaces, kHues[Yellow] is similar to the packet headers
  case Message: return {0x3A3FA8, 0x8E98FF};
  case HostMessage: return {0x669994, 0x4C969E};
  case GlobalMessage: return {0x007E86, 0x5CD3DE};
  case CopyDescriptor: // equal to packet headers, which are small: a legend hardly ever has both
  case HostExchangePacketHeader:
  case GlobalExchangePacketHeader: return {0x7D7A2E, 0xA89E4E};
  case InstrumentationResults: return {0x4A5058, 0xC6CACF};
  case Rearrangement: return {0x9A2F45, 0xF29CA3};
  case SharedDataStorage: break;
  }
  return kHues[Grey];
}

Colour activityColour(reports::Activity activity) {
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
  // A span around steps must not stand out: a quiet slate, bluer than the grey of idle time.
  return {0x7389AE, 0x5E7699};
}

Colour restColour() { return kSurfaceColours.disabled; }

Colour seriesColour(int index) { return kHues[static_cast<unsigned>(index) % std::size(kHues)]; }

std::string cssColour(uint32_t rgb) { return fmt::format("#{:06x}", rgb); }

} // namespace analyser
