# SPDX-License-Identifier: GPL-2.0
"""
The guides of the project as reStructuredText, for a kernel's documentation: headings, code, lists and tables of Markdown as these
documents use them. Links to files that the kernel does not have become their text.

usage: rst.py FILE.md
"""

import re
import sys

UNDERLINES = "=-~^"


def inline(text):
    text = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", text)
    # A word right behind a literal needs a space that is not shown.
    return re.sub(r"`([^`]+)`(\w?)", lambda found: f"``{found[1]}``" + (f"\\ {found[2]}" if found[2] else ""), text)


def table(rows):
    """A list-table: cells may be of any length. It is indented as its first row."""
    indent = rows[0][:len(rows[0]) - len(rows[0].lstrip())]
    for line in list_table(rows):
        yield indent + line if line else line


def list_table(rows):
    cells = [[inline(cell.strip()) for cell in re.split(r"(?<!\\)\|", row.strip().strip("|"))] for row in rows]
    header, body = cells[0], cells[2:]
    yield ".. list-table::"
    if any(header):
        yield "   :header-rows: 1"
        body = [header] + body
    yield ""
    for row in body:
        for number, cell in enumerate(row):
            yield f"   {'*' if number == 0 else ' '} - {cell.replace(chr(92) + '|', '|')}".rstrip()
    yield ""


def convert(lines):
    rows, code, fenced = [], False, False
    yield ".. SPDX-License-Identifier: GPL-2.0"
    yield ""
    for line in lines:
        if line.startswith("```"):
            fenced = not fenced
            if fenced:
                yield "::"
                yield ""
            continue
        if fenced:
            yield "    " + line
            continue
        if line.lstrip().startswith("|") and not line.startswith("    "):
            rows.append(line)
            continue
        if rows:
            yield from table(rows)
            rows = []
        heading = re.match(r"(#+) (.*)", line)
        if heading:
            text = inline(heading.group(2))
            yield text
            yield UNDERLINES[len(heading.group(1)) - 1] * len(text)
        elif line.startswith("    "):
            if not code:
                yield "::"
                yield ""
            code = True
            yield line
        else:
            if line:
                code = False
            yield inline(line)
    if rows:
        yield from table(rows)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        for line in convert(file.read().splitlines()):
            print(line)


if __name__ == "__main__":
    main()
