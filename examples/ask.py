"""ask.py — jali's library from Python, by ctypes: what is public about a vault, and releases."""
import ctypes as c
import json
import sys


class Err(c.Structure):
    _fields_ = [("code", c.c_int), ("reader", c.c_int), ("line", c.c_uint), ("column", c.c_uint),
                ("text", c.c_char * 512)]


class Style(c.Structure):
    _fields_ = [("format", c.c_int), ("width", c.c_uint), ("ascii", c.c_bool), ("color", c.c_bool)]


TABLE, JSON = 0, 1
jali = c.CDLL(sys.argv[1])
vault = sys.argv[2].encode()


def told(format, function, *words):
    """Calls a function that answers with a document, and returns the document as text."""
    doc, text, err = c.c_void_p(), c.c_void_p(), Err()
    if function(*words, c.byref(doc), c.byref(err)) != 0:
        sys.exit("ask.py: " + err.text.decode())
    jali.jali_doc_render(doc, c.byref(Style(format)), c.byref(text), None)
    answer = c.string_at(text).decode()
    jali.jali_free(text)
    jali.jali_doc_free(doc)
    return answer


for row in json.loads(told(JSON, jali.jali_vault_show, vault))["rows"]:
    print(f"{row['column']:<12} {row['domain']}")
for row in json.loads(told(JSON, jali.jali_vault_releases, vault))["rows"]:
    print(told(TABLE, jali.jali_vault_release, vault, row["release"].encode(), None))
