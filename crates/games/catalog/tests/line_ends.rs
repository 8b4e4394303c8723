//! Files of scenarios, as the editors of all systems write them.

use std::fs;
use std::path::Path;

#[test]
fn a_file_with_the_line_ends_of_windows_and_a_mark_of_its_encoding_means_the_same() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let catalog = quintain_games::catalog();
    for (game, text) in [
        ("tron", "7 4\n#######\n#1 # 2#\n#     #\n#######\n"),
        ("polymer", "HPHHPPHH\n"),
        ("polymer", "5 4\n1 0 -1\n0 1\n"),
        ("pentocity", "L2\n3x4\nX\n"),
    ] {
        let entry = catalog.entry(game).unwrap();
        let [unix, windows] = ["\n", "\r\n"].map(|end| {
            let mark = if end == "\n" { "" } else { "\u{feff}" };
            let file = folder.join(format!("{game}-{}-{}.txt", end.len(), text.len()));
            fs::write(&file, mark.to_owned() + &text.replace('\n', end)).unwrap();
            let game = entry.game(&format!("file?path={}", file.display())).unwrap();
            (game.setting().to_string(), game.begin(1).scene(None))
        });
        assert_eq!(windows, unix, "{game}: {text:?}");
    }
}
