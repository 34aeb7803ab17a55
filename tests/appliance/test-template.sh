#!/bin/sh
# Launches that go on from a template:
#   - the first launch makes one, the next ones use it; template=off does neither
#   - time and random numbers after it are fresh
#   - another memsize, smp or verbosity has a template of its own; old ones are removed
#   - damaged, truncated, readable by others, somebody else's, a link: booted instead, made anew
#   - a state that the emulator cannot load; a cache that is full or read-only
#   - sixteen launches at once make one template, and all work
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"

truncate -s 1M disk.img
zerofish -a disk.img run                # the kernel's part of the cache is there now
cp -a "$ZEROFISH_CACHEDIR" mine
rm -rf mine/template*
ZEROFISH_CACHEDIR=$tmp/mine
export ZEROFISH_CACHEDIR

made='made a template'
used='going on from the template'
# launch [COMMAND...]: a verbose session; its messages go to err.
launch () { zerofish -v -a disk.img run "$@" >out 2>err </dev/null || { tail -n 20 err >&2; fail "a launch failed"; }; }
saw () { grep -q "$1" err || { grep '^zerofish:' err >&2; fail "no '$1' ($2)"; }; }
saw_no () { ! grep -q "$1" err || fail "'$1' ($2)"; }
state () { echo mine/template-*/state; }
boots_again () {
  launch
  saw 'booting instead' "$1"
  saw "$made" "$1"
  launch
  saw "$used" "after $1"
  saw_no 'booting instead' "after $1"
}

launch
saw "$made" "first launch"
saw_no "$used" "first launch"
[ "$(stat -c %a "$(state)")" = 600 ] || fail "others may read the state"
launch : debug sh "date +%s; head -c 16 /dev/urandom | od -An -tx1"
saw "$used" "second launch"
saw_no "$made" "second launch"
now=$(date +%s) guest=$(sed -n 1p out)
[ "$((now - guest))" -lt 60 ] && [ "$((guest - now))" -lt 60 ] || fail "the guest's clock says $guest, not $now"
sed -n 2p out >random1
launch : debug sh "date +%s; head -c 16 /dev/urandom | od -An -tx1"
sed -n 2p out >random2
[ -s random1 ] && ! cmp -s random1 random2 || fail "the same random numbers twice"

ZEROFISH_BACKEND_SETTINGS=template=off launch
saw_no "$used" template=off
saw_no "$made" template=off

for i in 1 2 3 4 5 6; do
  mkdir "mine/template-old$i"
  touch -d "2020-01-0$i" "mine/template-old$i"
done
zerofish -v -a disk.img set-memsize 300 : set-smp 2 : run : debug sh nproc >out 2>err
saw "$made" "another size"
grep -qx 2 out || fail "not two processors"
[ "$(ls -d mine/template-*/ | wc -l)" -le 5 ] || fail "old templates are kept: $(ls mine)"
zerofish -v -a disk.img set-memsize 300 : set-smp 2 : run : debug sh "nproc; read -r a kib b </proc/meminfo; echo \$kib" >out 2>err
saw "$used" "another size"
grep -qx 2 out || fail "not two processors after a restore"
total=$(($(sed -n 2p out) / 1024))
[ "$total" -gt 200 ] && [ "$total" -le 300 ] || fail "$total MiB of memory, not 300"
rm -rf mine/template-*
launch

# The time of the file stays as it was: only the contents tell.
touch -r "$(state)" stamp
printf X | dd of="$(state)" bs=1 seek=1000000 conv=notrunc status=none
touch -r stamp "$(state)"
boots_again "a damaged state"
truncate -s 1000000 "$(state)"
boots_again "a truncated state"
chmod 644 "$(state)"
boots_again "a state that others can read"
cp "$(state)" copy
ln -sf "$tmp/copy" "$(state)"
boots_again "a link"
echo nonsense >"$(dirname "$(state)")/manifest"
boots_again "a damaged manifest"
if [ "$(id -u)" = 0 ]; then
  chown 1 "$(state)"
  boots_again "a state of somebody else"
fi

# A state with the right sums that is none: the emulator refuses it.
entry=$(dirname "$(state)")
head -c 5000000 /dev/urandom >"$(state)"
printf 'zerofish cache 1\nstate 5000000 %s %s %s %s -\n' \
  "$(date -r "$(state)" +%s%N)" "$(date -d "@$(stat -c %.Z "$(state)")" +%s%N)" "$(stat -c %i "$(state)")" \
  "$(gzip -c "$(state)" | tail -c 8 | od -An -tx4 -N 4 | tr -d ' ')" >"$entry/manifest"
boots_again "a state that is none"

if [ "$(id -u)" = 0 ]; then
  kib=$(du -sck mine/kernel-* | tail -n 1 | cut -f1)
  mkdir small
  if mount -t tmpfs -o size=$((kib + 8192))k,mode=700 tmpfs small 2>/dev/null; then
    at_exit 'umount "$tmp/small"'
    cp -a mine/kernel* small
    ZEROFISH_CACHEDIR=$tmp/small launch
    saw 'no template was made' "a full cache"
    [ -z "$(ls -d small/template-* small/tmp-* 2>/dev/null)" ] || fail "left behind in a full cache: $(ls small)"
    mount -o remount,ro small
    ZEROFISH_CACHEDIR=$tmp/small launch
    saw_no "$made" "a read-only cache"
  fi
fi

rm -rf mine/template-*
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
  { timeout 300 "$top_builddir/run" zerofish -v --ro -a disk.img run : is-zero-device /dev/sda >out.$i 2>err.$i
    echo $? >status.$i; } &
done
wait
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
  [ "$(cat status.$i)" = 0 ] && [ "$(cat out.$i)" = true ] || { tail -n 5 err.$i >&2; fail "launch $i of sixteen"; }
done
[ "$(cat err.* | grep -c "$made")" = 1 ] || fail "$(cat err.* | grep -c "$made") templates were made by sixteen launches"
