// Installed as bits/c++config.h: found in front of the compiler's header of this name, which every header of the standard library
// includes first. Makefiles for an old SDK ask for the strings of before C++11 (-D_GLIBCXX_USE_CXX11_ABI=0). libpoplar and the
// system's other libraries have the strings of C++11, so a program gets these.
#pragma GCC system_header
#if defined(_GLIBCXX_USE_CXX11_ABI) && !_GLIBCXX_USE_CXX11_ABI
#undef _GLIBCXX_USE_CXX11_ABI
#endif
#include_next <bits/c++config.h>
