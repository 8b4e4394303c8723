//! Files that the browser gets unchanged: style sheets, scripts and the mark, embedded in the
//! executable.

/// A file for the browser.
pub(crate) struct Asset {
    pub(crate) name: &'static str,
    #[cfg_attr(not(feature = "serve"), expect(dead_code, reason = "only the server needs it"))]
    pub(crate) kind: &'static str,
    pub(crate) text: &'static str,
}

const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const PICTURE: &str = "image/svg+xml";

macro_rules! assets {
    ($($kind:ident $name:literal $(= $text:path)?),* $(,)?) => {
        [$(Asset { name: $name, kind: $kind, text: assets!(@text $name $($text)?) }),*]
    };
    (@text $name:literal $text:path) => { $text };
    (@text $name:literal) => { include_str!(concat!("assets/", $name)) };
}

/// All assets. Each script comes after the scripts that it imports.
pub(crate) const ASSETS: [Asset; 50] = assets![
    STYLE "base.css",
    STYLE "pages.css",
    PICTURE "mark.svg",
    SCRIPT "parts.js",
    SCRIPT "replay.js",
    SCRIPT "shapes.js" = quintain_scene::SHAPES_SCRIPT,
    SCRIPT "space.js",
    SCRIPT "ways.js",
    SCRIPT "forms.js",
    SCRIPT "signs.js",
    SCRIPT "memory.js",
    SCRIPT "ground.js",
    SCRIPT "board.js",
    SCRIPT "text-board.js",
    SCRIPT "beside.js",
    SCRIPT "chart.js",
    SCRIPT "story.js",
    SCRIPT "zoom.js",
    SCRIPT "share.js",
    SCRIPT "viewer.js",
    SCRIPT "standalone.js",
    SCRIPT "page.js",
    SCRIPT "live-board.js",
    SCRIPT "live.js",
    SCRIPT "live-home.js",
    SCRIPT "live-match.js",
    SCRIPT "show.js",
    SCRIPT "analysis.js",
    SCRIPT "module-limits.js",
    SCRIPT "module.js",
    SCRIPT "advice.js",
    SCRIPT "watch.js",
    SCRIPT "wasi.js",
    SCRIPT "module-worker.js",
    SCRIPT "own-module.js",
    SCRIPT "rival-module.js",
    SCRIPT "server.js",
    SCRIPT "practise.js",
    SCRIPT "hint.js",
    SCRIPT "rules-worker.js",
    SCRIPT "rules.js",
    SCRIPT "one-file.js",
    SCRIPT "check.js",
    SCRIPT "hands.js",
    SCRIPT "outcome.js",
    SCRIPT "kept-match.js",
    SCRIPT "session.js",
    SCRIPT "play.js",
    SCRIPT "waiting.js",
    SCRIPT "times.js",
];

/// Returns the asset with this name.
pub(crate) fn asset(name: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.name == name)
}

/// Joins scripts into one: modules in a single file need no imports from each other. Every import
/// and export takes exactly one line, which the tests verify.
pub(crate) fn join_scripts(names: &[&str]) -> String {
    let mut script = String::new();
    for name in names {
        let text = asset(name).expect("the scripts named here exist").text;
        for line in text.lines().filter(|line| !line.starts_with("import ")) {
            script.push_str(line.strip_prefix("export ").unwrap_or(line));
            script.push('\n');
        }
    }
    script
}

#[cfg(test)]
pub(crate) mod tests {
    use quintain_core::ui::Paint;
    use serde_json::Value;

    use super::*;
    use crate::replay::Style;

    #[test]
    fn scripts_can_be_joined_and_close_no_element() {
        for asset in ASSETS.iter().filter(|asset| asset.kind == SCRIPT) {
            let text = asset.text;
            for line in text.lines().filter(|line| line.starts_with("import ")) {
                assert!(line.ends_with("\";"), "{}: {line}", asset.name);
            }
            assert!(
                !text.contains("export default") && !text.contains("export {"),
                "{}",
                asset.name
            );
            assert!(!text.contains("</script"), "{}", asset.name);
        }
        assert_that_they_join(&crate::standalone::SCRIPTS);
    }

    /// Joined scripts share their declarations, so these must not clash, and each must come after
    /// those that it imports from.
    pub(crate) fn assert_that_they_join(names: &[&str]) {
        for (place, name) in names.iter().enumerate() {
            for line in asset(name).unwrap().text.lines().filter(|line| line.starts_with("import "))
            {
                let from = line.split("\"./").nth(1).unwrap().trim_end_matches("\";");
                assert!(names[..place].contains(&from), "{name} comes before {from}");
            }
        }
        let script = join_scripts(names);
        assert!(
            !script.lines().any(|line| line.starts_with("import ") || line.starts_with("export "))
        );
        let mut names: Vec<&str> = script
            .lines()
            .filter_map(|line| {
                let rest = ["function ", "class ", "const ", "let ", "async function "]
                    .iter()
                    .find_map(|word| line.strip_prefix(word))?;
                rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()
            })
            .collect();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all, "two scripts declare the same name: {names:?}");
    }

    #[test]
    fn boards_are_drawn_from_the_shapes_of_printed_pictures() {
        let script = asset("shapes.js").unwrap().text;
        let json = script.strip_prefix("export const SHAPES = ").unwrap().trim_end();
        let shapes: Value = serde_json::from_str(json.strip_suffix(';').unwrap()).unwrap();
        let lines = &shapes["patterns"]["lines"];
        for paint in (0..8).flat_map(|n| [Paint::Seat(n), Paint::Claim(n)]) {
            let pattern = Style::of(paint).pattern;
            assert!(pattern == "solid" || lines[pattern].is_string(), "{pattern}");
        }
        let board = asset("board.js").unwrap().text;
        assert!(board.contains("import { SHAPES } from \"./shapes.js\";"));
        for line in lines.as_object().unwrap().values() {
            assert!(!board.contains(line.as_str().unwrap()), "board.js has its own table");
        }
    }

    #[test]
    fn nothing_is_loaded_from_elsewhere() {
        for asset in &ASSETS {
            let foreign = asset.text.replace("http://www.w3.org/2000/svg", "");
            assert!(!foreign.contains("http:") && !foreign.contains("https:"), "{}", asset.name);
            assert!(
                !asset.text.contains("@import") && !asset.text.contains("url("),
                "{}",
                asset.name
            );
        }
    }

    #[test]
    fn names_reach_the_page_as_text_only() {
        for asset in &ASSETS {
            for way in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
                assert!(!asset.text.contains(way), "{} uses {way}", asset.name);
            }
        }
    }
}
