//! The children of what may have a million of them: those that can be seen.
//!
//! A spreadsheet has 2³⁰ cells, and says so. A program that is asked for all of them makes all of them, and answers nobody
//! meanwhile. So tables are asked for their number first; where that is too large, for the cell at their first and their last
//! visible corner, and then for the cells between those.

use atspi_common::Role;
use futures_util::StreamExt as _;
use futures_util::future::join;

use crate::bus::{Bus, CallError, TABLE, body};
use crate::cells;
use crate::node::{Place, Rect};
use crate::walk::{self, ACCESSIBLE, COMPONENT, OF_THE_SCREEN, object};

/// So many cells are asked for at a time.
const AT_ONCE: usize = 32;
/// The most cells that are told. What a person sees of a spreadsheet on a large screen.
const CELLS: usize = 600;
/// With so many it is a spreadsheet, whose cells are addresses. In all other tables a row can move.
const SPREADSHEET: usize = 1 << 24;
/// So far within a corner is the cell there asked for: its line belongs to none.
const INSIDE: i32 = 3;

/// Whether an object of this role may have very many children.
pub(crate) fn may_be_huge(role: Role) -> bool {
    matches!(
        role,
        Role::Table | Role::TreeTable | Role::Tree | Role::DocumentSpreadsheet | Role::List | Role::ListBox
    )
}

/// The children of an object, or those that can be seen where there are more than `most`; and how many there are.
pub(crate) async fn children(
    bus: &Bus,
    place: &Place,
    most: usize,
) -> Result<(Vec<Place>, usize), CallError> {
    let count = match bus.property::<i32>(place, ACCESSIBLE, "ChildCount").await {
        Ok(count) => usize::try_from(count).unwrap_or(usize::MAX),
        Err(CallError::Refused) => 0,
        Err(late) => return Err(late),
    };
    if count <= most {
        let children = walk::children(bus, place).await?;
        let count = children.len();
        return Ok((children, count));
    }
    match visible(bus, place, most.min(CELLS), count >= SPREADSHEET).await? {
        Some(cells) => Ok((cells, count)),
        // No table, or one that does not say what is where: its first children, one by one.
        None => Ok((first(bus, place, most.min(CELLS)).await, count)),
    }
}

async fn first(bus: &Bus, place: &Place, most: usize) -> Vec<Place> {
    let indexes = (0..i32::try_from(most).unwrap_or(i32::MAX)).map(|index| async move {
        let reply = bus.call(place, ACCESSIBLE, "GetChildAtIndex", &(index,)).await;
        reply.and_then(body).ok().and_then(object)
    });
    let answers = futures_util::stream::iter(indexes).buffered(AT_ONCE);
    answers.filter_map(std::future::ready).collect().await
}

/// The cells that can be seen, row by row; `None` where the table does not say which those are.
async fn visible(
    bus: &Bus,
    place: &Place,
    most: usize,
    is_spreadsheet: bool,
) -> Result<Option<Vec<Place>>, CallError> {
    let Some(area) = walk::extents(bus, place).await else {
        return Ok(Some(Vec::new()));
    };
    let (left, top) = (area.x.saturating_add(INSIDE), area.y.saturating_add(INSIDE));
    let right = area.x.saturating_add_unsigned(area.w).saturating_sub(INSIDE);
    let bottom = area.y.saturating_add_unsigned(area.h).saturating_sub(INSIDE);
    let Some((first, cell)) = cell_at(bus, place, (left, top), is_spreadsheet).await? else {
        // Of a spreadsheet the first cells are not asked for instead: it takes them for far away, and takes long.
        return Ok(is_spreadsheet.then(Vec::new));
    };
    let last = match cell_at(bus, place, (right, bottom), is_spreadsheet).await? {
        Some((last, _)) => last,
        // The last row or column may end before the table does.
        None => beyond(first, cell, area),
    };
    let columns = (last.1 - first.1).clamp(0, i32::try_from(most).unwrap_or(i32::MAX) - 1) + 1;
    let rows = first.0..=last.0;
    let cells = rows.flat_map(|row| (first.1..first.1 + columns).map(move |column| (row, column)));
    if is_spreadsheet {
        let cells = cells.map(|(row, column)| cells::place(place, row, column));
        return Ok(Some(cells.take(most).collect()));
    }
    let asked = cells.take(most).map(|cell| async move {
        let reply = bus.call(place, TABLE, "GetAccessibleAt", &cell).await;
        reply.and_then(body).ok().and_then(object)
    });
    let answers = futures_util::stream::iter(asked).buffered(AT_ONCE);
    Ok(Some(answers.filter_map(std::future::ready).collect().await))
}

/// Row and column of the cell at a point, and where it is.
async fn cell_at(
    bus: &Bus,
    place: &Place,
    (x, y): (i32, i32),
    is_spreadsheet: bool,
) -> Result<Option<((i32, i32), Rect)>, CallError> {
    let found = match bus
        .call(place, COMPONENT, "GetAccessibleAtPoint", &(x, y, OF_THE_SCREEN))
        .await
    {
        Ok(reply) => body(reply).ok().and_then(object),
        Err(CallError::Refused) => None,
        Err(late) => return Err(late),
    };
    let Some(cell) = found.filter(|cell| cell != place) else {
        return Ok(None);
    };
    let Some(area) = walk::extents(bus, &cell).await else {
        return Ok(None);
    };
    let address = if is_spreadsheet {
        // The index of a cell far below is more than AT-SPI has numbers for.
        let name: String = bus.property(&cell, ACCESSIBLE, "Name").await.unwrap_or_default();
        address(&name)
    } else {
        row_and_column(bus, place, &cell).await?
    };
    Ok(address.map(|address| (address, area)))
}

async fn row_and_column(bus: &Bus, table: &Place, cell: &Place) -> Result<Option<(i32, i32)>, CallError> {
    let index: i32 = match bus.call(cell, ACCESSIBLE, "GetIndexInParent", &()).await {
        Ok(reply) => body(reply)?,
        Err(CallError::Refused) => return Ok(None),
        Err(late) => return Err(late),
    };
    let ask = async |what| body::<i32>(bus.call(table, TABLE, what, &(index,)).await?);
    Ok(match join(ask("GetRowAtIndex"), ask("GetColumnAtIndex")).await {
        (Ok(row), Ok(column)) if row >= 0 && column >= 0 => Some((row, column)),
        _ => None,
    })
}

/// Row and column of a cell that is called as in "AB12".
fn address(name: &str) -> Option<(i32, i32)> {
    let digits = name.find(|character: char| character.is_ascii_digit())?;
    let (letters, row) = name.split_at(digits);
    let column = letters.chars().try_fold(0_i32, |column, letter| {
        let digit =
            i32::try_from(letter.is_ascii_uppercase().then_some(letter)? as u32 - 'A' as u32 + 1).ok()?;
        column.checked_mul(26)?.checked_add(digit)
    })?;
    let row: i32 = row.parse().ok()?;
    (row > 0 && column > 0).then_some((row - 1, column - 1))
}

/// The last cell in sight, if all are as large as this first one.
fn beyond(first: (i32, i32), cell: Rect, area: Rect) -> (i32, i32) {
    let more = |all: u32, one: u32| i32::try_from(all / one.max(1)).unwrap_or(i32::MAX);
    (
        first.0.saturating_add(more(area.h, cell.h)),
        first.1.saturating_add(more(area.w, cell.w)),
    )
}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn cells_of_spreadsheets_are_called_by_their_address() {
        for (name, cell) in [
            ("A1", Some((0, 0))),
            ("B1048576", Some((1_048_575, 1))),
            ("AA10", Some((9, 26))),
            ("XFD3", Some((2, 16_383))),
            ("A0", None),
            ("12", None),
            ("", None),
            ("a1", None),
            ("Total", None),
            ("A1B", None),
            ("AAAAAAAAAAAA1", None),
            ("A99999999999", None),
        ] {
            assert_eq!(address(name), cell, "{name}");
        }
    }
}
