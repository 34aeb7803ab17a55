#!/bin/sh
# Stands in for the emulator of the stock library: our daemon as a process, with the library's drives as its devices.
# Questions about the emulator go to the real one.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

socket= devices=
for arg; do
  case $arg in
    socket,path=*) socket=${arg#socket,path=} socket=${socket%%,*} ;;
    file=*,id=hd[0-9]*) arg=${arg#file=} devices="$devices --device ${arg%%,*}" ;;
  esac
done
[ -n "$socket" ] || exec qemu-system-x86_64 "$@"
exec "$ZEROFISHD" --socket "$socket" $devices --sysroot "$RIG_SYSROOT"
