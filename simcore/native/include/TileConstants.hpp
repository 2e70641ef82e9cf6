// Another name of poplar/TileConstants.hpp.
#pragma once

#include <poplar/TileConstants.hpp>
