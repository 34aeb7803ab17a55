# Compares what actions.zf printed with actions.expect, test by test: awk -f compare-actions.awk EXPECT OUTPUT
# "== NAME N" begins a test; a line "~TEXT" of EXPECT stands for one that holds TEXT, as the last one for all that are left.  Prints each difference and a count;
# the status is 1 if there was one.  Warnings are passed over.  With -v only=REGEX: only tests whose name matches.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

function same(want, got) {
  return substr (want, 1, 1) == "~" ? index (got, substr (want, 2)) > 0 : want == got
}

# Does what test T printed agree with EXPECT?
function agree(t,   i, n, rest) {
  n = want_lines[t]
  if (n > 0 && substr (want[t, n], 1, 1) == "~" && got_lines[t] >= n) {
    for (i = n--; i <= got_lines[t]; i++)
      rest = rest got[t, i] "\n"
    if (!same(want[t, n + 1], rest))
      return 0
  } else if (n != got_lines[t])
    return 0
  for (i = 1; i <= n; i++)
    if (!same(want[t, i], got[t, i]))
      return 0
  return 1
}

BEGIN { nr_tests = 0 }

FNR == 1 { test = "" }
/^== / { test = substr ($0, 4) }
test == "" || /^zerofish: warning: / { next }

NR == FNR {
  if (/^== /)
    tests[++nr_tests] = test
  else
    want[test, ++want_lines[test]] = $0
  next
}
/^== / { ran[test] = 1; next }
{ got[test, ++got_lines[test]] = $0 }

END {
  for (n = 1; n <= nr_tests; n++) {
    t = tests[n]
    if (only != "" && t !~ only)
      continue
    checked++
    if (!ran[t])
      printf "FAIL: %s: it did not run\n", t
    else if (!agree(t)) {
      printf "FAIL: %s\n", t
      for (i = 1; i <= want_lines[t]; i++)
        printf "  expected: %s\n", want[t, i]
      for (i = 1; i <= got_lines[t]; i++)
        printf "  got:      %s\n", got[t, i]
    }
    else
      continue
    failed++
  }
  printf "%d tests of actions, %d failed\n", checked, failed
  exit failed > 0 || checked == 0
}
