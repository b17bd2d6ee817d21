/* The twin of valgrind_test.py: memory lost, or read before it was written, on purpose. */
#include <stdlib.h>

int main(void)
{
    char *volatile p = malloc(8);
    if (p == NULL) return 1;
#ifdef FLAW_lose
    p = NULL;
#else
    int odd = p[3] & 1; /* nobody wrote it */
    free(p);
    if (odd) return 2;
#endif
    return 0;
}
