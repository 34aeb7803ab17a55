#!/bin/sh
# The command line of zerocp, and the same copy by the library and the shell:
# - --help, --version, mistakes end with status 2; servers in brackets, anywhere among the options
# - --json in success and failure; --progress as lines and as a bar; --verbose
# - pipes on either side, with all kinds of other sides; an end of a pipe that goes away
# - --target-must-be looks before anything is written; --verify finds a target that does not keep what it is sent
# - --synchronous and numbers; ^C and SIGTERM end it cleanly and say how far it got
# - disk-copy and copy-disk of the shell, with progress
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"
need nbdkit qemu-img cmp python3

mistake () {
  refuses "$@"
  test $r = 2 || fail "ended with $r, not 2"
}

zerocp --help >out || fail "--help"
for o in allocated connections flush json progress requests request-size synchronous target-must-be threads timeout verify; do
  grep -q -e "--$o" out || fail "--help does not name --$o"
done
zerocp --version | grep -q '^zerocp [0-9]' || fail "--version"
head -c 3000000 /dev/urandom >s
truncate -s 7M s
mistake 'SRC and DST are needed'
mistake 'SRC and DST are needed' s
mistake 'more words' s d e
mistake 'Try zerocp --help' --nonsense s d
mistake 'is missing' s [ nbdkit memory 1M
mistake 'no command between' s [ ]
mistake 'more than two servers' [ a ] [ b ] [ c ]
mistake 'is no number' --threads=0 s d
mistake 'is no number' --threads=x s d
mistake 'is no number' --requests=257 s d
mistake 'is no number' --request-size=64M s d
mistake 'zero or any' --target-must-be=full s d
mistake 'is not open' --progress=77 s d
refuses 'power of two' --request-size=100000 s d
! test -e d || fail "d was made"

# Brackets.
copies --json -- [ nbdkit file s ] d
same s d
copies [ nbdkit file s ] --json d
copies [ nbdkit file s ] [ nbdkit file d ] --json
is size 7340032

# Summaries.
copies --json s d
python3 -c 'import json, sys
j = json.load (open ("out"))
assert j["ok"] is True and j["size"] == 7340032, j
assert j["written"] + j["zeroed"] + j["skipped"] == j["size"], j
assert j["seconds"] >= 0' || fail "summary"
refuses 'same' --json s s
python3 -c 'import json
j = json.load (open ("out"))
assert j["ok"] is False and "same" in j["error"] and j["errno"] == 22, j' || fail "summary of a failure"
copies --verbose s d
grep -q '^zerocp: 7340032 bytes: .* read, .* written, .* zeroed, .* left alone' err || fail "--verbose: $(cat err)"

# Progress.
$ZEROCP --progress=5 s d 5>lines || fail "--progress=5"
test "$(tail -n 1 lines)" = 100/100 || fail "the last line is $(tail -n 1 lines)"
! grep -v '^[0-9]*/100$' lines || fail "a line of another form"
sort -n -c lines || fail "progress goes back"
copies --progress s d
test ! -s err || fail "a bar without a terminal"
if command -v script >/dev/null; then
  script -q -e -c "$ZEROCP --progress s d" /dev/null </dev/null >bar 2>&1 || fail "on a terminal: $(cat bar)"
  grep -q '100% \[####' bar || fail "no bar: $(cat bar)"
fi

# Pipes.
copies --json - d <s
same s d "from a pipe"
head -c 9M /dev/zero | tr '\0' '\252' >d
cat s | zerocp --json - d >out || fail "onto old data: $(cat err)"
same s d "from a pipe onto old data"
is size 7340032
zerocp s - | cat >d || fail "to a pipe"
same s d "to a pipe"
zerocp - - <s >d || fail "from pipe to pipe"
same s d "from pipe to pipe"
zerocp --json [ nbdkit file s ] - >d
same s d
grep -q '"ok":true' err || fail "summary beside the data"
copies --verify s q.qcow2
zerocp q.qcow2 - | cmp -n 7340032 - s || fail "qcow2 to a pipe"
qemu-img create -q -f qcow2 old 8M
qemu-io -f qcow2 -c 'write -q -P 0xaa 0 8M' old >/dev/null
cat s | zerocp - old || fail "from a pipe into qcow2: $(cat err)"
qemu-img convert -f qcow2 -O raw old flat
cmp -n 7340032 s flat || fail "from a pipe into qcow2"
cat s | zerocp - [ nbdkit --filter=noextents --filter=blocksize-policy file d blocksize-minimum=4096 \
  blocksize-error-policy=error ] || fail "blocks of 4096: $(cat err)"
same s d
refuses 'more than that came' - [ nbdkit memory 1M ] <s
{ zerocp [ nbdkit pattern 1G ] -; echo $? >status; } | head -c 100 >/dev/null
test "$(cat status)" = 1 || fail "a pipe that has gone: $(cat status)"
grep -q 'Broken pipe' err || fail "$(cat err)"
refuses 'cannot be read again' --verify - d <s
refuses 'cannot be looked at' --target-must-be=zero s - | cat

# The target is looked at, not believed.
truncate -s 8M e
copies --target-must-be=zero s e
cp s before
truncate -s 8M t
printf x | dd of=t bs=1 seek=8000000 conv=notrunc status=none
cp t t.before
for target in t "[ nbdkit --filter=noextents file t ]" "[ nbdkit file t ]"; do
  refuses 'is not all zero: there is data at offset 8000000; nothing was written' --target-is-zero s $target
  same t t.before "--target-must-be"
done

# A target that forgets, one that forgets zeroing.
refuses 'the copy differs from the source at offset 0' --verify s \
  [ nbdkit eval get_size='echo 7340032' can_write='exit 0' pwrite='cat >/dev/null' pread='head -c $3 /dev/zero' ]
refuses 'the copy differs from the source at offset 3002368' --verify s \
  [ nbdkit eval get_size='echo 7340032' can_write='exit 0' can_zero='exit 0' zero='exit 0' \
    pwrite="dd of=kept bs=65536 seek=\$4 oflag=seek_bytes conv=notrunc status=none" \
    pread="dd if=kept bs=65536 skip=\$4 count=\$3 iflag=skip_bytes,count_bytes status=none" \
    open='head -c 7340032 /dev/zero | tr "\0" "\252" >kept' ]

for o in --synchronous --threads=1 "--threads=3 --connections=5" --requests=1 "--request-size=4K --requests=64" \
         "--request-size=32M"; do
  rm -f d
  copies $o --verify [ nbdkit file s ] d
  same s d "$o"
done

# Interrupted.
for signal in INT TERM; do
  rm -f d
  # Shells have background programs ignore SIGINT.
  env --default-signal=INT $ZEROCP --timeout=60 --json [ nbdkit --filter=delay pattern 200M rdelay=100ms ] d >out 2>err & p=$!
  i=0
  while ! ls d.partial-* >/dev/null 2>&1 && test $i -lt 100; do i=$((i + 1)); sleep 0.1; done
  sleep 0.3
  kill -$signal $p
  wait $p && fail "SIG$signal: it went on"
  grep -q 'interrupted ([0-9]* of 209715200 bytes were dealt with' err || fail "SIG$signal: $(cat err)"
  grep -q '"ok":false' out || fail "SIG$signal: no summary"
  ! test -e d || fail "SIG$signal: d was left"
  clean
done

# The library and the shell.
rm -f d
$ZEROFISH >out 2>err <<'CMD' || fail "disk-copy: $(cat err)"
disk-copy s d verify:true
copy-disk s d.qcow2 targetformat:qcow2
-copy-disk s s
CMD
same s d "disk-copy"
grep -q '^written: 3' out || fail "disk-copy: $(cat out)"
grep -q 'are the same' err || fail "copy-disk: $(cat err)"
qemu-img compare -q -f raw -F qcow2 s d.qcow2 || fail "copy-disk"
clean
