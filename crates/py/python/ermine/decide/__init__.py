"""Decisions from probabilities, and active learning.

A classifier says how probable classes are; what follows from it depends on what errors cost::

    from ermine.decide import bayes_action, threshold_for_fpr

    proba = model.predict_proba(X)
    bayes_action(proba, cost=[[0, 1], [5, 0]]).action          # a miss costs five false alarms
    bayes_action(proba, cost=[[0, 1], [5, 0]], abstain=0.5)     # -1: ask a person

    # at most 1% of healthy people are called ill, with 95% confidence over the choice of these rows
    threshold_for_fpr(y_held_out, proba_held_out[:, 1], bound=0.01)

`CostSensitiveClassifier` does so around any classifier, `CalibratedClassifier` makes its probabilities honest, `SelfTrainingClassifier` learns from rows
without labels, and `ActiveLearning` asks for the labels that teach most::

    from ermine.decide import ActiveLearning

    asking = ActiveLearning(LogisticRegression(), X, classes=["cat", "dog"], batch=10)
    for rows in asking:
        asking.tell(rows, [person(X[i]) for i in rows])         # a person looks at the rows
        if len(asking.labels) >= 200:
            break
    asking.fit().predict(X)
"""

from ._active_learning import ActiveCurve, ActiveLearning, simulate
from ._calibration import CalibratedClassifier, Calibration
from ._cost_sensitive import CostSensitiveClassifier
from ._costs import (
    ABSTAIN,
    BoundedThreshold,
    Decisions,
    bayes_action,
    cost_threshold,
    threshold_for_fnr,
    threshold_for_fpr,
    uncertainty,
)
from ._self_training import SelfTrainingClassifier

__all__ = [
    "ABSTAIN",
    "ActiveCurve",
    "ActiveLearning",
    "BoundedThreshold",
    "CalibratedClassifier",
    "Calibration",
    "CostSensitiveClassifier",
    "Decisions",
    "SelfTrainingClassifier",
    "bayes_action",
    "cost_threshold",
    "simulate",
    "threshold_for_fnr",
    "threshold_for_fpr",
    "uncertainty",
]
