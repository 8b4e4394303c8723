//! How each role looks: colours, patterns and characters, chosen here once for the terminal, SVG
//! and pages.
//!
//! Colours that must be distinguished come from Okabe and Ito, “Color Universal Design” (2008), and
//! stay distinct under the common kinds of colour blindness. Heat uses cividis (Nuñez, Anderton and
//! Renslow, 2018), whose lightness rises from cold to hot, so that it also reads in grey. Where
//! hues run out, and for readers who see none, patterns and characters distinguish the roles.

use quintain_core::ui::Paint;

/// A colour in sRGB.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Rgb(pub u8, pub u8, pub u8);

/// What fills a cell besides its colour.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Pattern {
    /// No pattern.
    Solid,
    /// Lines from lower left to upper right.
    Rising,
    /// Lines from upper left to lower right.
    Falling,
    /// Horizontal lines.
    Horizontal,
    /// Vertical lines.
    Vertical,
    /// Rising and falling lines.
    Cross,
    /// Dots.
    Dots,
}

impl Pattern {
    /// Its name, by which `shapes.json` has its lines.
    pub fn name(self) -> &'static str {
        match self {
            Pattern::Solid => "solid",
            Pattern::Rising => "rising",
            Pattern::Falling => "falling",
            Pattern::Horizontal => "horizontal",
            Pattern::Vertical => "vertical",
            Pattern::Cross => "cross",
            Pattern::Dots => "dots",
        }
    }
}

/// How a role looks.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Look {
    /// Its colour on a light page.
    pub light: Rgb,
    /// Its colour on a dark page and in a terminal.
    pub dark: Rgb,
    /// Its pattern.
    pub pattern: Pattern,
    /// The share of ink in the pattern's lines, 0 to 1: a claim is fainter than held ground.
    pub ink: f32,
    /// Its character where the scene gives none, or one that cannot be shown.
    pub glyph: char,
}

const BLACK: Rgb = Rgb(0, 0, 0);
const WHITE: Rgb = Rgb(255, 255, 255);
const ORANGE: Rgb = Rgb(0xE6, 0x9F, 0x00);
const SKY_BLUE: Rgb = Rgb(0x56, 0xB4, 0xE9);
const BLUISH_GREEN: Rgb = Rgb(0x00, 0x9E, 0x73);
const YELLOW: Rgb = Rgb(0xF0, 0xE4, 0x42);
const BLUE: Rgb = Rgb(0x00, 0x72, 0xB2);
const VERMILLION: Rgb = Rgb(0xD5, 0x5E, 0x00);
const REDDISH_PURPLE: Rgb = Rgb(0xCC, 0x79, 0xA7);

const LIGHT_FLOOR: Rgb = Rgb(0xF6, 0xF6, 0xF3);
const DARK_FLOOR: Rgb = Rgb(0x1B, 0x1E, 0x23);

/// The usual share of ink in a pattern's lines.
const INK: f32 = 0.45;
/// The two most distinct colours come first: most games have two seats.
const SEATS: [Rgb; 6] = [BLUE, ORANGE, BLUISH_GREEN, REDDISH_PURPLE, VERMILLION, SKY_BLUE];
const THINGS: [Rgb; 7] = [YELLOW, SKY_BLUE, REDDISH_PURPLE, BLUISH_GREEN, ORANGE, BLUE, VERMILLION];
const PATTERNS: [Pattern; 6] = [
    Pattern::Solid,
    Pattern::Rising,
    Pattern::Falling,
    Pattern::Horizontal,
    Pattern::Vertical,
    Pattern::Cross,
];
const ROOFS: [Rgb; 4] = [VERMILLION, REDDISH_PURPLE, YELLOW, BLUE];
const ROOF_PATTERNS: [Pattern; 3] = [Pattern::Solid, Pattern::Falling, Pattern::Vertical];
const ROOF_GLYPHS: &[u8; 4] = b"rfbh";
const SEAT_GLYPHS: &[u8; 26] = b"abcdefghijklmnopqrstuvwxyz";
const CLAIM_GLYPHS: &[u8; 8] = b",':;\"~^_";
const THING_GLYPHS: &[u8; 10] = b"o*%&@$=?0x";
const HEAT_GLYPHS: &[u8; 10] = b"0123456789";
/// Cividis at ten evenly spaced points.
const HEAT: [Rgb; 10] = [
    Rgb(0x00, 0x22, 0x4E),
    Rgb(0x12, 0x35, 0x70),
    Rgb(0x3B, 0x49, 0x6C),
    Rgb(0x57, 0x5D, 0x6D),
    Rgb(0x70, 0x71, 0x73),
    Rgb(0x8A, 0x86, 0x78),
    Rgb(0xA5, 0x9C, 0x74),
    Rgb(0xC3, 0xB3, 0x69),
    Rgb(0xE1, 0xCC, 0x55),
    Rgb(0xFE, 0xE8, 0x38),
];

/// How `paint` looks.
pub fn look(paint: Paint) -> Look {
    match paint {
        Paint::Floor => Look {
            light: LIGHT_FLOOR,
            dark: DARK_FLOOR,
            pattern: Pattern::Solid,
            ink: INK,
            glyph: '.',
        },
        Paint::Wall => Look {
            light: Rgb(0x55, 0x5A, 0x62),
            dark: Rgb(0x8C, 0x92, 0x9C),
            pattern: Pattern::Solid,
            ink: INK,
            glyph: '#',
        },
        Paint::Thing(n) => {
            let (hue, round) = (n as usize % THINGS.len(), n as usize / THINGS.len());
            let pattern = PATTERNS[(hue + round) % PATTERNS.len()];
            make_look(THINGS[hue], pattern, nth(THING_GLYPHS, n.into()))
        }
        Paint::Seat(n) => {
            let (hue, pattern) = seat(n);
            make_look(hue, pattern, nth(SEAT_GLYPHS, n.into()))
        }
        Paint::Head(n) => Look {
            light: seat(n).0.mix(BLACK, 0.35),
            dark: seat(n).0.mix(WHITE, 0.45),
            pattern: Pattern::Solid,
            ink: INK,
            glyph: nth(SEAT_GLYPHS, n.into()).to_ascii_uppercase(),
        },
        Paint::Claim(n) => claim(n),
        Paint::Good => make_look(BLUISH_GREEN, Pattern::Solid, '+'),
        Paint::Bad => make_look(VERMILLION, Pattern::Solid, '-'),
        Paint::Heat(value) => heat(value),
        // Yellow itself would be lost on a light page.
        Paint::Accent => Look {
            light: YELLOW.mix(BLACK, 0.3),
            dark: YELLOW,
            pattern: Pattern::Solid,
            ink: INK,
            glyph: '!',
        },
        Paint::Roof(n) => roof(n),
        Paint::Road => Look {
            light: Rgb(0x5F, 0x65, 0x6E),
            dark: Rgb(0x9A, 0xA0, 0xAA),
            pattern: Pattern::Solid,
            ink: INK,
            glyph: '#',
        },
        Paint::Water => surface(SKY_BLUE, Pattern::Horizontal, '~'),
        Paint::Green => surface(BLUISH_GREEN, Pattern::Dots, '*'),
    }
}

/// The kind of a paint, and which seat or thing it is, or the heat.
pub fn kind(paint: Paint) -> (&'static str, Option<u16>) {
    match paint {
        Paint::Floor => ("floor", None),
        Paint::Wall => ("wall", None),
        Paint::Thing(n) => ("thing", Some(n.into())),
        Paint::Seat(n) => ("seat", Some(n)),
        Paint::Head(n) => ("head", Some(n)),
        Paint::Claim(n) => ("claim", Some(n)),
        Paint::Good => ("good", None),
        Paint::Bad => ("bad", None),
        Paint::Heat(heat) => ("heat", Some(heat.into())),
        Paint::Accent => ("accent", None),
        Paint::Roof(n) => ("roof", Some(n.into())),
        Paint::Road => ("road", None),
        Paint::Water => ("water", None),
        Paint::Green => ("green", None),
    }
}

/// The colour of an outline around cells of this paint, on a light page and on a dark one.
/// [`Paint::Accent`] also has a bright rim, so that it differs clearly from all others.
pub fn outline(paint: Paint) -> (Rgb, Rgb) {
    let look = look(paint);
    match paint {
        Paint::Accent => (BLACK, BLACK),
        // What a seat will do is outlined on the ground, which is dark on a dark page.
        Paint::Seat(_) | Paint::Head(_) | Paint::Claim(_) => {
            (look.light.mix(BLACK, 0.62), look.dark.mix(WHITE, 0.5))
        }
        _ => (look.light.mix(BLACK, 0.62), look.dark.mix(BLACK, 0.68)),
    }
}

/// The rim of an outline that is meant to be noticed.
pub const RIM: Rgb = WHITE;

/// Whether another seat before this one has the same pattern, so that without colour only a
/// character tells them apart.
pub(crate) fn is_pattern_repeated(paint: Paint) -> bool {
    matches!(paint, Paint::Seat(n) | Paint::Claim(n) if usize::from(n) >= PATTERNS.len())
}

/// The hue and pattern of a seat: seats with neighbouring numbers differ in both, and the first 36
/// differ in at least one.
fn seat(n: u16) -> (Rgb, Pattern) {
    let (hue, round) = (n as usize % SEATS.len(), n as usize / SEATS.len());
    (SEATS[hue], PATTERNS[(hue + round) % PATTERNS.len()])
}

/// The look of ground that a seat claims.
fn claim(n: u16) -> Look {
    let (hue, pattern) = seat(n);
    Look {
        light: hue.mix(LIGHT_FLOOR, 0.68),
        dark: hue.mix(DARK_FLOOR, 0.6),
        // Without colour, a solid tint is hard to tell from the floor.
        pattern: if pattern == Pattern::Solid { Pattern::Dots } else { pattern },
        ink: 0.2,
        glyph: nth(CLAIM_GLYPHS, n.into()),
    }
}

/// The look of buildings of a kind. Their hues are calm: a city is full of them.
fn roof(n: u8) -> Look {
    let hue = ROOFS[n as usize % ROOFS.len()];
    Look {
        light: hue.mix(WHITE, 0.42),
        dark: hue.mix(WHITE, 0.25),
        pattern: ROOF_PATTERNS[n as usize % ROOF_PATTERNS.len()],
        ink: 0.22,
        glyph: nth(ROOF_GLYPHS, n.into()),
    }
}

/// The look of a surface without an owner, lighter than what stands on it.
fn surface(hue: Rgb, pattern: Pattern, glyph: char) -> Look {
    Look { light: hue.mix(WHITE, 0.5), dark: hue.mix(DARK_FLOOR, 0.35), pattern, ink: 0.35, glyph }
}

/// The look of a heat from 0 to 255.
fn heat(heat: u8) -> Look {
    let place = f32::from(heat) / 255.0 * (HEAT.len() - 1) as f32;
    let below = (place as usize).min(HEAT.len() - 2);
    let colour = HEAT[below].mix(HEAT[below + 1], place - below as f32);
    let glyph = nth(HEAT_GLYPHS, usize::from(heat) * HEAT_GLYPHS.len() / 256);
    Look { light: colour, dark: colour, pattern: Pattern::Solid, ink: INK, glyph }
}

fn make_look(light: Rgb, pattern: Pattern, glyph: char) -> Look {
    Look { light, dark: light.mix(WHITE, 0.1), pattern, ink: INK, glyph }
}

fn nth(glyphs: &[u8], n: usize) -> char {
    glyphs[n % glyphs.len()].into()
}

impl Rgb {
    /// The colour as `#rrggbb`.
    pub fn hex(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }

    /// This colour with a `share` (0 to 1) of `other` mixed in.
    pub fn mix(self, other: Rgb, share: f32) -> Rgb {
        let mix =
            |a: u8, b: u8| (f32::from(a) + (f32::from(b) - f32::from(a)) * share).round() as u8;
        Rgb(mix(self.0, other.0), mix(self.1, other.1), mix(self.2, other.2))
    }

    /// Black or white, whichever is easier to read on this colour (by relative luminance and
    /// contrast as in WCAG 2.1).
    pub fn ink(self) -> Rgb {
        let contrast_with_black = (self.luminance() + 0.05) / 0.05;
        let contrast_with_white = 1.05 / (self.luminance() + 0.05);
        if contrast_with_black >= contrast_with_white { BLACK } else { WHITE }
    }

    fn luminance(self) -> f32 {
        let linear = |channel: u8| {
            let value = f32::from(channel) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_36_seats_differ_in_hue_or_pattern() {
        let mut seen: Vec<_> = (0..36).map(|n| (look(Paint::Seat(n)).light, seat(n).1)).collect();
        seen.dedup();
        for (index, look) in seen.iter().enumerate() {
            assert!(!seen[..index].contains(look), "seat {index}");
        }
        assert_eq!(seen.len(), 36);
    }

    #[test]
    fn neighbouring_seats_differ_without_colour() {
        for n in 0..200 {
            let (this, next) = (look(Paint::Seat(n)), look(Paint::Seat(n + 1)));
            assert_ne!(this.pattern, next.pattern, "seats {n} and {}", n + 1);
            assert_ne!(this.glyph, next.glyph);
            let (this, next) = (look(Paint::Claim(n)), look(Paint::Claim(n + 1)));
            assert_ne!(this.pattern, next.pattern, "claims {n} and {}", n + 1);
        }
    }

    #[test]
    fn what_a_seat_will_do_is_outlined_so_that_it_is_seen_on_both_grounds() {
        for n in 0..12 {
            for paint in [Paint::Seat(n), Paint::Head(n), Paint::Claim(n)] {
                let (light, dark) = outline(paint);
                for (edge, ground) in [(light, LIGHT_FLOOR), (dark, DARK_FLOOR)] {
                    let (edge, ground) = (edge.luminance(), ground.luminance());
                    let contrast = (edge.max(ground) + 0.05) / (edge.min(ground) + 0.05);
                    assert!(contrast >= 3.0, "{paint:?} has contrast {contrast}");
                }
            }
        }
    }

    #[test]
    fn heat_grows_lighter_from_cold_to_hot() {
        let light: Vec<f32> =
            (0..=255).map(|heat| look(Paint::Heat(heat)).light.luminance()).collect();
        assert!(light.windows(2).all(|pair| pair[0] < pair[1] + 1e-4), "{light:?}");
        assert_eq!(look(Paint::Heat(0)).light, HEAT[0]);
        assert_eq!(look(Paint::Heat(255)).light, HEAT[9]);
        assert_eq!((look(Paint::Heat(0)).glyph, look(Paint::Heat(255)).glyph), ('0', '9'));
    }

    #[test]
    fn every_character_is_ascii_and_every_text_readable() {
        let mut paints = vec![Paint::Floor, Paint::Wall, Paint::Good, Paint::Bad, Paint::Accent];
        paints.extend([Paint::Road, Paint::Water, Paint::Green]);
        paints.extend((0..=255).flat_map(|n| [Paint::Thing(n), Paint::Heat(n), Paint::Roof(n)]));
        paints.extend((0..400).flat_map(|n| [Paint::Seat(n), Paint::Head(n), Paint::Claim(n)]));
        for paint in paints {
            let look = look(paint);
            assert!(look.glyph.is_ascii_graphic(), "{paint:?}");
            for colour in [look.light, look.dark] {
                let (ink, ground) = (colour.ink().luminance(), colour.luminance());
                let contrast = (ink.max(ground) + 0.05) / (ink.min(ground) + 0.05);
                assert!(contrast >= 4.5, "{paint:?} has contrast {contrast}");
            }
        }
    }
}
