//! The digits, as pixels.

/// Pixels from the left to the right of a digit.
pub(super) const WIDTH: usize = 6;
/// Pixels from its top to its foot.
pub(super) const HEIGHT: usize = 9;

/// A digit's rows from the top; the highest of the lower six bits is the leftmost pixel.
pub(super) type Glyph = [u8; HEIGHT];

#[rustfmt::skip]
const DIGITS: [Glyph; 10] = [
    [0b011110, 0b110011, 0b110011, 0b110011, 0b110011, 0b110011, 0b110011, 0b110011, 0b011110],
    [0b001100, 0b011100, 0b111100, 0b001100, 0b001100, 0b001100, 0b001100, 0b001100, 0b111111],
    [0b011110, 0b110011, 0b000011, 0b000011, 0b000110, 0b001100, 0b011000, 0b110000, 0b111111],
    [0b011110, 0b110011, 0b000011, 0b000011, 0b001110, 0b000011, 0b000011, 0b110011, 0b011110],
    [0b000110, 0b001110, 0b011110, 0b010110, 0b110110, 0b100110, 0b111111, 0b000110, 0b000110],
    [0b111111, 0b110000, 0b110000, 0b111110, 0b000011, 0b000011, 0b000011, 0b110011, 0b011110],
    [0b001110, 0b011000, 0b110000, 0b111110, 0b110011, 0b110011, 0b110011, 0b110011, 0b011110],
    [0b111111, 0b000011, 0b000011, 0b000110, 0b000110, 0b001100, 0b001100, 0b011000, 0b011000],
    [0b011110, 0b110011, 0b110011, 0b110011, 0b011110, 0b110011, 0b110011, 0b110011, 0b011110],
    [0b011110, 0b110011, 0b110011, 0b110011, 0b110011, 0b011111, 0b000011, 0b000110, 0b011100],
];

/// The digits of a number, the first one first.
pub(super) fn of(number: u64) -> impl Iterator<Item = Glyph> {
    let places = number.checked_ilog10().unwrap_or(0);
    (0..=places).rev().map(move |place| {
        let digit = number / 10_u64.pow(place) % 10;
        // A digit is below ten.
        usize::try_from(digit).map_or(DIGITS[0], |digit| DIGITS[digit])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_written_from_its_first_digit() {
        let written = |number| of(number).collect::<Vec<_>>();
        assert_eq!(written(0), [DIGITS[0]]);
        assert_eq!(written(907), [DIGITS[9], DIGITS[0], DIGITS[7]]);
        assert_eq!(written(u64::MAX).len(), 20);
    }

    #[test]
    fn no_two_digits_look_alike() {
        for (index, one) in DIGITS.iter().enumerate() {
            for other in &DIGITS[..index] {
                let differing: u32 = one.iter().zip(other).map(|(a, b)| (a ^ b).count_ones()).sum();
                assert!(differing >= 3, "{one:?} and {other:?}");
            }
        }
    }
}
