//! Who works on what, as a page for browsers: one file, without scripts, that asks to be
//! loaded again every few seconds.

use std::fmt::Write;

use crate::status::{Coordinator, Status, Worker, now_ms};

const HEAD: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
<meta name=\"viewport\" content=\"width=device-width\"><meta http-equiv=\"refresh\" content=\"5\">\
<title>Workers</title><style>\
body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;\
color:#222;background:#fff}\
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.3rem .8rem .3rem 0;\
border-bottom:1px solid #ccc;vertical-align:top}td.n,th.n{text-align:right}\
progress{width:10rem}.r{color:#a00}\
@media(prefers-color-scheme:dark){body{color:#ddd;background:#111}.r{color:#f88}}\
</style>";

impl Status {
    /// The page. Names in it are escaped: they come from anybody who may connect.
    pub fn html(&self) -> String {
        let mut page = HEAD.to_owned();
        page.push_str("<h1>Tournaments</h1>");
        if self.coordinators.is_empty() {
            page.push_str("<p>None is handed out.");
        } else {
            page.push_str(
                "<table><tr><th>tournament<th>game<th class=n>matches<th><th class=n>a second\
                 <th>coordinator<th class=n>heard of",
            );
        }
        for coordinator in &self.coordinators {
            let Coordinator { tournament, game, who, total, done, rate, seen_ms, .. } = coordinator;
            let (tournament, game, who) = (escaped(tournament), escaped(game), escaped(who));
            let ago = ago(*seen_ms);
            let _ = write!(
                page,
                "<tr><td>{tournament}<td>{game}<td class=n>{done} of {total}\
                 <td><progress max={total} value={done}></progress><td class=n>{rate:.0}\
                 <td>{who}<td class=n>{ago}"
            );
        }
        page.push_str(if self.coordinators.is_empty() { "" } else { "</table>" });
        let threads: usize = self.workers.iter().map(|worker| worker.threads).sum();
        let _ = write!(page, "<h1>Workers</h1><p>{} with {threads} threads.", self.workers.len());
        page.push_str(
            "<table><tr><th>worker<th>version<th class=n>threads<th>plays (batches)\
             <th class=n>matches<th class=n>heard of<th>refuses",
        );
        for worker in &self.workers {
            let Worker { who, version, threads, played, playing, refuses, seen_ms, .. } = worker;
            let playing: Vec<String> = playing
                .iter()
                .map(|(name, count)| format!("{} ({count})", escaped(name)))
                .collect();
            let refuses: Vec<String> = refuses.iter().map(|line| escaped(line)).collect();
            let _ = write!(
                page,
                "<tr><td>{}<td>{}<td class=n>{threads}<td>{}<td class=n>{played}<td class=n>{}\
                 <td class=r>{}",
                escaped(who),
                escaped(version),
                playing.join(", "),
                ago(*seen_ms),
                refuses.join("<br>"),
            );
        }
        page.push_str("</table></html>\n");
        page
    }
}

fn ago(seen_ms: u64) -> String {
    format!("{} s ago", now_ms().saturating_sub(seen_ms) / 1000)
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            sign if sign.is_control() => out.push('\u{fffd}'),
            sign => out.push(sign),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_shows_all_and_runs_nothing_that_others_wrote() {
        let coordinator = Coordinator {
            session: String::new(),
            tournament: "<script>cup".to_owned(),
            game: "tron".to_owned(),
            who: "desk:1".to_owned(),
            total: 400,
            done: 100,
            rate: 12.3,
            seen_ms: now_ms(),
        };
        let worker = Worker {
            who: "lab:2".to_owned(),
            threads: 8,
            playing: vec![("cup & cake".to_owned(), 3)],
            refuses: vec!["bot:alice".to_owned()],
            ..Worker::default()
        };
        let status = Status { coordinators: vec![coordinator], workers: vec![worker] };
        let page = status.html();
        assert!(!page.contains("<script"), "{page}");
        for words in ["&lt;script&gt;cup", "100 of 400", "cup &amp; cake (3)", "1 with 8 threads"] {
            assert!(page.contains(words), "{words}: {page}");
        }
        let empty = Status::default().html();
        assert!(empty.contains("None is handed out.") && empty.contains("0 with 0 threads"));
    }
}
