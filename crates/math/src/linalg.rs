//! Matrix products, factorisations and eigenvalues: faer behind our own functions.
