/* Start-up code of a Cortex-M without an operating system, from reset to main(). Output goes to the
 * debugger by semihosting. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int main(void);
extern void initialise_monitor_handles(void); /* newlib's semihosting */
extern unsigned char data_start[], data_end[], data_load[], bss_start[], bss_end[], stack_top[];

static volatile uint32_t* const coprocessor_access = (volatile uint32_t*)0xE000ED88u;

__attribute__((noreturn)) void reset(void) {
  *coprocessor_access |= 0xFu << 20; /* enables the floating-point unit */
  __asm volatile("dsb\n isb" ::: "memory");
  memcpy(data_start, data_load, (size_t)(data_end - data_start));
  memset(bss_start, 0, (size_t)(bss_end - bss_start));
  initialise_monitor_handles();
  exit(main());
}

/* A fault ends the program with an error, so that the test fails. */
static void fault(void) { _Exit(1); }

/* newlib calls these around main(). */
void _init(void) {}
void _fini(void) {}

__attribute__((section(".vectors"), used)) static const struct {
  unsigned char* stack;
  void (*handlers[15])(void);
} vectors = {stack_top,
             {reset, fault, fault, fault, fault, fault, 0, 0, 0, 0, fault, fault, 0, fault, fault}};
