// Linked into every program that links libpoplar: it needs a symbol of it. So a library that is named before the sources
// (`-lpoplar program.cpp`) is not dropped by compilers that pass --as-needed to the linker.
#include <cstddef>

namespace poplar {
class Target;
void copyFloatToDeviceHalf(const Target& target, const float* from, void* to, std::size_t count);
} // namespace poplar

namespace {
[[gnu::used]] void (*const needed)(const poplar::Target&, const float*, void*, std::size_t) = &poplar::copyFloatToDeviceHalf;
}
