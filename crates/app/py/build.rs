//! With the feature `command` the extension is a program too: where that begins is told to the
//! linker here.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var_os("CARGO_FEATURE_COMMAND").is_some() {
        println!("cargo::rustc-link-arg-cdylib=-Wl,-e,quintain_command");
    }
}
