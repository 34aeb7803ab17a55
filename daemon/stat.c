/* What files are: kinds, stat, comparing two, and what the programs ls, file and df say.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "actions.h"
#include "io.h"
#include "mounts.h"
#include "run.h"

enum { COMPARE_BLOCK = 1024 * 1024, PROGRAM_TIMEOUT_S = 300 };

/* --- kinds --- */

/* Is there something of this kind (S_IF...) at PATH?  1, 0, or -1 with the error set. */
static int
is_kind (struct call *c, const char *path, mode_t kind, bool follow)
{
  struct stat st;
  int fd = sysroot_open (c, path, O_PATH | (follow ? 0 : O_NOFOLLOW), 0), r;

  if (fd == -1) {
    if (c->error_errno != ENOENT && c->error_errno != ENOTDIR && c->error_errno != ELOOP)
      return -1;
    call_forget_error (c);
    return 0;
  }
  r = fstat (fd, &st) == -1 ? call_error (c, errno, "%s", path) : (st.st_mode & S_IFMT) == kind;
  close (fd);
  return r;
}

int
do_is_file (struct call *c, const char *path, const struct zf_is_file_opts *opts)
{
  return is_kind (c, path, S_IFREG,
                  opts && (opts->bitmask & ZF_IS_FILE_OPTS_FOLLOWSYMLINKS) && opts->followsymlinks);
}

int
do_is_dir (struct call *c, const char *path, const struct zf_is_dir_opts *opts)
{
  return is_kind (c, path, S_IFDIR,
                  opts && (opts->bitmask & ZF_IS_DIR_OPTS_FOLLOWSYMLINKS) && opts->followsymlinks);
}

int
do_is_blockdev (struct call *c, const char *path, const struct zf_is_blockdev_opts *opts)
{
  return is_kind (c, path, S_IFBLK,
                  opts && (opts->bitmask & ZF_IS_BLOCKDEV_OPTS_FOLLOWSYMLINKS) && opts->followsymlinks);
}

/* --- stat --- */

static void
fill_stat (struct zf_statns *r, const struct stat *st)
{
  *r = (struct zf_statns) {
    .st_dev = (int64_t) st->st_dev, .st_ino = (int64_t) st->st_ino, .st_mode = st->st_mode,
    .st_nlink = (int64_t) st->st_nlink, .st_uid = st->st_uid, .st_gid = st->st_gid,
    .st_rdev = (int64_t) st->st_rdev, .st_size = st->st_size, .st_blksize = st->st_blksize,
    .st_blocks = st->st_blocks,
    .st_atime_sec = st->st_atim.tv_sec, .st_atime_nsec = st->st_atim.tv_nsec,
    .st_mtime_sec = st->st_mtim.tv_sec, .st_mtime_nsec = st->st_mtim.tv_nsec,
    .st_ctime_sec = st->st_ctim.tv_sec, .st_ctime_nsec = st->st_ctim.tv_nsec,
  };
}

static struct zf_statns *
get_stat (struct call *c, const char *path, int flags)
{
  struct zf_statns *r = call_alloc (c, sizeof *r);
  int fd = r ? sysroot_open (c, path, O_PATH | flags, 0) : -1;
  struct stat st;

  if (fd == -1)
    return NULL;
  if (fstat (fd, &st) == -1) {
    call_error (c, errno, "%s", path);
    r = NULL;
  } else
    fill_stat (r, &st);
  close (fd);
  return r;
}

struct zf_statns *
do_statns (struct call *c, const char *path)
{
  return get_stat (c, path, 0);
}

struct zf_statns *
do_lstatns (struct call *c, const char *path)
{
  return get_stat (c, path, O_NOFOLLOW);
}

struct zf_statns_list *
do_internal_lstatlist (struct call *c, const char *path, char *const *names)
{
  struct zf_statns_list *r = call_alloc (c, sizeof *r);
  int dir = r ? sysroot_open (c, path, O_PATH | O_DIRECTORY, 0) : -1;
  struct stat st;
  size_t n = 0;

  if (dir == -1)
    return NULL;
  while (names[n] != NULL)
    n++;
  r->val = call_alloc (c, (n + 1) * sizeof *r->val);
  for (; r->val != NULL && r->len < n; r->len++) {
    /* A name that is no plain name of this directory would lead out of it. */
    if (strchr (names[r->len], '/') == NULL && strcmp (names[r->len], "..") != 0 &&
        fstatat (dir, names[r->len], &st, AT_SYMLINK_NOFOLLOW) == 0)
      fill_stat (&r->val[r->len], &st);
    else
      r->val[r->len].st_ino = -1;       /* what the callers know as: there is none */
  }
  close (dir);
  return r->val ? r : NULL;
}

/* --- directories --- */

int
do_mkdir_p (struct call *c, const char *path)
{
  char *part = call_strdup (c, path), *end;
  struct zf_is_dir_opts follow = { .bitmask = ZF_IS_DIR_OPTS_FOLLOWSYMLINKS, .followsymlinks = true };
  int r = part ? 0 : -1;

  for (end = part; r == 0 && end != NULL; ) {
    end += strspn (end, "/");
    if (*end == '\0')
      break;
    end = strchr (end, '/');
    if (end != NULL)
      *end = '\0';
    if ((r = do_is_dir (c, part, &follow)) == 0)
      r = do_mkdir (c, part);
    else if (r == 1)
      r = 0;
    if (end != NULL)
      *end = '/';
  }
  return r;
}

/* --- comparing --- */

/* The same bytes from OFFSET on in both?  1, 0, or -1 with the error set; *N is how many were compared. */
static int
same_block (struct call *c, const char *const paths[2], const int fds[2], char *const bufs[2],
            uint64_t offset, size_t *n)
{
  ssize_t a = io_read (c, paths[0], fds[0], bufs[0], COMPARE_BLOCK, offset);
  ssize_t b = a == -1 ? -1 : io_read (c, paths[1], fds[1], bufs[1], COMPARE_BLOCK, offset);

  if (b == -1)
    return -1;
  *n = (size_t) a;
  return a == b && memcmp (bufs[0], bufs[1], (size_t) a) == 0;
}

static int
same_content (struct call *c, const char *const paths[2], const int fds[2])
{
  char *const bufs[2] = { call_alloc (c, COMPARE_BLOCK), call_alloc (c, COMPARE_BLOCK) };
  struct stat st[2];
  size_t n = 0;
  int r = 1;

  if (bufs[0] == NULL || bufs[1] == NULL)
    return -1;
  for (int i = 0; i < 2; i++)
    if (fstat (fds[i], &st[i]) == -1)
      return call_error (c, errno, "%s", paths[i]);
  if (st[0].st_size != st[1].st_size)
    return 0;
  for (uint64_t offset = 0; r == 1; offset += n) {
    r = same_block (c, paths, fds, bufs, offset, &n);
    if (n == 0)
      break;
    if (r == 1 && call_progress (c, offset + n, (uint64_t) st[0].st_size) == -1)
      r = -1;
  }
  return r;
}

int
do_equal (struct call *c, const char *file1, const char *file2)
{
  const char *const paths[2] = { file1, file2 };
  int fds[2] = { sysroot_open_regular (c, file1, O_RDONLY, 0), -1 }, r = -1;

  if (fds[0] == -1)
    return -1;
  if ((fds[1] = sysroot_open_regular (c, file2, O_RDONLY, 0)) != -1) {
    r = same_content (c, paths, fds);
    close (fds[1]);
  }
  close (fds[0]);
  return r;
}

/* --- programs --- */

/* Run ARGV at or on the file that FD is open on. */
static char *
run_at (struct call *c, char **argv, const struct run_how *how, int fd)
{
  char *out = NULL;

  if (argv == NULL || run_program_how (c, (const char *const *) argv, &out, how) == -1)
    out = NULL;
  close (fd);
  return out;
}

char *
do_ll (struct call *c, const char *directory)
{
  int fd = sysroot_open (c, directory, O_PATH, 0);
  struct run_how how = { .timeout_s = PROGRAM_TIMEOUT_S, .use_directory = true, .directory = fd };
  struct stat st;

  if (fd == -1)
    return NULL;
  if (fstat (fd, &st) == 0 && !S_ISDIR (st.st_mode)) {
    close (fd);
    call_error (c, ENOTDIR, "%s", directory);
    return NULL;
  }
  return run_at (c, run_words (c, "ls", "-la", "--", ".", NULL), &how, fd);
}

/* What kind of thing a special file is, in the words of the program file. */
static const char *
describe_special (struct call *c, const struct stat *st)
{
  unsigned maj = major (st->st_rdev), min = minor (st->st_rdev);

  switch (st->st_mode & S_IFMT) {
  case S_IFDIR: return "directory";
  case S_IFIFO: return "fifo (named pipe)";
  case S_IFSOCK: return "socket";
  case S_IFLNK: return "symbolic link";
  case S_IFBLK: return call_printf (c, "block special (%u/%u)", maj, min);
  case S_IFCHR: return call_printf (c, "character special (%u/%u)", maj, min);
  default: return NULL;
  }
}

static char *
file_of_fd (struct call *c, int fd)
{
  const struct run_how how = { .timeout_s = PROGRAM_TIMEOUT_S, .use_stdin = true, .stdin_fd = fd };
  char *out = run_at (c, run_words (c, "file", "-b", "-", NULL), &how, fd);

  if (out != NULL)
    out[strcspn (out, "\n")] = '\0';
  return out;
}

char *
do_file (struct call *c, struct device_or_path *dp)
{
  struct stat st;
  int fd;

  if (dp->dev != NULL) {
    if (device_flush_caches (c, dp->dev) == -1 || (fd = device_open (c, dp->dev, O_RDONLY)) == -1)
      return NULL;
    return file_of_fd (c, fd);
  }
  if ((fd = sysroot_open (c, dp->path, O_PATH | O_NOFOLLOW, 0)) == -1)
    return NULL;
  if (fstat (fd, &st) == 0 && !S_ISREG (st.st_mode)) {
    close (fd);
    return call_strdup (c, describe_special (c, &st));
  }
  close (fd);
  return (fd = sysroot_open_regular (c, dp->path, O_RDONLY, 0)) == -1 ? NULL : file_of_fd (c, fd);
}

char *
do_df_h (struct call *c)
{
  const struct mount_entry *m = mounts_read (c);
  const char *program = run_find (c, "df");
  struct list argv = { 0 };
  char *out = NULL;

  if (m == NULL) {
    call_refuse (c, EINVAL, "nothing is mounted");
    return NULL;
  }
  if (program == NULL || list_add (c, &argv, program) == -1 || list_add (c, &argv, "-h") == -1 ||
      list_add (c, &argv, "--") == -1)
    return NULL;
  for (; m != NULL; m = m->next)
    if (list_add (c, &argv, call_printf (c, "/sysroot%s", m->inside)) == -1)
      return NULL;
  if (run_program (c, (const char *const *) list_end (c, &argv), &out, PROGRAM_TIMEOUT_S) == -1)
    return NULL;
  return device_text_out (c, out);
}
