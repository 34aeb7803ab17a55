/* What the C tests of real machines share.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include "rig.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

zf_handle *h;
char dir[64];

/* Warnings are expected here (no KVM, image in use). */
static void
drop (zf_handle *handle, void *opaque, uint64_t event, int event_handle, const char *buf, size_t len,
      const uint64_t *array, size_t array_len)
{
  (void) handle; (void) opaque; (void) event; (void) event_handle;
  (void) buf; (void) len; (void) array; (void) array_len;
}

void
rig_prepare (zf_handle *handle)
{
  zf_set_tmpdir (handle, dir);
  zf_set_event_callback (handle, drop, ZF_EVENT_WARNING, NULL);
}

int
rig_setup (void **state)
{
  (void) state;
  strcpy (dir, "/tmp/zerofish-machine-XXXXXX");
  if (mkdtemp (dir) == NULL || (h = zf_create ()) == NULL)
    return -1;
  rig_prepare (h);
  return 0;
}

/* Remove the images; true if nothing else is there. */
static bool
remove_images (void)
{
  struct dirent *e;
  DIR *d = opendir (dir);
  bool clean = true;

  while ((e = readdir (d)) != NULL) {
    if (e->d_name[0] == '.')
      continue;
    if (unlinkat (dirfd (d), e->d_name, 0) == -1) {
      print_error ("%s/%s was left behind\n", dir, e->d_name);
      clean = false;
    }
  }
  closedir (d);
  return clean;
}

int
rig_teardown (void **state)
{
  bool clean;

  (void) state;
  zf_close (h);
  clean = remove_images () && rmdir (dir) == 0;
  if (waitpid (-1, NULL, WNOHANG) != -1 || errno != ECHILD) {
    print_error ("a child was left behind\n");
    clean = false;
  }
  return clean ? 0 : -1;
}

char *
make_image (const char *name, int64_t size, const char *text)
{
  char *path;
  int fd;

  assert_true (asprintf (&path, "%s/%s", dir, name) > 0);
  fd = open (path, O_CREAT|O_RDWR|O_TRUNC|O_CLOEXEC, 0600);
  assert_int_not_equal (fd, -1);
  assert_int_equal (ftruncate (fd, size), 0);
  if (text != NULL)
    assert_int_equal (pwrite (fd, text, strlen (text), 0), strlen (text));
  close (fd);
  return path;
}

void
read_file (const char *path, char *buf, size_t len)
{
  int fd = open (path, O_RDONLY|O_CLOEXEC);

  assert_int_not_equal (fd, -1);
  assert_int_equal (read (fd, buf, len), len);
  close (fd);
}

void
add_image (zf_handle *handle, const char *path, bool readonly)
{
  const struct zf_add_drive_opts o = {
    .bitmask = ZF_ADD_DRIVE_OPTS_READONLY | ZF_ADD_DRIVE_OPTS_FORMAT, .readonly = readonly, .format = "raw",
  };

  if (zf_add_drive (handle, path, &o) == -1)
    fail_msg ("%s", zf_last_error (handle));
}

void
launch (zf_handle *handle)
{
  if (zf_launch (handle) == -1)
    fail_msg ("%s", zf_last_error (handle));
}

void
expect_text (zf_handle *handle, const char *device, const char *text)
{
  size_t size;
  char *s = zf_pread_device (handle, device, (int) strlen (text), 0, &size);

  if (s == NULL)
    fail_msg ("%s", zf_last_error (handle));
  if (size != strlen (text) || memcmp (s, text, size) != 0)
    fail_msg ("%s begins with '%.*s', not '%s'", device, (int) size, s, text);
  free (s);
}

void
put_text (zf_handle *handle, const char *device, const char *text)
{
  if (zf_pwrite_device (handle, device, text, strlen (text), 0) != (int) strlen (text))
    fail_msg ("%s", zf_last_error (handle));
}

bool
alive (pid_t pid)
{
  char path[64], line[256] = "";
  FILE *fp;

  snprintf (path, sizeof path, "/proc/%d/stat", (int) pid);
  if ((fp = fopen (path, "r")) == NULL)
    return false;
  if (fgets (line, sizeof line, fp) == NULL)
    line[0] = '\0';
  fclose (fp);
  return strstr (line, ") Z ") == NULL && line[0] != '\0';
}

bool
gone_within (pid_t pid, int ms)
{
  int64_t until = zfi_now_ms () + ms;

  while (alive (pid)) {
    if (zfi_now_ms () >= until)
      return false;
    poll (NULL, 0, 10);
  }
  return true;
}

pid_t
emulator (zf_handle *handle)
{
  assert_non_null (handle->backend);
  return handle->backend->pid (handle->backend_data);
}
