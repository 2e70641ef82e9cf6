// The label that counts as none.
#pragma once

#define MASKED_LABEL_CODE (0xFFFFFFFFu)
