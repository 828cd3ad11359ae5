"""The catalogue of learners."""

import json

from . import _native


def models(name=None):
    """The learners that Ermine has.

    Parameters
    ----------
    name : str, default=None
        A learner's name, such as "ridge"; None for all.

    Returns
    -------
    models : list of dict, or dict
        Name, summary, objective, tasks, what data it accepts, and parameters with default, range and meaning.

    Examples
    --------
    >>> import ermine
    >>> [m["name"] for m in ermine.models()][0]
    'baseline'
    """
    catalogue = json.loads(_native.catalogue())
    if name is None:
        return catalogue
    for entry in catalogue:
        if entry["name"] == name:
            return entry
    known = ", ".join(entry["name"] for entry in catalogue)
    raise ValueError(f"there is no model {name!r}; there are {known}")
