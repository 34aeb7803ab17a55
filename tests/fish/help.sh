#!/bin/sh
# Help: the list, one command, unknown ones, from the prompt and from the command line.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"

has () { grep -qF -e "$1" out || fail "'$1' is missing"; }

for how in '-h' '--cmd-help' 'help --list' 'help -l'; do
  text=$how
  case $how in
    help*) script "$how" ;;
    *) fake $how ;;
  esac
  [ $status = 0 ] || fail 'status'
  has "run                      alias for 'launch'"
  has 'time                     run a command and print how long it took'
  sed -n '/^Command/d; /^$/q; p' out | LC_ALL=C sort -c || fail 'not sorted'
done
for how in '-h show' '--cmd-help show' '-h -- show'; do
  fake $how
  has 'show text small large flag [label:..] [force:true|false] [items:..]'
  has '    Second line.'
done
script 'help work'
has 'overwrites what is on the device'
script 'help run'
has 'Also called: run'
script 'help alloc'
has 'Also called: allocate'
script 'help'
has 'help --list'
script 'help nosuch';     bad 'help: nosuch: no such command'
script 'help ech';        bad "did you mean 'echo'?"
text='-h nosuch'
fake -h nosuch;           bad 'nosuch: no such command'
script 'help a b';        bad 'usage: help'
exit $failed
