// Numbers of a tile.
#pragma once

#include <arch/gc_tile_defines.h>
