"""Which of scikit-learn's test cases are about a class seen from outside.

The rule: a case is selected when

1. the test function, and every function, class and constant of the test module that it uses, names nothing private:
   no attribute that starts with one underscore, nothing imported from a module or under a name that does (nor patched
   there by its dotted name), except from scikit-learn's test tooling (TOOLS below); and
2. it is about one of our classes: when estimators (classes, instances or their names) are among the parameters of the
   case, one of them is ours; otherwise the code of the test names one of ours.
"""

import ast
import functools
import inspect

from sklearn.base import BaseEstimator
from sklearn.utils import all_estimators

TOOLS = {"sklearn.utils._testing", "sklearn.utils.fixes"}


def _private(name):
    return name.startswith("_") and not name.startswith("__")


class Module:
    """The names that the tests of a module use, followed through the module."""

    def __init__(self, module):
        self.definitions = {}
        self.private_imports = set()
        for node in ast.parse(inspect.getsource(module)).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                self.definitions[node.name] = node
            elif isinstance(node, (ast.Assign, ast.AugAssign, ast.For, ast.If, ast.Try)):
                for name in ast.walk(node):
                    if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                        self.definitions.setdefault(name.id, node)
            elif isinstance(node, ast.ImportFrom):
                self.private_imports |= self._private_imports(node)

    @staticmethod
    def _private_imports(node):
        if node.module in TOOLS:
            return set()
        hidden = any(_private(part) for part in (node.module or "").split("."))
        return {alias.asname or alias.name for alias in node.names if hidden or _private(alias.name)}

    def uses(self, function):
        """All names that a test uses, and those of them that are private."""
        names, private, seen, todo = set(), set(), set(), [function]
        while todo:
            name = todo.pop()
            if name in seen or name not in self.definitions:
                continue
            seen.add(name)
            for node in ast.walk(self.definitions[name]):
                if isinstance(node, ast.Name):
                    names.add(node.id)
                    todo.append(node.id)
                    if node.id in self.private_imports:
                        private.add(node.id)
                elif isinstance(node, ast.arg):
                    todo.append(node.arg)
                elif isinstance(node, ast.Attribute) and _private(node.attr):
                    private.add(node.attr)
                elif isinstance(node, ast.ImportFrom):
                    private |= self._private_imports(node)
                elif isinstance(node, ast.Constant) and str(node.value).startswith("sklearn."):
                    private |= {part for part in node.value.split(".") if _private(part)}
        return names, private


@functools.cache
def _module(module):
    return Module(module)


@functools.cache
def _estimator_names():
    return {name for name, _ in all_estimators()}


def _estimators_among(value, found, depth=0):
    """Adds the names of the estimators inside a parameter."""
    if isinstance(value, str):
        if value in _estimator_names():
            found.add(value)
    elif isinstance(value, type):
        if issubclass(value, BaseEstimator):
            found.add(value.__name__)
    elif isinstance(value, BaseEstimator):
        found.add(type(value).__name__)
    elif isinstance(value, functools.partial):
        _estimators_among(value.func, found, depth + 1)
    elif isinstance(value, (list, tuple, set)) and depth < 3:
        for item in value:
            _estimators_among(item, found, depth + 1)
    elif isinstance(value, dict) and depth < 3:
        for item in value.values():
            _estimators_among(item, found, depth + 1)


def about(item, classes):
    """The classes of ours that a collected case is about; empty when it is not selected."""
    names, private = _module(item.module).uses(item.originalname)
    if private:
        return []
    given = set()
    for value in getattr(getattr(item, "callspec", None), "params", {}).values():
        _estimators_among(value, given)
    pool = given or names
    return [name for name in classes if name in pool]
