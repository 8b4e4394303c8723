//! A grid of text cells, drawn by `comfy-table` within a width. Knows nothing of standings.

use comfy_table::presets::{ASCII_MARKDOWN, UTF8_HORIZONTAL_ONLY};
use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};

/// Names longer than this, or than a third of the terminal, are wrapped over several lines.
const FOLD_FROM: usize = 40;

/// However narrow the terminal, names are not wrapped to less than this.
const MIN_FOLD: usize = 16;

pub(crate) struct Column {
    pub head: String,
    pub cells: Vec<String>,
    /// Whether its cells are text, which is aligned left; numbers are aligned right.
    pub text: bool,
    /// The columns with the least weight, all together, are left out first if the table is too
    /// wide; columns without a weight are never left out.
    pub weight: Option<u8>,
}

/// Draws `columns` for a terminal of `width` columns; also returns the heads of those left out.
pub(crate) fn for_terminal(
    mut columns: Vec<Column>,
    width: Option<usize>,
) -> (String, Vec<String>) {
    let mut left_out = Vec::new();
    loop {
        let fits = width.is_none_or(|width| width_for_terminal(&columns, Some(width)) <= width);
        match columns.iter().filter_map(|column| column.weight).min() {
            Some(lightest) if !fits => {
                let out = columns.extract_if(.., |column| column.weight == Some(lightest));
                left_out.splice(0..0, out.map(|column| column.head));
            }
            _ => return (draw_narrow(&columns, width), left_out),
        }
    }
}

/// Draws columns that cannot be left out; if they are too wide, texts are wrapped to less.
fn draw_narrow(columns: &[Column], width: Option<usize>) -> String {
    let Some(most) = width else { return draw(columns, None) };
    let mut widths = (MIN_FOLD..=longest(width)).rev();
    let fitting = widths.find(|longest| columns_of(&draw_folded(columns, *longest)) <= most);
    draw_folded(columns, fitting.unwrap_or(MIN_FOLD))
}

/// The heads of columns that were left out, as a list for a sentence. A comma within a head would
/// look like one between two heads.
pub(crate) fn list_heads(heads: &[String]) -> String {
    let named = heads.iter().filter(|head| !head.is_empty());
    named.map(|head| head.replace(", ", " ")).collect::<Vec<_>>().join(", ")
}

/// The number of columns that the table takes in a terminal of `width`.
pub(crate) fn width_for_terminal(columns: &[Column], width: Option<usize>) -> usize {
    columns_of(&draw(columns, width))
}

/// The number of columns that a drawn table takes.
fn columns_of(table: &str) -> usize {
    table.lines().map(|line| line.chars().count()).max().unwrap_or(0)
}

/// The width to which texts are wrapped.
fn longest(width: Option<usize>) -> usize {
    width.map_or(FOLD_FROM, |width| (width / 3).clamp(MIN_FOLD, FOLD_FROM))
}

fn draw(columns: &[Column], width: Option<usize>) -> String {
    draw_folded(columns, longest(width))
}

fn draw_folded(columns: &[Column], longest: usize) -> String {
    let mut table = table(columns, (0, 1), |text| fold(text, longest));
    table.load_style(TableStyle { row_separator: LineStyle::none(), ..UTF8_HORIZONTAL_ONLY });
    trim_lines(&table)
}

/// A text as the cell of a Markdown table, in which no bar parts it and nothing is HTML.
fn cell_of_markdown(text: &str) -> String {
    let mut cell = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let next = letters.peek();
        let begins_a_tag = letter == '<'
            && next
                .is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?'));
        if letter == '|' || begins_a_tag {
            cell.push('\\');
        }
        cell.push(letter);
    }
    cell
}

/// Draws `columns` as a GitHub Markdown table.
pub(crate) fn for_markdown(columns: &[Column]) -> String {
    let mut table = table(columns, (1, 1), cell_of_markdown);
    table.load_style(ASCII_MARKDOWN);
    let mut lines: Vec<String> = trim_lines(&table).lines().map(str::to_owned).collect();
    let rules: Vec<String> = lines[1]
        .trim_matches('|')
        .split('|')
        .zip(columns)
        .map(|(rule, column)| match column.text {
            true => rule.to_owned(),
            false => format!("{}:", &rule[1..]),
        })
        .collect();
    lines[1] = format!("|{}|", rules.join("|"));
    lines.join("\n") + "\n"
}

fn table(columns: &[Column], padding: (u16, u16), cell: impl Fn(&str) -> String) -> Table {
    let mut table = Table::new();
    table.set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(columns.iter().map(|column| cell(&column.head)));
    for row in 0..columns.first().map_or(0, |column| column.cells.len()) {
        table.add_row(columns.iter().map(|column| cell(&column.cells[row])));
    }
    for (drawn, column) in table.column_iter_mut().zip(columns) {
        let side = if column.text { CellAlignment::Left } else { CellAlignment::Right };
        drawn.set_cell_alignment(side);
        drawn.set_padding(padding);
    }
    table
}

fn trim_lines(table: &Table) -> String {
    table.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// Breaks `text` into lines of at most `width` characters, after a `?`, `&`, `,` or space if there
/// is one in the line's second half.
fn fold(text: &str, width: usize) -> String {
    let mut rest: Vec<char> = text.chars().collect();
    let mut folded = String::new();
    while rest.len() > width {
        let fits = &rest[..width];
        let seam = fits.iter().rposition(|&c| matches!(c, '?' | '&' | ',' | ' '));
        let end = seam.map(|at| at + 1).filter(|&end| end > width / 2).unwrap_or(width);
        folded.extend(rest.drain(..end));
        folded.push('\n');
    }
    folded.extend(rest);
    folded
}

/// Wraps `text` into lines of at most `width` characters, broken at spaces.
pub(crate) fn wrap(text: &str, width: usize) -> String {
    let mut lines = String::new();
    let mut used = 0;
    // A number stays with its unit.
    for word in text.replace(" %", "\u{a0}%").split(' ') {
        let length = word.chars().count();
        if used > 0 && used + 1 + length > width {
            lines.push('\n');
            used = 0;
        } else if used > 0 {
            lines.push(' ');
            used += 1;
        }
        lines.push_str(word);
        used += length;
    }
    lines.replace('\u{a0}', " ") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_folded_at_their_seams() {
        assert_eq!(fold("short", 10), "short");
        assert_eq!(fold("tron/uct?c=1&n=500", 14), "tron/uct?c=1&\nn=500");
        assert_eq!(fold("abcdefghijkl", 5), "abcde\nfghij\nkl");
    }

    #[test]
    fn the_lightest_columns_are_left_out_until_the_rest_fits() {
        let column = |head: &str, weight| Column {
            head: head.to_owned(),
            cells: vec!["0123456789".to_owned()],
            text: true,
            weight,
        };
        let columns = || {
            vec![
                column("a", None),
                column("b", Some(1)),
                column("c", Some(9)),
                column("d", Some(1)),
            ]
        };
        let (all, left_out) = for_terminal(columns(), None);
        assert_eq!(left_out, [""; 0]);
        assert_eq!(all.lines().nth(1), Some("a           b           c           d"));
        let (narrow, left_out) = for_terminal(columns(), Some(24));
        assert_eq!(left_out, ["b", "d"]);
        assert_eq!(narrow.lines().nth(1), Some("a           c"));
    }

    #[test]
    fn columns_that_cannot_be_left_out_are_wrapped_to_less() {
        let column = |cell: &str| Column {
            head: String::new(),
            cells: vec![cell.to_owned()],
            text: true,
            weight: None,
        };
        let columns = || vec![column("champion?a=0.5&b=0.75"), column("course?board=35x35&c=3")];
        let (wide, _) = for_terminal(columns(), Some(100));
        assert!(wide.contains("champion?a=0.5&b=0.75  course?board=35x35&c=3"), "{wide}");
        let (narrow, _) = for_terminal(columns(), Some(40));
        assert!(columns_of(&narrow) <= 40 && narrow.contains("\nchampion?a=0.5&"), "{narrow}");
    }

    #[test]
    fn html_in_a_cell_of_markdown_is_text() {
        let cells = ["<b>x</b> <!-- a", "p < 0.05, <0.1", "a|b"].map(cell_of_markdown);
        assert_eq!(cells, [r"\<b>x\</b> \<!-- a", "p < 0.05, <0.1", r"a\|b"]);
    }

    #[test]
    fn a_bar_in_a_name_does_not_part_a_markdown_cell() {
        let name =
            Column { head: "name".into(), cells: vec!["a|b".into()], text: true, weight: None };
        let number =
            Column { head: "n".into(), cells: vec!["12".into()], text: false, weight: None };
        assert_eq!(for_markdown(&[name, number]), "| name |  n |\n|------|---:|\n| a\\|b | 12 |\n");
    }
}
