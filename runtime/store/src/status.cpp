#include "bzscr_store/bzscr_store.h"

const char* bzscr_store_status_text(bzscr_store_status status) {
  switch (status) {
#define BZSCR_STORE_STATUS_TEXT(name, code, text) \
  case code: return text;
    BZSCR_STORE_STATUS_LIST(BZSCR_STORE_STATUS_TEXT)
#undef BZSCR_STORE_STATUS_TEXT
    default: break;
  }
  return status > BZSCR_STORE_CLASS ? bzscr_rt_status_text(status - BZSCR_STORE_CLASS)
                                    : "an unknown status";
}
