/* A crash that was planted: tests/tools/fuzz_test.py demands that tools/run-fuzz finds and
 * names it. */
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n > 2 && data[0] == 'w' && data[1] == 'h' && data[2] == 'y') __builtin_trap();
    return 0;
}
