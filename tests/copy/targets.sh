#!/bin/sh
# What may be a source and a target (F26, F48):
# - the same thing twice is refused before a byte is written: by name, links, devices, sockets, addresses, backing files
# - targets that are too small, larger, read-only, in use; other kinds of files; files with odd names
# - images that name other files are only opened if their format is stated
# - existing targets take the source's size only if they are raw files; formats that are wrong or unknown
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"
need nbdkit qemu-img qemu-nbd cmp

head -c 1M /dev/urandom >s
cp s before
ln s hard
ln -s s soft
ln -s soft softer
mkdir folder
for d in s ./s hard soft softer "$tmp/s" folder/../s; do
  refuses 'source and target are the same: nothing was written' s "$d"
  same s before "onto $d"
done
qemu-img create -q -f qcow2 q 1M
ln -s q q.link
refuses 'are the same' q q.link
serve sock nbdkit -f -U "$tmp/sock" -e exp memory 1M
ln -s sock sock.link
refuses 'are the same' "nbd+unix:///exp?socket=sock" "nbd+unix:///exp?socket=sock.link"
copies "nbd+unix:///exp?socket=sock" d1
# The same port of this machine, under two names.
port=$((20000 + $$ % 20000))
for try in 1 2 3 4 5; do
  nbdkit -i 127.0.0.1 -p $port -P tcp.pid memory 1M 2>/dev/null && break
  port=$((port + 1))
done
i=0
while ! test -s tcp.pid && test $i -lt 100; do i=$((i + 1)); sleep 0.1; done
test -s tcp.pid || fail "no port is free"
pids="$pids $(cat tcp.pid)"
refuses 'are the same' "nbd://127.0.0.1:$port/" "nbd://localhost:$port/"
copies "nbd://127.0.0.1:$port/" "nbd+unix:///exp?socket=sock"

# The target is below the source.
qemu-img create -q -f qcow2 -b s -F raw overlay
refuses 'are the same' -f qcow2 overlay s
refuses 'are the same' [ qemu-nbd -r -f qcow2 overlay ] s
refuses 'are the same' s [ nbdkit file s ]
same s before "a backing file"
copies s overlay -O qcow2               # this way round no harm is done
same s before "below the target"

# Sizes.
qemu-img create -q -f qcow2 small 1000448
refuses 'has 1000448 bytes, and the source 1048576: nothing was written' s small
refuses 'target nbdkit has 1000448 bytes' s [ nbdkit memory 1000448 ]
head -c 3M /dev/urandom >d
copies s d
same s d "a larger file"
head -c 1000 /dev/urandom >d
copies s d
same s d "a smaller file"
: >d
copies s d
same s d "an empty file"

# Kinds of files.
refuses 'Is a directory\|directory' folder d
refuses 'directory' s folder
refuses 'neither a regular file nor a block device' /dev/zero d
refuses 'neither a regular file nor a block device' s /dev/null
mkfifo fifo
refuses 'neither a regular file nor a block device' fifo d
refuses 'No such file' nothing d
refuses 'No such file' s nothing/d
refuses 'name of the source is empty' '' d
refuses 'name of the target is empty' s ''
ln -s nowhere dangling
refuses 'symbolic link to nothing' s dangling
refuses 'does not allow writing' s [ nbdkit -r memory 2M ]
if test "$(id -u)" != 0; then
  cp s readonly
  chmod 400 readonly
  refuses 'cannot be written to' s readonly
fi

# In use by another program.
qemu-img create -q -f qcow2 busy 1M
serve busy.sock qemu-nbd -t -f qcow2 -k "$tmp/busy.sock" busy
refuses 'in use' s busy

# Names that qemu would take for something else.
for n in ' ' , a,readonly=on = : nbd:x 'json:{}' 'fat:rw:x' ./-hda "a&b<c>'\"" '%s' 'tab	' "$(printf 'no\377utf')"; do
  qemu-img create -q -f qcow2 plain 1M
  cp plain "$tmp/$n"
  copies s "$n"
  copies "$n" back
  same s back "by way of \"$n\""
  rm -f "$tmp/$n" back plain
done

# Formats.
refuses 'names a backing file' overlay d
refuses 'names a backing file' s overlay
copies -f qcow2 overlay d
same s d "an overlay"
cp overlay d
copies -f raw overlay -O raw d
same overlay d "an overlay as raw data"
refuses 'is not a qcow2 image' -O qcow2 s before
refuses 'the format "nonsense" is unknown' -f nonsense s d
refuses 'the format "nonsense" is unknown' -O nonsense s d2
! test -e d2 || fail "d2 was made"
refuses 'size of a pipe is not known' -O qcow2 - d2 </dev/null
clean
