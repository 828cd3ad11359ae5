"""scikit-learn."""

import numpy as np

from contestant import Contestant, coef_info, estimator, linear_info, test_rows

PACKAGES = ("scikit-learn", "numpy", "scipy", "joblib")
TASKS = {}
TOL = 1e-5  # of the lasso family: gap relative to |y|^2


def add(task, factory, variant=""):
    TASKS[task + (":" + variant if variant else "")] = factory


# ---- linear
def ols(p):
    from sklearn.linear_model import LinearRegression

    return LinearRegression(n_jobs=p["threads"])


def ridge(p):
    from sklearn.linear_model import Ridge

    return Ridge(alpha=p["alpha"])


for t in ("tall", "wide"):
    add(f"ols_{t}", estimator(ols, info=linear_info))
    add(f"ridge_{t}", estimator(ridge, info=linear_info))


# ---- other losses
def quantile(p):
    from sklearn.linear_model import QuantileRegressor

    return QuantileRegressor(quantile=p["quantile"], alpha=p["alpha"])


def huber(p):
    from sklearn.linear_model import HuberRegressor

    # The default of 100 steps ends too early for the gate.
    return HuberRegressor(epsilon=p["epsilon"], alpha=p["alpha"], max_iter=1000)


for t in ("quantile", "quantile_l1"):
    add(t, estimator(quantile, info=linear_info))
add("huber", estimator(huber, info=linear_info))


# ---- lasso: tol is the gap relative to ||y||^2
def lasso(precompute):
    def factory(d, p):
        from sklearn.linear_model import ElasticNet

        a = p["alpha_of"](d)
        pre = {} if precompute is None else dict(precompute=precompute)

        def fit():
            m = ElasticNet(
                alpha=a,
                l1_ratio=p.get("l1_ratio", 1.0),
                fit_intercept=p["intercept"],
                tol=TOL,
                max_iter=10_000,
                **pre,
            )
            return m.fit(d["X"], d["y"])

        return Contestant(fit, lambda m: m.predict(d["X_test"]), linear_info)

    return factory


for t in ("lasso_dense", "enet_dense"):
    add(t, lasso(False))
    add(t, lasso(True), "gram")
add("lasso_sparse", lasso(None))


def lasso_path(d, p):
    from sklearn.linear_model import lasso_path as path

    alphas = p["alphas_of"](d)

    def fit():
        mx, my = d["X"].mean(0), d["y"].mean()
        Xc = np.asfortranarray(d["X"] - mx)
        _, coefs, _ = path(Xc, d["y"] - my, alphas=alphas, tol=TOL, max_iter=10_000, copy_X=False)
        return coefs, my - mx @ coefs

    return Contestant(fit, None, lambda m: {"coefs": m[0], "intercepts": m[1]})


add("lasso_path", lasso_path)


# ---- logistic
def logreg(solver, tol, **kw):
    def make(p):
        from sklearn.linear_model import LogisticRegression

        extra = dict(l1_ratio=1.0) if p.get("penalty") == "l1" else {}
        return LogisticRegression(
            C=p["C"], solver=solver, tol=tol, max_iter=2000, fit_intercept=False, **extra, **kw
        )

    return estimator(make, info=coef_info)


add("logreg_dense", logreg("lbfgs", 1e-5), "lbfgs")
add("logreg_dense", logreg("newton-cholesky", 1e-4), "newton-chol")
add("logreg_sparse", logreg("lbfgs", 3e-7), "lbfgs")
add("logreg_sparse", logreg("liblinear", 1e-3), "liblinear")
add("logreg_sparse", logreg("newton-cg", 1e-6), "newton-cg")
add("logreg_l1_sparse", logreg("liblinear", 1e-3), "liblinear")
add("logreg_l1_sparse", logreg("saga", 3e-4), "saga")
add("softmax_mnist", logreg("lbfgs", 1e-4), "lbfgs")
add("softmax_digits", logreg("lbfgs", 2e-5), "lbfgs")


# ---- a row at a time
def sgd(p):
    from sklearn.linear_model import SGDClassifier

    return SGDClassifier(
        loss=p["loss"],
        alpha=p["alpha"],
        max_iter=p["epochs"],
        tol=None,
        fit_intercept=False,
        random_state=0,
    )


for t in ("hinge", "log_loss"):
    add(f"sgd_{t}_dense", estimator(sgd, info=coef_info))
    add(f"sgd_{t}_sparse", estimator(sgd, info=coef_info))
# ---- generalized linear models
def poisson(solver, tol):
    def make(p):
        from sklearn.linear_model import PoissonRegressor

        return PoissonRegressor(alpha=p["alpha"], solver=solver, tol=tol, max_iter=2000)

    return estimator(make, info=linear_info)


# Each with the loosest tolerance that meets the gate.
add("glm_poisson", poisson("lbfgs", 1e-4), "lbfgs")
add("glm_poisson", poisson("newton-cholesky", 1e-2), "newton-chol")


# ---- linear SVM (liblinear inside)
def linsvc(dual, tol):
    def make(p):
        from sklearn.svm import LinearSVC

        return LinearSVC(
            C=p["C"],
            loss=p["loss"],
            dual=dual,
            tol=tol,
            fit_intercept=False,
            max_iter=5000,
            random_state=0,
        )

    return estimator(make, info=coef_info)


add("linsvm_dense", linsvc(False, 1e-3), "primal")
add("linsvm_sparse", linsvc(False, 1e-3), "primal")
add("linsvm_sparse", linsvc(True, 1e-2), "dual")
add("linsvm_hinge_sparse", linsvc(True, 1e-2), "dual")


# ---- kernel machines
def svm_info(m):
    return {"support": m.support_, "dual_coef": m.dual_coef_}


def svc(p):
    from sklearn.svm import SVC

    return SVC(C=p["C"], gamma=p["gamma"], tol=p["tol"], cache_size=1000)


def svr(p):
    from sklearn.svm import SVR

    return SVR(C=p["C"], gamma=p["gamma"], epsilon=p["epsilon"], tol=p["tol"], cache_size=1000)


def kernel_ridge(p):
    from sklearn.kernel_ridge import KernelRidge

    return KernelRidge(alpha=p["alpha"], kernel="rbf", gamma=p["gamma"])


def kernel_pca(solver):
    def make(p):
        from sklearn.decomposition import KernelPCA

        return KernelPCA(
            n_components=p["k"], kernel="rbf", gamma=p["gamma"], eigen_solver=solver, random_state=0
        )

    return estimator(
        make, y=None, predict="transform", info=lambda m: {"eigenvalues": m.eigenvalues_}
    )


for t in ("", "_fine"):
    add(f"svc_rbf_20{t}", estimator(svc, info=svm_info))
    add(f"svc_rbf_784{t}", estimator(svc))
    add(f"svr_rbf{t}", estimator(svr, info=svm_info))
add("kernel_ridge", estimator(kernel_ridge))
add("kernel_pca", kernel_pca("dense"), "dense")
add("kernel_pca", kernel_pca("arpack"), "arpack")
add("kernel_pca", kernel_pca("randomized"), "randomized")


# ---- neighbors
def knn(algo):
    def factory(d, p):
        from sklearn.neighbors import NearestNeighbors

        return Contestant(
            lambda: NearestNeighbors(n_neighbors=p["k"], algorithm=algo, n_jobs=p["threads"]).fit(
                d["X"]
            ),
            lambda m: m.kneighbors(d["X_test"], return_distance=True)[1],
        )

    return factory


for t in ("knn_20", "knn_128"):
    add(t, knn("brute"), "brute")
add("knn_20", knn("kd_tree"), "kd_tree")


# ---- trees
def proba(make):
    return estimator(make, predict="predict_proba")


def tree(p):
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(min_samples_leaf=p["min_leaf"], random_state=0)


def rf_cls(p):
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(
        p["trees"], max_features=p["max_features"], n_jobs=p["threads"], random_state=0
    )


def rf_reg(p):
    from sklearn.ensemble import RandomForestRegressor

    return RandomForestRegressor(
        p["trees"],
        max_features=p["max_features"],
        min_samples_leaf=p["min_leaf"],
        n_jobs=p["threads"],
        random_state=0,
    )


def ada(p):
    from sklearn.ensemble import AdaBoostClassifier

    return AdaBoostClassifier(n_estimators=p["rounds"], random_state=0)


add("tree_cls", proba(tree))
add("rf_cls", proba(rf_cls))
add("rf_reg", estimator(rf_reg))
add("adaboost", proba(ada))


def hgb_params(p):
    return dict(
        max_iter=p["iters"],
        max_leaf_nodes=p["leaves"],
        max_bins=p["bins"],
        learning_rate=p["lr"],
        early_stopping=False,
        random_state=0,
    )


def hgb_cls(p):
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(**hgb_params(p))


def hgb_reg(p):
    from sklearn.ensemble import HistGradientBoostingRegressor

    return HistGradientBoostingRegressor(**hgb_params(p))


def hgb_cat(d, p):
    from sklearn.ensemble import HistGradientBoostingClassifier

    k = d["num"].shape[1]

    def join(num, cat):
        return np.hstack([num, cat.astype(np.float32)])

    def fit():
        X = join(d["num"], d["cat"])
        return HistGradientBoostingClassifier(
            **hgb_params(p), categorical_features=list(range(k, X.shape[1]))
        ).fit(X, d["y"])

    return Contestant(fit, lambda m: m.predict_proba(join(d["num_test"], d["cat_test"])))


add("gbdt_higgs", proba(hgb_cls), "hist")
add("gbdt_multi", proba(hgb_cls), "hist")
add("gbdt_reg", estimator(hgb_reg), "hist")
add("gbdt_cat", hgb_cat, "hist")


def hgb_predict(d, p):
    X = d["X_test"][: p["rows"]]
    return Contestant(
        lambda: hgb_cls(p).fit(d["X"], d["y"]), lambda m: m.predict_proba(X), **joblib_io()
    )


def joblib_io():
    def save(m, path):
        import joblib

        joblib.dump(m, path)

    def load(path):
        import joblib

        return joblib.load(path)

    return dict(save=save, load=load)


for t in ("predict_1row", "predict_1k", "predict_1m", "io_gbdt"):
    add(t, hgb_predict, "hist")


def io_rf(d, p):
    return Contestant(lambda: rf_cls(p).fit(d["X"], d["y"]), **joblib_io())


add("io_rf", io_rf, "joblib")


# ---- Bayes, discriminants
def gnb(p):
    from sklearn.naive_bayes import GaussianNB

    return GaussianNB()


def lda(solver):
    def make(p):
        from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

        return LinearDiscriminantAnalysis(solver=solver)

    return make


def qda(p):
    from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

    return QuadraticDiscriminantAnalysis()


def naive_bayes(name):
    def make(p):
        import sklearn.naive_bayes

        return getattr(sklearn.naive_bayes, name)()

    return make


add("gnb", estimator(gnb))
add("mnb_text", estimator(naive_bayes("MultinomialNB")))
add("bnb_text", estimator(naive_bayes("BernoulliNB")))
add("lda", estimator(lda("svd")), "svd")
add("lda", estimator(lda("lsqr")), "lsqr")
add("qda", estimator(qda))


# ---- clusters
def dbscan(d, p):
    from sklearn.cluster import DBSCAN

    return Contestant(
        lambda: DBSCAN(eps=p["eps"], min_samples=p["min_samples"]).fit(d["X"]),
        info=lambda m: {"labels": m.labels_},
    )


def ward(d, p):
    from sklearn.cluster import AgglomerativeClustering

    return Contestant(
        lambda: AgglomerativeClustering(n_clusters=p["k"]).fit(d["X"]),
        info=lambda m: {"labels": m.labels_},
    )


add("dbscan", dbscan)
add("ward", ward)


def kmeans(algo):
    def factory(d, p):
        from sklearn.cluster import KMeans

        return Contestant(
            lambda: KMeans(
                len(d["init"]), init=d["init"], n_init=1, max_iter=p["iters"], tol=0, algorithm=algo
            ).fit(d["X"]),
            lambda m: m.predict(d["X"]),
            lambda m: {"centers": m.cluster_centers_, "n_iter": m.n_iter_},
        )

    return factory


for t in ("1e6x20_k10", "1e6x20_k100", "1e5x128_k10", "1e5x128_k100"):
    add(f"kmeans_{t}", kmeans("lloyd"), "lloyd")
    if t.endswith("k100"):
        add(f"kmeans_{t}", kmeans("elkan"), "elkan")


def gmm(d, p):
    from sklearn.mixture import GaussianMixture

    def fit():
        m = GaussianMixture(
            len(d["weights_init"]),
            max_iter=p["iters"],
            tol=0,
            means_init=d["means_init"],
            precisions_init=d["precisions_init"],
            weights_init=d["weights_init"],
            init_params="random_from_data",
        )
        return m.fit(d["X"])

    return Contestant(
        fit,
        lambda m: m.predict_proba(d["X"]),
        lambda m: {
            "weights": m.weights_,
            "means": m.means_,
            "covs": m.covariances_,
            "n_iter": m.n_iter_,
        },
    )


add("gmm", gmm)


# ---- PCA
def pca(solver, **kw):
    def make(p):
        from sklearn.decomposition import PCA

        extra = dict(iterated_power=p["power"]) if solver == "randomized" else {}
        return PCA(n_components=p["k"], svd_solver=solver, random_state=0, **extra)

    return estimator(
        make, y=None, predict="transform", X_test="X", info=lambda m: {"components": m.components_}
    )


add("pca_full", pca("full"), "svd")
add("pca_full", pca("covariance_eigh"), "cov")
add("pca_rand", pca("randomized"), "randomized")
add("pca_rand", pca("covariance_eigh"), "cov")
add("pca_wide", pca("randomized"), "randomized")
add("pca_wide", pca("arpack"), "arpack")
add("pca_wide", pca("covariance_eigh"), "cov")


# ---- grid search
def grid_logreg(d, p):
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV

    def fit():
        return GridSearchCV(
            LogisticRegression(max_iter=500, fit_intercept=False),
            {"C": p["Cs"]},
            cv=p["folds"],
            n_jobs=p["threads"],
        ).fit(d["X"], d["y"])

    return Contestant(fit, None, lambda m: {"score": m.best_score_})


def grid_rf(d, p):
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.model_selection import GridSearchCV

    def fit():
        est = RandomForestClassifier(p["trees"], random_state=0, n_jobs=1)
        return GridSearchCV(
            est,
            {"max_depth": p["depth"], "max_features": p["feats"]},
            cv=p["folds"],
            n_jobs=p["threads"],
        ).fit(d["X"], d["y"])

    return Contestant(fit, None, lambda m: {"score": m.best_score_})


def grid(make, parameter):
    def factory(d, p):
        from sklearn.model_selection import GridSearchCV

        def fit():
            search = GridSearchCV(
                make(), {parameter: p["values"]}, cv=p["folds"], refit=False, n_jobs=p["threads"]
            )
            return search.fit(d["X"], d["y"])

        return Contestant(fit, None, lambda m: {"score": m.best_score_})

    return factory


def logistic_to_search():
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=1000)


def ridge_to_search():
    from sklearn.linear_model import Ridge

    return Ridge()


def lda_to_search():
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    return LinearDiscriminantAnalysis(solver="lsqr")


add("grid_ridge", grid(ridge_to_search, "alpha"))
add("grid_logistic", grid(logistic_to_search, "C"))
add("grid_lda", grid(lda_to_search, "shrinkage"))
add("grid_logreg", grid_logreg)
add("grid_rf", grid_rf)


# ---- networks
def mlp(d, p):
    from sklearn.neural_network import MLPClassifier

    def fit():
        return MLPClassifier(
            p["hidden"], alpha=0.0, batch_size=p["batch"], max_iter=p["epochs"], tol=0.0,
            n_iter_no_change=10**6, learning_rate_init=p["rate"], random_state=0,
        ).fit(d["X"], d["y"])

    X = test_rows(d, dict(rows=p.get("rows")))
    return Contestant(fit, lambda m: m.predict_proba(X))


for task in ("mlp_784", "mlp_tiny", "mlp_784_1row", "mlp_tiny_1row"):
    add(task, mlp)
