//! Pixels: hashing, scaling, encoding, and what changed. No display server is needed here.

mod encode;
mod frame;
mod scale;
mod tiles;

pub use encode::{Codec, EncodeError, encode, encode_part};
pub use frame::{Frame, FrameHash};
pub use scale::{Scaler, scaled_part, scaled_size};
pub use tiles::{TILE_EDGE, changed_tiles, tiles};
