"""ONNX Runtime predicting with a converted LightGBM model."""

import onnxmltools
import onnxruntime as rt
from onnxmltools.convert.common.data_types import FloatTensorType

from contestant import Contestant, test_rows
from peers.lightgbm import train_binary

PACKAGES = ("onnxruntime", "onnxmltools", "onnx")


def predict(d, p):
    X = test_rows(d, p)

    def fit():
        o = onnxmltools.convert_lightgbm(
            train_binary(d, p),
            initial_types=[("x", FloatTensorType([None, X.shape[1]]))],
            zipmap=False,
        )
        so = rt.SessionOptions()
        so.intra_op_num_threads = p["threads"]
        return rt.InferenceSession(o.SerializeToString(), so, providers=["CPUExecutionProvider"])

    return Contestant(fit, lambda s: s.run(["probabilities"], {"x": X})[0])


TASKS = {t: predict for t in ("predict_1row", "predict_1k", "predict_1m")}
