//! What scrolls a control, and how far it is scrolled.

use super::Desk;
use super::reach::Clip;
use crate::A11yError;
use crate::engine::Scroller;
use crate::scroll::{Gauge, Scrolled};
use crate::toolkit::TopLevel;
use crate::tree::Handle;
use crate::walk;

impl Desk {
    /// What scrolls: the control itself, or what it is in.
    fn scroller(&self, handle: Handle) -> Option<Handle> {
        let mut line = std::iter::once(handle).chain(self.tree.ancestors(handle));
        line.find(|&outer| self.is_scroller(outer))
    }

    pub(crate) async fn scroller_at(
        &mut self,
        handle: Handle,
        windows: &[TopLevel],
    ) -> Result<Option<Scroller>, A11yError> {
        let (present, clips) = self.placed(handle, windows).await?;
        let space = self.space_of(handle, windows);
        let own = present.facts.rect.filter(|_| self.is_scroller(handle));
        let mut seen = clips.iter().map(|clip| clip.rect).chain(own);
        let shown = match seen.next() {
            Some(outermost) => seen.try_fold(outermost, |outer, inner| outer.common(inner)),
            // What is no part of anything that scrolls may scroll itself and not say so.
            None => present.facts.rect,
        };
        let Some(shown) = shown else {
            return Ok(None);
        };
        let clip = Clip {
            scroller: self.scroller(handle).unwrap_or(handle),
            rect: shown,
        };
        let wheel = self.turn(&present.bus, clip, (0, 0), &space).await;
        Ok(wheel.map(|wheel| Scroller { at: wheel.at, shown }))
    }

    /// How far what scrolls a control is scrolled now.
    pub(crate) async fn scrolled(&mut self, handle: Handle, horizontal: bool) -> Result<Scrolled, A11yError> {
        let bus = self.bus().await?;
        let place = self.living(handle)?;
        // It must still be there, and what was told before its answer is known then.
        walk::children(&bus, &place)
            .await
            .map_err(|error| self.lost(handle, error))?;
        self.living(handle)?;
        let scroller = self.scroller(handle).unwrap_or(handle);
        let gauge = Gauge::find(&self.tree, handle, scroller, horizontal);
        Ok(gauge.read(&bus, horizontal).await)
    }
}
