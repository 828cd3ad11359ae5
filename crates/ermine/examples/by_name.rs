//! Learners that are known at run time, compared.

use ermine::prelude::*;

pub fn main() -> ermine::Result<()> {
    let table = ermine::data::read_table("example:iris")?;
    let data = Dataset::try_from((&table, "species"))?;
    for name in ["logistic", "knn", "tree"] {
        println!("{name}: {}", cross_validate(&*prepared(ermine::learner(name)?), &data, 5)?);
    }
    Ok(())
}
