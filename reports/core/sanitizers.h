// Which sanitizer a file is compiled with: GCC defines a macro, clang a feature.
#pragma once

#ifdef __has_feature
#define TILESCOPE_HAS_FEATURE(name) __has_feature(name)
#else
#define TILESCOPE_HAS_FEATURE(name) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || TILESCOPE_HAS_FEATURE(address_sanitizer)
#define TILESCOPE_ADDRESS_SANITIZER 1
#else
#define TILESCOPE_ADDRESS_SANITIZER 0
#endif
#if defined(__SANITIZE_THREAD__) || TILESCOPE_HAS_FEATURE(thread_sanitizer)
#define TILESCOPE_THREAD_SANITIZER 1
#else
#define TILESCOPE_THREAD_SANITIZER 0
#endif
#define TILESCOPE_MEMORY_SANITIZER TILESCOPE_HAS_FEATURE(memory_sanitizer)
