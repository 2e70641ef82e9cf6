// printf() of a codelet prints to the engine's output.
#pragma once

#include <tilescope_builtins.h>

#include <stdio.h>

#undef printf
#define printf(...) __tilescope_print(__VA_ARGS__)
