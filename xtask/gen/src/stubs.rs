//! Types for checkers and editors.

use std::collections::BTreeSet;
use std::fmt::Write;

use anyhow::Result;

use crate::NOTICE;
use crate::class::Class;
use crate::faces::Param;

/// The names of the package, which are loaded lazily.
pub fn package(classes: &[Class], modules: &[&str]) -> String {
    let mut out = NOTICE.to_owned();
    let mut also = vec!["bandits", "course", "decide", "model_selection", "optimize", "rl"];
    also.extend(modules);
    also.sort_unstable();
    for module in also {
        let _ = writeln!(out, "from . import {module} as {module}");
    }
    for (module, name) in [
        ("_catalog", "models"),
        ("_model_file", "Model"),
        ("_model_file", "load"),
        ("_native", "__version__"),
        ("_native", "num_threads"),
        ("_native", "set_num_threads"),
        ("_table", "Table"),
        ("_table", "read_table"),
        ("linear_model", "enet_path"),
        ("linear_model", "lasso_path"),
        ("model_selection", "GridSearchCV"),
    ] {
        let _ = writeln!(out, "from .{module} import {name} as {name}");
    }
    for class in classes {
        let _ = writeln!(out, "from .{0} import {1} as {1}", class.face.module, class.face.class);
    }
    out
}

/// The classes of a module.
pub fn module(classes: &[&Class]) -> Result<String> {
    let mut out = NOTICE.to_owned();
    out += "from typing import Any\n\nimport numpy as np\nfrom numpy.typing import NDArray\n\n";
    let imports: BTreeSet<String> = classes.iter().map(|class| Ok(class.base()?.1)).collect::<Result<_>>()?;
    for line in imports {
        let _ = writeln!(out, "{line}");
    }
    let names: Vec<String> = classes.iter().map(|c| format!("    {:?},\n", c.face.class)).collect();
    let _ = write!(out, "\n__all__ = [\n{}]\n", names.concat());
    for class in classes {
        let face = class.face;
        let _ = writeln!(out, "\nclass {}({}):", face.class, class.base()?.0);
        for (name, kind, _) in face.attributes {
            let hint = match kind.split([' ', ',']).next().unwrap_or_default() {
                "ndarray" => "NDArray[Any]",
                "int" => "int",
                "float" => "float",
                "bool" => "bool",
                "dict" => "dict[str, Any]",
                _ => "Any",
            };
            let _ = writeln!(out, "    {name}: {hint}");
        }
        out += "    n_features_in_: int\n    feature_names_in_: NDArray[np.object_]\n";
        let init = class.signature(|p| Ok(format!("{}: {} = ...", p.name, hint(class, p)?)))?;
        let _ = writeln!(out, "    def __init__(\n        {},\n    ) -> None: ...", init.join(",\n        "));
    }
    Ok(out)
}

/// A parameter's type as a checker reads it.
fn hint(class: &Class, param: &Param) -> Result<String> {
    let kind = class.kind(param)?;
    let mut hints: Vec<&str> = Vec::new();
    for part in kind.split([',', ' ', '{', '}']) {
        let one = match part {
            "bool" => "bool",
            "int" => "int",
            "float" => "float",
            "str" => "str",
            "None" => "None",
            p if p.starts_with('"') => "str",
            "array-like" | "object" | "dict" | "callable" | "list" | "tuple" | "type" | "RandomState" | "estimator" => "Any",
            _ => continue,
        };
        if !hints.contains(&one) {
            hints.push(one);
        }
    }
    Ok(if hints.is_empty() || hints.contains(&"Any") { "Any".into() } else { hints.join(" | ") })
}
