//! The small programs of the folder `examples`, run as they stand.

macro_rules! programs {
    ($($name:ident $file:literal)*) => {
        $(#[test]
        fn $name() {
            #[path = $file]
            mod program;
            program::main().unwrap();
            let text = include_str!($file);
            assert!(text.lines().count() < 40, "{} has {} lines", $file, text.lines().count());
        })*
    };
}

programs! {
    arrays "../../examples/arrays.rs"
    by_name "../../examples/by_name.rs"
    clusters "../../examples/clusters.rs"
    components "../../examples/components.rs"
    forest "../../examples/forest.rs"
    pipeline "../../examples/pipeline.rs"
    ridge "../../examples/ridge.rs"
    search "../../examples/search.rs"
    service "../../examples/service.rs"
    table "../../examples/table.rs"
}
