# What the benchmarks make of (made-up) results: medians, ratios, limits, missed aims, failures, README.md.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

set -eu
test -n "$PYTHON3" || { echo "python3 is not installed" >&2; exit 77; }
fail () { echo "FAIL: $*" >&2; exit 1; }

tmp=test-report.tmp
rm -rf $tmp
mkdir $tmp
trap 'rm -rf $tmp' EXIT
cp -R "$top_srcdir/bench" $tmp/bench
rm -rf $tmp/bench/results
cp -R "${srcdir:-.}/results" $tmp/results
chmod -R u+w $tmp
table () { "$PYTHON3" $tmp/bench/table "$@"; }

table --help > $tmp/help
grep -q -- "--update-readme" $tmp/help || fail "--help does not help"
table --sections nonsense 2>$tmp/err && fail "an unknown section was taken"
grep -q "no such section: nonsense" $tmp/err || fail "unknown section: $(cat $tmp/err)"
table --report $tmp/none 2>$tmp/err && fail "a folder without results was taken"
grep -q "holds no results" $tmp/err || fail "no results: $(cat $tmp/err)"

table --report $tmp/results > $tmp/out
has () { grep -qF -- "$1" $tmp/out || fail "no \"$1\" in: $(cat $tmp/out)"; }
has "4 cores"
has "Both sides ran under software emulation (TCG)"
has "Not installed, so not measured: nbdcopy."
# Medians of three and of four, and what is missed.
has "| raw, sparse | 0.20 s | 20.0 s | 100 x |"
has "| raw, preallocated, random | 2.50 s | 25.0 s | **10 x** |"
has "zero, raw-random: call, zerofish against guestfish: 10 x, aim at least 40 x"
has "| raw, sparse | 196 KiB | **4 KiB** |"
# Stopped at its limit: more than that; what failed is named.
has "| raw, zero-device | 1.50 s | > 60.0 s | > 40 x |"
has "| qcow2, zero-device | failed | - | - |"
has "huge, qcow2-zero, zerofish, round 1: status 1: no"
# Of a rate more is better; short times; the aim behind the figure where it is that of one row.
has "| ping-daemon, one round trip | 200 us | 300 us | 1.50 x |"
has "| upload to a device | 120 MB/s | 60.0 MB/s | **2.00 x** (at least 6 x) |"
has "| 0.50 s (at most 0.60 s) | 15.5 s | 31 x (at least 30 x) |"
# Without values: no row, no section.
if grep -qE "metadata|^### is-zero-device" $tmp/out; then fail "what was not measured is shown"; fi
grep -v "^bench: no plots" $tmp/out | cmp -s - $tmp/results/table.md ||
  fail "table.md is not what was printed"

# README.md: between the marks only, once more the same, and not without marks.
printf 'before\n<!-- bench: begin -->\nSTALE\n<!-- bench: end -->\nafter\n' > $tmp/README.md
table --update-readme $tmp/results > $tmp/out
grep -q STALE $tmp/README.md && fail "the old text is still in README.md"
test "$(head -n 1 $tmp/README.md) $(tail -n 1 $tmp/README.md)" = "before after" ||
  fail "README.md: $(cat $tmp/README.md)"
grep -qF "| raw, sparse | 0.20 s | 20.0 s | 100 x |" $tmp/README.md ||
  fail "no table in README.md: $(cat $tmp/README.md)"
test -s $tmp/bench/results/results.jsonl || fail "the results were not kept"
if command -v gnuplot >/dev/null; then
  grep -qF "](bench/results/zero.png)" $tmp/README.md || fail "no plot in README.md: $(cat $tmp/README.md)"
  test "$(od -An -c -j1 -N3 $tmp/bench/results/zero.png | tr -d ' ')" = PNG || fail "zero.png is none"
fi
cp $tmp/README.md $tmp/before
table --update-readme $tmp/results > $tmp/out
cmp $tmp/before $tmp/README.md || fail "a second time README.md changed"
echo "no marks" > $tmp/README.md
table --update-readme $tmp/results >$tmp/out 2>$tmp/err && fail "a README.md without marks was taken"
grep -q "bench: begin" $tmp/err || fail "no marks: $(cat $tmp/err)"
test "$(cat $tmp/README.md)" = "no marks" || fail "README.md was changed"
sed -i 's/"quick": false/"quick": true/' $tmp/results/machine.json
table --update-readme $tmp/results >$tmp/out 2>$tmp/err && fail "results of --quick were taken for README.md"
grep -q "quick" $tmp/err || fail "--quick: $(cat $tmp/err)"
