/* report/svg.c — the pen: shapes with classes. */
#include "report/svg.h"
#include "base/banned.h"
#include "report/render.h"
#include <math.h>

const char jali_svg_colors[] =
    ":root{color-scheme:light dark;--paper:#fff;--ink:#1c2230;--dim:#5b6472;--line:#d9dde4;"
    "--a:#24557f;--b:#c46a10;--c:#3f7d4e;--d:#8a3f7c;--pale:#f4f6f9}\n"
    "@media(prefers-color-scheme:dark){:root{--paper:#14171c;--ink:#e9ebef;--dim:#a9b1be;"
    "--line:#363d49;--a:#84b9e8;--b:#f0aa58;--c:#93cf9c;--d:#dba0cf;--pale:#1c2027}}\n"
    "@media print{:root{--paper:#fff;--ink:#000;--dim:#444;--line:#ccc;--a:#24557f;--b:#c46a10;"
    "--c:#3f7d4e;--d:#8a3f7c;--pale:#fff}}\n";

const char jali_svg_style[] =
    ".jali text{font:13px system-ui,-apple-system,\"Segoe UI\",\"DejaVu Sans\",sans-serif;"
    "fill:var(--ink)}\n"
    ".jali .h{font-size:15px;font-weight:600}.jali .s{font-size:12px;fill:var(--dim)}"
    ".jali .e{text-anchor:end}.jali .m{text-anchor:middle}"
    ".jali .n{font-variant-numeric:tabular-nums}.jali .i{font-style:italic}"
    ".jali .w{font-size:11px;font-weight:700;fill:var(--paper)}\n"
    ".jali .g{stroke:var(--line);stroke-width:1}.jali .z{stroke:var(--dim);stroke-width:1}"
    ".jali .k{stroke:var(--ink);stroke-width:1.5;fill:none}"
    ".jali .u{stroke:var(--ink);stroke-width:1.2;stroke-dasharray:2 3}"
    ".jali .x{fill:var(--line);stroke:none}.jali .p{fill:var(--paper)}\n"
    ".jali .fa{fill:var(--a)}.jali .fb{fill:var(--b)}.jali .fc{fill:var(--c)}"
    ".jali .fd{fill:var(--d)}.jali .bar{fill:var(--a);fill-opacity:.82}"
    ".jali .ghost{fill:var(--b);fill-opacity:.22;stroke:var(--b);stroke-width:1.4}\n"
    ".jali .la,.jali .lb,.jali .lc,.jali .ld{fill:none;stroke-width:2.2;stroke-linejoin:round}"
    ".jali .la{stroke:var(--a)}.jali .lb{stroke:var(--b);stroke-dasharray:7 4}"
    ".jali .lc{stroke:var(--c);stroke-dasharray:2 3}"
    ".jali .ld{stroke:var(--d);stroke-dasharray:10 3 2 3}"
    ".jali .va,.jali .vb,.jali .vc,.jali .vd{fill-opacity:.16;stroke:none}"
    ".jali .va{fill:var(--a)}.jali .vb{fill:var(--b)}.jali .vc{fill:var(--c)}"
    ".jali .vd{fill:var(--d)}.jali .heat{fill:var(--a);shape-rendering:crispEdges}"
    ".jali .hatch{fill:none;stroke:var(--ink);stroke-width:.8}"
    ".jali .pin{fill:var(--ink);stroke:var(--paper);stroke-width:1.5}\n";

void jali_svg_line(jali_text *out, const char *class, double x1, double y1, double x2,
                   double y2)
{
    jali_text_format(out,
                     "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
                     class, x1, y1, x2, y2);
}

void jali_svg_rect(jali_text *out, const char *class, double x, double y, double w, double h)
{
    jali_text_format(
        out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
        class, x, y, fmax(w, 0), fmax(h, 0));
}

static double letter_width(unsigned char c)
{
    if ((c & 0xc0) == 0x80) return 0; /* the rest of a letter */
    if (c >= 0x80) return 8;
    if (strchr("iljtfrI.,:;'|! ()[]", c) != NULL) return 4.3;
    if (strchr("mwMW@%", c) != NULL) return 11.2;
    if (c >= '0' && c <= '9') return 8.3; /* all alike, and wide */
    return c >= 'A' && c <= 'Z' ? 8.8 : 7.4;
}

double jali_svg_width(const char *text)
{
    double sum = 0;
    for (; *text != '\0'; text++) sum += letter_width((unsigned char)*text);
    return sum;
}

/* The bytes that fit into `room`, whole letters. */
static size_t bytes_within(const char *text, double room)
{
    double sum = 0;
    size_t n = 0;
    for (; text[n] != '\0'; n++) {
        sum += letter_width((unsigned char)text[n]);
        if (sum > room && ((unsigned char)text[n] & 0xc0) != 0x80) break;
    }
    return n;
}

void jali_svg_text(jali_text *out, const char *class, double x, double y, double room,
                   const char *text)
{
    jali_text_format(out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", class, x, y);
    if (room > 0 && jali_svg_width(text) > room) {
        jali_text_add(out, "<title>");
        jali_render_escaped(out, text, strlen(text));
        jali_text_add(out, "</title>");
        jali_render_escaped(out, text, bytes_within(text, room - 9));
        jali_text_add(out, "…");
    } else {
        jali_render_escaped(out, text, strlen(text));
    }
    jali_text_add(out, "</text>\n");
}

double jali_svg_wrapped(jali_text *out, const char *class, double x, double y, double room,
                        double size, double line, const char *text)
{
    while (*text != '\0') {
        size_t n = 0, fits = 0;
        double width = 0;
        for (; text[n] != '\0'; n++) {
            width += letter_width((unsigned char)text[n]) * size;
            if (width > room && fits > 0) break;
            if (text[n] == ' ') fits = n;
        }
        if (text[n] == '\0') fits = n;
        jali_text_format(out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", class, x, y + 15);
        jali_render_escaped(out, text, fits);
        jali_text_add(out, "</text>\n");
        y += line;
        text += fits;
        while (*text == ' ') text++;
    }
    return y;
}

void jali_svg_bead(jali_text *out, size_t series, double x, double y)
{
    switch (series % JALI_SVG_SERIES) {
    case 0:
        jali_text_format(out, "<circle class=\"fa\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.4\"/>\n", x,
                         y);
        break;
    case 1:
        jali_text_format(out,
                         "<path class=\"fb\" d=\"M%.1f %.1fl4.4 4.4l-4.4 4.4l-4.4 -4.4z\"/>\n",
                         x, y - 4.4);
        break;
    case 2:
        jali_text_format(out, "<path class=\"fc\" d=\"M%.1f %.1fl4.2 7.4h-8.4z\"/>\n", x,
                         y - 4.6);
        break;
    default:
        jali_svg_rect(out, "fd", x - 3.2, y - 3.2, 6.4, 6.4);
    }
}

void jali_svg_whisker(jali_text *out, double x1, double y1, double x2, double y2)
{
    const double cap = 3.5;
    if (x1 == x2 && y1 == y2) return;
    if (y1 == y2)
        jali_text_format(
            out, "<path class=\"k\" d=\"M%.1f %.1fH%.1fM%.1f %.1fv%.1fM%.1f %.1fv%.1f\"/>\n",
            x1, y1, x2, x1, y1 - cap, 2 * cap, x2, y1 - cap, 2 * cap);
    else
        jali_text_format(
            out, "<path class=\"k\" d=\"M%.1f %.1fV%.1fM%.1f %.1fh%.1fM%.1f %.1fh%.1f\"/>\n",
            x1, y1, y2, x1 - cap, y1, 2 * cap, x1 - cap, y2, 2 * cap);
}
