#include "bzscr_rt/bzscr_rt.h"

extern "C" const char* bzscr_rt_status_text(bzscr_rt_status status) {
  switch (status) {
#define TEXT(name, code, text) \
  case code: return text;
    BZSCR_RT_STATUS_LIST(TEXT)
#undef TEXT
    default: return "not a status of this library";
  }
}
