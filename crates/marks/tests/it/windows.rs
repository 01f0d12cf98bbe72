//! Regions of painted windows, and of pictures of nothing.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use marks::{Kind, MOST, Picture, Rect, Region, regions};

use crate::random::Random;

/// A picture that is painted on.
struct Window {
    w: u32,
    h: u32,
    rgb: Vec<u8>,
}

impl Window {
    fn new(w: u32, h: u32, ground: [u8; 3]) -> Self {
        Self {
            w,
            h,
            rgb: ground.repeat((w * h) as usize),
        }
    }

    fn fill(&mut self, x: u32, y: u32, w: u32, h: u32, colour: [u8; 3]) {
        for row in y..(y + h).min(self.h) {
            for column in x..(x + w).min(self.w) {
                let at = ((row * self.w + column) * 3) as usize;
                self.rgb[at..at + 3].copy_from_slice(&colour);
            }
        }
    }

    /// Strokes as of so many letters, five wide and nine high, with two pixels between them.
    fn write(&mut self, x: u32, y: u32, letters: u32) {
        for letter in 0..letters {
            let left = x + letter * 7;
            self.fill(left, y, 1, 9, [0; 3]);
            self.fill(left, y + 4, 5, 1, [0; 3]);
            self.fill(left + 4, y, 1, 9, [0; 3]);
        }
    }

    fn regions(&self) -> Vec<Region> {
        regions(Picture::new(self.w, self.h, &self.rgb).unwrap())
    }
}

fn contains(outer: Rect, x: i32, y: i32) -> bool {
    (outer.x..outer.x + outer.w.cast_signed()).contains(&x)
        && (outer.y..outer.y + outer.h.cast_signed()).contains(&y)
}

#[test]
fn a_button_a_label_and_an_entry_in_reading_order() {
    let mut window = Window::new(300, 200, [240; 3]);
    window.write(20, 25, 6);
    window.fill(100, 20, 150, 22, [120; 3]);
    window.fill(101, 21, 148, 20, [255; 3]);
    window.fill(40, 120, 80, 26, [30, 110, 200]);
    window.write(55, 128, 6);
    let found = window.regions();
    let kinds: Vec<Kind> = found.iter().map(|region| region.kind).collect();
    assert_eq!(kinds, [Kind::Text, Kind::Box, Kind::Box], "{found:?}");
    assert!(
        contains(found[0].rect, 40, 29) && !contains(found[0].rect, 90, 29),
        "{found:?}"
    );
    assert_eq!((found[1].rect.x, found[1].rect.w), (100, 150), "with its border");
    assert!(
        contains(found[2].rect, 41, 121) && contains(found[2].rect, 118, 144),
        "{found:?}"
    );
    assert_eq!(found, window.regions(), "the same picture has the same regions");
}

#[test]
fn lines_of_a_terminal_are_one_region_each_and_its_columns_too() {
    let mut window = Window::new(400, 120, [0, 0, 40]);
    window.fill(0, 0, 400, 120, [255; 3]);
    for line in 0..5 {
        window.write(4, 6 + line * 13, 10);
        // A space between words.
        window.write(4 + 11 * 7, 6 + line * 13, 4);
        window.write(300, 6 + line * 13, 4);
    }
    let found = window.regions();
    assert_eq!(found.len(), 10, "{found:?}");
    assert!(found.iter().all(|region| region.kind == Kind::Text), "{found:?}");
    assert!(
        found[0].rect.x < 10 && found[1].rect.x > 290,
        "from the left: {found:?}"
    );
    assert!(found[0].rect.w > 90, "both words: {found:?}");
}

#[test]
fn an_empty_window_has_nothing_in_it() {
    assert_eq!(Window::new(640, 480, [17, 34, 51]).regions(), []);
    assert_eq!(Window::new(1, 1, [0; 3]).regions(), []);
    assert!(Picture::new(2, 2, &[0; 11]).is_none());
    assert!(Picture::new(0, 0, &[]).is_none());
}

fn shared(one: Rect, other: Rect) -> u64 {
    let along = |a: i32, a_length: u32, b: i32, b_length: u32| {
        let end = (a + a_length.cast_signed()).min(b + b_length.cast_signed());
        u64::try_from(end - a.max(b)).unwrap_or(0)
    };
    along(one.x, one.w, other.x, other.w) * along(one.y, one.h, other.y, other.h)
}

fn pixels(rect: Rect) -> u64 {
    u64::from(rect.w) * u64::from(rect.h)
}

/// The promises of [`regions`].
fn check(window: &Window, what: &str) {
    let found = window.regions();
    assert!(found.len() <= MOST, "{what}: {}", found.len());
    for (index, one) in found.iter().enumerate() {
        let Rect { x, y, w, h } = one.rect;
        assert!(x >= 0 && y >= 0 && w > 0 && h > 0, "{what}: {one:?}");
        assert!(
            x.cast_unsigned() + w <= window.w && y.cast_unsigned() + h <= window.h,
            "{what}: {one:?}"
        );
        for other in &found[..index] {
            let (small, large) = if pixels(one.rect) <= pixels(other.rect) {
                (one, other)
            } else {
                (other, one)
            };
            let both = shared(one.rect, other.rect);
            let inside = large.kind == Kind::Box && pixels(small.rect) * 2 <= pixels(large.rect);
            assert!(
                both * 2 <= pixels(small.rect) || inside,
                "{what}: {one:?} and {other:?}"
            );
        }
    }
}

#[test]
fn any_picture_keeps_the_promises() {
    let mut dice = Random::new(11);
    for round in 0..60 {
        let (w, h) = (1 + dice.below(220), 1 + dice.below(160));
        let colours = 2 + dice.below(5);
        // Noise, in pixels and in blocks, and boxes over boxes.
        let mut window = Window::new(w, h, [200; 3]);
        for _ in 0..dice.below(400) {
            let most = 1 + dice.below(60);
            let shade = (dice.below(colours) * 50) as u8;
            let (x, y) = (dice.below(w), dice.below(h));
            let (across, down) = (1 + dice.below(most), 1 + dice.below(most));
            window.fill(x, y, across, down, [shade, shade / 2, 255 - shade]);
        }
        check(&window, &format!("blocks {round}"));
        let mut noise = Window::new(w, h, [0; 3]);
        noise.rgb.fill_with(|| dice.below(256) as u8);
        check(&noise, &format!("noise {round}"));
    }
}

#[test]
fn a_picture_with_more_than_enough_in_it_is_bounded_and_fast_enough() {
    let mut window = Window::new(1280, 800, [255; 3]);
    for y in 0..60 {
        for x in 0..25 {
            window.write(x * 50, y * 13, 4);
        }
    }
    let start = std::time::Instant::now();
    assert_eq!(window.regions().len(), MOST);
    // Generous: this is no measurement, but what grows with the square of something takes minutes.
    assert!(
        start.elapsed() < std::time::Duration::from_secs(10),
        "{:?}",
        start.elapsed()
    );
    // A chessboard of single pixels is the most pieces that a picture can have.
    for y in 0..800 {
        for x in 0..1280 {
            if (x + y) % 2 == 0 {
                window.fill(x, y, 1, 1, [0; 3]);
            }
        }
    }
    window.regions();
}
