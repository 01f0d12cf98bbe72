//! Numbers with their range in their type.

use serde_json::{Value, json};

use super::{Fault, Wire};

/// An integer from `MIN` to `MAX`; an end at the limit of `i64` means no bound on that side.
///
/// As in JSON Schema, `5.0` is an integer. A number beyond 64 bits is one too; it is held as the nearest `i64`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Int<const MIN: i64, const MAX: i64>(i64);

/// Any integer.
pub type Integer = Int<{ i64::MIN }, { i64::MAX }>;
/// An integer that is not negative.
pub type Natural = Int<0, { i64::MAX }>;
/// An integer of at least one.
pub type Positive = Int<1, { i64::MAX }>;

impl<const MIN: i64, const MAX: i64> Int<MIN, MAX> {
    /// The number, where it is in range.
    pub fn new(value: i64) -> Option<Self> {
        (MIN..=MAX).contains(&value).then_some(Self(value))
    }

    /// The number nearest to `value` that is in range.
    pub fn clamped(value: impl TryInto<i64>) -> Self {
        Self(value.try_into().unwrap_or(i64::MAX).clamp(MIN, MAX))
    }

    /// The number itself.
    pub fn get(self) -> i64 {
        self.0
    }

    /// The number as it fits a `u32`, at the nearest end where it does not.
    pub fn to_u32(self) -> u32 {
        u32::try_from(self.0.max(0)).unwrap_or(u32::MAX)
    }

    /// The number as it fits a `u64`, zero where it is negative.
    pub fn to_u64(self) -> u64 {
        u64::try_from(self.0).unwrap_or(0)
    }
}

impl<const MIN: i64, const MAX: i64> Wire for Int<MIN, MAX> {
    fn decode(value: Value) -> Result<Self, Fault> {
        let number = match &value {
            Value::Number(number) => number,
            other => return Err(Fault::expected("an integer", other)),
        };
        let held = if let Some(exact) = number.as_i64() {
            exact
        } else if number.is_u64() {
            i64::MAX
        } else {
            match number.as_f64() {
                // The cast saturates, which is what the type promises for numbers beyond 64 bits.
                Some(float) if float.fract() == 0.0 => float as i64,
                _ => return Err(Fault::expected("an integer", &value)),
            }
        };
        Self::new(held).ok_or_else(|| {
            let range = match (MIN, MAX) {
                (low, i64::MAX) => format!("an integer of at least {low}"),
                (low, high) => format!("an integer from {low} to {high}"),
            };
            Fault::expected(&range, &value)
        })
    }

    fn encode(self) -> Value {
        self.0.into()
    }

    fn schema() -> Value {
        let mut schema = json!({"type": "integer"});
        if MIN != i64::MIN {
            schema["minimum"] = MIN.into();
        }
        if MAX != i64::MAX {
            schema["maximum"] = MAX.into();
        }
        schema
    }
}

/// A finite number from `MIN`/1000 to `MAX`/1000, the ends given in thousandths because a type parameter cannot be a
/// float; an end at the limit of `i64` means no bound on that side.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct Number<const MIN: i64 = { i64::MIN }, const MAX: i64 = { i64::MAX }>(f64);

impl<const MIN: i64, const MAX: i64> Number<MIN, MAX> {
    /// The number, where it is finite and in range.
    pub fn new(value: f64) -> Option<Self> {
        let low = MIN == i64::MIN || value >= MIN as f64 / 1000.0;
        let high = MAX == i64::MAX || value <= MAX as f64 / 1000.0;
        (value.is_finite() && low && high).then_some(Self(value))
    }

    /// The number itself.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl<const MIN: i64, const MAX: i64> Wire for Number<MIN, MAX> {
    fn decode(value: Value) -> Result<Self, Fault> {
        let number = match value.as_f64() {
            Some(number) if value.is_number() => number,
            _ => return Err(Fault::expected("a number", &value)),
        };
        Self::new(number).ok_or_else(|| {
            let mut range = String::from("a number");
            if MIN != i64::MIN {
                range.push_str(&format!(" of at least {}", MIN as f64 / 1000.0));
            }
            if MAX != i64::MAX {
                range.push_str(&format!(" and at most {}", MAX as f64 / 1000.0));
            }
            Fault::expected(&range, &value)
        })
    }

    fn encode(self) -> Value {
        // Whole numbers are written without a fraction, as most writers of JSON do.
        if self.0.fract() == 0.0 && self.0.abs() < 9e15 {
            (self.0 as i64).into()
        } else {
            self.0.into()
        }
    }

    fn schema() -> Value {
        let bound =
            |thousandths: i64| Number::<{ i64::MIN }, { i64::MAX }>(thousandths as f64 / 1000.0).encode();
        let mut schema = json!({"type": "number"});
        if MIN != i64::MIN {
            schema["minimum"] = bound(MIN);
        }
        if MAX != i64::MAX {
            schema["maximum"] = bound(MAX);
        }
        schema
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_what_json_schema_calls_so() {
        assert_eq!(Natural::decode(json!(5.0)).unwrap().get(), 5);
        assert_eq!(Natural::decode(json!(-0.0)).unwrap().get(), 0);
        assert_eq!(Natural::decode(json!(u64::MAX)).unwrap().get(), i64::MAX);
        assert_eq!(Natural::decode(json!(1e300)).unwrap().get(), i64::MAX);
        for broken in [
            json!(5.5),
            json!(-1),
            json!("5"),
            json!(null),
            json!([5]),
            json!(-1e300),
        ] {
            assert!(Natural::decode(broken.clone()).is_err(), "{broken}");
        }
        let error = Int::<1, 100>::decode(json!(101)).unwrap_err();
        assert_eq!(error.to_string(), "expected an integer from 1 to 100, found 101");
    }

    #[test]
    fn numbers_keep_their_range() {
        assert!(Number::<100, 30_000>::decode(json!(0.1)).is_ok());
        assert!(Number::<100, 30_000>::decode(json!(30)).is_ok());
        assert!(Number::<100, 30_000>::decode(json!(30.0001)).is_err());
        assert!(Number::<100, 30_000>::decode(json!(0.0999)).is_err());
        assert_eq!(Number::<0>::decode(json!(3.0)).unwrap().encode(), json!(3));
    }
}
