//! Questions about the desktop.

use aci::message::QueryKind;
use aci::welcome::Platform;
use serde_json::Value;

use crate::client::Client;
use crate::error::ClientError;

/// A top-level window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// Its number, also for [`crate::Shot::window`] and `activate_window`.
    pub id: u64,
    /// Its title.
    pub title: String,
    /// The process that it belongs to, where it says.
    pub pid: Option<u64>,
    /// Left edge in pixels of the screen.
    pub x: i64,
    /// Top edge.
    pub y: i64,
    /// Width.
    pub w: u64,
    /// Height.
    pub h: u64,
    /// Whether it has the keyboard focus.
    pub focused: bool,
}

impl Window {
    /// The window as JSON, with the fields of the answer to list_windows.
    pub fn to_json(&self) -> Value {
        serde_json::json!({
            "id": self.id,
            "title": self.title,
            "pid": self.pid,
            "x": self.x,
            "y": self.y,
            "w": self.w,
            "h": self.h,
            "focused": self.focused,
        })
    }
}

/// Which window is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WindowId {
    /// The one with this number.
    Number(u64),
    /// The first whose title contains this, letter case aside.
    Title(String),
}

impl From<u64> for WindowId {
    fn from(id: u64) -> Self {
        Self::Number(id)
    }
}

impl From<&str> for WindowId {
    fn from(title: &str) -> Self {
        Self::Title(title.to_owned())
    }
}

impl From<String> for WindowId {
    fn from(title: String) -> Self {
        Self::Title(title)
    }
}

impl From<&Window> for WindowId {
    fn from(window: &Window) -> Self {
        Self::Number(window.id)
    }
}

impl Client {
    /// The operating system.
    ///
    /// # Errors
    /// As for any call.
    pub async fn platform(&self) -> Result<Platform, ClientError> {
        let value = self.query(QueryKind::Platform).await?;
        // The contract does not say whether the word stands alone.
        let word = value.get("platform").unwrap_or(&value).as_str();
        word.and_then(Platform::from_word)
            .ok_or_else(|| unreadable(QueryKind::Platform, &value))
    }

    /// The screen's width and height in pixels.
    ///
    /// # Errors
    /// As for any call.
    pub async fn screen_size(&self) -> Result<(u32, u32), ClientError> {
        let value = self.query(QueryKind::ScreenSize).await?;
        let side = |key: &str| value.get(key)?.as_u64().and_then(|side| u32::try_from(side).ok());
        side("w")
            .zip(side("h"))
            .ok_or_else(|| unreadable(QueryKind::ScreenSize, &value))
    }

    /// Whether the desktop can be used.
    ///
    /// # Errors
    /// As for any call.
    pub async fn ready(&self) -> Result<bool, ClientError> {
        let value = self.query(QueryKind::Ready).await?;
        value
            .get("ready")
            .unwrap_or(&value)
            .as_bool()
            .ok_or_else(|| unreadable(QueryKind::Ready, &value))
    }

    /// The top-level windows.
    ///
    /// # Errors
    /// As for any call.
    pub async fn list_windows(&self) -> Result<Vec<Window>, ClientError> {
        let value = self.query(QueryKind::ListWindows).await?;
        let windows = value
            .as_array()
            .and_then(|windows| windows.iter().map(window).collect());
        windows.ok_or_else(|| unreadable(QueryKind::ListWindows, &value))
    }
}

fn window(value: &Value) -> Option<Window> {
    Some(Window {
        id: value.get("id")?.as_u64()?,
        title: value
            .get("title")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned(),
        pid: value.get("pid").and_then(Value::as_u64),
        x: value.get("x")?.as_i64()?,
        y: value.get("y")?.as_i64()?,
        w: value.get("w")?.as_u64()?,
        h: value.get("h")?.as_u64()?,
        focused: value.get("focused").and_then(Value::as_bool).unwrap_or(false),
    })
}

fn unreadable(query: QueryKind, value: &Value) -> ClientError {
    let text: String = value.to_string().chars().take(200).collect();
    ClientError::protocol(format!("the answer to {query} cannot be read: {text}"))
}
