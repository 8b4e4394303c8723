//! The JSON forms of cells in moves, for `#[serde(with = …)]`.

/// The JSON form of a cell: row and column.
pub(crate) mod one {
    use quintain_grid::Cell;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(cell: &Cell, serializer: S) -> Result<S::Ok, S::Error> {
        [cell.row, cell.col].serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Cell, D::Error> {
        <[u8; 2]>::deserialize(from).map(|[row, col]| Cell::new(row, col))
    }
}

/// The JSON form of a list of cells: rows and columns.
pub(crate) mod several {
    use quintain_grid::Cell;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(
        cells: &[Cell],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(cells.iter().map(|cell| [cell.row, cell.col]))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Cell>, D::Error> {
        let pairs = Vec::<[u8; 2]>::deserialize(from)?;
        Ok(pairs.into_iter().map(|[row, col]| Cell::new(row, col)).collect())
    }
}
