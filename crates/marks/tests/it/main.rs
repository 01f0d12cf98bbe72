//! Boxes drawn over pictures.

mod overlays;
mod random;
