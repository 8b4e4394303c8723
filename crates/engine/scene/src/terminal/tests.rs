use super::*;
use quintain_core::ui::{Lattice, Mark, PanelBody, Point};

fn cell(column: i32, row: i32, paint: Paint, glyph: char) -> Mark {
    Mark::Cell { at: Point::new(column, row), paint, glyph }
}

fn line(from: (i32, i32), to: (i32, i32)) -> Mark {
    let (from, to) = (Point::new(from.0, from.1), Point::new(to.0, to.1));
    Mark::Line { from, to, paint: Paint::Accent }
}

fn render(scene: &Scene, overlays: &[&str], style: TerminalStyle) -> String {
    format!("\n{}", render_text(scene, overlays, style))
}

/// Without its escape sequences, which all end in `m`.
fn strip_styles(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |out, part| out + part.split_once('m').map_or("", |(_, text)| text))
}

#[test]
fn outlines_are_drawn_where_cells_of_different_ones_meet() {
    let mut scene = Scene::square(3, 2);
    let room = |cells: &[(i32, i32)]| Mark::Outline {
        cells: cells.iter().map(|(column, row)| Point::new(*column, *row)).collect(),
        paint: Paint::Thing(0),
    };
    scene.layer("rooms", vec![room(&[(0, 0), (1, 0)]), room(&[(0, 1)])]);
    assert_eq!(
        render(&scene, &[], TerminalStyle::Plain),
        "\n+------+\n|._.]. |\n|.]. . |\n+------+\n"
    );
    let styled = render(&scene, &[], TerminalStyle::Full);
    assert!(styled.contains('▕') && styled.contains("\u{1b}[4m"), "{styled:?}");
}

#[test]
fn panels_are_beside_the_board_and_the_legend_is_in_lines() {
    let mut scene = Scene::square(2, 1);
    scene.layer("board", Vec::new()).means(Sign::Cell(Paint::Wall, '#'), "a wall");
    scene.overlay("heat", Vec::new()).means(Sign::Cell(Paint::Heat(0), '0'), "cold");
    let piece = Scene::board(2, 1, |_| (Paint::Thing(0), 'r'));
    scene.panel("next", PanelBody::Picture(piece));
    scene.panel("points", PanelBody::Figures(vec![("ponds".to_owned(), "2".to_owned())]));
    let span = |text: &str, lit| quintain_core::ui::Span { text: text.to_owned(), lit };
    scene.panel("said", PanelBody::Text(vec![span("a", false), span("ei!", true)]));
    let drawn = render_text(&scene, &[], TerminalStyle::Plain);
    let lines: Vec<&str> = drawn.lines().collect();
    assert_eq!(&lines[..4], ["+----+  next:", "|. . |  r r ", "+----+", "        points:"]);
    assert_eq!(lines[4], "        ponds  2");
    assert_eq!(lines[7], "        a[ei!]");
    assert_eq!(render_legend(&scene, &[], TerminalStyle::Plain, None), "## a wall\n");
    let all = render_legend(&scene, &["heat"], TerminalStyle::Plain, None);
    assert_eq!(all, "## a wall  0  cold\n");
}

#[test]
fn the_long_name_of_a_figure_leaves_the_board_its_room() {
    let mut scene = large();
    let long = "in his house at r'lyeh dead cthulhu waits dreaming.";
    scene.panel("heard", PanelBody::Figures(vec![(long.to_owned(), "x1  402".to_owned())]));
    let room = Room { columns: 60, rows: 14 };
    let drawn = render_text_within(&scene, &[], TerminalStyle::Plain, room, None).unwrap();
    assert!(drawn.contains("in his house at r'lyeh de… x1  402"), "{drawn}");
    assert!(drawn.lines().all(|line| line.width() <= room.columns), "{drawn}");
}

#[test]
fn plain_text_shows_every_role_by_its_character() {
    let mut scene = Scene::square(5, 2);
    scene.layer(
        "board",
        vec![
            cell(0, 0, Paint::Wall, ' '),
            cell(1, 0, Paint::Seat(0), ' '),
            cell(2, 0, Paint::Head(1), ' '),
            cell(3, 0, Paint::Thing(0), 'é'),
            cell(4, 0, Paint::Good, 'G'),
        ],
    );
    scene.caption = "turn 3".to_owned();
    assert_eq!(
        render(&scene, &[], TerminalStyle::Plain),
        "
+----------+
|##a B o G |
|. . . . . |
+----------+
turn 3
"
    );
}

#[test]
fn cells_out_of_sight_are_blank_where_the_legend_says_so() {
    let mut scene = Scene::square(3, 1);
    scene.layer("board", vec![cell(1, 0, Paint::Floor, ' ')]);
    assert_eq!(render(&scene, &[], TerminalStyle::Plain), "\n+------+\n|. . . |\n+------+\n");
    scene.layer("sight", Vec::new()).means(Sign::Unseen, "out of sight");
    assert_eq!(render(&scene, &[], TerminalStyle::Plain), "\n+------+\n|  .   |\n+------+\n");
    assert_eq!(render_legend(&scene, &[], TerminalStyle::Plain, None), "blank: out of sight\n");
}

#[test]
fn odd_rows_of_a_hex_lattice_are_one_column_further_right() {
    let scene = Scene { lattice: Lattice::Hex, width: 2, height: 3, ..Scene::default() };
    assert_eq!(
        render(&scene, &[], TerminalStyle::Plain),
        "
+-----+
|. .  |
| . . |
|. .  |
+-----+
"
    );
}

#[test]
fn an_overlay_is_shown_on_request_and_keeps_the_characters_below() {
    let mut scene = Scene::square(2, 1);
    scene.layer("board", vec![cell(0, 0, Paint::Seat(0), 'r')]);
    let claims = [0, 1].map(|column| cell(column, 0, Paint::Claim(0), ' '));
    scene.overlay("territory", claims.to_vec());
    assert_eq!(render(&scene, &[], TerminalStyle::Plain), "\n+----+\n|r . |\n+----+\n");
    assert_eq!(render(&scene, &["territory"], TerminalStyle::Plain), "\n+----+\n|r , |\n+----+\n");
    assert_eq!(render(&scene, &["heat"], TerminalStyle::Plain), "\n+----+\n|r . |\n+----+\n");
}

fn walk() -> Scene {
    let mut scene = Scene::square(3, 2);
    let path = [(0, 0), (1, 0), (1, 1), (2, 1), (2, 0)];
    let mut marks: Vec<Mark> = path.windows(2).map(|pair| line(pair[0], pair[1])).collect();
    marks.push(cell(0, 0, Paint::Thing(0), 'H'));
    marks.push(cell(1, 1, Paint::Thing(1), 'P'));
    scene.layer("walk", marks);
    scene
}

#[test]
fn lines_run_between_cells_and_turn_on_empty_ones() {
    let plain = render(&walk(), &[], TerminalStyle::Plain);
    assert_eq!(
        plain,
        "
+----------+
|H---+   | |
|    |   | |
|.   P---+ |
+----------+
"
    );
    let rich = strip_styles(&render_text(&walk(), &[], TerminalStyle::Full));
    assert_eq!(
        format!("\n{rich}"),
        "
┌──────────┐
│H───┐   ╷ │
│    │   │ │
│·   P───┘ │
└──────────┘
"
    );
}

#[test]
fn lines_of_a_hex_lattice_slant() {
    let mut scene = Scene { lattice: Lattice::Hex, width: 2, height: 3, ..Scene::default() };
    scene.layer("walk", vec![line((0, 0), (0, 1)), line((0, 1), (0, 2))]);
    assert_eq!(
        render(&scene, &[], TerminalStyle::Plain),
        "
+--------+
|.   .   |
| \\      |
|  .   . |
| /      |
|.   .   |
+--------+
"
    );
}

#[test]
fn labels_stay_on_the_board_and_cannot_steer_the_terminal() {
    let mut scene = Scene::square(3, 1);
    let text = "a\u{1b}[31m long one".to_owned();
    scene.layer("names", vec![Mark::Label { at: Point::new(1, 0), text }]);
    assert_eq!(render(&scene, &[], TerminalStyle::Plain), "\n+------+\n|. a�[3|\n+------+\n");
    scene.caption = "two\nlines\u{7}".to_owned();
    assert!(text_of(&scene).ends_with("two�lines�\n"));
}

fn text_of(scene: &Scene) -> String {
    render_text(scene, &[], TerminalStyle::Plain)
}

#[test]
fn wide_characters_keep_the_frame_straight() {
    let mut scene = Scene::square(2, 1);
    scene.layer("board", vec![cell(0, 0, Paint::Thing(0), '龍')]);
    assert_eq!(
        strip_styles(&render_text(&scene, &[], TerminalStyle::Full)),
        "┌────┐\n│龍· │\n└────┘\n"
    );
}

#[test]
fn marks_outside_the_board_are_left_out() {
    let mut scene = Scene::square(1, 1);
    scene.layer("board", vec![cell(1, 0, Paint::Wall, ' '), line((0, 0), (0, 5))]);
    assert_eq!(text_of(&scene), "+--+\n|. |\n+--+\n");
    assert_eq!(text_of(&Scene { width: -3, ..Scene::default() }), "++\n++\n");
}

#[test]
fn a_legend_shows_the_characters_of_the_scene() {
    let mut scene = Scene::square(3, 1);
    let marks = vec![
        cell(0, 0, Paint::Seat(0), 'x'),
        cell(1, 0, Paint::Seat(1), 'o'),
        cell(2, 0, Paint::Seat(1), 'o'),
    ];
    scene.layer("board", marks);
    assert_eq!(
        [0, 1, 2].map(|seat| render_swatch(&scene, seat, TerminalStyle::Plain)),
        ["x ", "o ", "  "]
    );
    scene.layer("heads", vec![cell(2, 0, Paint::Head(1), ' ')]);
    assert_eq!(
        [0, 1].map(|seat| render_swatch(&scene, seat, TerminalStyle::Plain)),
        ["  x ", "B o "]
    );
}

#[test]
fn colours_come_in_both_ranges_and_every_line_ends_reset() {
    let mut scene = Scene::square(2, 1);
    scene.layer("board", vec![cell(0, 0, Paint::Seat(0), ' '), cell(1, 0, Paint::Head(1), 'g')]);
    insta::assert_debug_snapshot!([
        render_text(&scene, &[], TerminalStyle::Indexed),
        render_text(&scene, &[], TerminalStyle::Full),
        render_swatch(&scene, 0, TerminalStyle::Full),
        render_swatch(&scene, 1, TerminalStyle::Full),
    ]);
}

#[test]
fn seats_with_the_same_pattern_have_a_character() {
    let mut scene = Scene::square(3, 1);
    let seats = [(1, 'b'), (7, 'h'), (13, '字')].into_iter().zip(0..);
    scene.layer("board", seats.map(|((n, glyph), x)| cell(x, 0, Paint::Claim(n), glyph)).collect());
    let drawn = strip_styles(&render_text(&scene, &[], TerminalStyle::Full));
    assert_eq!(drawn.lines().nth(1), Some("│╱╱h╲──│"));
}

/// A board that is too large for a terminal, with two heads near its right end.
fn large() -> Scene {
    let mut scene = Scene::square(60, 40);
    scene
        .layer("heads", vec![cell(57, 20, Paint::Head(0), ' '), cell(53, 22, Paint::Head(1), ' ')]);
    scene.panel("points", PanelBody::Figures(vec![("ponds".to_owned(), "2".to_owned())]));
    scene.caption = "turn 3, and more is told of it than fits on a single line here".to_owned();
    scene
}

#[test]
fn a_large_board_is_cut_to_the_part_around_the_heads() {
    let room = Room { columns: 60, rows: 14 };
    let drawn = render_text_within(&large(), &[], TerminalStyle::Plain, room, None).unwrap();
    let lines: Vec<&str> = drawn.lines().collect();
    assert_eq!(lines.len(), room.rows);
    assert!(lines.iter().all(|line| line.width() <= room.columns), "{drawn}");
    assert!(drawn.contains('A') && drawn.contains('B') && drawn.contains("points:"), "{drawn}");
    // The frame is broken where the board goes on, and whole at its right end.
    assert!(lines[0].starts_with("+...") && lines[1].starts_with(':'), "{drawn}");
    assert!(lines[12 - 1].contains('|') && lines[12].starts_with("+..."), "{drawn}");
    assert!(lines[12].contains("... part of the board ..."), "{drawn}");
    assert!(lines[13].ends_with('…'), "{drawn}");
}

#[test]
fn the_view_follows_the_pointer() {
    let room = Room { columns: 60, rows: 14 };
    let corner = Some(Point::new(0, 0));
    let drawn = render_text_within(&large(), &[], TerminalStyle::Plain, room, corner).unwrap();
    assert!(drawn.starts_with("+---") && !drawn.contains('A'), "{drawn}");
}

#[test]
fn too_little_room_is_reported_with_the_room_needed() {
    let needed = Room { columns: 32, rows: 9 };
    let least = |room| render_text_within(&large(), &[], TerminalStyle::Plain, room, None).err();
    assert_eq!(least(Room { columns: 31, rows: 24 }), Some(needed));
    assert_eq!(least(Room { columns: 80, rows: 8 }), Some(needed));
    assert_eq!(least(needed), None);
}

#[test]
fn lines_that_scroll_are_no_wider_than_the_terminal() {
    let mut scene = Scene::board(12, 2, |_| (Paint::Floor, '.'));
    scene.layer("heads", vec![cell(11, 0, Paint::Head(0), 'A')]).means(Sign::Unseen, "unknown");
    scene.panel("next", PanelBody::Figures(vec![("ponds".to_owned(), "2".to_owned())]));
    let draw = |columns| render_board(&scene, &[], TerminalStyle::Plain, columns);
    assert_eq!(draw(Some(36)), draw(None));
    assert_eq!(draw(None).lines().next(), Some("+------------------------+  next:"));
    let text = "next:\nponds  2\n\n";
    let frame = format!("+{}+\n", "-".repeat(24));
    assert!(draw(Some(35)).starts_with(&frame) && draw(Some(35)).ends_with(&(frame + text)));
    assert_eq!(board_columns(&scene, &[]), 26);
    let cut = draw(Some(23));
    assert!(cut.starts_with(&format!("+{}+\n:", "-".repeat(20))), "{cut}");
    assert!(cut.contains("A |\n") && cut.ends_with(text), "{cut}");
}

#[test]
fn a_legend_is_no_wider_than_the_terminal() {
    let mut scene = Scene::square(1, 1);
    scene.layer("board", Vec::new()).means(Sign::Unseen, "unknown").means(Sign::Unseen, "dark");
    let legend = |columns| render_legend(&scene, &[], TerminalStyle::Plain, columns);
    assert_eq!(legend(None), "blank: unknown  blank: dark\n");
    assert_eq!(legend(Some(20)), "blank: unknown\nblank: dark\n");
}

#[test]
fn a_board_that_fits_is_drawn_whole() {
    let mut scene = Scene::square(3, 2);
    scene.caption = "turn 1".to_owned();
    let room = Room { columns: 80, rows: 24 };
    let drawn = render_text_within(&scene, &[], TerminalStyle::Plain, room, None);
    assert_eq!(drawn, Ok(render_text(&scene, &[], TerminalStyle::Plain)));
}

#[test]
fn lines_for_the_better_and_for_the_worse_differ_without_colour() {
    let mut scene = Scene::square(3, 2);
    let tie = |from: (i32, i32), to: (i32, i32), paint| Mark::Line {
        from: Point::new(from.0, from.1),
        to: Point::new(to.0, to.1),
        paint,
    };
    let cells = (0..6).map(|at| cell(at % 3, at / 3, Paint::Thing(0), 'o'));
    scene.layer("cells", cells.collect());
    let lines = vec![
        tie((0, 0), (0, 1), Paint::Seat(0)),
        tie((0, 0), (1, 0), Paint::Good),
        tie((1, 0), (1, 1), Paint::Good),
        tie((1, 1), (2, 1), Paint::Bad),
        tie((2, 0), (2, 1), Paint::Bad),
    ];
    let layer = scene.layer("contacts", lines);
    layer.means(Sign::Line(Paint::Seat(0)), "chain");
    layer.means(Sign::Line(Paint::Good), "better").means(Sign::Line(Paint::Bad), "worse");
    assert_eq!(
        render(&scene, &[], TerminalStyle::Plain),
        "
+----------+
|o===o   o |
||   =   x |
|o   oxxxo |
+----------+
"
    );
    let rich = strip_styles(&render(&scene, &[], TerminalStyle::Full));
    for sign in ["o═══o", "║", "o┄┄┄o", "┆", "│"] {
        assert!(rich.contains(sign), "{rich}");
    }
    let legend = |style| strip_styles(&render_legend(&scene, &[], style, None));
    assert_eq!(legend(TerminalStyle::Plain), "-- chain  == better  xx worse\n");
    assert_eq!(legend(TerminalStyle::Full), "── chain  ═║ better  ┄┆ worse\n");
}

#[test]
fn a_brief_legend_has_one_of_the_signs_that_differ_by_number() {
    let mut scene = Scene::square(1, 1);
    let layer = scene.layer("trails", Vec::new());
    for unit in 0..3 {
        let sign = Sign::Cell(Paint::Claim(unit), 'a');
        layer.means(sign, format!("trail of {unit}"));
    }
    layer.means(Sign::Cell(Paint::Thing(0), '+'), "a charge");
    layer.means(Sign::Cell(Paint::Thing(1), '-'), "another");
    layer.means(Sign::Cell(Paint::Head(0), 'A'), "a player");
    let brief = render_brief_legend(&scene, &[], TerminalStyle::Plain, None);
    assert_eq!(brief, "a  trail of 0, …  +  a charge  -  another  A  a player\n");
}
