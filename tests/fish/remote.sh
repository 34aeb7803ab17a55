#!/bin/sh
# --listen and --remote: one process listens, others give it commands.
# - output, messages, exit statuses, files and scripts are the client's; the number is printed once it listens
# - clients that send rubbish, go away or say nothing do not hinder others; ^C cancels; exit ends it
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"
command -v python3 > /dev/null || { echo "SKIP: no python3 here" >&2; exit 77; }
text=remote
trap '[ -z "$ZEROFISH_PID" ] || kill "$ZEROFISH_PID" 2>/dev/null; rm -rf "$dir"' EXIT

# --- without a process that listens ---
fake --remote echo x
bad 'there is no process id: give --remote=PID'
fake --remote=1x echo x
bad "'1x' is no process id"
fake --remote=1 echo x
bad 'there is no zerofish with process id 1 that listens'
fake --listen echo x
bad '--listen takes no commands'
fake --remote=1 -a /dev/null echo x
bad 'belong to the zerofish that listens'
fake --listen -m /dev/nope
grep -q '^ZEROFISH_PID' out && fail 'a number without a process that listens'
bad '/dev/nope: no such device'

# --- eval takes the number, and does not wait ---
run $FAKE --listen --csh
grep -q '^setenv ZEROFISH_PID [0-9]*$' out || fail "--csh"
fake --remote="$(tr -dc 0-9 < out)" quit
ok ''
eval "$(timeout 60 $FAKE --listen)" || fail "--listen failed"
[ -n "$ZEROFISH_PID" ] || fail "no number"
socket=/tmp/.zerofish-$(id -u)/socket-$ZEROFISH_PID
[ -S "$socket" ] || fail "no socket $socket"
[ "$(stat -c %a "${socket%/*}")" = 700 ] || fail "the directory is not private"

# --- commands ---
fake --remote echo hello : echo 'two  words' ''
ok 'hello
two  words '
fake --remote nonsense
bad 'nonsense: unknown command'
fake --remote -- -nonsense : echo on
[ "$status $(cat out)" = '0 on' ] || fail "- before a command"
script 'echo a
upload -<<END /x
text
END
echo b' --remote
[ $status = 0 ] && grep -qx b out || fail "a script on standard input"
printf 'echo one\nnonsense\necho no\n' > s.zf
fake --remote -f s.zf
bad 'nonsense: unknown command' one
fake --remote setenv REMOTE_TEST kept
fake --remote '!echo $REMOTE_TEST'
[ $status = 1 ] || fail "a local command is no command of the command line"
script '!echo $REMOTE_TEST; pwd' --remote
ok "kept
$dir"
# Files are where the client is.
mkdir sub
(cd sub && timeout 60 $FAKE --remote sparse here.img 1M) > out 2> err || fail "a file relative to the client"
[ -f sub/here.img ] || fail "the file is elsewhere"

# --- clients that are no good ---
cat > clients.py <<'EOS'
import os, socket, struct, sys, time
path, n = sys.argv[1], int(sys.argv[2])
held = []
for i in range(n):
    s = socket.socket(socket.AF_UNIX)
    s.connect(path)
    if i % 4 == 0:
        s.send(os.urandom(100))
        s.close()
    elif i % 4 == 1:
        s.send(struct.pack("III", 0x7a663031, 1, 1 << 30))
        held.append(s)
    elif i % 4 == 2:
        socket.send_fds(s, [struct.pack("III", 0x7a663031, 1, 9)], [0, 1, 2, os.open(".", os.O_RDONLY)])
        if i < 20:
            s.close()
        else:
            held.append(s)
    else:
        held.append(s)
print("ready", flush=True)
time.sleep(60)
EOS
python3 clients.py "$socket" 24 > ready &
clients=$!
for i in 1 2 3 4 5 6 7 8 9 10; do [ -s ready ] && break; sleep 0.5; done
start=$(date +%s)
fake --remote echo still here
ok 'still here'
[ $(($(date +%s) - start)) -lt 8 ] || fail "clients that say nothing hindered another"
kill $clients

# --- a reader that goes away, ^C, a client that is killed ---
timeout 60 $FAKE --remote echo x > /dev/full 2> err && fail "output that cannot be written"
grep -q 'cannot write' err || fail "no message about the output"
terminal $FAKE --remote echo go : work 100 : echo no <<'EOS'
expect go\x0d
sleep 500
send \x03
expect cancelled by the user
refuse no
exit 1
EOS
$FAKE --remote work 100 > killed.out 2> killed.err &
client=$!
sleep 1
kill -9 $client
start=$(date +%s)
fake --remote echo next
text='after a killed client'; ok next
[ $(($(date +%s) - start)) -lt 8 ] || fail "the command of a killed client went on"

# --- the end ---
fake --remote echo last : exit
ok last
[ ! -e "$socket" ] || fail "the socket is still there"
fake --remote echo x
bad "there is no zerofish with process id $ZEROFISH_PID that listens"
exit $failed
