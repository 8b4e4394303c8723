// The types of shapes.js, which is made of the file that pictures on paper are drawn from
// (crates/engine/scene/src/shapes.json).

interface Shape {
  width: number;
  height: number;
  /** The distance between two rows. */
  pitch: number;
  /** Clockwise, in cell widths and heights from the centre; side n goes from n to n + 1. */
  corners: [number, number][];
  /** The steps right and down across each side, in even and odd rows. */
  neighbours: [number, number][][];
}

export const SHAPES: {
  square: Shape;
  hex: Shape;
  patterns: { tile: number; stroke: number; lines: Record<string, string> };
  /** Kinds of cells that are drawn without a character. */
  silent: string[];
  /** How marks are drawn that are more than a filled cell. */
  forms: {
    road: number;
    relief: { inset: number; light: number; dark: number; kinds: string[] };
    ring: { disc: number; radius: number; wide: number; faint: number };
  };
};
