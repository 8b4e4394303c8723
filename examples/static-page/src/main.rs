//! Writes the page: `static-page RULES.wasm PAGE.html`. `scripts/static-page` builds the rules
//! first.

use std::fs;
use std::process::ExitCode;

use static_page::catalog;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [rules, page] = &arguments[..] else {
        eprintln!("error: expected two files: static-page RULES.wasm PAGE.html");
        return ExitCode::from(2);
    };
    let written = fs::read(rules)
        .map_err(|error| format!("{rules}: {error}"))
        .map(|bytes| quintain_web::play_page::render_play_page(&catalog(), &bytes))
        .and_then(|text| fs::write(page, text).map_err(|error| format!("{page}: {error}")));
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::FAILURE
        }
    }
}
