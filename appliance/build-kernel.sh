# Part of zerofish-build-appliance: choosing a kernel and taking the vmlinux out of it.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

# All kernels that might do, one a line, without any order.
kernel_files () {
  case "${ZEROFISH_KERNEL:-}" in
    "") set -- /boot ;;
    *) [ -d "$ZEROFISH_KERNEL" ] || { printf '%s\n' "$ZEROFISH_KERNEL"; return; }
       set -- "$ZEROFISH_KERNEL" ;;
  esac
  set +f
  for f in "$1"/vmlinuz-*; do
    [ ! -e "$f" ] && [ ! -L "$f" ] || printf '%s\n' "$f"
  done
  # Some distributions keep the kernel beside its modules.
  [ -n "${ZEROFISH_KERNEL:-}" ] || for f in "$(modules_parent)"/*/vmlinuz; do
    [ ! -e "$f" ] || printf '%s\n' "$f"
  done
  set -f
}

modules_parent () {
  printf '%s\n' "${ZEROFISH_KERNEL_MODULES:-/lib/modules}"
}

# The version is in the name, vmlinuz-VERSION or VERSION/vmlinuz; failing that, in the kernel's header.
kernel_version () {
  case "$1" in
    */vmlinuz) set -- "$(dirname "$1")"; printf '%s\n' "${1##*/}" ;;
    */vmlinuz-*) printf '%s\n' "${1##*/vmlinuz-}" ;;
    *) kernel_header_version "$1" ;;
  esac
}
kernel_header_version () {
  at=$(num "$1" 526 2)
  [ -z "$at" ] || cut_out "$1" $((at + 512)) 200 2>/dev/null | tr '\0' '\n' | sed -n '1s/ .*//p'
}

# Newest first; of the same number the cloud flavour (small, made for virtual machines) first, real-time last.
kernels_in_order () {
  kernel_files | while read -r f; do
    v=$(kernel_version "$f")
    case "$v" in *cloud*) rank=2 ;; *-rt-*|*-rt) rank=0 ;; *) rank=1 ;; esac
    printf '%s\t%s\t%s\n' "$(printf '%s\n' "$v" | sed 's/\([0-9]\)-[a-z].*/\1/')" "$rank" "$f"
  done | sort -t '	' -k1,1Vr -k2,2nr -k3,3 | cut -f3
}

# kernel_modules VERSION: the module directory of this version.
kernel_modules () {
  if [ -n "${ZEROFISH_KERNEL_MODULES:-}" ] && [ -e "$ZEROFISH_KERNEL_MODULES/modules.dep" ]; then
    printf '%s\n' "$ZEROFISH_KERNEL_MODULES"
  else
    printf '%s\n' "$(modules_parent)/$1"
  fi
}

# Why FILE cannot be the kernel; prints nothing if it can.
kernel_trouble () {
  case "$1" in
    *.old|*.bak|*.dpkg-*|*.rpmsave) echo "a leftover of an older kernel"; return ;;
    *rescue*) echo "a rescue kernel"; return ;;
    *debug*) echo "a debug kernel"; return ;;
    *dump*) echo "a dump kernel"; return ;;
  esac
  [ -f "$1" ] || { echo "not a file"; return; }
  [ -r "$1" ] || { echo "not readable by this user (as root: chmod a+r '$1')"; return; }
  [ -s "$1" ] || { echo "empty"; return; }
  [ "$(num "$1" 510 2)" = 43605 ] && [ "$(num "$1" 514 4)" = 1400005704 ] || { echo "not a bzImage"; return; }
  want=$((($(num "$1" 497 1) + 1) * 512 + $(num "$1" 500 4) * 16))
  size=$(wc -c <"$1")
  [ "$size" -ge "$want" ] || { echo "truncated: $size bytes, its header says $want"; return; }
  v=$(kernel_version "$1")
  m=$(kernel_modules "$v")
  [ -d "$m" ] || { echo "no module directory $m"; return; }
  [ -r "$m/modules.dep" ] || { echo "no readable $m/modules.dep (as root: depmod $v)"; return; }
}

# Sets $kernel and $modules, or dies with one message that names every file tried.
choose_kernel () {
  tried=
  while read -r f; do
    [ -n "$f" ] || continue
    why=$(kernel_trouble "$f")
    if [ -z "$why" ]; then
      kernel=$f
      modules=$(kernel_modules "$(kernel_version "$f")")
      return
    fi
    tried="$tried
  $f: $why"
  done <<LIST
$(kernels_in_order)
LIST
  die "no usable kernel:${tried:-
  no vmlinuz-* in ${ZEROFISH_KERNEL:-/boot}}
Install a kernel package (Debian: linux-image-cloud-amd64),
or name a kernel in ZEROFISH_KERNEL and its modules in ZEROFISH_KERNEL_MODULES."
}

# Files that decide what is built; the library (cache-key.c) looks at the same ones.
key_files () {
  for f in zerofish-build-appliance build-kernel.sh build-initrd.sh modules.list; do
    printf '%s\n' "$here/$f"
  done
  daemon_file
  kernel_files
  set +f
  for f in "$(modules_parent)"/modules.dep "$(modules_parent)"/*/modules.dep; do printf '%s\n' "$f"; done
  set -f
}
stat_files () {
  sort | while read -r f; do
    [ ! -e "$f" ] || stat -L -c '%n %s %.9Y' "$f"
  done
}

# unpack FILE OFFSET LENGTH OUT: decompress the payload by what it starts with.
unpack () {
  length=$3
  case "$(od -An -v -tx1 -j "$2" -N 6 "$1" | tr -d ' ')" in
    1f8b*) set -- "$1" "$2" "$4" gzip -dc ;;
    fd377a585a00) set -- "$1" "$2" "$4" xz -dc ;;
    28b52ffd*) set -- "$1" "$2" "$4" zstd -dcq ;;
    02214c18*) set -- "$1" "$2" "$4" lz4 -dcq ;;
    425a68*) set -- "$1" "$2" "$4" bzip2 -dc ;;
    5d0000*) set -- "$1" "$2" "$4" xz --format=lzma -dc ;;
    7f454c46*) set -- "$1" "$2" "$4" cat ;;
    *) return 1 ;;
  esac
  in=$1 at=$2 out=$3
  shift 3
  command -v "$1" >/dev/null 2>&1 || return 1
  # All but gzip have the unpacked size appended, which the programs do not want to see.
  case "$1" in gzip|cat) ;; *) length=$((length - 4)) ;; esac
  cut_out "$in" "$at" "$length" | "$@" >"$out" 2>/dev/null
}

# elf_headers FILE TYPE: "offset size" of each program header of this type.
elf_headers () {
  [ "$(num "$1" 0 4)" = 1179403647 ] || return 0
  at=$(num "$1" 32 8) size=$(num "$1" 54 2) n=$(num "$1" 56 2)
  while [ "$n" -gt 0 ]; do
    [ "$(num "$1" "$at" 4)" != "$2" ] || echo "$(num "$1" $((at + 8)) 8) $(num "$1" $((at + 32)) 8)"
    at=$((at + size)) n=$((n - 1))
  done
}

# Does the ELF file have the note by which qemu finds the 32-bit entry (name Xen, type 18)?
has_pvh_note () {
  elf_headers "$1" 4 | while read -r at size; do
    od -An -v -tu4 -j "$at" -N "$size" "$1"
  done | awk '{ for (i = 1; i <= NF; i++) w[n++] = $i }
    END {
      for (i = 0; i < n; i += 3 + int ((w[i] + 3) / 4) + int ((w[i + 1] + 3) / 4))
        found = found || (w[i] == 4 && w[i + 2] == 18 && w[i + 3] == 7234904)
      exit !found
    }'
}

# The uncompressed kernel starts a second sooner; where it cannot be had, the bzImage does as well.
build_kernel () {
  choose_kernel
  at=$((($(num "$kernel" 497 1) + 1) * 512 + $(num "$kernel" 584 4)))
  if unpack "$kernel" "$at" "$(num "$kernel" 588 4)" "$work/vmlinux" && has_pvh_note "$work/vmlinux"; then
    mv "$work/vmlinux" "$1/kernel"
  else
    cp "$kernel" "$1/kernel"
  fi
  chmod 0644 "$1/kernel"
}
