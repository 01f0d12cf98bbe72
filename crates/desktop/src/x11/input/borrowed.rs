//! What typing borrows from the keyboard: keys that have no symbol, and Caps Lock.
//!
//! Both are given back as they were. What is borrowed is written down in a property of the root window, so that a later
//! owner of the display gives back what a killed one could not.

use std::collections::BTreeMap;

use x11rb::protocol::xkb::{self, ConnectionExt as _};
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt as _, PropMode, Window};
use x11rb::wrapper::ConnectionExt as _;

use super::script::{Act, Script};
use super::seat::Seat;
use crate::DesktopError;
use crate::x11::connection::answer;
use crate::x11::keymap::{Keymap, modifier};

/// Numbers per key in the property: the key and its two symbols.
const PER_KEY: usize = 3;
/// The most numbers that the property can hold.
const NUMBERS: u32 = 2 + 256 * PER_KEY as u32;

/// Keys and modifiers that are not as they were.
#[derive(Debug, Default)]
pub(super) struct Borrowed {
    keys: BTreeMap<u8, Key>,
    /// Modifiers that were locked on.
    locks: u8,
}

#[derive(Debug)]
struct Key {
    symbols: [u32; 2],
    before: xkb::KeySymMap,
}

impl Borrowed {
    pub(super) fn is_empty(&self) -> bool {
        self.keys.is_empty() && self.locks == 0
    }

    /// Whether any keys are bound.
    pub(super) fn has_keys(&self) -> bool {
        !self.keys.is_empty()
    }

    pub(super) fn has_key(&self, keycode: u8) -> bool {
        self.keys.contains_key(&keycode)
    }

    /// How many symbols can be bound at a time.
    pub(super) fn capacity(&self, keymap: &Keymap) -> usize {
        2 * (keymap.unused().count() + self.keys.len())
    }

    /// Takes Caps Lock off, where it is on.
    pub(super) fn unlock(&mut self, seat: &mut Seat) -> Result<(), DesktopError> {
        let (_, _, locked) = seat.fresh_keyboard()?;
        let modifiers = locked & modifier::LOCK;
        if modifiers == 0 {
            return Ok(());
        }
        self.locks |= modifiers;
        self.write_down(seat)?;
        let mut script = Script::default();
        script.push(Act::Lock { modifiers, on: false });
        seat.run(&script)?;
        seat.round_trip()
    }

    /// Binds these symbols, instead of those that were bound before; at most [`Borrowed::capacity`].
    pub(super) fn bind(&mut self, seat: &mut Seat, symbols: &[u32]) -> Result<(), DesktopError> {
        grabbed(seat, |seat| {
            let (keymap, ..) = seat.fresh_keyboard()?;
            let mut rows = self.rows_before(keymap);
            let spare: Vec<u8> = rows.keys().copied().chain(keymap.unused()).collect();
            let mut keys = BTreeMap::new();
            // One symbol a key as long as there are enough keys: Shift is then not needed.
            let per_key = if symbols.len() <= spare.len() { 1 } else { 2 };
            for (&keycode, symbols) in spare.iter().zip(symbols.chunks(per_key)) {
                let symbols = [symbols[0], symbols[symbols.len() - 1]];
                let row = keymap
                    .two_level_row(symbols)
                    .ok_or_else(|| no_keys("it has no two-level keys"))?;
                let before = rows.insert(keycode, row).or_else(|| keymap.row(keycode).cloned());
                let before = before.ok_or_else(|| no_keys("it has no spare keys"))?;
                keys.insert(keycode, Key { symbols, before });
            }
            self.keys = keys;
            self.write_down(seat)?;
            set_rows(seat, &rows)
        })?;
        let (keymap, ..) = seat.fresh_keyboard()?;
        let taken =
            |(&keycode, key): (&u8, &Key)| keymap.row(keycode).is_some_and(|row| row.syms == key.symbols);
        if self.keys.iter().all(taken) {
            Ok(())
        } else {
            Err(no_keys("it did not take new ones"))
        }
    }

    /// Gives everything back.
    pub(super) fn give_back(&mut self, seat: &mut Seat) -> Result<(), DesktopError> {
        if self.is_empty() {
            return Ok(());
        }
        grabbed(seat, |seat| {
            let (keymap, ..) = seat.fresh_keyboard()?;
            let rows = self.rows_before(keymap);
            set_rows(seat, &rows)?;
            if self.locks != 0 {
                let mut script = Script::default();
                script.push(Act::Lock {
                    modifiers: self.locks,
                    on: true,
                });
                seat.run(&script)?;
            }
            self.keys.clear();
            self.locks = 0;
            self.write_down(seat)
        })?;
        seat.fresh_keyboard()?;
        Ok(())
    }

    /// The rows of the borrowed keys as they were, of those that nobody has changed meanwhile.
    fn rows_before(&self, keymap: &Keymap) -> BTreeMap<u8, xkb::KeySymMap> {
        let ours =
            |&(&keycode, key): &(&u8, &Key)| keymap.row(keycode).is_some_and(|row| row.syms == key.symbols);
        self.keys
            .iter()
            .filter(ours)
            .map(|(&keycode, key)| (keycode, key.before.clone()))
            .collect()
    }

    fn write_down(&self, seat: &Seat) -> Result<(), DesktopError> {
        let name = seat.atoms.SHINKEN_SCRATCH_KEYS;
        for window in [seat.window, seat.root] {
            if self.is_empty() {
                seat.conn.delete_property(window, name)?;
                continue;
            }
            let mut numbers = vec![seat.window, self.locks.into()];
            for (&keycode, key) in &self.keys {
                numbers.extend([keycode.into(), key.symbols[0], key.symbols[1]]);
            }
            seat.conn
                .change_property32(PropMode::REPLACE, window, name, AtomEnum::CARDINAL, &numbers)?;
        }
        Ok(())
    }

    /// What an owner of the display that is no more has borrowed.
    pub(super) fn of_the_dead(seat: &mut Seat) -> Result<Self, DesktopError> {
        let none = Self::default();
        let Some(numbers) = read(seat, seat.root)? else {
            return Ok(none);
        };
        let [owner, locks, ref keys @ ..] = numbers[..] else {
            return Ok(none);
        };
        // Ids are used again, but only an owner at work has written on its window.
        if owner != seat.window && read(seat, owner)?.is_some() {
            return Ok(none);
        }
        let keys = keys.chunks_exact(PER_KEY).filter_map(|numbers| {
            let before = xkb::KeySymMap {
                kt_index: [0; 4],
                group_info: 0,
                width: 0,
                syms: Vec::new(),
            };
            Some((
                u8::try_from(numbers[0]).ok()?,
                Key {
                    symbols: [numbers[1], numbers[2]],
                    before,
                },
            ))
        });
        Ok(Self {
            keys: keys.collect(),
            locks: (locks & 0xff) as u8,
        })
    }
}

fn read(seat: &Seat, window: Window) -> Result<Option<Vec<u32>>, DesktopError> {
    let name = seat.atoms.SHINKEN_SCRATCH_KEYS;
    let property = seat
        .conn
        .get_property(false, window, name, AtomEnum::CARDINAL, 0, NUMBERS)?;
    Ok(answer(property.reply())?.and_then(|property| Some(property.value32()?.collect())))
}

fn no_keys(why: &str) -> DesktopError {
    DesktopError::Unsupported(format!(
        "the keyboard of this X server cannot be given more characters: {why}"
    ))
}

/// Does something while no other program is served.
fn grabbed<R>(
    seat: &mut Seat,
    work: impl FnOnce(&mut Seat) -> Result<R, DesktopError>,
) -> Result<R, DesktopError> {
    seat.grab()?;
    let done = work(seat);
    seat.ungrab()?;
    done
}

/// Replaces rows of the map, in one request, so that programs are told of one change. The rows between them are sent as
/// they are.
fn set_rows(seat: &mut Seat, rows: &BTreeMap<u8, xkb::KeySymMap>) -> Result<(), DesktopError> {
    let (Some((&first, _)), Some((&last, _))) = (rows.first_key_value(), rows.last_key_value()) else {
        return Ok(());
    };
    let (keymap, ..) = seat.fresh_keyboard()?;
    let all: Option<Vec<xkb::KeySymMap>> = (first..=last)
        .map(|keycode| rows.get(&keycode).or_else(|| keymap.row(keycode)).cloned())
        .collect();
    let all = all.ok_or_else(|| no_keys("its map has changed"))?;
    let symbols = all.iter().map(|row| row.syms.len()).sum::<usize>();
    let (count, symbols) = (
        last - first + 1,
        u16::try_from(symbols).map_err(|_| no_keys("its map is too large"))?,
    );
    let range = keymap.range();
    let values = xkb::SetMapAux {
        syms: Some(all),
        ..xkb::SetMapAux::default()
    };
    seat.conn.xkb_set_map(
        xkb::ID::USE_CORE_KBD.into(),
        xkb::SetMapFlags::from(0_u16),
        *range.start(),
        *range.end(),
        0,
        0,
        first,
        count,
        symbols,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        xkb::VMod::from(0_u16),
        &values,
    )?;
    Ok(())
}
