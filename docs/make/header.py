"""The public header, taken apart: its sections, and what each comment of it speaks of."""

import re

TOKEN = re.compile(r"(?P<comment>/\*.*?\*/)|(?P<block>^(?:struct|enum) \w+ \{.*?^\};)|(?P<code>^\w[^;{}/]*;)", re.S | re.M)
SECTION = re.compile(r"/\* ---- (.*) ---- \*/")


def text_of(comment):
    """The words of a comment; paragraphs stay apart."""
    lines = [re.sub(r"^\s*\*? ?", "", line) for line in comment[2:-2].split("\n")]
    return "\n".join(line.rstrip() for line in lines).strip()


def body(source):
    """What stands between the guards, without what is for the preprocessor."""
    source = source[source.index("#define BAILEY_H"):]
    return re.sub(r"^#.*\n|^extern \"C\" \{\n|^\}\n", "", source, flags=re.M)


def parse(source):
    """-> what the file says of itself, and sections: (name, items), an item being (text, [declaration, ...])."""
    first = re.match(r"\s*(/\*.*?\*/)", source, re.S)
    sections, text = [["", []]], ""
    for found in TOKEN.finditer(body(source)):
        if found["comment"]:
            heading = SECTION.fullmatch(found["comment"])
            if heading:
                sections.append([heading[1], []])
            text = "" if heading else text_of(found["comment"])
            continue
        declaration = found["block"] or found["code"]
        items = sections[-1][1]
        if text or not items or declaration.startswith(("struct", "enum")) or items[-1][1][-1].startswith(("struct", "enum")):
            items.append((text, [declaration]))
        else:
            items[-1][1].append(declaration)  # what has no comment of its own belongs to the one before it
        text = ""
    return text_of(first[1]), sections


def functions(source):
    return re.findall(r"^\w[\w *]*?\b(bailey_\w+)\(", body(source), flags=re.M)


def manual(escape, prose, literal, source):
    about, sections = parse(source)
    out = "# DESCRIPTION\n\n%s\n\n" % prose(about.split("\n", 1)[1].strip())
    for name, items in sections:
        if not items:
            continue
        out += "# %s\n\n" % escape((name or "reading").upper())
        for text, declarations in items:
            out += literal("\n".join(declarations).expandtabs(8)) + "\n"
            if text:
                out += prose(text) + "\n\n"
    return out
