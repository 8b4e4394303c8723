//! The scripts of pages, without a page, in Node.js. Skipped with a message where it is not
//! installed.

use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn the_parts_of_the_viewer_keep_their_promises() {
    let node = Command::new("node").arg("--version").output();
    if !node.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: node is not installed");
        return;
    }
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().unwrap();
    let assets = folder.path().join("assets");
    fs::create_dir(&assets).unwrap();
    for entry in fs::read_dir(own.join("src/assets")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "js") {
            fs::copy(&path, assets.join(path.file_name().unwrap())).unwrap();
        }
    }
    fs::write(assets.join("shapes.js"), quintain_scene::SHAPES_SCRIPT).unwrap();
    fs::write(folder.path().join("package.json"), r#"{"type": "module"}"#).unwrap();
    fs::copy(own.join("tests/scripts/viewer.test.js"), folder.path().join("viewer.test.js"))
        .unwrap();
    let output =
        Command::new("node").args(["--test", "."]).current_dir(folder.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
