"""The theorems of a course in machine learning, run on data.

::

    from ermine import course

    course.chapters()                         # what there is
    course.run("T3.10", n=50)                 # statement, hypotheses, both sides, verdict
    course.run("T1.1", data=(X, y))           # on your own numbers
    course.run_all()                          # every theorem at its defaults

A result prints as text and shows as HTML in a notebook.
"""

import html
import json

import numpy as np

from ._native import course_chapters as _chapters
from ._native import course_run as _run

__all__ = ["TheoremResult", "chapters", "run", "run_all", "theorems"]


class TheoremResult:
    """What running a theorem showed: `id`, `statement`, `hypotheses`, `left`, `right`, `tolerance`, `verdict`, and more in `comparisons`."""

    def __init__(self, found, text, svg):
        self._found, self._text, self.svg = found, text, svg

    def __getattr__(self, name):
        found = self.__dict__.get("_found", {})
        if name in found:
            return found[name]
        raise AttributeError(f"a theorem's result has no {name!r}; it has {', '.join(found)}, svg")

    def __dir__(self):
        return [*super().__dir__(), *self._found]

    def to_dict(self):
        """The result as the command line's `--json` prints it."""
        return dict(self._found)

    def __repr__(self):
        return self._text

    def _repr_html_(self):
        marks = {True: "holds", False: "fails", None: "cannot be known"}
        text = html.escape
        lines = [f"<p><b>{text(self.id)}</b> {text(self.statement)}</p>", "<ul>"]
        lines += [f"<li>{text(h['text'])}: {marks[h['holds']]}</li>" for h in self.hypotheses]
        lines += ["</ul>", "<table><tr><th></th><th>left</th><th></th><th>right</th><th></th></tr>"]
        for c in self.comparisons:
            left, right = (f"{v:.6g}" if v is not None else "∞" for v in (c["left"], c["right"]))
            mark = marks[c["holds"]]
            lines.append(f"<tr><td>{text(c['what'])}</td><td>{left}</td><td>{c['relation']}</td><td>{right}</td><td>{mark}</td></tr>")
        lines.append("</table>")
        lines += [f"<p>The notes have {text(m['printed'])}: {m['left']:.6g} and {m['right']:.6g}</p>" for m in self.misprints if m["refuted"]]
        lines.append(f"<p>verdict: <b>{self.verdict}</b>{' (' + text(self.reason) + ')' if self.reason else ''}</p>")
        return "\n".join([*lines, self.svg or ""])


def chapters():
    """The chapters, each a dict with `chapter`, `title` and `theorems`."""
    return json.loads(_chapters())


def theorems():
    """All theorems by their identifiers: statement, sections of the notes, parameters."""
    return {t["id"]: t for c in chapters() for t in c["theorems"]}


def run(theorem, data=None, seed=0, **settings):
    """Runs a theorem.

    `data` is a pair of numbers in rows and a target, for theorems that take data; `settings` are the theorem's parameters.
    """
    if data is not None:
        x, y = data
        data = (np.ascontiguousarray(x, dtype=float), np.ascontiguousarray(y, dtype=float))
    found, text, svg = _run(theorem, [(k, float(v)) for k, v in settings.items()], seed, data)
    return TheoremResult(json.loads(found), text, svg)


def run_all(seed=0):
    """Every theorem at its defaults, by identifier."""
    return {name: run(name, seed=seed) for name in theorems()}
