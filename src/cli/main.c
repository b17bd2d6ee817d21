/* cli/main.c — the program. */
#include "jali.h"
#include <stdio.h>

int main(void)
{
    puts("jali 0.1.0");
    return 0;
}
