"""Ermine, through its Python package."""

import ermine
import numpy as np

from contestant import Contestant, coef_info, csv_reader, estimator, linear_info, test_rows

PACKAGES = ("ermine",)
TASKS = {}


def ols(p):
    return ermine.LinearRegression()


def ridge(p):
    return ermine.Ridge(alpha=p["alpha"])


for shape in ("tall", "wide"):
    TASKS[f"ols_{shape}"] = estimator(ols, info=linear_info)
    TASKS[f"ridge_{shape}"] = estimator(ridge, info=linear_info)


TOL = 1e-6  # of the lasso family: gap relative to the mean square of y


def elastic_net(d, p):
    alpha = p["alpha_of"](d)

    def fit():
        model = ermine.ElasticNet(
            alpha=alpha, l1_ratio=p.get("l1_ratio", 1.0), fit_intercept=p["intercept"], tol=TOL
        )
        return model.fit(d["X"], d["y"])

    return Contestant(fit, lambda m: m.predict(d["X_test"]), linear_info)


for task in ("lasso_dense", "enet_dense", "lasso_sparse"):
    TASKS[task] = elastic_net


def lasso_path(d, p):
    alphas = p["alphas_of"](d)

    def fit():
        _, coefs, _ = ermine.lasso_path(d["X"], d["y"], alphas=alphas, tol=TOL, fit_intercept=True)
        return coefs, d["y"].mean() - d["X"].mean(0) @ coefs

    return Contestant(fit, None, lambda m: {"coefs": m[0], "intercepts": m[1]})


TASKS["lasso_path"] = lasso_path


def quantile(p):
    return ermine.QuantileRegressor(quantile=p["quantile"], alpha=p["alpha"])


def huber(p):
    return ermine.HuberRegressor(epsilon=p["epsilon"], alpha=p["alpha"])


TASKS["quantile"] = TASKS["quantile_l1"] = estimator(quantile, info=linear_info)
TASKS["huber"] = estimator(huber, info=linear_info)


def logistic(tol):
    def make(p):
        l1 = {"l1_ratio": 1.0, "solver": "saga"} if p.get("penalty") == "l1" else {}
        return ermine.LogisticRegression(C=p["C"], fit_intercept=False, tol=tol, max_iter=2000, **l1)

    return estimator(make, info=coef_info)


# The tolerances scikit-learn's lbfgs needs to meet the gate of each task.
TASKS["logreg_dense"] = logistic(1e-5)
TASKS["logreg_sparse"] = logistic(1e-4)
TASKS["logreg_l1_sparse"] = logistic(1e-4)  # a relative duality gap of at most 5e-7
TASKS["softmax_mnist"] = logistic(1e-4)
TASKS["softmax_digits"] = logistic(2e-5)


def sgd(p):
    return ermine.SGDClassifier(
        loss=p["loss"],
        alpha=p["alpha"],
        max_iter=p["epochs"],
        tol=None,
        fit_intercept=False,
        random_state=0,
    )


for loss in ("hinge", "log_loss"):
    for form in ("dense", "sparse"):
        TASKS[f"sgd_{loss}_{form}"] = estimator(sgd, info=coef_info)


def poisson(p):
    return ermine.PoissonRegressor(alpha=p["alpha"])


TASKS["glm_poisson"] = estimator(poisson, info=linear_info)


def gaussian_nb(p):
    return ermine.GaussianNB()


TASKS["gnb"] = estimator(gaussian_nb)


def of_class(name, **params):
    return lambda p: getattr(ermine, name)(**params)


TASKS["mnb_text"] = estimator(of_class("MultinomialNB"))
TASKS["bnb_text"] = estimator(of_class("BernoulliNB"))
TASKS["lda"] = estimator(of_class("LinearDiscriminantAnalysis"))
TASKS["qda"] = estimator(of_class("QuadraticDiscriminantAnalysis"))


def dbscan(d, p):
    return Contestant(
        lambda: ermine.DBSCAN(eps=p["eps"], min_samples=p["min_samples"]).fit(d["X"]),
        info=lambda m: {"labels": m.labels_},
    )


def ward(d, p):
    return Contestant(
        lambda: ermine.AgglomerativeClustering(n_clusters=p["k"]).fit(d["X"]),
        info=lambda m: {"labels": m.labels_},
    )


TASKS["dbscan"] = dbscan
TASKS["ward"] = ward


def knn(d, p):
    return Contestant(
        lambda: ermine.NearestNeighbors(n_neighbors=p["k"]).fit(d["X"]),
        lambda m: m.kneighbors(d["X_test"], return_distance=True)[1],
    )


for task in ("knn_20", "knn_128"):
    TASKS[task] = knn


def tree(p):
    return ermine.DecisionTreeClassifier(min_samples_leaf=p["min_leaf"])


TASKS["tree_cls"] = estimator(tree, predict="predict_proba")


def rf_cls(p):
    return ermine.RandomForestClassifier(p["trees"], max_features=p["max_features"], random_state=0)


def rf_reg(p):
    return ermine.RandomForestRegressor(
        p["trees"], max_features=p["max_features"], min_samples_leaf=p["min_leaf"], random_state=0
    )


TASKS["rf_cls"] = estimator(rf_cls, predict="predict_proba")
TASKS["rf_reg"] = estimator(rf_reg)


def grid_rf(d, p):
    def fit():
        grid = {"max_depth": p["depth"], "max_features": p["feats"]}
        est = ermine.RandomForestClassifier(p["trees"], random_state=0)
        return ermine.GridSearchCV(est, grid, cv=p["folds"]).fit(d["X"], d["y"])

    return Contestant(fit, None, lambda m: {"score": m.best_score_})


TASKS["grid_rf"] = grid_rf


def grid(make, parameter):
    def factory(d, p):
        def fit():
            search = ermine.GridSearchCV(make(), {parameter: p["values"]}, cv=p["folds"], refit=False)
            return search.fit(d["X"], d["y"])

        return Contestant(fit, None, lambda m: {"score": m.best_score_})

    return factory


TASKS["grid_ridge"] = grid(ermine.Ridge, "alpha")
TASKS["grid_logistic"] = grid(ermine.LogisticRegression, "C")
TASKS["grid_lda"] = grid(lambda: ermine.LinearDiscriminantAnalysis(solver="lsqr"), "shrinkage")


def adaboost(p):
    return ermine.AdaBoostClassifier(n_estimators=p["rounds"], random_state=0)


TASKS["adaboost"] = estimator(adaboost, predict="predict_proba")


def boosted(kind, p):
    return kind(
        max_iter=p["iters"],
        max_leaf_nodes=p["leaves"],
        max_bins=p["bins"],
        learning_rate=p["lr"],
        early_stopping=False,
        random_state=0,
    )


def boosting_classes(p):
    return boosted(ermine.HistGradientBoostingClassifier, p)


def boosting_numbers(p):
    return boosted(ermine.HistGradientBoostingRegressor, p)


TASKS["gbdt_higgs"] = estimator(boosting_classes, predict="predict_proba")
TASKS["gbdt_multi"] = estimator(boosting_classes, predict="predict_proba")
TASKS["gbdt_reg"] = estimator(boosting_numbers)


def boosting_categories(d, p):
    k = d["num"].shape[1]

    def join(num, cat):
        return np.hstack([num, cat.astype(np.float32)])

    def fit():
        X = join(d["num"], d["cat"])
        model = boosting_classes(p).set_params(categorical_features=list(range(k, X.shape[1])))
        return model.fit(X, d["y"])

    return Contestant(fit, lambda m: m.predict_proba(join(d["num_test"], d["cat_test"]))[:, 1])


TASKS["gbdt_cat"] = boosting_categories


def predict_boosted(d, p):
    X = d["X_test"][: p["rows"]]
    return Contestant(
        lambda: boosting_classes(p).fit(d["X"], d["y"]),
        lambda m: m.predict_proba(X),
        save=lambda m, path: m.save(path),
        load=ermine.load,
    )


for t in ("predict_1row", "predict_1k", "predict_1m", "io_gbdt"):
    TASKS[t] = predict_boosted


def gmm(d, p):
    def fit():
        m = ermine.GaussianMixture(
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


TASKS["gmm"] = gmm


def kmeans(d, p):
    def fit():
        model = ermine.KMeans(
            n_clusters=len(d["init"]), init=d["init"], n_init=1, max_iter=p["iters"], tol=0
        )
        return model.fit(d["X"])

    return Contestant(
        fit,
        lambda m: m.predict(d["X"]),
        lambda m: {"centers": m.cluster_centers_, "n_iter": m.n_iter_},
    )


for shape in ("1e6x20_k10", "1e6x20_k100", "1e5x128_k10", "1e5x128_k100"):
    TASKS[f"kmeans_{shape}"] = kmeans


def pca(p):
    return ermine.PCA(n_components=p["k"])


def pca_rand(p):
    return ermine.PCA(n_components=p["k"], svd_solver="randomized", random_state=0)


def pca_task(make):
    return estimator(
        make, y=None, predict="transform", X_test="X", info=lambda m: {"components": m.components_}
    )


TASKS["pca_full"] = pca_task(pca)
for task in ("pca_rand", "pca_wide"):
    TASKS[task] = pca_task(pca_rand)


def kernel_pca(p):
    return ermine.KernelPCA(n_components=p["k"], kernel="rbf", gamma=p["gamma"])


TASKS["kernel_pca"] = estimator(
    kernel_pca, y=None, predict="transform", info=lambda m: {"eigenvalues": m.eigenvalues_}
)

TASKS["csv_read"] = csv_reader(lambda path, p: ermine.read_table(path).to_numpy())


def linsvc(dual, tol):
    def make(p):
        return ermine.LinearSVC(
            C=p["C"], loss=p["loss"], dual=dual, tol=tol, fit_intercept=False, max_iter=5000, random_state=0
        )

    return estimator(make, info=lambda m: {"coef": m.coef_})


# Tolerances as for the other contestants: the loosest that meet the gate.
TASKS["linsvm_dense"] = linsvc("auto", 1e-3)
TASKS["linsvm_sparse"] = linsvc("auto", 1e-2)
TASKS["linsvm_hinge_sparse"] = linsvc(True, 1e-2)


def svm_info(m):
    return {"support": m.support_, "dual_coef": m.dual_coef_}


def svc(p):
    return ermine.SVC(C=p["C"], gamma=p["gamma"], tol=p["tol"], cache_size=1000)


def svr(p):
    return ermine.SVR(C=p["C"], gamma=p["gamma"], epsilon=p["epsilon"], tol=p["tol"], cache_size=1000)


def kernel_ridge(p):
    return ermine.KernelRidge(alpha=p["alpha"], kernel="rbf", gamma=p["gamma"])


for t in ("", "_fine"):
    TASKS[f"svc_rbf_20{t}"] = estimator(svc, info=svm_info)
    TASKS[f"svc_rbf_784{t}"] = estimator(svc)
    TASKS[f"svr_rbf{t}"] = estimator(svr, info=svm_info)
TASKS["kernel_ridge"] = estimator(kernel_ridge)


NETS = {
    "lenet": "conv(6,5,pad=2) relu pool(2) conv(16,5) relu pool(2) dense(120) relu dense(84) relu",
    "bn": "conv(32,3,pad=1) batchnorm relu pool(2) conv(64,3,pad=1) batchnorm relu pool(2) "
    "dropout(0.25) dense(128) relu dropout(0.5)",
}


def mlp(p):
    return ermine.MLPClassifier(
        p["hidden"], alpha=0.0, batch_size=p["batch"], max_iter=p["epochs"], tol=0.0,
        n_iter_no_change=10**6, learning_rate_init=p["rate"], random_state=0,
    )


def convnet(p):
    return ermine.ConvNetClassifier(
        NETS[p["net"]], batch_size=p["batch"], max_iter=p["epochs"], learning_rate_init=p["rate"],
        cosine=False, weight_decay=0.0, standardise=False, random_state=0,
    )


def autoencoder(p):
    return ermine.Autoencoder(
        p["codes"], hidden_layer_sizes=p["hidden"], batch_size=p["batch"], max_iter=p["epochs"],
        tol=None, learning_rate_init=p["rate"], random_state=0,
    )


def network(make, predict):
    def factory(d, p):
        X = test_rows(d, dict(rows=p.get("rows")))
        y = () if make is autoencoder else (d["y"],)
        return Contestant(lambda: make(p).fit(d["X"], *y), lambda m: getattr(m, predict)(X))

    return factory


for task in ("mlp_784", "mlp_tiny", "mlp_784_1row", "mlp_tiny_1row"):
    TASKS[task] = network(mlp, "predict_proba")
for task in ("lenet", "convnet_bn", "lenet_1row"):
    TASKS[task] = network(convnet, "predict_proba")
TASKS["autoencoder"] = network(autoencoder, "reconstruct")
