// Declares the stack bytes of a function. The simulator uses the stack of the process, so the macros expand to nothing.
#pragma once

#define DEF_STACK_USAGE(bytes, name) static_assert((bytes) >= 0, "a stack has a size")
#define DEF_STACK_SIZE_OWN(bytes, name) static_assert((bytes) >= 0, "a stack has a size")
#define DEF_FUNCTION_POINTERS(...) static_assert(true, "")
#define DEF_FUNC_CALL_PTRS(...) static_assert(true, "")
#define DEF_STACK_SIZE_OWN_AND_CALLS(...) static_assert(true, "")
