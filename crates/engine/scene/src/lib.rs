//! Draws the scenes that games describe ([`quintain_core::ui`]): as text for a terminal, as SVG,
//! and several of them as a GIF. It knows roles, not games; how a role looks is decided once, in
//! [`palette`].
//!
//! ```
//! use quintain_core::ui::{Mark, Paint, Point, Scene};
//! use quintain_scene::{TerminalStyle, render_text};
//!
//! let mut scene = Scene::square(3, 1);
//! let head = Mark::Cell { at: Point::new(1, 0), paint: Paint::Head(0), glyph: ' ' };
//! scene.layer("board", vec![head]);
//! assert_eq!(render_text(&scene, &[], TerminalStyle::Plain), "+------+\n|. A . |\n+------+\n");
//! ```

mod animation;
mod compose;
mod cut;
mod outline;
pub mod palette;
mod sanitize;
mod shapes;
mod shell;
mod space;
mod svg;
mod terminal;

pub use animation::{
    GIF_ACROSS, GifFrame, GifLine, GifSize, GifWriter, Pixels, render_gif, render_pixels,
};
pub use cut::{TEXT_WIDTH, cut_to_width};
pub use gif::EncodingError;
pub use sanitize::clean;
pub use shapes::SHAPES_SCRIPT;
pub use shell::quote;
pub use svg::{PictureText, render_svg};
pub use terminal::{
    Room, TerminalStyle, attention, board_columns, render_board, render_brief_legend,
    render_legend, render_swatch, render_text, render_text_within,
};
