"""Modules that have moved, for pickles that name the classes by the old ones."""

import importlib
import importlib.abc
import importlib.machinery
import sys

# Old module: the new one, and the classes that are called otherwise there.
_MOVED = {
    "ermine._generated": ("ermine", {}),
    "ermine._adaboost": ("ermine.ensemble._weight_boosting", {}),
    "ermine._file": ("ermine._model_file", {}),
    "ermine._environment": ("ermine.rl._environment", {}),
    "ermine._levels": ("ermine.preprocessing._categories", {"Codes": "CategoryCodes", "Levels": "CategoryIndex"}),
    "ermine._linear": ("ermine.linear_model._ridge", {}),
    "ermine._member": (
        "ermine.tree._ensemble_member",
        {
            "MemberClassifier": "EnsembleTreeClassifier",
            "MemberRegressor": "EnsembleTreeRegressor",
            "MemberTree": "EnsembleTree",
        },
    ),
    "ermine._search": ("ermine.model_selection._search", {}),
    "ermine._tree": ("ermine.tree._tree", {}),
}


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Makes an old module whose names are looked up in the new one."""

    def find_spec(self, fullname, path, target=None):
        return importlib.machinery.ModuleSpec(fullname, self) if fullname in _MOVED else None

    def exec_module(self, module):
        home, renamed = _MOVED[module.__name__]
        module.__getattr__ = lambda name: getattr(importlib.import_module(home), renamed.get(name, name))


def install():
    """Lets old modules be imported."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.append(_Finder())
