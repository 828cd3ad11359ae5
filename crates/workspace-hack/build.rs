// Without a build script cargo does not read the features of the build dependencies.
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
}
