//! A file with categories and missing cells: read, fit, look at the mistakes.

use ermine::prelude::*;

pub fn main() -> ermine::Result<()> {
    let table = ermine::data::read_table("example:penguins")?;
    let (train, test) = Dataset::try_from((&table, "species"))?.split(0.25, 42)?;
    let fitted = Fitted::fit(&*prepared(Box::new(Logistic::default())), &train)?;
    println!("{}", metrics::confusion_matrix(&test.labels()?, &fitted.classify(&test)?));
    Ok(())
}
