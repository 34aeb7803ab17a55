/* Reading the XML that libvirt gives: small tools, and the capabilities of the host.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include <libxml/parser.h>

#include "libvirt.h"

xmlDocPtr
virt_xml_parse (zf_handle *h, const char *xml, const char *what)
{
  xmlDocPtr doc = xmlReadMemory (xml, (int) strlen (xml), "libvirt.xml", NULL,
                                 XML_PARSE_NONET|XML_PARSE_NOERROR|XML_PARSE_NOWARNING);

  if (doc == NULL || xmlDocGetRootElement (doc) == NULL) {
    zfi_error (h, EINVAL, "%s: the XML from libvirt cannot be parsed", what);
    xmlFreeDoc (doc);
    return NULL;
  }
  return doc;
}

static xmlNodePtr
find (xmlNodePtr n, const char *name)
{
  for (; n != NULL; n = n->next)
    if (n->type == XML_ELEMENT_NODE && (name == NULL || strcmp ((const char *) n->name, name) == 0))
      return n;
  return NULL;
}

xmlNodePtr
virt_xml_child (xmlNodePtr node, const char *name)
{
  return node != NULL ? find (node->children, name) : NULL;
}

xmlNodePtr
virt_xml_next (xmlNodePtr node, const char *name)
{
  return find (node->next, name);
}

char *
virt_xml_attr (xmlNodePtr node, const char *name)
{
  return node != NULL ? (char *) xmlGetProp (node, (const xmlChar *) name) : NULL;
}

bool
virt_xml_attr_is (xmlNodePtr node, const char *name, const char *value)
{
  char *s = virt_xml_attr (node, name);
  bool r = s != NULL && strcmp (s, value) == 0;

  free (s);
  return r;
}

/* --- capabilities --- */

/* "+64055:+107", or without the signs: ids of emulators. */
static void
parse_label (const char *s, struct virt_caps *caps)
{
  char *end;

  s += *s == '+';
  if (!isdigit ((unsigned char) *s))
    return;
  caps->uid = strtoul (s, &end, 10);
  if (*end != ':')
    return;
  s = end + 1;
  s += *s == '+';
  if (!isdigit ((unsigned char) *s))
    return;
  caps->gid = strtoul (s, &end, 10);
  caps->dac = *end == '\0';
}

/* The label that emulators of any type get; they do not differ. */
static void
parse_dac (xmlNodePtr model, struct virt_caps *caps)
{
  xmlNodePtr n;

  for (n = virt_xml_child (model, "baselabel"); n != NULL; n = virt_xml_next (n, "baselabel"))
    if (virt_xml_attr_is (n, "type", "kvm") || virt_xml_attr_is (n, "type", "qemu")) {
      xmlChar *s = xmlNodeGetContent (n);

      if (s != NULL)
        parse_label ((const char *) s, caps);
      xmlFree (s);
    }
}

static void
parse_host (xmlNodePtr host, struct virt_caps *caps)
{
  xmlNodePtr n;

  for (n = virt_xml_child (host, "secmodel"); n != NULL; n = virt_xml_next (n, "secmodel")) {
    xmlChar *s = xmlNodeGetContent (virt_xml_child (n, "model"));

    if (s != NULL && strcmp ((const char *) s, "dac") == 0)
      parse_dac (n, caps);
    if (s != NULL && strcmp ((const char *) s, "selinux") == 0)
      caps->selinux = true;
    xmlFree (s);
  }
}

static bool
offers_kvm (xmlNodePtr guest)
{
  xmlNodePtr arch = virt_xml_child (guest, "arch"), n;
  struct utsname u;

  if (uname (&u) == -1 || !virt_xml_attr_is (arch, "name", u.machine))
    return false;
  for (n = virt_xml_child (arch, "domain"); n != NULL; n = virt_xml_next (n, "domain"))
    if (virt_xml_attr_is (n, "type", "kvm"))
      return true;
  return false;
}

int
virt_caps_parse (zf_handle *h, const char *xml, struct virt_caps *caps)
{
  xmlDocPtr doc = virt_xml_parse (h, xml, "capabilities");
  xmlNodePtr root, n;

  if (doc == NULL)
    return -1;
  *caps = (struct virt_caps) { 0 };
  root = xmlDocGetRootElement (doc);
  parse_host (virt_xml_child (root, "host"), caps);
  for (n = virt_xml_child (root, "guest"); n != NULL; n = virt_xml_next (n, "guest"))
    caps->kvm |= offers_kvm (n);
  xmlFreeDoc (doc);
  return 0;
}
