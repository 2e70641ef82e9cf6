// Bytes that are not a model.
#include "tests/app/hostile/hostile_model.h"

namespace tests::hostile {

void addBytes(Collection& all) {
  const std::string good = HostileModel()
                               .input("x", {4})
                               .integers("w", {1, 2, 3, 4})
                               .node("Cast", {"w"}, "f")
                               .number("to", 1)
                               .node("Add", {"x", "f"})
                               .bytes();
  for (std::size_t i = 0; i < 16; ++i) all.raw("bytes_cut_" + std::to_string(i), good.substr(0, good.size() * i / 16));
  for (std::size_t i = 0; i < 48; ++i) {
    std::string flipped = good;
    flipped[good.size() * i / 48] = char(i * 37 + 128);
    all.raw("bytes_flip_" + std::to_string(i), flipped);
  }
  all.raw("bytes_zeros", std::string(100'000, '\0'));
  all.raw("bytes_ones", std::string(100'000, '\xff'));
  all.raw("bytes_groups", std::string(100'000, '\x0b'));
  all.raw("bytes_text", "this is not a model\n");
  std::string nested;
  for (int i = 0; i < 2000; ++i) { // a graph within a node's attribute within a graph …
    const auto wrap = [&](char tag) {
      std::string head(1, tag);
      for (std::size_t n = nested.size();; n >>= 7) {
        head += char((n & 0x7f) | (n > 0x7f ? 0x80 : 0));
        if (n <= 0x7f) break;
      }
      nested.insert(0, head);
    };
    wrap(0x32), wrap(0x2a), wrap(0x0a);
  }
  all.raw("bytes_nested", "\x3a" + std::string("\xff\xff\x7f") + nested);
  all.raw("bytes_length", std::string("\x3a\xff\xff\xff\xff\x0f", 6) + good);
  all.raw("bytes_length_negative", std::string("\x3a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11) + good);
  all.raw("bytes_unknown_field", good + std::string("\xfa\x07\x04hell", 7));
  all.raw("bytes_twice", good + good);
  all.raw("bytes_gzip", std::string("\x1f\x8b\x08\0\0\0\0\0", 8) + good);
}

} // namespace tests::hostile
