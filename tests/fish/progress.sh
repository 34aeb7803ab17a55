#!/bin/sh
# Progress bars: on a terminal only, after a second, taken away at the end; warnings do not break them.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

. "${srcdir:-.}/functions.sh"

text='on a terminal'
terminal $FAKE work 25 : echo done <<'EOS'
expect 60% [
expect ] 00:0
expect \x0d\e[K
expect done
refuse %
exit 0
EOS

text='a short call has none'
terminal $FAKE work 5 : echo done <<'EOS'
refuse %
expect done
exit 0
EOS

text='not wanted'
terminal $FAKE --no-progress-bars work 15 : echo done <<'EOS'
refuse %
expect done
exit 0
EOS

text='standard error elsewhere'
terminal sh -c "$FAKE work 15 2> err2 : echo done" <<'EOS'
expect done
refuse %
exit 0
EOS
terminal sh -c "$FAKE --progress-bars work 15 2> err2 : echo done" <<'EOS'
expect %
expect done
exit 0
EOS

text='no terminal at all'
run setsid -w $FAKE --progress-bars work 15 < /dev/null
ok ''

text='in a pipe'
terminal $FAKE <<'EOS'
expect ><zf> 
send time work 15 | cat\n
expect elapsed
refuse %
EOS

script 'warn hey'
[ "$status:$(cat err)" = '0:zerofish: warning: hey' ] || fail 'warning'
exit $failed
