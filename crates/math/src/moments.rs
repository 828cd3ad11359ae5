//! Weighted means and centred cross products of rows, mergeable.
