/* base/rat.c — exact rational numbers. */
#include "base/rat.h"
#include <ctype.h>

/* A number as text, taken apart: sign, digits without the point, power of ten. */
struct decimal {
    bool minus;
    char digits[JALI_RAT_MAX_TEXT + 1];
    int exponent;
};

static const char *read_exponent(const char *p, int *exponent)
{
    if (*p != 'e' && *p != 'E') return p;
    p++;
    int sign = *p == '-' ? -1 : 1;
    if (*p == '-' || *p == '+') p++;
    if (!isdigit((unsigned char)*p)) return NULL;
    int value = 0;
    for (; isdigit((unsigned char)*p); p++)
        if (value <= JALI_RAT_MAX_EXPONENT) value = value * 10 + (*p - '0');
    if (value > JALI_RAT_MAX_EXPONENT) return NULL;
    *exponent += sign * value;
    return p;
}

/* Reads sign, digits, point, exponent; returns what follows, NULL if there is no number. */
static const char *read_decimal(const char *p, struct decimal *d)
{
    size_t n = 0;
    bool point = false;
    *d = (struct decimal){ .minus = *p == '-' };
    if (*p == '-' || *p == '+') p++;
    for (; isdigit((unsigned char)*p) || (*p == '.' && !point); p++) {
        if (*p == '.') {
            point = true;
        } else {
            d->digits[n++] = *p;
            d->exponent -= point;
        }
    }
    return n == 0 ? NULL : read_exponent(p, &d->exponent);
}

static void set_decimal(mpq_t out, const struct decimal *d)
{
    mpz_t power;
    mpz_init(power);
    mpz_ui_pow_ui(power, 10, (unsigned long)abs(d->exponent));
    mpz_set_str(mpq_numref(out), d->digits, 10);
    mpz_set_ui(mpq_denref(out), 1);
    if (d->exponent > 0)
        mpz_mul(mpq_numref(out), mpq_numref(out), power);
    else
        mpz_set(mpq_denref(out), power);
    if (d->minus) mpq_neg(out, out);
    mpq_canonicalize(out);
    mpz_clear(power);
}

static bool parse(mpq_t out, const char *text)
{
    struct decimal top, bottom;
    if (strlen(text) > JALI_RAT_MAX_TEXT) return false;
    const char *p = read_decimal(text, &top);
    if (p == NULL || (*p != '\0' && *p != '/')) return false;
    set_decimal(out, &top);
    if (*p == '\0') return true;
    p = read_decimal(p + 1, &bottom);
    if (p == NULL || *p != '\0') return false;
    mpq_t divisor;
    mpq_init(divisor);
    set_decimal(divisor, &bottom);
    bool good = mpq_sgn(divisor) != 0;
    if (good) mpq_div(out, out, divisor);
    mpq_clear(divisor);
    return good;
}

jali_status jali_rat_parse(mpq_t out, const char *text, const char *what, jali_err *err)
{
    mpq_t q;
    mpq_init(q);
    bool good = parse(q, text);
    if (good) mpq_swap(out, q);
    mpq_clear(q);
    if (good) return JALI_OK;
    size_t whole = strspn(text, "0123456789"), rest = 0;
    if (whole > 0 && text[whole] == ',') rest = strspn(text + whole + 1, "0123456789");
    if (rest > 0 && text[whole + 1 + rest] == '\0' && whole + rest < 40)
        return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                         "%s: \"%s\" has a comma where the point belongs; write %.*s.%s", what,
                         text, (int)whole, text, text + whole + 1);
    return jali_fail(err, JALI_E_USAGE, JALI_FOR_ANALYST,
                     "%s: \"%.40s\" is not a number; write it like 0.5, 1e-6 or 1/3", what,
                     text);
}

static bool scaled(uint64_t *out, const mpq_t q, unsigned digits, bool up)
{
    if (mpq_sgn(q) < 0) return false;
    mpz_t z;
    mpz_init(z);
    mpz_ui_pow_ui(z, 10, digits);
    mpz_mul(z, z, mpq_numref(q));
    if (up)
        mpz_cdiv_q(z, z, mpq_denref(q));
    else
        mpz_fdiv_q(z, z, mpq_denref(q));
    bool fits = mpz_sizeinbase(z, 2) <= 64;
    if (fits) {
        *out = 0;
        mpz_export(out, NULL, -1, sizeof *out, 0, 0, z);
    }
    mpz_clear(z);
    return fits;
}

bool jali_rat_up(uint64_t *out, const mpq_t q, unsigned digits)
{
    return scaled(out, q, digits, true);
}

bool jali_rat_down(uint64_t *out, const mpq_t q, unsigned digits)
{
    return scaled(out, q, digits, false);
}

char *jali_decimal(char out[static 32], uint64_t units, unsigned digits)
{
    char all[32];
    int n = snprintf(all, sizeof all, "%0*llu", (int)digits + 1, (unsigned long long)units);
    size_t whole = (size_t)n - digits;
    memcpy(out, all, whole);
    out[whole] = '.';
    memcpy(out + whole + 1, all + whole, digits + 1);
    if (digits == 0) out[whole] = '\0';
    for (size_t end = whole + digits; end > whole && out[end] == '0'; end--) out[end] = '\0';
    if (out[whole] == '.' && out[whole + 1] == '\0') out[whole] = '\0';
    return out;
}
