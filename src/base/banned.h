/* base/banned.h — calls that compile nowhere in this house.
 *
 * Randomness that is not from dice/ is a privacy bug; the string calls are overflows
 * waiting; atoi and its like cannot say no. A use becomes an undeclared name that says so.
 */
#ifndef JALI_BASE_BANNED_H
#define JALI_BASE_BANNED_H

/* The standard headers first, so that their own declarations are not touched. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define JALI_BANNED(name) sorry_##name##_is_a_banned_function

#undef rand
#define rand() JALI_BANNED(rand)
#undef srand
#define srand(x) JALI_BANNED(srand)
#undef random
#define random() JALI_BANNED(random)
#undef srandom
#define srandom(x) JALI_BANNED(srandom)
#undef drand48
#define drand48() JALI_BANNED(drand48)
#undef strcpy
#define strcpy(a, b) JALI_BANNED(strcpy)
#undef strcat
#define strcat(a, b) JALI_BANNED(strcat)
#undef strtok
#define strtok(a, b) JALI_BANNED(strtok)
#undef sprintf
#define sprintf(...) JALI_BANNED(sprintf)
#undef vsprintf
#define vsprintf(...) JALI_BANNED(vsprintf)
#undef atoi
#define atoi(a) JALI_BANNED(atoi)
#undef atol
#define atol(a) JALI_BANNED(atol)
#undef atof
#define atof(a) JALI_BANNED(atof)
#undef localtime
#define localtime(a) JALI_BANNED(localtime)
#undef gmtime
#define gmtime(a) JALI_BANNED(gmtime)

#endif
