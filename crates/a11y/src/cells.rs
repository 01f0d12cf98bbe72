//! Cells of spreadsheets, which are addresses and not objects.
//!
//! LibreOffice makes an object for a cell whenever somebody asks for one, with a new path each time. So here such a cell's place is
//! its table with its row and column, and the object is asked for when it is needed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::node::Place;

/// What stands between the path of a table and a cell's row and column; no path has it.
const MARK: char = '#';
/// How long the object of a cell is used until another is asked for. The program keeps it for longer.
const KEPT: Duration = Duration::from_secs(2);
/// So many are remembered until those that are too old are forgotten.
const REMEMBERED: usize = 4_096;

/// The objects that stand for cells at the moment.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cells(Arc<Mutex<HashMap<Place, (Place, Instant)>>>);

impl Cells {
    /// The object of a cell that was asked for a moment ago.
    pub(crate) fn get(&self, cell: &Place) -> Option<Place> {
        let cells = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (object, since) = cells.get(cell)?;
        (since.elapsed() < KEPT).then(|| object.clone())
    }

    pub(crate) fn put(&self, cell: Place, object: Place) {
        let mut cells = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if cells.len() >= REMEMBERED {
            cells.retain(|_, (_, since)| since.elapsed() < KEPT);
        }
        cells.insert(cell, (object, Instant::now()));
    }
}

/// The place of a table's cell.
pub(crate) fn place(table: &Place, row: i32, column: i32) -> Place {
    Place {
        bus: Arc::clone(&table.bus),
        path: format!("{}{MARK}{row},{column}", table.path).into(),
    }
}

/// Whether a place is such a cell's.
pub(crate) fn is_cell(place: &Place) -> bool {
    place.path.contains(MARK)
}

/// The table, row and column of such a place.
pub(crate) fn address(place: &Place) -> Option<(Place, i32, i32)> {
    let (table, cell) = place.path.split_once(MARK)?;
    let (row, column) = cell.split_once(',')?;
    let table = Place {
        bus: Arc::clone(&place.bus),
        path: table.into(),
    };
    Some((table, row.parse().ok()?, column.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_found_by_its_address_and_nothing_else_is_a_cell() {
        let table = Place::new(":1.5", "/org/a11y/atspi/accessible/7");
        let cell = place(&table, 1_048_575, 3);
        assert_eq!(address(&cell), Some((table.clone(), 1_048_575, 3)));
        assert_eq!(address(&table), None);
        assert!(is_cell(&cell) && !is_cell(&table));
        let cells = Cells::default();
        assert_eq!(cells.get(&cell), None);
        cells.put(cell.clone(), table.clone());
        assert_eq!(cells.get(&cell), Some(table));
    }
}
