//! Closed sets of words.

/// Declares an enum whose variants have a word each.
macro_rules! names {
    ($(#[doc = $doc:literal])* $name:ident { $($(#[doc = $vdoc:literal])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[doc = $vdoc])* $variant),+ }

        impl $name {
            /// All of them, in the order of the declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// The variant of a word.
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }

            /// What the variant means, for the reference page.
            pub const fn doc(self) -> &'static str {
                match self { $(Self::$variant => concat!($($vdoc),*)),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

/// The same, for words that travel: with parser, writer and schema.
macro_rules! words {
    ($(#[doc = $doc:literal])* $name:ident { $($(#[doc = $vdoc:literal])* $variant:ident = $word:literal),+ $(,)? }) => {
        crate::wire::names! { $(#[doc = $doc])* $name { $($(#[doc = $vdoc])* $variant = $word),+ } }

        impl $name {
            /// The schema that stands under this name in `$defs`.
            pub(crate) fn definition() -> serde_json::Value {
                serde_json::json!({
                    "enum": [$($word),+],
                    "description": crate::wire::description(&[$($doc),*]),
                })
            }
        }

        impl crate::wire::Wire for $name {
            fn decode(value: serde_json::Value) -> Result<Self, crate::wire::Fault> {
                value.as_str().and_then(Self::from_word).ok_or_else(|| {
                    crate::wire::Fault::not_among(&[$($word),+], &value)
                })
            }

            fn encode(self) -> serde_json::Value {
                serde_json::Value::String(self.as_str().to_owned())
            }

            fn schema() -> serde_json::Value {
                serde_json::json!({"$ref": concat!("#/$defs/", stringify!($name))})
            }
        }
    };
}

pub(crate) use {names, words};
