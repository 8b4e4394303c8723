//! A page on which visitors verify a final: its document, all its records, and the rules as a
//! module of WebAssembly in one file that opens from disk. The page loads and sends nothing.

use maud::{Markup, PreEscaped, html};

use crate::assets::join_scripts;
use crate::play_page::{POLICY, rules_inside};
use crate::standalone::{needs_scripts, one_file};

/// The scripts joined into the page's script.
const SCRIPTS: &[&str] = &["parts.js", "rules.js", "check.js"];

/// The content of the page.
pub struct CheckPage<'a> {
    /// The title.
    pub title: &'a str,
    /// What stands above the button: the result, and what it follows from.
    pub above: Markup,
    /// The document of the final, as JSON.
    pub document: &'a str,
    /// The records in the order of the schedule, as JSON, each on one line.
    pub records: &'a [String],
    /// The module, which answers `/begin`, `/check` and `/finish` ([`crate::page_module`]).
    pub rules: &'a [u8],
}

/// Renders the page.
pub fn render_check_page(page: &CheckPage<'_>) -> String {
    let body = html! {
        main {
            (page.above)
            p {
                button type="button" id="verify" class="play" disabled {
                    "Replay all " (page.records.len()) " matches"
                }
                " " progress id="progress" hidden value="0" {}
            }
            p id="verdict" role="status" {
                (needs_scripts("Verifying"))
            }
            p class="note" {
                "It runs in this page alone, without a server or a network. It shows that nobody \
                 chose a seed after the digest was published, that every match ends by the rules \
                 as its record says, and that the ranks follow. It does not ask the programs \
                 again, so it cannot show that a move was a program's own."
            }
        }
        // Texts and not scripts, so that anybody can read and compare every byte.
        pre id="final" hidden { (PreEscaped(escape(page.document))) }
        pre id="records" hidden { (PreEscaped(escape(&page.records.join("\n")))) }
        (rules_inside(page.rules))
        script type="module" { (PreEscaped(join_scripts(SCRIPTS))) }
    };
    one_file(page.title, POLICY, &["base.css", "pages.css"], &body)
}

/// Escapes a text for an element, without making its many quotation marks longer.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assets::tests::assert_that_they_join;

    #[test]
    fn the_page_has_the_records_as_text_and_loads_nothing() {
        assert_that_they_join(SCRIPTS);
        let records = ["{\"a\":\"</pre><script>&amp;\"}".to_owned(), "{}".to_owned()];
        let page = render_check_page(&CheckPage {
            title: "Final",
            above: html! { h1 { "The final" } },
            document: "{\"contest\":\"a < b\"}",
            records: &records,
            rules: b"rules",
        });
        let inside = "hidden>{\"a\":\"&lt;/pre>&lt;script>&amp;amp;\"}\n{}</pre>";
        assert!(page.contains(inside) && page.contains("{\"contest\":\"a &lt; b\"}"), "{page}");
        assert!(page.contains("Replay all 2 matches") && !page.contains("src=\""));
    }
}
