//! A picture with the boxes of the elements that it shows, and their ids.

use anyhow::Context as _;
use marks::Rect;
use marks::overlay::{self, Mark};
use shinken::aci::element::Element;
use shinken::aci::geometry::CoordinateSpace;
use shinken::{Picture, View};

/// What is drawn: the picture, and the tree that its numbers are the ids of.
pub(crate) struct Drawn {
    pub(crate) picture: Picture,
    pub(crate) tree: String,
}

/// Draws the boxes of a look with picture and tree.
pub(crate) fn draw(view: View) -> anyhow::Result<Drawn> {
    let shot = view.picture.context("the daemon answered without a picture")?;
    let tree = view.tree.context("the daemon answered without a tree")?;
    let display = shot
        .display
        .context("the daemon does not say what the picture shows")?;
    let picture = shot.decode()?;
    let (w, h) = (picture.width(), picture.height());
    let mut rgb = picture.into_rgb();
    let elements = tree.elements.unwrap_or_default();
    let marks: Vec<Mark> = elements
        .iter()
        .filter_map(|element| mark(element, &display))
        .collect();
    overlay::draw(w, h, &mut rgb, &marks);
    Ok(Drawn {
        picture: Picture::new(w, h, rgb)?,
        tree: tree.tree_text.unwrap_or_default(),
    })
}

/// The box of an element where it is in the picture; `None` where it has none.
fn mark(element: &Element, display: &CoordinateSpace) -> Option<Mark> {
    let number = element.reference.strip_prefix('e')?.parse().ok()?;
    let [x, y, w, h] = element.bbox.0.map(|edge| edge.get());
    if w <= 0.0 || h <= 0.0 {
        return None;
    }
    let (source, delivered) = (display.source_rect, display.delivered);
    let along = |from: f64, length: f64, begin: i64, shown: u32, pixels: u32| {
        let scale = f64::from(pixels) / f64::from(shown);
        let first = ((from - begin as f64) * scale).floor();
        let end = ((from + length - begin as f64) * scale).ceil();
        (first as i32, (end - first) as u32)
    };
    let (x, w) = along(x, w, source.x.get(), source.w.to_u32(), delivered.w.to_u32());
    let (y, h) = along(y, h, source.y.get(), source.h.to_u32(), delivered.h.to_u32());
    let rect = Rect { x, y, w, h };
    Some(Mark { number, rect })
}
