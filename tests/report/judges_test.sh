#!/bin/sh
# judges_test.sh GALLERY FOLDER BUILD JALI — what other people's programs say of our formats. A judge that
# is not installed is skipped in words (tools/deps-judges installs them all).
set -u
gallery=$(realpath "$1")
here=$2
judges=$3/checkers/node_modules
jali=$(realpath "$4")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0

say() { # RESULT NAME
    n=$((n + 1))
    echo "$1 $n - $2"
}

echo 1..10
"$gallery" 5 >"$work/page.html"
"$gallery" 6 >"$work/charts.svg"
"$gallery" 7 >"$work/charts.json"

if command -v xmllint >/dev/null; then
    if xmllint --noout "$work/charts.svg" 2>"$work/why"; then
        say ok "SVG is well formed"
    else
        say "not ok" "SVG is well formed"
        sed 's/^/# /' "$work/why"
    fi
else
    say ok "SVG is well formed # SKIP there is no xmllint: install libxml2-utils"
fi

if command -v node >/dev/null && [ -d "$judges/vega-lite" ]; then
    if node "$here/vega_check.mjs" "$judges" "$work/charts.json" >"$work/why" 2>&1; then
        say ok "Vega-Lite accepts, compiles and draws the charts"
    else
        say "not ok" "Vega-Lite accepts, compiles and draws the charts"
        head -20 "$work/why" | sed 's/^/# /'
    fi
    sed 's/"quantitative"/"quantitatif"/' "$work/charts.json" >"$work/wrong.json"
    if node "$here/vega_check.mjs" "$judges" "$work/wrong.json" >/dev/null 2>&1; then
        say "not ok" "its judge refuses a wrong type"
    else
        say ok "its judge refuses a wrong type"
    fi
else
    say ok "Vega-Lite draws the charts # SKIP node or vega-lite is missing: tools/deps-judges"
    say ok "its judge refuses a wrong type # SKIP node or vega-lite is missing: tools/deps-judges"
fi

# A report of all kinds of answers, for the judges of pages.
(cd "$work" && "$jali" mock hospital -n 2000 -o h.csv --schema h.json &&
    "$jali" init h.jali --data h.csv --schema h.json --epsilon 3 --delta 1e-6 &&
    "$jali" ask h.jali "SELECT ward, sex, AVG(cost), COUNT(*) FROM hospital GROUP BY ward, sex" \
        --epsilon 1 --yes &&
    "$jali" why h.jali r1 "cardiology, male > internal, male" --of "AVG(cost)" --epsilon 1 --yes &&
    "$jali" cluster h.jali --columns age,bmi --clusters 3 --epsilon 0.5 --yes &&
    "$jali" profile h.jali c1 --columns sex ward --epsilon 0.5 --yes &&
    "$jali" contrast h.jali plan --columns x,y --centres 2 --epsilon 0.5 --yes &&
    "$jali" report h.jali -o report.html) >"$work/why" 2>&1 ||
    sed 's/^/# /' "$work/why"
if command -v chromium >/dev/null; then
    if "$here/fits_check" "$work/report.html" >"$work/why" 2>&1; then
        say ok "a report fits 360 points and paper"
    else
        say "not ok" "a report fits 360 points and paper"
        head -20 "$work/why" | sed 's/^/# /'
    fi
    sed 's/overflow-x:auto/overflow-x:visible/' "$work/report.html" >"$work/wrong.html"
    if "$here/fits_check" "$work/wrong.html" >/dev/null 2>&1; then
        say "not ok" "one whose tables do not move is refused"
    else
        say ok "one whose tables do not move is refused"
    fi
else
    say ok "a report fits 360 points and paper # SKIP chromium is missing: tools/deps-judges"
    say ok "one whose tables do not move is refused # SKIP chromium is missing: tools/deps-judges"
fi

if command -v chromium >/dev/null && [ -d "$judges/axe-core" ]; then
    if "$here/axe_check" "$judges" "$work/page.html" >"$work/why" 2>&1; then
        say ok "axe finds nothing against the page"
    else
        say "not ok" "axe finds nothing against the page"
        head -20 "$work/why" | sed 's/^/# /'
    fi
    if "$here/axe_check" "$judges" "$work/report.html" >"$work/why" 2>&1; then
        say ok "axe finds nothing against a report"
    else
        say "not ok" "axe finds nothing against a report"
        head -20 "$work/why" | sed 's/^/# /'
    fi
    sed 's/<html lang="en">/<html>/; s/<title>.*<\/title>//' "$work/page.html" >"$work/wrong.html"
    if "$here/axe_check" "$judges" "$work/wrong.html" >/dev/null 2>&1; then
        say "not ok" "axe refuses a page without language and title"
    else
        say ok "axe refuses a page without language and title"
    fi
else
    say ok "axe finds nothing against the page # SKIP chromium or axe-core is missing: tools/deps-judges"
    say ok "axe finds nothing against a report # SKIP chromium or axe-core is missing: tools/deps-judges"
    say ok "axe refuses a bad page # SKIP chromium or axe-core is missing: tools/deps-judges"
fi

if command -v chromium >/dev/null && command -v node >/dev/null && [ -d "$judges/playwright-core" ]; then
    if node "$here/grey_check.mjs" "$judges" "$work/page.html" >"$work/why" 2>&1; then
        say ok "series can be told apart without colours, in the light, in the dark and on paper"
    else
        say "not ok" "series can be told apart without colours, in the light, in the dark and on paper"
        head -20 "$work/why" | sed 's/^/# /'
    fi
    if node "$here/grey_check.mjs" "$judges" "$work/page.html" ".jali .ld{stroke-dasharray:none}" >/dev/null 2>&1 ||
        node "$here/grey_check.mjs" "$judges" "$work/page.html" ".jali .ghost{fill-opacity:.82}" >/dev/null 2>&1; then
        say "not ok" "a page that tells them apart by colour alone is refused"
    else
        say ok "a page that tells them apart by colour alone is refused"
    fi
else
    say ok "series in grey # SKIP chromium or its driver is missing: tools/deps-judges"
    say ok "a page of colours alone is refused # SKIP chromium or its driver is missing: tools/deps-judges"
fi
