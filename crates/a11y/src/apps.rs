//! Applications as they are listed and chosen.

use std::path::PathBuf;

use crate::A11yError;

/// So many are named in an error.
const NAMED: usize = 20;

/// An application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct App {
    /// What it calls itself, or its program's name.
    pub name: String,
    /// Its process.
    pub process: u32,
    /// Whether its window is the active one.
    pub focused: bool,
    program: Option<PathBuf>,
}

/// Which application is meant. An empty selector means all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AppSelector {
    /// Its name or that of its program's file, letter case aside.
    pub name: Option<String>,
    /// Its process.
    pub process: Option<u32>,
}

impl App {
    pub(crate) fn new(process: u32, name: String, focused: bool) -> Self {
        let program = std::fs::read_link(format!("/proc/{process}/exe")).ok();
        let mut app = Self {
            name,
            process,
            focused,
            program,
        };
        if app.name.is_empty() {
            app.name = program_name(process).unwrap_or_default();
        }
        app
    }

    /// Its program's file, where the system tells.
    pub fn path(&self) -> Option<String> {
        Some(self.program.as_ref()?.to_string_lossy().into_owned())
    }

    fn told(&self) -> String {
        let path = self.path().map_or(String::new(), |path| format!(" ({path})"));
        format!("{:?} pid {}{path}", self.name, self.process)
    }
}

/// What a process calls its program, where the system tells; for applications that have no name of their own.
pub fn program_name(process: u32) -> Option<String> {
    let comm = std::fs::read_to_string(format!("/proc/{process}/comm")).ok()?;
    Some(comm.trim().to_owned())
}

impl AppSelector {
    fn means(&self, app: &App) -> bool {
        let file = app.program.as_ref().and_then(|program| program.file_name());
        let file = file.map(|file| file.to_string_lossy().to_lowercase());
        let named = self.name.as_ref().is_none_or(|name| {
            let name = name.to_lowercase();
            app.name.to_lowercase() == name || file.as_deref() == Some(&name)
        });
        named && self.process.is_none_or(|process| app.process == process)
    }

    /// The process of the one that is meant; never a guess.
    ///
    /// # Errors
    /// `AppNotFound` and `AmbiguousApp`.
    pub fn choose(&self, apps: &[App]) -> Result<u32, A11yError> {
        let meant: Vec<&App> = apps.iter().filter(|app| self.means(app)).collect();
        match meant.as_slice() {
            [only] => Ok(only.process),
            [] => Err(A11yError::AppNotFound(format!(
                "no application is {self}; there are: {}",
                list(&apps.iter().collect::<Vec<_>>())
            ))),
            several => Err(A11yError::AmbiguousApp(format!(
                "several applications are {self}; name the pid of one of: {}",
                list(several)
            ))),
        }
    }
}

impl std::fmt::Display for AppSelector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = self.name.as_ref().map(|name| format!("{name:?}"));
        let process = self.process.map(|process| format!("pid {process}"));
        let parts: Vec<String> = name.into_iter().chain(process).collect();
        f.write_str(&parts.join(" with "))
    }
}

fn list(apps: &[&App]) -> String {
    if apps.is_empty() {
        return "none".to_owned();
    }
    let mut told: Vec<String> = apps.iter().take(NAMED).map(|app| app.told()).collect();
    if apps.len() > NAMED {
        told.push(format!("and {} more", apps.len() - NAMED));
    }
    told.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn app(name: &str, process: u32, program: &str) -> App {
        App {
            name: name.to_owned(),
            process,
            focused: false,
            program: Some(PathBuf::from(program)),
        }
    }

    fn chosen(name: Option<&str>, process: Option<u32>) -> Result<u32, A11yError> {
        let apps = [
            app("Notes", 511, "/usr/bin/gnome-notes"),
            app("Notes", 988, "/opt/notes-electron/notes"),
            app("Text Editor", 7, "/usr/bin/gnome-text-editor"),
        ];
        let name = name.map(str::to_owned);
        AppSelector { name, process }.choose(&apps)
    }

    #[test]
    fn an_application_is_chosen_by_name_program_or_process_and_never_guessed() {
        assert_eq!(chosen(Some("text editor"), None), Ok(7));
        assert_eq!(chosen(Some("gnome-text-editor"), None), Ok(7));
        assert_eq!(chosen(None, Some(988)), Ok(988));
        assert_eq!(chosen(Some("Notes"), Some(511)), Ok(511));
        let several = chosen(Some("Notes"), None).unwrap_err();
        assert!(matches!(several, A11yError::AmbiguousApp(_)), "{several:?}");
        let text = several.to_string();
        assert!(text.contains("pid 511") && text.contains("pid 988"), "{text}");
        assert!(!text.contains("Editor"), "{text}");
        let none = chosen(Some("Text"), None).unwrap_err();
        assert!(matches!(none, A11yError::AppNotFound(_)), "{none:?}");
        assert!(none.to_string().contains("\"Text Editor\" pid 7"), "{none}");
        assert!(matches!(
            chosen(Some("Notes"), Some(7)),
            Err(A11yError::AppNotFound(_))
        ));
    }
}
