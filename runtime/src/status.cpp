#include "bzscr_rt/bzscr_rt.h"

namespace {

// In the order of the codes.
constexpr const char* kTexts[] = {
    "no error",
    "an argument is missing or out of its range",
    "the model, the arena or the scratch memory is not aligned to 32 bytes",
    "this is not a BZ-SCR file",
    "the file's format is older than this library reads",
    "the file's format is newer than this library reads",
    "this is a BZ-SCR file, but not a model",
    "the model is damaged: changed, cut short, too long, or at odds with itself",
    "the arena is smaller than the model and its class table need",
    "there are more classes than the class table has room for",
    "there is no such class",
    "the name is longer than there is room for",
    "another class has this name",
    "the input holds NaN or infinity",
    "the input has length zero, so it cannot be scaled to unit length",
    "the input is longer than 2^30",
    "there is no kernel of this name that this processor can run",
};
constexpr bzscr_rt_status kCount = sizeof kTexts / sizeof *kTexts;
static_assert(kCount == BZSCR_RT_NO_SUCH_KERNEL + 1, "one text for each status");

}  // namespace

extern "C" const char* bzscr_rt_status_text(bzscr_rt_status status) {
  return status >= 0 && status < kCount ? kTexts[status] : "not a status of this library";
}
