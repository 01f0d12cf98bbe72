//! What hashing, scaling, tiling and encoding a screen costs: a desktop with a few windows, and a screen full of text.

#![expect(clippy::expect_used, reason = "a measurement of nothing had better stop")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use desktop::backend::{Rect, Size};
use desktop::image::{Codec, Frame, Scaler, changed_tiles, encode};

const SIZE: Size = Size { w: 1920, h: 1080 };
/// A letter's cell.
const CELL: (i32, i32) = (7, 13);

/// A picture that is drawn into.
struct Canvas {
    frame: Frame,
    /// The state of a small generator, so that every run measures the same picture.
    seed: u32,
}

impl Canvas {
    /// A wallpaper with a soft gradient.
    fn wallpaper() -> Self {
        let mut rgb = Vec::with_capacity(SIZE.w as usize * SIZE.h as usize * 3);
        for y in 0..SIZE.h {
            for x in 0..SIZE.w {
                let shade = |of: u32, all: u32| u8::try_from(40 + of * 120 / all).unwrap_or(u8::MAX);
                rgb.extend([shade(y, SIZE.h), shade(x, SIZE.w), 150]);
            }
        }
        Self {
            frame: Frame::new(SIZE, rgb).expect("three bytes for each pixel"),
            seed: 1,
        }
    }

    fn fill(&mut self, part: Rect, colour: [u8; 3]) {
        let pitch = SIZE.w as usize * 3;
        let (x, y) = (part.x.unsigned_abs() as usize, part.y.unsigned_abs() as usize);
        for row in y..y + part.h as usize {
            let start = row * pitch + x * 3;
            let line = &mut self.frame.rgb_mut()[start..start + part.w as usize * 3];
            for pixel in line.chunks_exact_mut(3) {
                pixel.copy_from_slice(&colour);
            }
        }
    }

    /// Fills `part` with words of something like letters: stems and bars with smoothed edges on `paper`.
    fn text(&mut self, part: Rect, paper: u8) {
        self.fill(part, [paper; 3]);
        let right = part.x + i32::try_from(part.w).expect("it is on the screen") - CELL.0;
        let bottom = part.y + i32::try_from(part.h).expect("it is on the screen") - CELL.1;
        for top in (part.y..bottom).step_by(CELL.1 as usize) {
            for left in (part.x..right).step_by(CELL.0 as usize) {
                let shape = self.random();
                // About every sixth cell is the space between two words.
                if !shape.is_multiple_of(6) {
                    self.letter(left, top, shape, paper);
                }
            }
        }
    }

    fn letter(&mut self, left: i32, top: i32, shape: u32, paper: u8) {
        let ink = 255 - paper;
        for (bit, (x, y, w, h)) in [
            (1, 2, 1, 8),
            (4, 2, 1, 8),
            (1, 2, 4, 1),
            (1, 6, 4, 1),
            (1, 9, 4, 1),
        ]
        .into_iter()
        .enumerate()
        {
            if shape >> (bit + 8) & 1 == 1 {
                let stroke = |x: i32, w: u32| Rect {
                    x: left + x,
                    y: top + y,
                    w,
                    h,
                };
                self.fill(stroke(x, w), [ink; 3]);
                self.fill(stroke(x + w.cast_signed(), 1), [128; 3]);
            }
        }
    }

    /// The next number of a linear congruential generator (Numerical Recipes).
    fn random(&mut self) -> u32 {
        self.seed = self.seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.seed >> 8
    }
}

fn rect(x: i32, y: i32, w: u32, h: u32) -> Rect {
    Rect { x, y, w, h }
}

/// A wallpaper, two windows with some text, a panel.
fn plain_desktop() -> Frame {
    let mut canvas = Canvas::wallpaper();
    for (x, y) in [(120, 90), (900, 300)] {
        canvas.fill(rect(x, y, 800, 600), [238, 238, 236]);
        canvas.fill(rect(x, y, 800, 28), [48, 52, 60]);
        canvas.text(rect(x + 20, y + 60, 500, 200), 255);
    }
    canvas.fill(rect(0, 1050, 1920, 30), [36, 36, 40]);
    canvas.frame
}

/// Text from edge to edge.
fn dense_text() -> Frame {
    let mut canvas = Canvas::wallpaper();
    canvas.text(rect(0, 0, SIZE.w, SIZE.h), 255);
    canvas.frame
}

fn pictures() -> [(&'static str, Frame); 2] {
    [("desktop", plain_desktop()), ("text", dense_text())]
}

fn encoding(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("encode");
    group.throughput(Throughput::Elements(u64::from(SIZE.w) * u64::from(SIZE.h)));
    group.sample_size(20);
    for (name, frame) in pictures() {
        for (codec_name, codec) in [
            ("png", Codec::Png),
            ("jpeg80", Codec::Jpeg { quality: 80 }),
            ("jpeg95", Codec::Jpeg { quality: 95 }),
        ] {
            group.bench_function(format!("{codec_name}/{name}"), |bencher| {
                bencher.iter(|| encode(black_box(&frame), codec).expect("a picture"));
            });
        }
    }
    group.finish();
}

fn pixels(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pixels");
    group.throughput(Throughput::Elements(u64::from(SIZE.w) * u64::from(SIZE.h)));
    let frame = plain_desktop();
    group.bench_function("hash", |bencher| bencher.iter(|| black_box(&frame).hash()));
    let mut scaler = Scaler::new();
    group.bench_function("scale to 1280", |bencher| {
        bencher.iter(|| scaler.scale(black_box(&frame), 1280).expect("it is larger"));
    });
    let mut other = Canvas {
        frame: frame.clone(),
        seed: 7,
    };
    other.text(rect(140, 150, 500, 20), 255);
    group.bench_function("changed tiles, all looked at", |bencher| {
        bencher.iter(|| changed_tiles(black_box(&frame), black_box(&other.frame), None));
    });
    let dirty = [rect(140, 150, 500, 20)];
    group.bench_function("changed tiles, one line damaged", |bencher| {
        bencher.iter(|| changed_tiles(black_box(&frame), black_box(&other.frame), Some(&dirty)));
    });
    group.finish();
}

criterion_group!(benches, encoding, pixels);
criterion_main!(benches);
