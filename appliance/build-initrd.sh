# Part of zerofish-build-appliance: the initramfs, which is the daemon and the modules that it needs.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

daemon_file () {
  if [ -n "${ZEROFISHD:-}" ]; then
    printf '%s\n' "$ZEROFISHD"
  elif [ -f "$here/zerofishd" ]; then
    printf '%s\n' "$here/zerofishd"
  else
    printf '%s\n' "${here%/*}/daemon/zerofishd"
  fi
}

# copy_daemon TREE: as /init, and as the program by which the kernel asks for modules.  That one is not
# /sbin/modprobe, which would already be run, in vain, while the kernel initialises itself; /init tells the
# kernel of it.
copy_daemon () {
  d=$(daemon_file)
  [ -f "$d" ] || die "the daemon $d does not exist; set ZEROFISHD"
  [ -z "$(elf_headers "$d" 3)" ] || die "the daemon $d is not statically linked, so it cannot run as /init"
  cp "$d" "$1/init"
  chmod 0755 "$1/init"
  ln -s init "$1/modprobe"
}

# Module names: WHEN NAME lines of modules.list.
module_list () {
  sed '/^ *#/d;/^ *$/d' "$here/modules.list"
}

# find_modules DIR: for each wanted module "WHEN NAME FILE...", files relative to DIR in the order of loading.
find_modules () {
  module_list | awk -v dir="$1" '
    function name_of (path) {
      sub (/.*\//, "", path)
      sub (/\.ko(\.[a-z0-9]+)?$/, "", path)
      gsub (/-/, "_", path)
      return path
    }
    function fail (text) { print text >"/dev/stderr"; failed = 1; exit 1 }
    BEGIN {
      while ((getline line <(dir "/modules.builtin")) > 0)
        builtin[name_of(line)] = 1
      while ((getline line <(dir "/modules.dep")) > 0) {
        nr++
        if (line !~ /^[^: ]+\.ko(\.[a-z0-9]+)?:( [^: ]+\.ko(\.[a-z0-9]+)?)*$/)
          fail(dir "/modules.dep:" nr ": damaged line: " line)
        split (line, part, ": *")
        path[name_of(part[1])] = part[1]
        deps[name_of(part[1])] = part[2]
      }
    }
    $2 in path {
      n = split (deps[$2], dep, " ")
      printf "%s %s", $1, $2
      for (i = n; i > 0; i--) printf " %s", dep[i]
      print " " path[$2]
      next
    }
    $1 == "boot" && !($2 in builtin) {
      fail("module " $2 " is neither in " dir "/modules.dep nor built into the kernel")
    }
    END { exit failed }'
}

# copy_module FILE NAME OUT: copied, and unpacked if need be, since the appliance cannot do that.
copy_module () {
  [ -f "$1" ] || die "module $2: $1 does not exist, though modules.dep names it"
  case "$1" in
    *.ko) set -- "$@" cat ;;
    *.ko.gz) set -- "$@" gzip -dc ;;
    *.ko.xz) set -- "$@" xz -dc ;;
    *.ko.zst) set -- "$@" zstd -dcq ;;
    *) die "module $2: $1 is packed in a way that is not known" ;;
  esac
  from=$1 name=$2 to=$3
  shift 3
  need_program "$1" "module $name (${from##*/})"
  "$@" <"$from" >"$to" || die "module $name: $1 cannot unpack $from"
  [ "$(num "$to" 0 4)" = 1179403647 ] || die "module $name: $from is not a kernel module"
}

# Must modules stay as they were signed?  Where the configuration cannot be read they stay so too.
modules_are_sealed () {
  for c in "${kernel%/*}/config-$(kernel_version "$kernel")" "$modules/config"; do
    [ -r "$c" ] || continue
    grep -q -e '^CONFIG_MODULE_SIG_FORCE=y' -e '^CONFIG_LOCK_DOWN_KERNEL_FORCE_[IC][A-Z]*=y' "$c"
    return
  done
}

# unsign FILE: cut off the signature, which the kernel would verify at each start.  At the end stand the
# signature, 12 bytes of which the last 4 are its length, and 28 bytes of text.
unsign () {
  [ "$(tail -c 28 "$1")" = "~Module signature appended~" ] || return 0
  set -- "$1" "$(wc -c <"$1")" $(od -An -v -tu1 -j "$(($(wc -c <"$1") - 32))" -N 4 "$1")
  keep=$(($2 - 40 - (($3 * 256 + $4) * 256 + $5) * 256 - $6))
  [ "$keep" -gt 0 ] || return 0
  truncate -s "$keep" "$1"
}

# hide_types FILE: by another name for the section .BTF.  The first module that has one makes the kernel parse
# the type information of the whole kernel.
hide_types () {
  sed 's/\x00\.BTF\x00/\x00.btf\x00/' "$1" >"$1.new"
  if [ "$(wc -c <"$1.new")" = "$(wc -c <"$1")" ]; then
    mv "$1.new" "$1"
  else
    rm "$1.new"
  fi
}

# copy_modules DIR TREE: fills TREE/modules.  /modules/order lists the files to load at start; a line
# "NAME FILE..." of /modules/index says what loading NAME takes.
copy_modules () {
  mkdir "$2/modules"
  find_modules "$1" >"$work/wanted" 2>"$work/error" || die "$(cat "$work/error")"
  while read -r when name files; do
    line=$name
    for f in $files; do
      base=${f##*/}
      base=${base%%.ko*}.ko
      [ -e "$2/modules/$base" ] || copy_module "$1/$f" "${base%.ko}" "$2/modules/$base"
      line="$line $base"
      [ "$when" != boot ] || printf '%s\n' "$base" >>"$work/order"
    done
    printf '%s\n' "$line"
  done <"$work/wanted" >"$2/modules/index"
  : >>"$work/order"
  awk '!seen[$0]++' "$work/order" >"$2/modules/order"
  modules_are_sealed || (
    set +f
    for f in "$2"/modules/*.ko; do
      unsign "$f"
      hide_types "$f"
    done
  )
}

# What else the kernel may call them, such as fs-xfs: lines "ALIAS NAME" of /modules/alias.
copy_aliases () {
  [ -r "$1/modules.alias" ] || return 0
  awk 'FILENAME == ARGV[1] { have[$1] = 1; next } $1 == "alias" && $2 !~ /:/ && $3 in have { print $2, $3 }' \
    "$2/modules/index" "$1/modules.alias" >"$2/modules/alias"
}

# Not compressed: unpacking it in the guest would take longer than reading it.
build_initrd () {
  need_program cpio "the initramfs"
  tree=$work/tree
  mkdir "$tree" "$tree/dev" "$tree/proc" "$tree/sys" "$tree/sysroot" "$tree/tools"
  copy_daemon "$tree"
  copy_modules "$modules" "$tree"
  copy_aliases "$modules" "$tree"
  chmod -R go=u,go-w "$tree"
  (cd "$tree" && find . | sort | cpio --quiet -o -H newc -R 0:0) >"$1/initrd"
  chmod 0644 "$1/initrd"
}
