# What every Makefile.am begins with: flags of our own code, and keeping generated files fresh.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

AM_CPPFLAGS = $(ZF_CPPFLAGS) -I$(top_srcdir)/common -I$(top_builddir)/common
AM_CFLAGS = $(ZF_CFLAGS)
AM_LDFLAGS = $(ZF_LDFLAGS)

# Generated files belong to the generator's stamp; asking for one from any folder brings the stamp up to date.
$(top_builddir)/generator/stamp:
	$(MAKE) -C $(top_builddir)/generator stamp
