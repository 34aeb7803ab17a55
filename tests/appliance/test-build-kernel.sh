#!/bin/sh
# Choosing a kernel and packing the initramfs, with kernels and modules that are made up:
# the newest usable kernel is taken; unusable ones are named with the reason; packed and damaged modules.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"
need cpio gzip xz

ZEROFISH_KERNEL=$tmp/boot ZEROFISH_KERNEL_MODULES=$tmp/modules ZEROFISHD=$tmp/daemon
export ZEROFISH_KERNEL ZEROFISH_KERNEL_MODULES ZEROFISHD
unset ZEROFISH_BUILDDIR || :

# bytes NUMBER COUNT: little-endian.
bytes () {
  n=$1 i=0
  while [ $i -lt "$2" ]; do
    printf "\\$(printf %03o $((n & 255)))"
    n=$((n >> 8)) i=$((i + 1))
  done
}
at () { dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }

# make_kernel NAME: a bzImage of 4096 bytes, as far as the script looks.
make_kernel () {
  head -c 4096 /dev/zero >"boot/$1"
  bytes 3 1 | at "boot/$1" 497                  # 4 sectors of set-up code
  bytes 128 4 | at "boot/$1" 500                # 128 * 16 bytes of the rest
  bytes 43605 2 | at "boot/$1" 510
  printf HdrS | at "boot/$1" 514
}

# make_modules VERSION [SUFFIX COMMAND...]: all boot modules, packed by COMMAND.
make_modules () {
  dir=modules/$1 suffix=${2:-}
  mkdir -p "$dir/kernel"
  shift; [ $# = 0 ] || shift
  [ $# != 0 ] || set -- cat
  for m in virtio virtio_pci virtio_console sd_mod virtio_scsi virtio-rng; do
    printf '\177ELF of %s' $m | "$@" >"$dir/kernel/$m.ko$suffix"
    case $m in virtio) deps= ;; *) deps=" kernel/virtio.ko$suffix" ;; esac
    echo "kernel/$m.ko$suffix:$deps"
  done >"$dir/modules.dep"
  : >"$dir/modules.builtin"
}

reset () {
  cd "$tmp"
  rm -rf boot modules out
  mkdir boot modules out
}
build () { "$script" kernel "$tmp/out"; }
chosen () { "$script" choose | head -n 1; }
expect_choice () {
  c=$(chosen) || fail "no kernel was chosen, expected $1"
  [ "$c" = "$tmp/boot/$1" ] || fail "$c was chosen, expected $1"
}
nothing_left () {
  [ -z "$(ls out)" ] || [ "$1" = kernel ] || fail "a failed build left $(ls out)"
  ! ls -d out/work* >/dev/null 2>&1 || fail "a failed build left its scratch files"
}

printf '\177ELF' >daemon
head -c 200 /dev/zero >>daemon

# --- none at all ---
reset
expect_error "no vmlinuz-* in $tmp/boot" build
expect_error "Install a kernel package" build
nothing_left none

# --- every unusable one is named, with the reason, in one message ---
reset
for v in 1.0 1.1.old 1.2-rescue 1.3+debug 1.4-kdump 1.5 1.6 1.7 1.8; do
  make_kernel vmlinuz-$v
  make_modules $v
done
: >boot/vmlinuz-1.5
truncate -s 2500 boot/vmlinuz-1.6
rm -rf modules/1.7
truncate -s 0 boot/vmlinuz-1.0
head -c 4096 /dev/zero >boot/vmlinuz-1.8
expect_error "no usable kernel" build
for reason in "1.0: empty" "1.1.old: a leftover" "1.2-rescue: a rescue kernel" "1.3+debug: a debug kernel" \
  "1.4-kdump: a dump kernel" "1.5: empty" "1.6: truncated: 2500 bytes, its header says 4096" \
  "1.7: no module directory" "1.8: not a bzImage"; do
  grep -qF "$reason" error.out || fail "the message does not say '$reason': $(cat error.out)"
done
[ "$(grep -c 'no usable kernel' error.out)" = 1 ] || fail "more than one message"
nothing_left none

# --- one that only root may read ---
reset
make_kernel vmlinuz-2.0
make_modules 2.0
chmod 0 boot/vmlinuz-2.0
if [ "$(id -u)" != 0 ]; then
  expect_error "2.0: not readable by this user" build
elif command -v setpriv >/dev/null; then
  chmod 755 "$tmp"
  expect_error "2.0: not readable by this user" setpriv --reuid 65534 --clear-groups "$script" choose
fi

# --- the best of several ---
reset
for v in 6.1.0-9-amd64 6.1.0-10-amd64 6.1.0-10-cloud-amd64 6.1.0-10-rt-amd64 6.1.0-11-amd64; do
  make_kernel vmlinuz-$v
done
for v in 6.1.0-9-amd64 6.1.0-10-amd64 6.1.0-10-cloud-amd64 6.1.0-10-rt-amd64; do make_modules $v; done
expect_choice vmlinuz-6.1.0-10-cloud-amd64
rm boot/vmlinuz-6.1.0-10-cloud-amd64
expect_choice vmlinuz-6.1.0-10-amd64
rm boot/vmlinuz-6.1.0-10-amd64
expect_choice vmlinuz-6.1.0-10-rt-amd64
make_modules 6.1.0-11-amd64
expect_choice vmlinuz-6.1.0-11-amd64

# --- a kernel without anything to take out of it is used as it is ---
reset
make_kernel vmlinuz-3.0
make_modules 3.0
build
cmp boot/vmlinuz-3.0 out/kernel || fail "the kernel was changed"
cpio -i --quiet --to-stdout modules/order <out/initrd >order
printf '%s\n' virtio.ko virtio_pci.ko virtio_console.ko sd_mod.ko virtio_scsi.ko >want
cmp order want || fail "wrong order of modules: $(cat order)"
[ "$(stat -c %a out/initrd)" = 644 ] || fail "mode of the initramfs"

# --- signature and type information go, unless the kernel insists on signed modules, or may do so ---
sign () {
  printf '\177ELF\0.BTF\0body of sd_mod\n' | tee body
  printf 'signature 12\0\0\0\0\0\0\0\0\0\0\0\014~Module signature appended~\n'
}
sealed () {
  rm -f out/*
  build
  cpio -i --quiet --to-stdout modules/sd_mod.ko <out/initrd >got
  cmp -s got modules/3.0/kernel/sd_mod.ko
}
reset
make_kernel vmlinuz-3.0
make_modules 3.0
sign >modules/3.0/kernel/sd_mod.ko
sealed || fail "a module was changed though nothing is known of the kernel"
for config in CONFIG_MODULE_SIG_FORCE=y CONFIG_LOCK_DOWN_KERNEL_FORCE_INTEGRITY=y; do
  printf 'CONFIG_MODULES=y\n%s\n' $config >boot/config-3.0
  sealed || fail "a module was changed despite $config"
done
printf 'CONFIG_MODULES=y\n# CONFIG_MODULE_SIG_FORCE is not set\n' >boot/config-3.0
! sealed || fail "a module kept its signature"
sed 's/BTF/btf/' body | cmp - got || fail "a module is not what it was without signature and type information"
! grep -q BTF got || fail "the type information was not hidden"

# --- packed modules come out unpacked; without the program the message names module and format ---
for packing in ".gz gzip" ".xz xz" ".zst zstd -q"; do
  set -- $packing
  command -v "$2" >/dev/null || continue
  reset
  make_kernel vmlinuz-3.0
  make_modules 3.0 "$@"
  build
  cpio -i --quiet --to-stdout modules/sd_mod.ko <out/initrd | grep -q 'ELF of sd_mod' ||
    fail "$2: module was not unpacked"
  rm -f out/*
  printf 'not %s' "$2" >modules/3.0/kernel/sd_mod.ko"$1"
  expect_error "module sd_mod" build
  expect_error "sd_mod.ko$1" build
  nothing_left kernel
done
reset
make_kernel vmlinuz-3.0
make_modules 3.0 .ko.rar cat
sed -i 's/\.ko\.ko\.rar/.ko.rar/g' modules/3.0/modules.dep
for f in modules/3.0/kernel/*; do mv "$f" "${f%.ko.ko.rar}.ko.rar"; done
expect_error "packed in a way that is not known" build

# --- damaged modules.dep, missing files, missing modules ---
for damage in 'no colon in here' 'kernel/x.ko kernel/y.ko:' 'kernel/x.ko: kernel/y'; do
  reset
  make_kernel vmlinuz-3.0
  make_modules 3.0
  echo "$damage" >>modules/3.0/modules.dep
  expect_error "modules.dep:7: damaged line: $damage" build
  nothing_left kernel
done
reset
make_kernel vmlinuz-3.0
make_modules 3.0
rm modules/3.0/kernel/virtio_scsi.ko
expect_error "module virtio_scsi: " build
make_modules 3.0
sed -i /sd_mod/d modules/3.0/modules.dep
expect_error "module sd_mod is neither in" build
echo kernel/sd_mod.ko >modules/3.0/modules.builtin
rm -f out/*
build

# --- a daemon that cannot be /init ---
rm -f out/*
cp "$(command -v sh)" daemon
expect_error "not statically linked" build
rm daemon
expect_error "does not exist" build
