#!/bin/sh
# The checkers must refuse a bad tree, each for the reason we planted.
here=$(cd "$(dirname "$0")/../.." && pwd)
tree=$(mktemp -d) && trap 'rm -rf "$tree"' EXIT
bad=0
fresh() {
    rm -rf "$tree"/*
    for room in mech dice cli explain/query explain/model; do mkdir -p "$tree/src/$room"; done
    mkdir -p "$tree/proofs" "$tree/tests/mech"
}
card() { # a mechanism, its proof and its test, all in order
    cat >"$tree/src/mech/m.c" <<C
/* mech/m.c — an example.
 *
 * Claim    m.pure
 *          eps-DP.
 * Proof    proofs/m.md#m.pure
 * Law      P(z) = p^|z|
 * Test     tests/mech/m_test.c
 * Silent   time
 */
C
    echo '/* m.pure */' >"$tree/tests/mech/m_test.c"
    printf '# M\n\nRead src/mech/m.c %s\nState proven\n\n## m.pure {#m.pure}\n' \
        "$(sha256sum "$tree/src/mech/m.c" | cut -c1-12)" >"$tree/proofs/m.md"
}
refuses() { # TOOL WORDS: it must fail and say why
    out=$("$here/tools/$1" "$tree" 2>&1) && { echo "$1 accepted: $2"; bad=1; return; }
    case $out in *"$2"*) ;; *) echo "$1 said \"$out\" instead of \"$2\""; bad=1 ;; esac
}
accepts() { out=$("$here/tools/$1" "$tree" 2>&1) || { echo "$1 refused: $out"; bad=1; }; }
has() { echo "#include \"$2\"" >"$tree/$1"; }

fresh; has src/mech/a.c dice/dice.h; accepts check-rooms
fresh; has src/dice/a.c mech/noise.h; refuses check-rooms uphill
fresh; has src/explain/query/a.c tally/open.h; refuses check-rooms sealed
fresh; has src/mech/a.c tally/open.h; accepts check-rooms
fresh; has src/cli/a.c budget/ledger.h; refuses check-rooms uphill
fresh; has src/cli/a.c jali.h; accepts check-rooms
fresh; has src/mech/a.c dice/inside.h; refuses check-rooms inside
fresh; has src/explain/query/a.c explain/model/pdp.h; refuses check-rooms 'next door'
fresh; mkdir "$tree/src/attic"; has src/attic/a.c base/err.h; refuses check-rooms 'unknown room'

fresh; card; accepts check-claims
fresh; card; rm "$tree/proofs/m.md"; refuses check-claims 'no proof: m.pure'
fresh; card; echo >"$tree/tests/mech/m_test.c"; refuses check-claims 'no test: m.pure'
fresh; card; rm "$tree/tests/mech/m_test.c"; refuses check-claims 'no test file'
fresh; card; echo '/* changed */' >>"$tree/src/mech/m.c"; refuses check-claims 'stale proof'
fresh; card; echo '## m.gone {#m.gone}' >>"$tree/proofs/m.md"; refuses check-claims 'orphan proof: m.gone'
fresh; card; sed -i '/State/d' "$tree/proofs/m.md"; refuses check-claims 'no state'
fresh; card; sed -i 's/State proven/State sketch/' "$tree/proofs/m.md"; refuses check-claims 'a sketch is compiled'
fresh; card; sed -i '/Silent/d' "$tree/src/mech/m.c"; refuses check-claims 'card without Silent'
fresh; echo '/* mech/n.c */' >"$tree/src/mech/n.c"; refuses check-claims 'no claim'

attacks() { # a checklist of 18, the last of them tried by $1
    mkdir -p "$tree/docs"
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17; do echo "| $i | x | y | \`src/mech\` |"; done >"$tree/docs/ATTACKS.md"
    echo "| 18 | x | y | $1 |" >>"$tree/docs/ATTACKS.md"
}
fresh; card; attacks '`tests/mech/m_test.c`: `m.pure`'; accepts check-attacks
fresh; card; attacks '`tests/mech/m_test.c`: `m.gone`'; refuses check-attacks 'does not say m.gone'
fresh; card; attacks '`tests/mech/n_test.c`'; refuses check-attacks 'no tests/mech/n_test.c'
fresh; card; attacks 'audit `m.case`'; refuses check-attacks 'there is no audit m.case'
fresh; card; attacks 'mutants `m`, `n`'; refuses check-attacks 'there is no mutants n'
fresh; card; attacks 'hope'; refuses check-attacks 'item 18: nothing tries it'
fresh; card; attacks '`src/mech`'; sed -i 1d "$tree/docs/ATTACKS.md"; refuses check-attacks 'not 1 to 18'
exit $bad
