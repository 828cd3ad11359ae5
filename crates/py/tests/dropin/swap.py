"""Our classes in the place of scikit-learn's."""

import sys

import ermine

# Test file -> the classes of ours that it is about.
FILES = {
    "sklearn.linear_model.tests.test_base": ["LinearRegression"],
    "sklearn.linear_model.tests.test_ridge": ["Ridge", "RidgeCV"],
    "sklearn.linear_model.tests.test_coordinate_descent": ["Lasso", "ElasticNet", "LassoCV", "ElasticNetCV"],
    "sklearn.linear_model.tests.test_huber": ["HuberRegressor"],
    "sklearn.linear_model.tests.test_quantile": ["HuberRegressor", "QuantileRegressor"],
    "sklearn.linear_model.tests.test_logistic": ["LogisticRegression", "LogisticRegressionCV"],
    "sklearn.linear_model.tests.test_sgd": ["SGDClassifier", "SGDRegressor"],
    "sklearn.linear_model.tests.test_perceptron": ["Perceptron"],
    "sklearn.linear_model._glm.tests.test_glm": ["PoissonRegressor", "GammaRegressor", "TweedieRegressor"],
    "sklearn.svm.tests.test_svm": ["SVC", "SVR", "LinearSVC", "LinearSVR"],
    "sklearn.tests.test_kernel_ridge": ["KernelRidge"],
    "sklearn.tests.test_kernel_approximation": ["Nystroem", "RBFSampler"],
    "sklearn.tests.test_naive_bayes": ["GaussianNB", "MultinomialNB", "ComplementNB", "BernoulliNB", "CategoricalNB"],
    "sklearn.tests.test_discriminant_analysis": ["LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"],
    "sklearn.neighbors.tests.test_neighbors": [
        "KNeighborsClassifier",
        "KNeighborsRegressor",
        "RadiusNeighborsClassifier",
        "RadiusNeighborsRegressor",
        "NearestNeighbors",
    ],
    "sklearn.tree.tests.test_tree": ["DecisionTreeClassifier", "DecisionTreeRegressor"],
    "sklearn.ensemble.tests.test_forest": [
        "RandomForestClassifier",
        "RandomForestRegressor",
        "ExtraTreesClassifier",
        "ExtraTreesRegressor",
    ],
    "sklearn.ensemble.tests.test_gradient_boosting": ["GradientBoostingClassifier", "GradientBoostingRegressor"],
    "sklearn.ensemble._hist_gradient_boosting.tests.test_gradient_boosting": [
        "HistGradientBoostingClassifier",
        "HistGradientBoostingRegressor",
    ],
    "sklearn.ensemble._hist_gradient_boosting.tests.test_warm_start": [
        "HistGradientBoostingClassifier",
        "HistGradientBoostingRegressor",
    ],
    "sklearn.ensemble.tests.test_weight_boosting": ["AdaBoostClassifier", "AdaBoostRegressor"],
    "sklearn.ensemble.tests.test_bagging": ["BaggingClassifier", "BaggingRegressor"],
    "sklearn.ensemble.tests.test_voting": ["VotingClassifier", "VotingRegressor"],
    "sklearn.ensemble.tests.test_stacking": ["StackingClassifier", "StackingRegressor"],
    "sklearn.mixture.tests.test_gaussian_mixture": ["GaussianMixture"],
    "sklearn.cluster.tests.test_k_means": ["KMeans", "MiniBatchKMeans"],
    "sklearn.cluster.tests.test_dbscan": ["DBSCAN"],
    "sklearn.cluster.tests.test_hierarchical": ["AgglomerativeClustering"],
    "sklearn.decomposition.tests.test_pca": ["PCA"],
    "sklearn.decomposition.tests.test_incremental_pca": ["PCA", "IncrementalPCA"],
    "sklearn.decomposition.tests.test_kernel_pca": ["PCA", "KernelPCA"],
    "sklearn.preprocessing.tests.test_data": ["StandardScaler", "MinMaxScaler"],
    "sklearn.preprocessing.tests.test_polynomial": ["PolynomialFeatures", "SplineTransformer"],
    "sklearn.preprocessing.tests.test_encoders": ["OneHotEncoder", "OrdinalEncoder"],
    "sklearn.impute.tests.test_impute": ["SimpleImputer"],
    "sklearn.tests.test_dummy": ["DummyClassifier", "DummyRegressor"],
}


def swapped(names):
    """The originals by name, for those of `names` that we have."""
    import sklearn.cluster
    import sklearn.decomposition
    import sklearn.discriminant_analysis
    import sklearn.dummy
    import sklearn.ensemble
    import sklearn.impute
    import sklearn.kernel_approximation
    import sklearn.kernel_ridge
    import sklearn.linear_model
    import sklearn.mixture
    import sklearn.naive_bayes
    import sklearn.neighbors
    import sklearn.preprocessing
    import sklearn.svm
    import sklearn.tree

    homes = [
        sklearn.cluster,
        sklearn.decomposition,
        sklearn.discriminant_analysis,
        sklearn.dummy,
        sklearn.ensemble,
        sklearn.impute,
        sklearn.kernel_approximation,
        sklearn.kernel_ridge,
        sklearn.linear_model,
        sklearn.mixture,
        sklearn.naive_bayes,
        sklearn.neighbors,
        sklearn.preprocessing,
        sklearn.svm,
        sklearn.tree,
    ]
    found = {}
    for name in names:
        if hasattr(ermine, name):
            found[name] = next(getattr(home, name) for home in homes if hasattr(home, name))
    return found


# Modules whose own estimators are built on private methods of scikit-learn's trees.
BUILT_ON_TREES = {"sklearn.ensemble._forest", "sklearn.ensemble._gb"}


def swap(originals):
    """Puts our class wherever a module of scikit-learn holds the original under its own name.

    Modules that are imported later take their names from these, so test modules see ours.
    """
    for key, module in list(sys.modules.items()):
        if (key == "sklearn" or key.startswith("sklearn.")) and key not in BUILT_ON_TREES:
            for name, original in originals.items():
                if getattr(module, name, None) is original:
                    setattr(module, name, getattr(ermine, name))
