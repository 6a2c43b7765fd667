# SPDX-License-Identifier: GPL-2.0
"""A self-contained page of HTML."""

from html import escape

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #222; max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.7rem; margin-bottom: .2rem; }
h2 { font-size: 1.2rem; margin-top: 2.4rem; border-bottom: 1px solid #ddd; padding-bottom: .2rem; }
figure { margin: 1rem 0; }
figure svg { width: 100%; height: auto; }
figcaption { color: #444; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; margin: .6rem 0; }
th, td { padding: .2rem .6rem; text-align: right; border-bottom: 1px solid #eee; white-space: nowrap; }
table.wide { font-size: .72rem; }
table.wide th, table.wide td { padding: .15rem .42rem; }
th { font-weight: 600; border-bottom: 1px solid #999; }
th.group { text-align: center; }
td:first-child, th:first-child { text-align: left; }
.good { color: #00735a; } .bad { color: #b3261e; font-weight: 600; }
.note { color: #555; font-size: .9rem; }
.columns { display: flex; flex-wrap: wrap; gap: 0 3rem; align-items: flex-start; }
"""


class Page:
    def __init__(self, title, subtitle):
        self.title = title
        self.parts = [f"<h1>{escape(title)}</h1>", f"<p>{escape(subtitle)}</p>"]

    def section(self, title):
        self.parts.append(f"<h2>{escape(title)}</h2>")

    def text(self, text, note=False):
        self.parts.append(f'<p{" class=note" if note else ""}>{escape(text)}</p>')

    def figure(self, svg, caption):
        """@caption: how to read it"""
        self.parts.append(f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>")

    def columns(self, *tables):
        self.parts.append('<div class="columns">' + "".join(table_html(*table) for table in tables) + "</div>")

    def table(self, heads, rows, groups=()):
        self.parts.append(table_html(heads, rows, groups))

    def html(self):
        return (f'<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{escape(self.title)}</title>\n'
                f"<style>{STYLE}</style></head>\n<body>\n" + "\n".join(self.parts) + "\n</body>\n</html>\n")


def cell_html(value):
    if isinstance(value, bool):
        return '<td class="good">the same</td>' if value else '<td class="bad">different</td>'
    return f"<td>{escape(str(value))}</td>"


def table_html(heads, rows, groups=()):
    """@groups: (text, columns) of a line above @heads"""
    head = "<tr>" + "".join(f'<th class="group" colspan="{span}">{escape(text)}</th>' for text, span in groups) + "</tr>"
    return (f'<table{" class=wide" if len(heads) > 9 else ""}><thead>' + (head if groups else "") + "<tr>" +
            "".join(f"<th>{escape(text)}</th>" for text in heads) + "</tr></thead><tbody>" +
            "".join("<tr>" + "".join(cell_html(value) for value in row) + "</tr>" for row in rows) +
            "</tbody></table>")
