//! The way from a delivered picture to the screen, held against whole-number arithmetic.

use aci::geometry::{CoordinateRect, CoordinateSize, CoordinateSpace, MappingError, PixelRatio};
use aci::target::Target;
use aci::{Integer, Positive};

use crate::random::Random;

fn space(origin: (i64, i64), source: (i64, i64), delivered: (i64, i64)) -> CoordinateSpace {
    let positive = |value| Positive::new(value).expect("sizes are positive");
    CoordinateSpace {
        w: positive(1920),
        h: positive(1080),
        dpr: PixelRatio::ONE,
        source_rect: CoordinateRect {
            x: Integer::clamped(origin.0),
            y: Integer::clamped(origin.1),
            w: positive(source.0),
            h: positive(source.1),
        },
        delivered: CoordinateSize {
            w: positive(delivered.0),
            h: positive(delivered.1),
        },
    }
}

/// `floor(p * source / delivered)` for `p = whole / 2^shift`.
fn exact(whole: i64, shift: u32, source: i64, delivered: i64) -> i64 {
    let pixels = i128::from(whole) * i128::from(source) / (i128::from(delivered) << shift);
    i64::try_from(pixels).expect("it is below the source's size")
}

#[test]
fn every_pixel_of_small_pictures_lands_where_the_formula_says() {
    for source in 1..=48 {
        for delivered in 1..=48 {
            let space = space((-7, 1000), (source, 49 - source), (delivered, delivered));
            let mut last = (i64::MIN, i64::MIN);
            for p in 0..delivered {
                let place = space.pixel_to_screen(p as f64, p as f64).unwrap();
                let across = -7 + exact(p, 0, source, delivered);
                let down = 1000 + exact(p, 0, 49 - source, delivered);
                assert_eq!(place, (across, down), "{p} of {delivered} over {source}");
                assert!(
                    place.0 >= last.0 && place.1 >= last.1,
                    "going right or down never goes back"
                );
                assert!((-7..-7 + source).contains(&place.0) && (1000..1049 - source).contains(&place.1));
                last = place;
            }
        }
    }
}

#[test]
fn large_and_fractional_pixels_are_exact_too() {
    let seed = Random::fresh_seed();
    println!("seed {seed}");
    for mut random in [Random::new(1), Random::new(seed)] {
        for _ in 0..20_000 {
            // Sizes of every magnitude, so that products go far beyond what a float holds.
            let mut size = |most: u32| {
                (random.next() >> (65 - most + random.below(most as usize - 1) as u32)) as i64 + 1
            };
            let (source, delivered) = (size(63), size(52));
            let (other_source, other_delivered) = (size(63), size(52));
            // A float has 53 bits; what the whole part leaves may go to the fraction.
            let mut point = |delivered: i64| {
                let room = 52 - (64 - delivered.leading_zeros()).min(52);
                let shift = random.below(room as usize + 1) as u32;
                let whole = (random.next() % ((delivered as u64) << shift)) as i64;
                (whole, shift, whole as f64 / (1_u64 << shift) as f64)
            };
            let (across, down) = (point(delivered), point(other_delivered));
            let space = space((-40, 0), (source, other_source), (delivered, other_delivered));
            let place = space.pixel_to_screen(across.2, down.2).unwrap();
            assert_eq!(
                place.0,
                exact(across.0, across.1, source, delivered) - 40,
                "{across:?} {space:?}"
            );
            assert_eq!(
                place.1,
                exact(down.0, down.1, other_source, other_delivered),
                "{down:?} {space:?}"
            );
        }
    }
}

#[test]
fn the_extremes_neither_overflow_nor_leave_the_picture() {
    let all = i64::MAX;
    for (p, source, delivered, place) in [
        (0.0, all, all, 0),
        (-0.0, 3, 3, 0),
        (f64::MIN_POSITIVE, all, 1, 0),
        (5e-324, all, 1, 0),
        (1.0 - f64::EPSILON / 2.0, 1, 1, 0),
        (1.0 - f64::EPSILON / 2.0, all, 1, all - 1024),
        (9.0e18, all, all, 9_000_000_000_000_000_000),
        // A float quotient would be 3 here.
        (9_007_199_254_740_990.0, 3, 9_007_199_254_740_991, 2),
    ] {
        let space = space((0, 0), (source, 1), (delivered, 1));
        assert_eq!(
            space.pixel_to_screen(p, 0.0),
            Ok((place, 0)),
            "{p} of {delivered} over {source}"
        );
    }
    // The origin is at the far end of what a number can say: the sum stays there.
    assert_eq!(
        space((all, 0), (100, 1), (100, 1)).pixel_to_screen(99.0, 0.0),
        Ok((all, 0))
    );
}

#[test]
fn a_point_outside_of_the_picture_is_refused() {
    let space = space((10, 10), (1920, 1080), (800, 450));
    assert!(
        space
            .pixel_to_screen(800.0_f64.next_down(), 450.0_f64.next_down())
            .is_ok()
    );
    for (x, y) in [
        (-1.0, 0.0),
        (0.0_f64.next_down(), 0.0),
        (800.0, 0.0),
        (0.0, 450.0),
        (f64::NAN, 0.0),
        (0.0, f64::NAN),
        (f64::INFINITY, 0.0),
        (0.0, f64::NEG_INFINITY),
        (f64::MAX, 0.0),
    ] {
        let refused = space.pixel_to_screen(x, y);
        assert!(
            matches!(
                refused,
                Err(MappingError::OutsideOfPicture { w: 800, h: 450, .. })
            ),
            "{x}, {y}: {refused:?}"
        );
    }
    for (x, y) in [
        (1.0_f64.next_up(), 0.0),
        (0.0, -0.1),
        (f64::NAN, 0.5),
        (0.5, f64::INFINITY),
    ] {
        let refused = space.share_to_screen(x, y);
        assert!(
            matches!(refused, Err(MappingError::OutsideOfUnit { .. })),
            "{x}, {y}: {refused:?}"
        );
    }
}

#[test]
fn shares_go_from_the_first_pixel_to_the_last() {
    for size in [1, 2, 3, 10, 1079, 1080, 1920, 65_535, 1 << 40] {
        let space = space((-3, 5), (size, size), (1, 1));
        assert_eq!(space.share_to_screen(0.0, -0.0), Ok((-3, 5)), "{size}");
        assert_eq!(
            space.share_to_screen(1.0, 1.0),
            Ok((size - 4, size + 4)),
            "{size}"
        );
        let mut last = -3;
        for step in 0..=2000 {
            let (across, _) = space.share_to_screen(f64::from(step) / 2000.0, 0.0).unwrap();
            assert!(
                (last..size - 3).contains(&across),
                "share {step}/2000 of {size} is at {across}, after {last}"
            );
            last = across;
        }
    }
    let (far, _) = space((0, 0), (i64::MAX, 1), (1, 1))
        .share_to_screen(1.0, 0.0)
        .unwrap();
    assert_eq!(far, i64::MAX - 1);
}

#[test]
fn a_target_needs_the_descriptor_of_its_picture() {
    assert_eq!(
        CoordinateSpace::target(None, 5.0, 5.0),
        Err(MappingError::NoDescriptor)
    );
    let space = space((320, 180), (800, 600), (400, 300));
    let target = CoordinateSpace::target(Some(&space), 200.0, 150.0).unwrap();
    assert_eq!(Some(target), Target::px(720.0, 480.0));
    assert!(CoordinateSpace::target(Some(&space), 400.0, 0.0).is_err());
}
