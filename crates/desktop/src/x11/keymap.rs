//! The keyboard map of the server, and how to produce a symbol with it.
//!
//! A key has up to four groups (layouts) of levels. The group comes from the keyboard's state, the level from the
//! modifiers through the key's type. [`Keymap::strokes`] turns this round: from a symbol to the key and the modifiers that
//! give it.

use std::collections::HashMap;

use x11rb::protocol::xkb::{self, ConnectionExt as _};
use xkeysym::{Keysym, key};

use super::connection::PatientConnection;
use crate::DesktopError;

/// The real modifier bits of the core protocol.
pub(super) mod modifier {
    /// Shift.
    pub(in crate::x11) const SHIFT: u8 = 1;
    /// Caps Lock.
    pub(in crate::x11) const LOCK: u8 = 2;
}

/// How to produce a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stroke {
    /// The key.
    pub(super) keycode: u8,
    /// The modifiers that must be down, as real modifier bits.
    pub(super) modifiers: u8,
}

/// The map as the server has it.
#[derive(Debug, Default)]
pub(super) struct Keymap {
    first_keycode: u8,
    types: Vec<xkb::KeyType>,
    keys: Vec<xkb::KeySymMap>,
    /// The real modifiers that a key sets, by keycode.
    modifiers: HashMap<u8, u8>,
    /// The answers of [`Keymap::strokes`] so far, by group and locked modifiers.
    found: HashMap<(u8, u8), HashMap<u32, Stroke>>,
}

impl Keymap {
    /// Reads the map of the core keyboard.
    pub(super) fn load(conn: &PatientConnection) -> Result<Self, DesktopError> {
        let wanted = xkb::MapPart::KEY_TYPES | xkb::MapPart::KEY_SYMS | xkb::MapPart::MODIFIER_MAP;
        let device = xkb::ID::USE_CORE_KBD.into();
        let none = xkb::MapPart::from(0_u16);
        let no_modifiers = xkb::VMod::from(0_u16);
        let map = conn
            .xkb_get_map(
                device,
                wanted,
                none,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                no_modifiers,
                0,
                0,
                0,
                0,
                0,
                0,
            )?
            .reply()?;
        let modifiers = map.map.modmap_rtrn.unwrap_or_default();
        Ok(Self {
            first_keycode: map.first_key_sym,
            types: map.map.types_rtrn.unwrap_or_default(),
            keys: map.map.syms_rtrn.unwrap_or_default(),
            modifiers: modifiers
                .iter()
                .map(|entry| (entry.keycode, real(entry.mods)))
                .collect(),
            found: HashMap::new(),
        })
    }

    /// The symbol that a key gives in `group` while `modifiers` are set.
    pub(super) fn symbol(&self, keycode: u8, group: u8, modifiers: u8) -> u32 {
        self.key(keycode)
            .and_then(|key| self.symbol_of(key, group, modifiers))
            .unwrap_or(key::NoSymbol)
    }

    fn symbol_of(&self, key: &xkb::KeySymMap, group: u8, modifiers: u8) -> Option<u32> {
        let group = usize::from(effective_group(key.group_info, group)?);
        let kind = self.types.get(usize::from(*key.kt_index.get(group)?))?;
        let relevant = modifiers & real(kind.mods_mask);
        let entry = kind
            .map
            .iter()
            .find(|entry| entry.active && real(entry.mods_mask) == relevant);
        let level = entry.map_or(0, |entry| usize::from(entry.level));
        key.syms.get(group * usize::from(key.width) + level).copied()
    }

    fn key(&self, keycode: u8) -> Option<&xkb::KeySymMap> {
        self.keys
            .get(usize::from(keycode.checked_sub(self.first_keycode)?))
    }

    /// The first and the last keycode.
    pub(super) fn range(&self) -> std::ops::RangeInclusive<u8> {
        self.first_keycode..=self.keycodes().last().unwrap_or(self.first_keycode)
    }

    fn keycodes(&self) -> impl Iterator<Item = u8> {
        (self.first_keycode..=u8::MAX).take(self.keys.len())
    }

    /// Every symbol that can be had in `group` while `locked` modifiers are on, with the fewest modifiers that do.
    pub(super) fn strokes(&mut self, group: u8, locked: u8) -> &HashMap<u32, Stroke> {
        if !self.found.contains_key(&(group, locked)) {
            let strokes = self.search(group, locked);
            self.found.insert((group, locked), strokes);
        }
        self.found.entry((group, locked)).or_default()
    }

    fn search(&self, group: u8, locked: u8) -> HashMap<u32, Stroke> {
        let level3 = self.modifier_of(key::ISO_Level3_Shift);
        let mut choices = vec![0, modifier::SHIFT];
        // The symbols that it gives are asked of the map, so a modifier that is locked on is no choice.
        if level3 != 0 && level3 & locked == 0 {
            choices.extend([level3, level3 | modifier::SHIFT]);
        }
        let mut strokes = HashMap::new();
        for modifiers in choices {
            for keycode in self.keycodes() {
                let symbol = self.symbol(keycode, group, modifiers | locked);
                if symbol != key::NoSymbol && symbol != key::VoidSymbol {
                    strokes.entry(symbol).or_insert(Stroke { keycode, modifiers });
                }
            }
        }
        strokes
    }

    /// The keys that give no symbol at all. The first keycode is left out: it stands for no key in most programs.
    pub(super) fn unused(&self) -> impl Iterator<Item = u8> {
        let unused = |&keycode: &u8| {
            self.modifiers_of(keycode) == 0
                && self
                    .key(keycode)
                    .is_some_and(|key| key.syms.iter().all(|&it| it == 0))
        };
        self.keycodes().skip(1).filter(unused)
    }

    /// How the server has a key.
    pub(super) fn row(&self, keycode: u8) -> Option<&xkb::KeySymMap> {
        self.key(keycode)
    }

    /// A row with one symbol for the bare key and one with Shift, whatever else is on; `None` where the server lacks the
    /// type of key for that.
    pub(super) fn two_level_row(&self, symbols: [u32; 2]) -> Option<xkb::KeySymMap> {
        let plain = |kind: &xkb::KeyType| kind.num_levels == 2 && real(kind.mods_mask) == modifier::SHIFT;
        let kind = u8::try_from(self.types.iter().position(plain)?).ok()?;
        Some(xkb::KeySymMap {
            kt_index: [kind; 4],
            group_info: 1,
            width: 2,
            syms: symbols.to_vec(),
        })
    }

    /// The key that carries a modifier's symbol and sets a modifier.
    pub(super) fn modifier_key(&self, symbol: u32) -> Option<u8> {
        self.keycodes().find(|&keycode| {
            self.modifiers.get(&keycode).is_some_and(|&mods| mods != 0)
                && self.symbol(keycode, 0, 0) == symbol
        })
    }

    /// The real modifier that the key with this symbol sets; 0 if there is none.
    pub(super) fn modifier_of(&self, symbol: u32) -> u8 {
        let keycode = self.modifier_key(symbol);
        keycode
            .and_then(|keycode| self.modifiers.get(&keycode))
            .copied()
            .unwrap_or(0)
    }

    /// The modifiers that a key sets.
    pub(super) fn modifiers_of(&self, keycode: u8) -> u8 {
        self.modifiers.get(&keycode).copied().unwrap_or(0)
    }

    /// Whether a key sets a modifier for as long as it is down. The keys of locks would change those if pressed anew.
    pub(super) fn is_held_modifier(&self, keycode: u8) -> bool {
        self.modifiers_of(keycode) != 0
            && matches!(
                self.symbol(keycode, 0, 0),
                key::Shift_L..=key::Control_R
                    | key::Meta_L..=key::Hyper_R
                    | key::ISO_Level3_Shift
                    | key::ISO_Level5_Shift
                    | key::Mode_switch
            )
    }

    /// The keys to hold so that these modifiers are set.
    pub(super) fn holding(&self, modifiers: u8) -> Vec<u8> {
        let mut keys = Vec::new();
        if modifiers & modifier::SHIFT != 0 {
            keys.extend(
                self.modifier_key(key::Shift_L)
                    .or_else(|| self.modifier_key(key::Shift_R)),
            );
        }
        if modifiers & self.modifier_of(key::ISO_Level3_Shift) != 0 {
            keys.extend(self.modifier_key(key::ISO_Level3_Shift));
        }
        keys
    }
}

/// The group that is in effect for a key that may have fewer groups than the keyboard.
fn effective_group(info: u8, group: u8) -> Option<u8> {
    let groups = info & 0x0f;
    match groups {
        0 => None,
        _ if group < groups => Some(group),
        _ => match info & 0xc0 {
            // Clamped to the last group.
            0x40 => Some(groups - 1),
            // Redirected to one that is named.
            0x80 => Some((info >> 4) & 3).map(|to| if to < groups { to } else { 0 }),
            _ => Some(group % groups),
        },
    }
}

/// The eight modifier bits of a mask.
pub(super) fn real(mask: x11rb::protocol::xproto::ModMask) -> u8 {
    (u16::from(mask) & 0xff) as u8
}

/// The symbols that stand for a character, the one that every toolkit knows first.
pub(super) fn symbols_of(character: char) -> [u32; 2] {
    let usual = Keysym::from_char(character).raw();
    let direct = 0x0100_0000 | u32::from(character);
    [usual, direct]
}
