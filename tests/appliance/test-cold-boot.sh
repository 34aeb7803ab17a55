#!/bin/sh
# A machine that is booted: processors and memory as set, the kernel's messages in verbose mode only, modules on
# demand, and a panic's reason in the message of the launch.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"

truncate -s 400M disk.img
ZEROFISH_BACKEND_SETTINGS=template=off
export ZEROFISH_BACKEND_SETTINGS

# --- processors, memory; the kernel says nothing ---
for smp in 1 2 5; do
  zerofish -a disk.img set-smp $smp : set-memsize 500 : run : debug sh "nproc" : \
    debug sh "'cat /proc/meminfo'" >out 2>err || fail "smp $smp: $(cat err)"
  [ "$(head -n 1 out)" = $smp ] || fail "smp $smp: the guest has $(head -n 1 out) processors"
  mem=$(awk '/MemTotal/ { print $2 }' out)
  [ "$mem" -gt 350000 ] && [ "$mem" -lt 512000 ] || fail "the guest has $mem KiB of 500 MiB"
done
[ ! -s err ] || fail "something was said though not verbose: $(cat err)"

# --- verbose: they are there ---
zerofish -v -a disk.img run >out 2>err || fail "verbose: $(cat err)"
grep -q 'Linux version' err || fail "no kernel messages in verbose mode"
! grep -q 'Call Trace' err || fail "the kernel complains: $(grep -B 5 -A 20 'Call Trace' err)"

# --- a panic: the reason is in the message ---
cat >hv <<'HV'
#!/bin/sh
for a; do
  shift
  [ "$before" != -append ] || a="$a rdinit=/none init=/none"
  before=$a
  set -- "$@" "$a"
done
exec qemu-system-x86_64 "$@"
HV
chmod +x hv
if [ "$(uname -m)" = x86_64 ]; then
  ! ZEROFISH_HV=$tmp/hv zerofish -a disk.img run >out 2>err || fail "a kernel without init started"
  grep -q 'Kernel panic - not syncing' err || fail "the panic is not in the message: $(cat err)"
fi
