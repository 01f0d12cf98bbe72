//! What was told of the controls of applications and is not looked at yet.

use std::collections::{HashMap, HashSet};

use crate::changes::Event;
use crate::node::Place;
use crate::tree::Tree;

/// When so many objects wait, those that nobody knows are sorted out.
const MANY: usize = 1_024;
/// The most objects of one application that are remembered. An application that tells of more than this before that was done
/// is walked anew, and its controls are new ones.
const MOST: usize = 65_536;

/// How much of a control is to be read again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Depth {
    /// What it is like.
    Facts,
    /// Which children it has, too.
    Children,
    /// All that is below it, too.
    Below,
}

/// What one application has told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct News {
    /// Paths of what is gone. What is there now is something else.
    pub(crate) gone: HashSet<String>,
    /// Paths of what is to be read again.
    pub(crate) changed: HashMap<String, Depth>,
    /// It was too much; nothing of it is known.
    pub(crate) lost: bool,
}

impl News {
    fn note(&mut self, path: String, event: Event) {
        if self.lost {
            return;
        }
        match event {
            Event::Changed(depth) => self.change(path, depth),
            Event::Gone => {
                self.changed.remove(&path);
                self.gone.insert(path);
            }
            Event::LostChild(child) => {
                self.gone.insert(child);
                self.change(path, Depth::Children);
            }
        }
        if self.len() > MOST {
            *self = Self {
                lost: true,
                ..Self::default()
            };
        }
    }

    fn change(&mut self, path: String, depth: Depth) {
        let known = self.changed.entry(path).or_insert(depth);
        *known = depth.max(*known);
    }

    /// Takes out of the tree what is gone of this connection.
    pub(crate) fn forget_gone(&mut self, bus: &str, tree: &mut Tree) {
        for path in self.gone.drain() {
            tree.forget(&Place::new(bus, path));
        }
    }

    fn len(&self) -> usize {
        self.gone.len() + self.changed.len()
    }
}

/// What all applications have told, by the name of their connection.
#[derive(Debug, Default)]
pub(crate) struct AllNews(HashMap<String, News>);

impl AllNews {
    /// Notes an event; whether so much waits now that it should be looked through.
    pub(crate) fn note(&mut self, bus: String, path: String, event: Event) -> bool {
        let news = self.0.entry(bus).or_default();
        news.note(path, event);
        news.len().is_multiple_of(MANY) && news.len() > 0
    }

    /// Takes what this one has told.
    pub(crate) fn take(&mut self, bus: &str) -> News {
        self.0.remove(bus).unwrap_or_default()
    }

    /// Takes out of the tree what is gone, and forgets what was told of objects that are not in it: they are read when
    /// they come into it. Of one that told too much nothing is known any more.
    pub(crate) fn sort_out(&mut self, tree: &mut Tree) {
        for (bus, news) in &mut self.0 {
            if news.lost {
                tree.remove_bus(bus);
            }
            news.forget_gone(bus, tree);
            news.changed
                .retain(|path, _| tree.at(&Place::new(bus.as_str(), path.as_str())).is_some());
        }
        self.0.retain(|_, news| news.lost || news.len() > 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const APP: &str = ":1.7";

    fn told(events: &[(&str, Event)]) -> AllNews {
        let mut news = AllNews::default();
        for (path, event) in events {
            news.note(APP.to_owned(), (*path).to_owned(), event.clone());
        }
        news
    }

    #[test]
    fn the_deepest_of_several_changes_counts() {
        let mut news = told(&[
            ("/a", Event::Changed(Depth::Below)),
            ("/a", Event::Changed(Depth::Facts)),
            ("/b", Event::Changed(Depth::Facts)),
            ("/b", Event::LostChild("/c".to_owned())),
        ]);
        let news = news.take(APP);
        assert_eq!(
            news.changed,
            HashMap::from([
                ("/a".to_owned(), Depth::Below),
                ("/b".to_owned(), Depth::Children)
            ])
        );
        assert_eq!(news.gone, HashSet::from(["/c".to_owned()]));
    }

    #[test]
    fn what_comes_again_at_the_same_path_is_gone_all_the_same() {
        let mut news = told(&[
            ("/a", Event::LostChild("/b".to_owned())),
            ("/b", Event::Changed(Depth::Facts)),
        ]);
        assert!(news.take(APP).gone.contains("/b"));
        assert_eq!(news.take(APP), News::default());
    }

    #[test]
    fn an_application_that_tells_too_much_is_believed_nothing() {
        let mut news = AllNews::default();
        for n in 0..=MOST {
            news.note(APP.to_owned(), format!("/{n}"), Event::Gone);
        }
        news.note(APP.to_owned(), "/a".to_owned(), Event::Changed(Depth::Facts));
        let news = news.take(APP);
        assert!(news.lost && news.len() == 0, "{}", news.len());
    }

    #[test]
    fn what_nobody_knows_is_forgotten_when_much_waits() {
        let mut news = AllNews::default();
        let many =
            (0..MANY).any(|n| news.note(APP.to_owned(), format!("/{n}"), Event::Changed(Depth::Facts)));
        assert!(many);
        news.sort_out(&mut Tree::default());
        assert_eq!(news.take(APP), News::default());
    }
}
