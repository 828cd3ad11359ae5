"""Intel extension for scikit-learn (oneDAL)."""

from contestant import Contestant, estimator, linear_info

PACKAGES = ("scikit-learn-intelex", "daal", "daal4py")
TASKS = {}


def ols(p):
    from sklearnex.linear_model import LinearRegression

    return LinearRegression()


def ridge(p):
    from sklearnex.linear_model import Ridge

    return Ridge(alpha=p["alpha"])


for t in ("tall", "wide"):
    TASKS[f"ols_{t}"] = estimator(ols, info=linear_info)
    TASKS[f"ridge_{t}"] = estimator(ridge, info=linear_info)


def logreg(tol):
    def make(p):
        from sklearnex.linear_model import LogisticRegression

        return LogisticRegression(
            C=p["C"], solver="lbfgs", tol=tol, max_iter=2000, fit_intercept=False
        )

    return estimator(make, info=lambda m: {"coef": m.coef_})


TASKS["logreg_dense"] = logreg(1e-5)
TASKS["softmax_mnist"] = logreg(1e-4)
TASKS["softmax_digits"] = logreg(1e-4)


def svc(p):
    from sklearnex.svm import SVC

    return SVC(C=p["C"], gamma=p["gamma"], tol=p["tol"], cache_size=1000)


def svr(p):
    from sklearnex.svm import SVR

    return SVR(C=p["C"], gamma=p["gamma"], epsilon=p["epsilon"], tol=p["tol"], cache_size=1000)


def svm_info(m):
    return {"support": m.support_, "dual_coef": m.dual_coef_}


for t in ("", "_fine"):
    TASKS[f"svc_rbf_20{t}"] = estimator(svc, info=svm_info)
    TASKS[f"svc_rbf_784{t}"] = estimator(svc)
    TASKS[f"svr_rbf{t}"] = estimator(svr, info=svm_info)


def knn(algo):
    def factory(d, p):
        from sklearnex.neighbors import NearestNeighbors

        return Contestant(
            lambda: NearestNeighbors(n_neighbors=p["k"], algorithm=algo, n_jobs=p["threads"]).fit(
                d["X"]
            ),
            lambda m: m.kneighbors(d["X_test"], return_distance=True)[1],
        )

    return factory


TASKS["knn_20:brute"] = knn("brute")
TASKS["knn_20:kd_tree"] = knn("kd_tree")
TASKS["knn_128:brute"] = knn("brute")


def rf_cls(p):
    from sklearnex.ensemble import RandomForestClassifier

    return RandomForestClassifier(
        p["trees"], max_features=p["max_features"], n_jobs=p["threads"], random_state=0
    )


def rf_reg(p):
    from sklearnex.ensemble import RandomForestRegressor

    return RandomForestRegressor(
        p["trees"],
        max_features=p["max_features"],
        min_samples_leaf=p["min_leaf"],
        n_jobs=p["threads"],
        random_state=0,
    )


TASKS["rf_cls"] = estimator(rf_cls, predict="predict_proba")
TASKS["rf_reg"] = estimator(rf_reg)


def kmeans(d, p):
    from sklearnex.cluster import KMeans

    return Contestant(
        lambda: KMeans(
            len(d["init"]), init=d["init"], n_init=1, max_iter=p["iters"], tol=0, algorithm="lloyd"
        ).fit(d["X"]),
        lambda m: m.predict(d["X"]),
        lambda m: {"centers": m.cluster_centers_, "n_iter": m.n_iter_},
    )


for t in ("1e6x20_k10", "1e6x20_k100", "1e5x128_k10", "1e5x128_k100"):
    TASKS[f"kmeans_{t}"] = kmeans


def pca(p):
    from sklearnex.decomposition import PCA

    return PCA(n_components=p["k"], svd_solver="covariance_eigh")


for t in ("pca_full", "pca_rand"):
    TASKS[f"{t}:cov"] = estimator(
        pca, y=None, predict="transform", X_test="X", info=lambda m: {"components": m.components_}
    )


def grid_logreg(d, p):
    from sklearn.model_selection import GridSearchCV
    from sklearnex.linear_model import LogisticRegression

    def fit():
        return GridSearchCV(
            LogisticRegression(max_iter=500, fit_intercept=False),
            {"C": p["Cs"]},
            cv=p["folds"],
            n_jobs=1,
        ).fit(d["X"], d["y"])

    return Contestant(fit, None, lambda m: {"score": m.best_score_})


def grid_rf(d, p):
    from sklearn.model_selection import GridSearchCV
    from sklearnex.ensemble import RandomForestClassifier

    def fit():
        est = RandomForestClassifier(p["trees"], random_state=0)
        return GridSearchCV(
            est, {"max_depth": p["depth"], "max_features": p["feats"]}, cv=p["folds"], n_jobs=1
        ).fit(d["X"], d["y"])

    return Contestant(fit, None, lambda m: {"score": m.best_score_})


TASKS["grid_logreg"] = grid_logreg
TASKS["grid_rf"] = grid_rf


def save(m, path):
    import joblib

    joblib.dump(m, path)


def load(path):
    import joblib

    return joblib.load(path)


TASKS["io_rf:joblib"] = lambda d, p: Contestant(
    lambda: rf_cls(p).fit(d["X"], d["y"]), save=save, load=load
)


# prediction of a LightGBM model by oneDAL's own forest walker
def model_builder(d, p):
    X = d["X_test"][: p["rows"]]

    def fit():
        import daal4py

        from peers.lightgbm import train_binary

        return daal4py.mb.convert_model(train_binary(d, p))

    return Contestant(fit, lambda m: m.predict_proba(X))


for t in ("predict_1row", "predict_1k", "predict_1m"):
    TASKS[f"{t}:from-lightgbm"] = model_builder
