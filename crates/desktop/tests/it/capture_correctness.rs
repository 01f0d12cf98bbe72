//! Whatever is drawn, the picture that damage keeps up to date is the picture that a fresh reading gives.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use desktop::backend::{Capture as _, Rect, Region};
use desktop::image::{Frame, changed_tiles};
use desktop::x11::X11Capture;
use testbed::XServer;

use crate::capture_painter::{Painter, rect};

const WIDTH: u32 = 320;
const HEIGHT: u32 = 240;

/// Numbers that look random and come again with the same seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(limit)) as u32
    }

    fn place(&mut self) -> Rect {
        let (x, y) = (
            self.below(WIDTH + 80) as i32 - 60,
            self.below(HEIGHT + 80) as i32 - 60,
        );
        rect(x, y, 1 + self.below(150), 1 + self.below(150))
    }
}

/// One random thing that a program does.
fn draw(dice: &mut Dice, painter: &Painter, windows: &[u32]) -> String {
    let window = windows[dice.below(windows.len() as u32) as usize];
    let (place, colour) = (dice.place(), dice.below(0x100_0000));
    match dice.below(8) {
        0 | 1 => painter.fill(window, place, colour),
        2 => painter.copy(
            window,
            place,
            (dice.below(100) as i32 - 20, dice.below(100) as i32 - 20),
        ),
        3 => painter.place(window, place),
        4 => painter.raise(window),
        5 => drop(x11rb::protocol::xproto::map_window(&painter.conn, window).unwrap()),
        6 => drop(x11rb::protocol::xproto::unmap_window(&painter.conn, window).unwrap()),
        _ => painter.fill(painter.root, place, colour),
    }
    format!("window {window}, {place:?}, colour {colour:06x}")
}

fn composite(onto: &mut Frame, from: &Frame, tile: Rect) {
    for y in tile.y as usize..tile.y as usize + tile.h as usize {
        let at = (y * from.size().w as usize + tile.x as usize) * 3;
        let bytes = at..at + tile.w as usize * 3;
        onto.rgb_mut()[bytes.clone()].copy_from_slice(&from.rgb()[bytes]);
    }
}

fn check(seed: u64, steps: u32) {
    let server = XServer::start(WIDTH, HEIGHT);
    let painter = Painter::new(&server);
    let mut capture = X11Capture::open(server.display()).unwrap();
    let mut dice = Dice(seed);
    let mut windows = Vec::new();
    for _ in 0..4 {
        windows.push(painter.window(dice.place(), dice.below(0x100_0000)));
    }
    let inner = painter.child(windows[0], rect(10, 10, 60, 40), 0x12_3456, true);
    x11rb::protocol::xproto::map_window(&painter.conn, inner).unwrap();
    windows.push(inner);
    painter.sync();
    let mut last = capture.grab(Region::Screen, None, None).unwrap();
    let mut viewer = (*last.frame).clone();
    for step in 0..steps {
        let done: Vec<String> = (0..=dice.below(3))
            .map(|_| draw(&mut dice, &painter, &windows))
            .collect();
        painter.sync();
        capture.touch();
        let grab = capture.grab(Region::Screen, None, Some(last.generation)).unwrap();
        let fresh = painter.screen();
        assert!(
            *grab.frame == fresh,
            "seed {seed}, step {step}: not what is on the screen after {done:?}"
        );
        assert_eq!(grab.hash, fresh.hash(), "seed {seed}, step {step}");
        assert_eq!(
            grab.generation == last.generation,
            grab.hash == last.hash,
            "seed {seed}, step {step}: the number rises exactly with a change"
        );
        // A viewer that is only sent the tiles that changed sees the same.
        for tile in changed_tiles(&last.frame, &grab.frame, grab.dirty.as_deref()) {
            composite(&mut viewer, &grab.frame, tile);
        }
        assert!(
            viewer == *grab.frame,
            "seed {seed}, step {step}: tiles were missing, dirty {:?}",
            grab.dirty
        );
        last = grab;
    }
}

#[test]
fn tracked_pictures_are_fresh_pictures() {
    check(1, 400);
}

#[test]
fn tracked_pictures_are_fresh_pictures_with_another_seed() {
    check(0x5EED, 400);
}

#[test]
fn windows_are_tracked_as_well() {
    let server = XServer::start(WIDTH, HEIGHT);
    let painter = Painter::new(&server);
    let mut capture = X11Capture::open(server.display()).unwrap();
    let mut dice = Dice(77);
    let own = painter.window(rect(40, 30, 200, 150), 0x10_2030);
    let above = painter.window(rect(60, 50, 200, 150), 0x40_5060);
    let region = Region::Window(own.into());
    // The same drawing goes into a model, since a covered window cannot be read in another way.
    let mut model = vec![0x10_2030_u32; 200 * 150];
    let mut last = capture.grab(region, None, None).unwrap();
    for step in 0..200 {
        let (place, colour) = (dice.place(), dice.below(0x100_0000));
        if dice.below(4) == 0 {
            painter.fill(above, place, colour);
        } else {
            painter.fill(own, place, colour);
            for y in place.y.max(0)..(place.y + place.h as i32).min(150) {
                for x in place.x.max(0)..(place.x + place.w as i32).min(200) {
                    model[(y * 200 + x) as usize] = colour;
                }
            }
        }
        if dice.below(3) == 0 {
            let (x, y) = (dice.below(400) as i32 - 100, dice.below(300) as i32 - 100);
            painter.place(own, rect(x, y, 200, 150));
        }
        painter.sync();
        capture.touch();
        let grab = capture.grab(region, None, Some(last.generation)).unwrap();
        let expect: Vec<u8> = model
            .iter()
            .flat_map(|c| [(c >> 16) as u8, (c >> 8) as u8, *c as u8])
            .collect();
        assert!(grab.frame.rgb() == expect, "step {step}");
        assert_eq!(
            grab.generation == last.generation,
            grab.hash == last.hash,
            "step {step}"
        );
        assert!(grab.dirty.is_some(), "step {step}");
        last = grab;
    }
}
