//! Draws the scenes that games describe ([`quintain_ui`]): as text for a
//! terminal, as SVG, and as a GIF of several. It knows roles, never games; how a role looks is decided
//! once, in [`palette`].
//!
//! ```
//! use quintain_ui::{Mark, Paint, Point, Scene};
//! use quintain_scene::{Style, text};
//!
//! let mut scene = Scene::square(3, 1);
//! scene.layer("board", vec![Mark::Cell { at: Point::new(1, 0), paint: Paint::Head(0), glyph: ' ' }]);
//! assert_eq!(text(&scene, &[], Style::Plain), "+------+\n|. A . |\n+------+\n");
//! ```

mod compose;
mod loops;
pub mod palette;
mod svg;
mod terminal;
mod words;

pub use gif::EncodingError;
pub use loops::{Pixels, gif, pixels};
pub use svg::{Still, svg};
pub use terminal::{Style, swatch, text};
pub use words::clean;
