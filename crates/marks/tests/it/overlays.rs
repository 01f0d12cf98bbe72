//! What is drawn, and what never happens.

use marks::Rect;
use marks::overlay::{Mark, draw};

use crate::random::Random;

const W: u32 = 60;
const H: u32 = 40;
const GREY: u8 = 128;

fn grey() -> Vec<u8> {
    vec![GREY; (W * H * 3) as usize]
}

fn mark(number: u64, x: i32, y: i32, w: u32, h: u32) -> Mark {
    Mark {
        number,
        rect: Rect { x, y, w, h },
    }
}

fn pixel(rgb: &[u8], x: u32, y: u32) -> [u8; 3] {
    let at = ((y * W + x) * 3) as usize;
    [rgb[at], rgb[at + 1], rgb[at + 2]]
}

/// How many pixels are not what they were.
fn changed(rgb: &[u8]) -> usize {
    rgb.as_chunks()
        .0
        .iter()
        .filter(|pixel| **pixel != [GREY; 3])
        .count()
}

#[test]
fn a_box_has_an_edge_of_one_pixel_and_its_number_above_it() {
    let mut rgb = grey();
    assert_eq!(draw(W, H, &mut rgb, &[mark(14, 10, 20, 30, 15)]), 1);
    let edge = pixel(&rgb, 10, 20);
    assert_ne!(edge, [GREY; 3]);
    for (x, y) in [
        (39, 20),
        (10, 34),
        (39, 34),
        (25, 20),
        (25, 34),
        (10, 27),
        (39, 27),
    ] {
        assert_eq!(pixel(&rgb, x, y), edge, "{x}, {y}");
    }
    assert_eq!(pixel(&rgb, 11, 21), [GREY; 3], "what is inside stays");
    // Two digits of 6 pixels, one between them and one at each side; 9 high and one above and below.
    let outline = 2 * 30 + 2 * 13;
    assert_eq!(changed(&rgb), outline + 15 * 11);
    let digits: Vec<String> = (10..19)
        .map(|y| {
            let ink = |x| {
                if pixel(&rgb, x, y) == edge { '.' } else { '#' }
            };
            (11..24).map(ink).collect()
        })
        .collect();
    assert_eq!(
        digits,
        [
            "..##......##.",
            ".###.....###.",
            "####....####.",
            "..##....#.##.",
            "..##...##.##.",
            "..##...#..##.",
            "..##...######",
            "..##......##.",
            "######....##.",
        ]
    );
}

#[test]
fn numbers_avoid_each_other_and_what_is_drawn_there() {
    let mut rgb = grey();
    // Stripes above the box, as text would be.
    for y in 8..20 {
        for x in (0..W).step_by(2) {
            let at = ((y * W + x) * 3) as usize;
            rgb[at..at + 3].fill(255);
        }
    }
    let before = rgb.clone();
    draw(
        W,
        H,
        &mut rgb,
        &[mark(1, 10, 20, 20, 14), mark(2, 10, 20, 20, 14)],
    );
    assert_eq!(before[..(20 * W * 3) as usize], rgb[..(20 * W * 3) as usize]);
    let marked = |number: u64| {
        let mut only = grey();
        draw(W, H, &mut only, &[mark(number, 10, 20, 20, 14)]);
        pixel(&only, 10, 20)
    };
    let (one, two) = (marked(1), marked(2));
    let count = |colour| rgb.as_chunks().0.iter().filter(|pixel| **pixel == colour).count();
    // The grounds of both numbers are seen whole: 8 by 11, without the digits.
    assert!(
        count(one) > 50 && count(two) > 50,
        "{} {}",
        count(one),
        count(two)
    );
}

#[test]
fn what_is_not_in_the_picture_is_not_drawn() {
    let mut rgb = grey();
    let outside = [
        mark(1, -30, 0, 30, 10),
        mark(2, 60, 0, 5, 5),
        mark(3, 5, 40, 5, 5),
        mark(4, 5, 5, 0, 5),
        mark(5, i32::MAX, i32::MAX, u32::MAX, u32::MAX),
        mark(6, i32::MIN, i32::MIN, 5, 5),
    ];
    assert_eq!(draw(W, H, &mut rgb, &outside), 0);
    assert_eq!(changed(&rgb), 0);
    assert_eq!(
        draw(W, H + 1, &mut rgb, &[mark(1, 0, 0, 5, 5)]),
        0,
        "bytes that do not fit"
    );
    assert_eq!(draw(0, 0, &mut [], &[mark(1, 0, 0, 5, 5)]), 0);
}

#[test]
fn any_boxes_on_any_picture_are_drawn_alike_twice() {
    let mut dice = Random::new(7);
    for round in 0..300 {
        let (w, h) = (1 + dice.below(90), 1 + dice.below(70));
        let rgb: Vec<u8> = (0..w * h * 3).map(|_| dice.below(256) as u8).collect();
        let marks: Vec<Mark> = (0..dice.below(40))
            .map(|_| {
                let number = dice.next() >> dice.below(64);
                let edge = |dice: &mut Random, most: u32| dice.below(2 * most) as i32 - most as i32 / 2;
                let (x, y) = (edge(&mut dice, w), edge(&mut dice, h));
                mark(number, x, y, dice.below(w + 10), dice.below(h + 10))
            })
            .collect();
        let (mut one, mut two) = (rgb.clone(), rgb.clone());
        let seen = draw(w, h, &mut one, &marks);
        assert!(seen <= marks.len(), "round {round}");
        assert_eq!(seen, draw(w, h, &mut two, &marks), "round {round}");
        assert_eq!(one, two, "round {round}");
    }
}
