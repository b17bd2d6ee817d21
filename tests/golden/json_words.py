"""The words of docs/json.md against what is printed: for json_test.py."""
import re

# Members whose inside is told elsewhere: a schema, the parameters of a method, other kinds of this page.
CLOSED = {"schema", "releases", "budget", "verify", "parameters"}
WORD = re.compile(r"[a-z][a-z0-9_]*")


def walk(value, keys, said):
    """Every key of a value, and every short text in it."""
    if isinstance(value, dict):
        for key, inside in value.items():
            keys.add(key)
            if key not in CLOSED or not isinstance(inside, (dict, list)):
                walk(inside, keys, said)
    elif isinstance(value, list):
        for inside in value:
            walk(inside, keys, said)
    elif isinstance(value, str):
        said.add(value)


def sections(page):
    """For each kind what the page says of it; under None what it says of all."""
    out, parts = {None: ""}, re.split(r"^## (.+)\n", page, flags=re.M)
    for line in parts[0].splitlines():
        row = re.match(r"\| `([a-z-]+)`[^|]*\| (.*) \|$", line)
        if row:
            out[row[1]] = out.get(row[1], "") + row[2] + "\n"
        elif not line.startswith("The body of"):
            out[None] += line + "\n"
    for head, text in zip(parts[1::2], parts[2::2]):
        for kind in re.findall(r"[a-z-]+", head):
            out[kind] = out.get(kind, "") + text
    return out


def words(text):
    """What stands as code: a word, the members of an object. And all words of all code."""
    found, all_words = set(), set()
    for code in re.findall(r"`([^`]+)`", text):
        all_words |= set(WORD.findall(code))
        if WORD.fullmatch(code):
            found.add(code)
        elif code.startswith("{"):
            found |= set(re.findall(r'"([a-z][a-z0-9_]*)"', code))
    return found, all_words


def judge(page, printed, names):
    """Keys that no word tells, words that no answer has. `printed`: kind -> (keys, texts);
    `names`: what the data call things, and no page can know."""
    told, silent, idle = sections(page), [], []
    for kind, (keys, said) in sorted(printed.items()):
        promised, known = words(told.get(kind, ""))
        known |= words(told[None])[1]
        own = {k for k in keys if WORD.fullmatch(k) and k not in names
               and re.sub(r"_(low|high)$", "", k) not in names}
        silent += [f"{kind}: {k}" for k in sorted(own - known - {"jali", "kind"})]
        said = {w for text in said for w in WORD.findall(text)}
        idle += [f"{kind}: {w}" for w in sorted(promised - keys - said - set(printed))]
    return silent, idle
