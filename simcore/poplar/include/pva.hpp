// The name that libpva's documentation has for pva/pva.hpp.
#pragma once

#include "pva/pva.hpp"
