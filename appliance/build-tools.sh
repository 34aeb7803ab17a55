# Part of zerofish-build-appliance: the tools root, a filesystem image of installed packages, made by
# supermin.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

# Files that decide what is built; the library (cache-key.c) looks at the same ones.
key_files_tools () {
  printf '%s\n' "$here/zerofish-build-appliance" "$here/build-tools.sh" "$(package_list)"
  printf '%s\n' /var/lib/dpkg/status /var/lib/rpm/Packages /var/lib/rpm/rpmdb.sqlite \
    /usr/lib/sysimage/rpm/Packages.db /usr/lib/sysimage/rpm/rpmdb.sqlite /var/lib/pacman/local
}

package_list () {
  printf '%s\n' "${ZEROFISH_PACKAGES:-$here/packages.list}"
}

# Asks the package manager.  A package may be known, but not installed.
package_installed () {
  if command -v dpkg-query >/dev/null; then
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
  elif command -v rpm >/dev/null; then
    rpm -q "$1" >/dev/null 2>&1
  elif command -v pacman >/dev/null; then
    pacman -Q "$1" >/dev/null 2>&1
  else
    die "no package manager is known here (dpkg, rpm, pacman), so the tools root cannot be built"
  fi
}

# first_installed NAME|NAME...
first_installed () {
  for p in $(printf '%s\n' "$1" | tr '|' ' '); do
    ! package_installed "$p" || { printf '%s\n' "$p"; return; }
  done
}

# Sets $packages, or dies and names all that are missing.
choose_packages () {
  packages= missing=
  sed '/^ *#/d;/^ *$/d' "$(package_list)" >"$work/wanted"
  while read -r when names; do
    p=$(first_installed "$names")
    if [ -n "$p" ]; then
      packages="$packages $p"
    elif [ "$when" = need ]; then
      missing="$missing ${names%%|*}"
    fi
  done <"$work/wanted"
  [ -z "$missing" ] || die "the tools root needs packages that are not installed:$missing
As root: apt-get install$missing (or what your distribution has for it)"
}

# What programs do not read, and supermin's own pattern for it.
write_excludes () {
  for d in doc man locale info perl bash-completion lintian i18n zoneinfo; do
    printf -- '-/usr/share/%s/*\n' "$d"
  done
  printf -- '-/usr/lib/udev/hwdb.d/*\n'
}

# Where the daemon mounts things, and the file that old programs look at.
write_base () {
  base=$work/base
  mkdir -p "$base/dev" "$base/proc" "$base/sys" "$base/run" "$base/tmp" "$base/sysroot" "$base/etc"
  ln -s /proc/self/mounts "$base/etc/mtab"
  (cd "$base" && tar -c --owner=0 --group=0 --numeric-owner -f - .) | gzip -1 >"$1"
}

# run_supermin ARGUMENT...: quiet unless it fails.
run_supermin () {
  # supermin would look for a kernel of its own; it is not used.
  : >"$work/no-kernel"
  mkdir -p "$work/no-modules"
  : >"$work/no-modules/modules.dep"
  TMPDIR=$work SUPERMIN_KERNEL=$work/no-kernel SUPERMIN_KERNEL_VERSION=none \
    SUPERMIN_MODULES=$work/no-modules \
    supermin "$@" >"$work/supermin.log" 2>&1
}

build_tools () {
  need_program supermin "the tools root"
  choose_packages
  run_supermin --prepare --use-installed $packages -o "$work/supermin.d" ||
    die "supermin --prepare failed: $(tail -n 5 "$work/supermin.log")"
  write_excludes >"$work/supermin.d/excludes"
  write_base "$work/supermin.d/base-zerofish.tar.gz"
  # The size is that of a sparse file; the smaller one is faster to check.
  for size in 256M 4G; do
    rm -rf "$work/built"
    ! run_supermin --build -f ext2 --size "$size" -o "$work/built" "$work/supermin.d" || break
    [ "$size" = 256M ] || die "supermin --build failed: $(tail -n 5 "$work/supermin.log")"
  done
  mv "$work/built/root" "$1/root"
  chmod 0644 "$1/root"
}
