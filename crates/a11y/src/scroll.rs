//! How far something is scrolled, read in a way that every toolkit gives.

use atspi_common::Interface;
use futures_util::future::join_all;

use crate::bus::{Bus, body};
use crate::node::Place;
use crate::tree::{Handle, Tree};
use crate::walk::{self, TEXT, VALUE};

/// So many controls inside of what is scrolled are asked where they are.
const ASKED: usize = 24;
/// Coordinates of the window, in AT-SPI's `CoordType`.
const OF_THE_WINDOW: u32 = 1;

/// How far something is scrolled; only differences mean something.
#[derive(Debug, Clone, PartialEq)]
pub struct Scrolled {
    /// Where things in it are along the way, in pixels.
    places: Vec<(Place, i32)>,
    /// The value of its scroll bar, where it has one.
    bar: Option<f64>,
}

impl Scrolled {
    /// How far it went down or to the right since then: in pixels where that can be told, else as its scroll bar says.
    pub fn since(&self, before: &Self) -> Option<f64> {
        let ways = self.places.iter().filter_map(|(place, now)| {
            let (_, then) = before.places.iter().find(|(other, _)| other == place)?;
            Some(f64::from(*then) - f64::from(*now))
        });
        let ways: Vec<f64> = ways.collect();
        // Headers and the like stand still.
        let mut moved: Vec<f64> = ways.iter().copied().filter(|way| *way != 0.0).collect();
        moved.sort_by(f64::total_cmp);
        let bar = self.bar.zip(before.bar).map(|(now, then)| now - then);
        moved
            .get(moved.len() / 2)
            .copied()
            .or(bar)
            .or(ways.first().copied())
    }
}

/// What tells how far something is scrolled.
#[derive(Debug, Default)]
pub(crate) struct Gauge {
    /// What moves when it is scrolled, most likely.
    inside: Vec<Place>,
    /// The control's own text, whose letters move.
    text: Option<Place>,
    bar: Option<Place>,
}

impl Gauge {
    /// Finds it in the tree, for a control in what scrolls.
    pub(crate) fn find(tree: &Tree, handle: Handle, scroller: Handle, horizontal: bool) -> Self {
        let is_bar = |handle: Handle| tree.facts(handle).is_some_and(|facts| facts.role == "scroll-bar");
        let orientation = if horizontal { "horizontal" } else { "vertical" };
        let is_own_bar =
            |&child: &Handle| is_bar(child) && tree.facts(child).is_some_and(|facts| facts.is(orientation));
        // It is beside what it scrolls, or in a box there.
        let line = std::iter::once(scroller).chain(tree.ancestors(scroller));
        let bar = line.take(3).find_map(|outer| {
            let beside = tree.children(outer);
            let boxed = beside.iter().flat_map(|&other| tree.children(other));
            beside.iter().chain(boxed).copied().find(is_own_bar)
        });
        // A viewport stands still; what is in it moves.
        let leaves = tree
            .below(scroller)
            .filter(|&inner| tree.children(inner).is_empty());
        let leaves: Vec<Handle> = leaves
            .filter(|&inner| !is_bar(inner) && inner != scroller)
            .collect();
        let place = |handle: Handle| tree.place(handle).cloned();
        let every = leaves.len().div_ceil(ASKED).max(1);
        Self {
            inside: leaves.into_iter().step_by(every).filter_map(place).collect(),
            text: place(handle).filter(|_| tree.children(handle).is_empty()),
            bar: bar.and_then(place),
        }
    }

    /// Reads it.
    pub(crate) async fn read(&self, bus: &Bus, horizontal: bool) -> Scrolled {
        let along = |x: i32, y: i32| if horizontal { x } else { y };
        let bar = match &self.bar {
            Some(bar) => bus.property::<f64>(bar, VALUE, "CurrentValue").await.ok(),
            None => None,
        };
        if let Some(place) = &self.text
            && let Some((x, y)) = first_letter(bus, place).await
        {
            let places = vec![(place.clone(), along(x, y))];
            return Scrolled { places, bar };
        }
        let areas = self.inside.iter().map(|place| async move {
            let rect = walk::extents(bus, place).await?;
            Some((place.clone(), along(rect.x, rect.y)))
        });
        Scrolled {
            places: join_all(areas).await.into_iter().flatten().collect(),
            bar,
        }
    }
}

/// Where the first letter of a text is within the window.
async fn first_letter(bus: &Bus, place: &Place) -> Option<(i32, i32)> {
    let interfaces = walk::interfaces(bus, place).await.ok()?;
    if !interfaces.contains(Interface::Text) {
        return None;
    }
    let arguments = (0_i32, OF_THE_WINDOW);
    let letter = bus.call(place, TEXT, "GetCharacterExtents", &arguments).await;
    let (x, y, w, h): (i32, i32, i32, i32) = body(letter.ok()?).ok()?;
    (w > 0 && h > 0).then_some((x, y))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scrolled(places: &[(&str, i32)], bar: Option<f64>) -> Scrolled {
        let places = places
            .iter()
            .map(|&(path, at)| (Place::new(":1.1", path.to_owned()), at));
        Scrolled {
            places: places.collect(),
            bar,
        }
    }

    #[test]
    fn what_moved_tells_how_far_and_what_stands_still_does_not() {
        let before = scrolled(
            &[("/header", 5), ("/a", 20), ("/b", 40), ("/gone", 60)],
            Some(0.0),
        );
        let now = scrolled(
            &[("/header", 5), ("/a", -30), ("/b", -10), ("/new", 60)],
            Some(2.0),
        );
        assert_eq!(now.since(&before), Some(50.0));
        assert_eq!(before.since(&now), Some(-50.0));
        // All of it is new: the bar tells.
        let other = scrolled(&[("/header", 5), ("/new", 60)], Some(7.0));
        assert_eq!(other.since(&before), Some(7.0));
        assert_eq!(before.since(&before), Some(0.0));
        assert_eq!(scrolled(&[], None).since(&before), None);
    }
}
