//! The documentation as files: its links lead somewhere, and the book has every page. `console.rs`
//! runs the programs that pages show; it and `reference.rs` check what commands print.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// The parts of a page that matter here.
#[derive(Default)]
struct Page {
    links: Vec<String>,
    anchors: BTreeSet<String>,
    /// Blocks of code, with their language.
    code: Vec<(String, String)>,
}

#[test]
fn every_link_leads_somewhere() {
    let root = repository();
    let mut files = markdown(&root, false);
    files.extend(markdown(&root.join("docs"), true));
    files.push(root.join("crates/README.md"));
    let pages: BTreeMap<PathBuf, Page> =
        files.into_iter().map(|file| (plain(&file), read(&file))).collect();
    let mut dead = Vec::new();
    let mut links = 0;
    for (file, page) in &pages {
        for link in page.links.iter().filter(|link| !link.contains("://")) {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target =
                if path.is_empty() { file.clone() } else { plain(&file.with_file_name(path)) };
            let is_there = match pages.get(&target) {
                Some(page) => anchor.is_empty() || page.anchors.contains(anchor),
                None => target.exists(),
            };
            if !is_there {
                dead.push(format!(
                    "{}: {link}",
                    file.strip_prefix(plain(&root)).unwrap().display()
                ));
            }
            links += 1;
        }
    }
    assert!(dead.is_empty(), "{}", dead.join("\n"));
    assert!(links > 100, "{links}");
}

#[test]
fn the_book_has_every_page() {
    let docs = repository().join("docs");
    let summary = read(&docs.join("SUMMARY.md"));
    let listed: BTreeSet<PathBuf> =
        summary.links.iter().map(|link| plain(&docs.join(link))).collect();
    assert_eq!(listed.len(), summary.links.len(), "a page stands in SUMMARY.md twice");
    let pages = markdown(&docs, true).into_iter().map(|file| plain(&file));
    let pages: BTreeSet<PathBuf> = pages.filter(|file| !file.ends_with("SUMMARY.md")).collect();
    assert_eq!(listed, pages);
}

#[test]
fn the_tutorial_begins_with_the_function_of_a_new_player() {
    let page = read(&repository().join("docs/tutorial.md"));
    let (_, code) = page.code.iter().find(|(language, _)| language == "python").unwrap();
    assert!(
        include_str!("../../../programs/languages/starters/python/bot.py").contains(code.as_str()),
        "{code}"
    );
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// Returns the Markdown files of a folder, including its subfolders if `deeply` is true.
fn markdown(folder: &Path, deeply: bool) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for file in fs::read_dir(folder).unwrap() {
        let file = file.unwrap().path();
        if file.is_dir() && deeply {
            files.extend(markdown(&file, deeply));
        } else if file.extension().is_some_and(|extension| extension == "md") {
            files.push(file);
        }
    }
    files
}

/// Returns a path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

fn read(file: &Path) -> Page {
    let text = fs::read_to_string(file).unwrap();
    let mut page = Page::default();
    let (mut heading, mut code): (Option<String>, Option<(String, String)>) = (None, None);
    for event in Parser::new_ext(&text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                page.links.push(dest_url.into_string());
            }
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                let slug = slug(&heading.take().unwrap());
                // The second heading of a name gets NAME-1.
                let again = (1..).map(|number| format!("{slug}-{number}"));
                let mut names = std::iter::once(slug.clone()).chain(again);
                page.anchors.insert(names.find(|name| !page.anchors.contains(name)).unwrap());
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => {
                code = Some((language.into_string(), String::new()));
            }
            Event::End(TagEnd::CodeBlock) => page.code.extend(code.take()),
            Event::Text(text) | Event::Code(text) => match (&mut heading, &mut code) {
                (Some(heading), _) => heading.push_str(&text),
                (None, Some((_, code))) => code.push_str(&text),
                (None, None) => {}
            },
            _ => {}
        }
    }
    page
}

/// Returns a heading's anchor.
fn slug(heading: &str) -> String {
    let letters = heading.to_lowercase();
    let kept = letters.chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
    kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
}
