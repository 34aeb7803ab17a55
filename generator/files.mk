# Sources of the generator: its table, and what makes files of it.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

generator_table = \
	actions-block.c \
	actions-copy.c \
	actions-file.c \
	actions-fs.c \
	actions-internal.c \
	actions-library.c \
	actions-part.c \
	actions-tree.c \
	actions-volume.c \
	actions-zero.c \
	structs.c

generator_code = \
	action.h \
	check.c \
	emit-compare.c \
	emit-daemon.c \
	emit-docs.c \
	emit-fish.c \
	emit-header.c \
	emit-lib-helpers.c \
	emit-lib.c \
	emit-protocol.c \
	emit-python-class.c \
	emit-python.c \
	emit-structs.c \
	emit-tests.c \
	emit.h \
	main.c \
	outputs.c \
	pod.c \
	print.c \
	table.c

generator_files = $(generator_table) $(generator_code)
