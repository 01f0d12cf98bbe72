//! Nothing is sent that the runtime's welcome does not offer: an older runtime refuses what it does not know, with words
//! that help nobody.

use aci::action::Action;
use aci::extension::action::ExtendedAction;
use aci::extension::{Extension, Extensions};
use aci::target::Target;
use aci::welcome::{Capabilities, ImageFormat};

use crate::error::ClientError;

/// Holds an action against the welcome.
pub(crate) fn check(action: &Action, offered: &Capabilities) -> Result<(), ClientError> {
    let verb = action.verb;
    if !offered.verbs.contains(&verb) {
        return Err(ClientError::unsupported(format!("the verb {verb}")));
    }
    for target in action.target.iter().chain(&action.to) {
        check_target(target, offered)?;
    }
    let observed = action.observe.as_ref();
    if observed.is_some() && offered.observe_after_act != Some(true) {
        return Err(ClientError::unsupported("an observation after an action"));
    }
    if action.if_none_match.is_some() && offered.frame_dedup != Some(true) {
        return Err(ClientError::unsupported("if_none_match"));
    }
    let formats = [action.format, observed.and_then(|observe| observe.format)];
    for format in formats.into_iter().flatten() {
        // Runtimes from before the list know only this one.
        let known = offered.image_formats.as_deref().unwrap_or(&[ImageFormat::Png]);
        if !known.contains(&format) {
            return Err(ClientError::unsupported(format!("the picture format {format}")));
        }
    }
    Ok(())
}

/// Holds an action beyond the contract against what the welcome lists.
pub(crate) fn check_beyond(action: &ExtendedAction, offered: &Extensions) -> Result<(), ClientError> {
    let needed: &[(Extension, bool)] = match action {
        // One that waits to be granted is sent, for the runtime's refusal says how it is.
        ExtendedAction::Run(_) => &[(Extension::Run, !offered.withholds(Extension::Run))],
        ExtendedAction::ScrollElement(_) => &[(Extension::ScrollElement, true)],
        ExtendedAction::SetTextSelection(_) => &[(Extension::SetTextSelection, true)],
        ExtendedAction::Observe(call) => &[
            (Extension::ObserveApp, call.app.is_some()),
            (Extension::ObserveInclude, call.include.is_some()),
        ],
    };
    match needed
        .iter()
        .find(|(extension, is_used)| *is_used && !offered.has(*extension))
    {
        Some((extension, _)) => Err(ClientError::unsupported(format!("the extension {extension}"))),
        None => Ok(()),
    }
}

fn check_target(target: &Target, offered: &Capabilities) -> Result<(), ClientError> {
    let kind = target.kind();
    if offered.targets.contains(&kind) {
        Ok(())
    } else {
        Err(ClientError::unsupported(format!("targets of the kind {kind}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aci::target::TargetKind;
    use aci::verb::Verb;

    fn oldest() -> Capabilities {
        Capabilities {
            verbs: vec![Verb::Click, Verb::Screenshot],
            targets: vec![TargetKind::PointPx],
            observation_types: Vec::new(),
            max_long_edge: None,
            image_formats: None,
            binary_frames: None,
            frame_dedup: None,
            observe_after_act: None,
            structured_observation: None,
        }
    }

    #[track_caller]
    fn refused(what: &str, change: impl FnOnce(&mut Action)) {
        let mut action = Action::new(Verb::Screenshot);
        change(&mut action);
        match check(&action, &oldest()) {
            Err(ClientError::Unsupported { what: found }) => assert_eq!(found, what),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_old_runtime_is_sent_only_what_it_knows() {
        assert!(check(&Action::new(Verb::Screenshot), &oldest()).is_ok());
        refused("the verb exec", |action| action.verb = Verb::Exec);
        refused("if_none_match", |action| {
            action.if_none_match = Some("x".to_owned())
        });
        refused("the picture format jpeg", |action| {
            action.format = Some(ImageFormat::Jpeg)
        });
        refused("an observation after an action", |action| {
            action.verb = Verb::Click;
            action.observe = Some(aci::action::ObserveSpec::default());
        });
        refused("targets of the kind point_norm", |action| {
            action.verb = Verb::Click;
            action.target = Target::norm(0.5, 0.5);
        });
    }
}
