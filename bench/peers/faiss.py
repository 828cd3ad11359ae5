"""faiss-cpu."""

from contestant import Contestant

PACKAGES = ("faiss-cpu",)
TASKS = {}


def knn(d, p):
    import faiss

    faiss.omp_set_num_threads(p["threads"])

    def fit():
        ix = faiss.IndexFlatL2(d["X"].shape[1])
        ix.add(d["X"])
        return ix

    return Contestant(fit, lambda ix: ix.search(d["X_test"], p["k"])[1])


TASKS["knn_20:flat"] = knn
TASKS["knn_128:flat"] = knn


def kmeans(d, p):
    import faiss

    faiss.omp_set_num_threads(p["threads"])
    X, k = d["X"], len(d["init"])

    def fit():
        m = faiss.Kmeans(
            X.shape[1],
            k,
            niter=p["iters"],
            nredo=1,
            max_points_per_centroid=len(X),
            min_points_per_centroid=1,
            seed=0,
        )
        m.train(X, init_centroids=d["init"])
        return m

    return Contestant(
        fit, lambda m: m.assign(X)[1], lambda m: {"centers": m.centroids, "n_iter": p["iters"]}
    )


for t in ("1e6x20_k10", "1e6x20_k100", "1e5x128_k10", "1e5x128_k100"):
    TASKS[f"kmeans_{t}"] = kmeans


def pca(d, p):
    import faiss
    import numpy as np

    def fit():
        X = d["X"].astype(np.float32)
        m = faiss.PCAMatrix(X.shape[1], p["k"])
        m.max_points_per_d = 10**6
        m.train(X)
        return m

    return Contestant(
        fit, None, lambda m: {"components": faiss.vector_to_array(m.A).reshape(p["k"], -1)}
    )


TASKS["pca_full:f32"] = pca
