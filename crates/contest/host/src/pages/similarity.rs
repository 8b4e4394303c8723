//! The organiser's pages of programs that are alike: a list of pairs, and two programs side by
//! side. Nobody else sees them.

use maud::{Markup, html};
use quintain_scene::clean;
use quintain_web::pages::{Page, name};

use super::page;
use crate::similarity::{Found, Likeness, MarkedFile, Pair, Starters};
use crate::state::Version;

/// Renders the list.
pub(crate) fn list(Found { pairs, starters, partial }: &Found) -> Page {
    let body = html! {
        main {
            h1 { "Programs that are alike" }
            p {
                "By code in common, whatever names, numbers and comments are. The starter kits’ \
                 code and what many programs have are left out. It is a reason to look, and no \
                 proof."
            }
            @if pairs.is_empty() && starters.is_empty() { p { "None." } }
            @else {
                div class="wide" {
                    table class="list compact" id="pairs" {
                        thead { tr { th { "programs" } th { "in common" } th { "" } } }
                        tbody {
                            @for pair in pairs { (one(pair)) }
                            @for group in starters { (of_starter(group)) }
                        }
                    }
                }
            }
            @if !partial.is_empty() {
                p class="note" id="partial" {
                    "Of these only a part was compared, since they have too much code: "
                    (name(&partial.iter().map(describe_version).collect::<Vec<_>>().join("; ")))
                    "."
                }
            }
            p { a href="/organiser" { "The organiser's page" } }
        }
    };
    page("Programs that are alike", &[], body)
}

fn describe_version(version: &Version) -> String {
    format!("{}, version {}", version.display_name, version.number)
}

fn one(pair: &Pair) -> Markup {
    html! {
        tr {
            th scope="row" {
                (name(&describe_version(&pair.first))) " and "
                (name(&describe_version(&pair.second)))
            }
            td class="number" {
                @match pair.likeness {
                    Likeness::SameFiles => { "the same files" }
                    Likeness::SameButForNames => { "the same but for comments and names" }
                    Likeness::Pieces => { (format!("{:.0} %", pair.share * 100.0)) }
                }
            }
            td {
                a href={ "/organiser/similarity/" (pair.first.id) "/" (pair.second.id) } {
                    "side by side"
                }
            }
        }
    }
}

/// Renders programs that are a starter kit and nothing else.
fn of_starter(group: &Starters) -> Markup {
    let names: Vec<String> = group.versions.iter().map(describe_version).collect();
    html! {
        tr class="starter" {
            th scope="row" { (name(&names.join("; "))) }
            td class="number" {
                @if group.is_unchanged { "unchanged starter" }
                @else { "starter, but for comments and names" }
                @if names.len() > 1 { ", the same files" }
            }
            td {}
        }
    }
}

/// Renders two programs side by side.
pub(crate) fn side_by_side(versions: [&Version; 2], files: &[Vec<MarkedFile>; 2]) -> Page {
    let body = html! {
        main {
            h1 { "Side by side" }
            p { a href="/organiser/similarity" { "All pairs" } }
            div class="wide" {
                table class="list" id="beside" {
                    thead { tr {
                        @for version in versions { th { (name(&describe_version(version))) } }
                    } }
                    tbody { tr {
                        @for files in files {
                            td {
                                @for file in files { (marked(file)) }
                            }
                        }
                    } }
                }
            }
        }
    };
    page("Side by side", &[], body)
}

fn marked(file: &MarkedFile) -> Markup {
    html! {
        h3 { (clean(&file.path)) }
        pre class="lines" {
            @for (line, is_shared) in &file.lines {
                @let line = clean(&line.replace('\t', "    "));
                // A mark is a block, so that it hides nothing of the line above, such as its
                // underscores; so it has the end of its line.
                @if *is_shared { mark { (line) "\n" } }
                @else { (line) "\n" }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_shown_letter_by_letter_whether_a_line_is_marked_or_not() {
        let code = ["__init__", "a_b = **kw", "def f(*args):", "<b>", "", "\tx = `y` & \"z\""];
        let lines = |is_shared| code.map(|line| (line.to_owned(), is_shared)).to_vec();
        for is_shared in [true, false] {
            let file = MarkedFile { path: "a_b.py".to_owned(), lines: lines(is_shared) };
            let page = marked(&file).into_string();
            let (_, shown) = page.split_once("<pre class=\"lines\">").unwrap();
            let shown = shown.replace("<mark>", "").replace("</mark>", "");
            let shown = shown.strip_suffix("</pre>").unwrap();
            let shown = shown.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
            let shown = shown.replace("&amp;", "&").replace("    ", "\t");
            assert_eq!(shown, format!("{}\n", code.join("\n")));
            assert_eq!(page.matches("<mark>").count(), if is_shared { code.len() } else { 0 });
            assert!(!page.contains("<b>") && page.contains(">a_b.py<"), "{page}");
        }
    }

    #[test]
    fn a_mark_is_a_block_that_hides_nothing_of_the_line_above() {
        let style = include_str!("../../../../lab/web/src/assets/pages.css");
        assert!(style.contains(".lines mark { display: block; border-radius: 0; }"));
    }
}
