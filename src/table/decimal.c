/* table/decimal.c — decimal texts, read exactly.
 *
 * A cell is counted in units of the last digit that its column keeps, straight from its
 * text. Through a double, 0.285 would be 0.28499..., and a value on a bound or in the
 * middle between two steps would fall wherever the last bit of the parser says.
 */
#include "table/decimal.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(const char *text, size_t n, const char *word)
{
    for (size_t i = 0; i < n; i++)
        if (word[i] == '\0' || (text[i] | 0x20) != word[i]) return false;
    return word[n] == '\0';
}

static int64_t times_ten(int64_t v, int digit)
{
    return v > (JALI_SCALED_MAX - digit) / 10 ? JALI_SCALED_MAX : v * 10 + digit;
}

/* Reads "e-12"; false if there is more than that. Far exponents are cut: they saturate. */
static bool scan_exponent(long *out, const char *text, size_t n)
{
    long e = 0;
    size_t i = 1;
    bool minus = i < n && text[i] == '-';
    if (i < n && (text[i] == '-' || text[i] == '+')) i++;
    if (i == n) return false;
    for (; i < n; i++) {
        if (!is_digit(text[i])) return false;
        if (e < 100000000) e = e * 10 + (text[i] - '0');
    }
    *out = minus ? -e : e;
    return true;
}

/* `place` digits belong to the whole, the next one decides `half`, the rest is `more`. */
static void take_digits(jali_scaled *out, const char *text, size_t n, long place)
{
    long k = 0;
    for (size_t i = 0; i < n; i++) {
        if (!is_digit(text[i])) continue;
        int d = text[i] - '0';
        if (k < place)
            out->whole = times_ten(out->whole, d);
        else
            out->more = out->more || d != 0;
        if (k == place) out->half = d >= 5;
        k++;
    }
    for (; k < place && out->whole != 0 && out->whole != JALI_SCALED_MAX; k++)
        out->whole = times_ten(out->whole, 0);
}

bool jali_scaled_scan(jali_scaled *out, const char *text, size_t n, char point, unsigned digits)
{
    *out = (jali_scaled){ .minus = n > 0 && text[0] == '-' };
    if (n > 0 && (text[0] == '-' || text[0] == '+')) {
        text++;
        n--;
    }
    size_t i = 0, dot = 0, seen = 0;
    while (i < n && is_digit(text[i])) i++;
    seen = dot = i;
    if (i < n && text[i] == point)
        for (i++; i < n && is_digit(text[i]); i++) seen++;
    if (seen == 0) {
        if (!is_word(text, n, "inf") && !is_word(text, n, "infinity")) return false;
        out->whole = JALI_SCALED_MAX;
        return true;
    }
    long exponent = 0;
    if (i < n && ((text[i] | 0x20) != 'e' || !scan_exponent(&exponent, text + i, n - i)))
        return false;
    if (n > 1000000) return false;
    take_digits(out, text, i, (long)dot + exponent + (long)digits);
    return true;
}

int64_t jali_scaled_round(const jali_scaled *v, int64_t step)
{
    int64_t q = v->whole / step, r = v->whole % step, middle = step / 2;
    /* An even step has its middle on a unit, an odd one half a unit further. */
    bool up = step % 2 == 0 ? r >= middle : r > middle || (r == middle && v->half);
    q += up;
    return v->minus ? -q : q;
}

int64_t jali_scaled_floor(const jali_scaled *v, int64_t step, bool *exact)
{
    int64_t q = v->whole / step;
    *exact = !v->more && v->whole % step == 0;
    if (!v->minus) return q;
    return *exact ? -q : -q - 1;
}

bool jali_dec_scan(jali_dec *out, const char *text, size_t n)
{
    for (unsigned digits = 0; digits <= JALI_MAX_DIGITS; digits++) {
        jali_scaled v;
        if (!jali_scaled_scan(&v, text, n, '.', digits)) return false;
        if (v.whole == JALI_SCALED_MAX) return false;
        if (v.more) continue;
        *out = (jali_dec){ v.minus ? -v.whole : v.whole, digits };
        return true;
    }
    return false;
}

bool jali_dec_scale(int64_t *units, jali_dec value, unsigned digits)
{
    int64_t u = value.units;
    if (digits < value.digits) return false;
    for (unsigned d = value.digits; d < digits; d++)
        if (__builtin_mul_overflow(u, 10, &u)) return false;
    if (u >= JALI_SCALED_MAX || u <= -JALI_SCALED_MAX) return false;
    *units = u;
    return true;
}

size_t jali_dec_text(char out[static 48], jali_dec value)
{
    uint64_t u = value.units < 0 ? 0 - (uint64_t)value.units : (uint64_t)value.units;
    char digit[64];
    unsigned n = 0, used = 0;
    while (u != 0 || n <= value.digits) {
        digit[n++] = (char)('0' + u % 10);
        u /= 10;
    }
    if (value.units < 0) out[used++] = '-';
    unsigned last = 0;
    while (last < value.digits && digit[last] == '0') last++;
    while (n-- > last) {
        out[used++] = digit[n];
        if (n == value.digits && n > last) out[used++] = '.';
    }
    out[used] = '\0';
    return used;
}

/* Days by the civil calendar; years start in March so that the leap day comes last. */
static int64_t days_of(int64_t y, int64_t m, int64_t d)
{
    y -= m <= 2;
    int64_t era = y / 400, in_era = y - era * 400;
    int64_t day = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
    return era * 146097 + in_era * 365 + in_era / 4 - in_era / 100 + day - 719468;
}

static bool two_digits(const char *text, int64_t *out)
{
    *out = (text[0] - '0') * 10 + (text[1] - '0');
    return is_digit(text[0]) && is_digit(text[1]);
}

bool jali_date_scan(int64_t *days, const char *text, size_t n)
{
    static const char length[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    int64_t hundreds, years, m, d;
    if (n < 10 || text[4] != '-' || text[7] != '-') return false;
    if (n > 10 && text[10] != ' ' && text[10] != 'T') return false;
    if (!two_digits(text, &hundreds) || !two_digits(text + 2, &years) ||
        !two_digits(text + 5, &m) || !two_digits(text + 8, &d))
        return false;
    int64_t y = hundreds * 100 + years;
    bool leap = y % 4 == 0 && (y % 100 != 0 || y % 400 == 0);
    if (y < 1 || m < 1 || m > 12 || d < 1 || d > length[m - 1] + (leap && m == 2)) return false;
    *days = days_of(y, m, d);
    return true;
}

void jali_date_text(char out[static 48], int64_t days)
{
    int64_t z = days + 719468, era = (z >= 0 ? z : z - 146096) / 146097;
    int64_t in_era = z - era * 146097;
    int64_t y = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    int64_t day = in_era - (365 * y + y / 4 - y / 100), mp = (5 * day + 2) / 153;
    int64_t d = day - (153 * mp + 2) / 5 + 1, m = mp < 10 ? mp + 3 : mp - 9;
    snprintf(out, 48, "%04u-%02u-%02u", (unsigned)(y + era * 400 + (m <= 2)), (unsigned)m,
             (unsigned)d);
}
