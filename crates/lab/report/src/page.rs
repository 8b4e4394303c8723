//! Markdown as one HTML page, including plots. Nothing in the text is treated as HTML.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};
use quintain_scene::clean;

/// A plot with its caption.
pub(crate) struct Plot {
    pub(crate) name: String,
    pub(crate) caption: String,
    pub(crate) svg: String,
    /// The same for a phone.
    pub(crate) narrow: Option<String>,
}

impl Plot {
    /// The plot with its caption, as a figure; a phone shows what is drawn for it.
    fn figure(&self) -> String {
        let Plot { svg, narrow, .. } = self;
        let drawn = match narrow {
            Some(narrow) => {
                format!("<div class=\"wide\">{svg}</div><div class=\"narrow\">{narrow}</div>")
            }
            None => svg.clone(),
        };
        format!("<figure>{drawn}<figcaption>{}</figcaption></figure>", escape_html(&self.caption))
    }
}

const STYLE: &str = "
:root { color-scheme: light dark; --page: #fff; --ink: #1b1f24; --soft: #57606a; --rule: #d8dee4;
  --raised: #f6f8fa; --link: #0b62a4 }
@media (prefers-color-scheme: dark) {
  :root { --page: #14161a; --ink: #e8e8e4; --soft: #a2a8b3; --rule: #343942; --raised: #1c1f25;
    --link: #74bdf2 }
  /* Plots are drawn dark on light; turned round, hues stay as they are. */
  figure svg { filter: invert(.92) hue-rotate(180deg) }
}
body { font: 16px/1.5 system-ui, sans-serif; max-width: 78rem; margin: 2rem auto; padding: 0 1rem;
  color: var(--ink); background: var(--page) }
a { color: var(--link) }
nav ul { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .2rem 1.2rem }
/* Shadows at the edges say that there is more to the side; the page's own colour covers them \
where there is none. */
table, figure, pre { overflow-x: auto; background:
  linear-gradient(to right, var(--page) 40%, transparent) left / 3rem 100% local,
  linear-gradient(to left, var(--page) 40%, transparent) right / 3rem 100% local,
  linear-gradient(to right, color-mix(in srgb, var(--ink) 28%, transparent), transparent) left / \
  .9rem 100% scroll,
  linear-gradient(to left, color-mix(in srgb, var(--ink) 28%, transparent), transparent) right / \
  .9rem 100% scroll;
  background-repeat: no-repeat }
table { border-collapse: collapse; margin: 1rem 0; display: block; font-size: .94rem;
  font-variant-numeric: tabular-nums }
th, td { padding: .25rem .5rem; border-bottom: 1px solid var(--rule); white-space: nowrap }
th { border-bottom: 2px solid var(--soft); text-align: left; white-space: normal;
  vertical-align: bottom }
/* Smaller than this, nobody could read what stands on a plot. */
figure { margin: 1.5rem 0 } figure svg { min-width: 36rem; max-width: 100%; height: auto }
/* A plot that is also drawn for phones needs no room to scroll there. */
.narrow, .sideways { display: none }
@media (max-width: 40rem) {
  .sideways { display: block; margin: 1rem 0 -.9rem; color: var(--soft); font-size: .85rem; \
  text-align: right }
  figure:has(.narrow) .wide { display: none }
  figure .narrow { display: block }
  figure .narrow svg { min-width: 0 }
  body { margin: 1rem auto }
  pre { font-size: .7rem; white-space: pre-wrap; overflow-wrap: anywhere }
}
figcaption { color: var(--soft); font-size: .9rem }
pre { --page: var(--raised); background-color: var(--raised); padding: .8rem }
/* On paper: dark on light, the first page for itself, nothing that scrolls or is cut in two. */
@media print {
  :root { color-scheme: light; --page: #fff; --ink: #000; --soft: #444; --rule: #bbb;
    --raised: #fff; --link: #000 }
  @page { margin: 14mm }
  body { font-size: 10.5pt; margin: 0; padding: 0; max-width: none }
  nav { display: none }
  nav + h2 { break-before: page }
  h1, h2, h3 { break-after: avoid }
  tr, figure, li { break-inside: avoid }
  table, figure { background: none; overflow: visible }
  table { display: table; font-size: 8.5pt }
  thead { display: table-header-group }
  th, td { white-space: normal; padding: .15rem .3rem }
  figure svg { min-width: 0; width: 100%; max-width: 17cm; filter: none }
  pre { white-space: pre-wrap; background: none; border: 1px solid var(--rule) }
  a { text-decoration: none }
}
";

/// The most columns of a table that a phone shows at once.
const FIT_A_PHONE: usize = 4;

/// Says above each table that is wider than a phone that there is more to the side.
fn say_what_is_wide(body: &str) -> String {
    let hint = "<p class=\"sideways\" aria-hidden=\"true\">more to the side →</p>\n";
    let mut parts = body.split("<table>");
    let mut said = parts.next().unwrap_or_default().to_owned();
    for table in parts {
        let head = table.split("</thead>").next().unwrap_or_default();
        if head.matches("<th").count() - usize::from(head.contains("<thead")) > FIT_A_PHONE {
            said += hint;
        }
        said = said + "<table>" + table;
    }
    said
}

/// The tags of a part that is folded away.
const FOLDS: [&str; 4] = ["<details>", "<summary>", "</summary>", "</details>"];

/// Number of sections before the contents: they tell the answer, and fit on a screen.
const FIRST_SCREEN: usize = 2;

/// The page for this text; images named `plots/NAME.svg` are drawn in place.
pub(crate) fn html(title: &str, markdown: &str, plots: &[Plot]) -> String {
    let contents = contents(markdown);
    let mut within = false;
    let mut parts = 0..contents.len();
    let events =
        Parser::new_ext(markdown, Options::ENABLE_TABLES).filter_map(|event| match event {
            Event::Start(Tag::Heading { level: HeadingLevel::H2, classes, attrs, .. }) => {
                let id = parts.next().map(|number| format!("part-{number}").into());
                Some(Event::Start(Tag::Heading { level: HeadingLevel::H2, id, classes, attrs }))
            }
            Event::Start(Tag::Image { dest_url, .. }) => {
                within = true;
                let name =
                    dest_url.strip_prefix("plots/").and_then(|name| name.strip_suffix(".svg"));
                let plot = plots.iter().find(|plot| Some(plot.name.as_str()) == name)?;
                Some(Event::InlineHtml(plot.figure().into()))
            }
            Event::End(TagEnd::Image) => {
                within = false;
                None
            }
            _ if within => None,
            // The report folds something away. Whatever else looks like HTML is text.
            Event::InlineHtml(tag) if FOLDS.contains(&&*tag) => Some(Event::InlineHtml(tag)),
            Event::Html(text) | Event::InlineHtml(text) => Some(Event::Text(text)),
            event => Some(event),
        });
    let mut body = String::new();
    html::push_html(&mut body, events);
    // A figure is not allowed inside a paragraph.
    let body = body.replace("<p><figure>", "<figure>").replace("</figure></p>", "</figure>");
    let body = say_what_is_wide(&body);
    let links = contents.iter().enumerate().map(|(number, heading)| {
        format!("<li><a href=\"#part-{number}\">{}</a></li>", escape_html(heading))
    });
    let nav =
        format!("<nav aria-label=\"Contents\"><ul>{}</ul></nav>\n", links.collect::<String>());
    let details = body.match_indices("<h2").nth(FIRST_SCREEN).map(|(at, _)| at);
    let body = match details {
        Some(at) => format!("{}{nav}{}", &body[..at], &body[at..]),
        None => body,
    };
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n",
        escape_html(title)
    )
}

/// The headings of the text's sections, without anything after a colon.
fn contents(markdown: &str) -> Vec<String> {
    let mut headings: Vec<String> = Vec::new();
    let mut within = false;
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Heading { level: HeadingLevel::H2, .. }) => {
                within = true;
                headings.push(String::new());
            }
            Event::End(TagEnd::Heading(_)) => within = false,
            Event::Text(text) | Event::Code(text) if within => {
                headings.iter_mut().next_back().into_iter().for_each(|last| last.push_str(&text));
            }
            _ => {}
        }
    }
    let shorten = |heading: String| heading.split(": ").next().unwrap_or_default().to_owned();
    headings.into_iter().map(shorten).collect()
}

fn escape_html(text: &str) -> String {
    clean(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_listed_and_lead_to_their_headings() {
        let page = html("t", "# t\n\n## Overall: 3 players\n\n## a < b\n\n## c\n", &[]);
        assert!(page.contains("<a href=\"#part-0\">Overall</a>"), "{page}");
        assert!(page.contains("<a href=\"#part-1\">a &lt; b</a>"), "{page}");
        assert!(page.contains("<h2 id=\"part-1\">"), "{page}");
        // The answer stands alone; what follows the contents begins on a page of its own.
        assert!(page.contains("</nav>\n<h2 id=\"part-2\">"), "{page}");
        assert!(page.contains("nav + h2 { break-before: page }"), "{page}");
    }

    #[test]
    fn a_table_that_is_wider_than_a_phone_says_so() {
        let table = |columns: usize| {
            let row = |text: &str| format!("|{}\n", format!("{text}|").repeat(columns));
            html("t", &(row("a") + &row("---") + &row("b")), &[])
        };
        assert!(table(5).contains("more to the side →</p>\n<table>"), "{}", table(5));
        assert!(!table(4).contains("more to the side →"), "{}", table(4));
    }

    #[test]
    fn only_the_reports_own_folds_are_html() {
        let text = "- [a](b) <details><summary>How</summary> it <b>ended</b></details>\n";
        let page = html("t", text, &[]);
        assert!(page.contains("<details><summary>How</summary> it &lt;b&gt;"), "{page}");
    }

    #[test]
    fn plots_are_drawn_in_place_and_foreign_html_is_text() {
        let plot = |name: &str| Plot {
            name: name.to_owned(),
            caption: "a < b".to_owned(),
            svg: "<svg></svg>".to_owned(),
            narrow: None,
        };
        let page =
            html("<t>", "# x\n\n![cap](plots/a.svg)\n\n<script>alert(1)</script>\n", &[plot("a")]);
        assert!(page.contains("<title>&lt;t&gt;</title>"));
        assert!(page.contains("<figure><svg></svg><figcaption>a &lt; b</figcaption></figure>"));
        assert!(!page.contains("<script>") && !page.contains("<p><figure>"), "{page}");
    }
}
