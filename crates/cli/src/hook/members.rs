//! A JSON object of which little is looked at: its members keep their order and their text.

use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt;

/// The members of an object, each value as it was written: what is handed back is what came in, down to the digits of numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Members<'a>(Vec<(Cow<'a, str>, Cow<'a, RawValue>)>);

impl<'a> Members<'a> {
    /// Reads an object.
    pub(crate) fn parse(text: &'a str) -> serde_json::Result<Self> {
        serde_json::from_str(text)
    }

    /// Reads an object whose text does not outlive the call.
    pub(crate) fn parse_owned(text: &str) -> serde_json::Result<Members<'static>> {
        let members = Members::parse(text)?.0.into_iter();
        let owned =
            members.map(|(name, value)| (Cow::Owned(name.into_owned()), Cow::Owned(value.into_owned())));
        Ok(Members(owned.collect()))
    }

    /// The values, of a name that stands twice the last one.
    pub(crate) fn to_map(&self) -> serde_json::Result<Map<String, Value>> {
        self.0
            .iter()
            .map(|(name, value)| Ok((name.clone().into_owned(), serde_json::from_str(value.get())?)))
            .collect()
    }

    /// Puts a value in the place of the one with that name, or at the end.
    pub(crate) fn set(&mut self, name: &str, value: &Value) -> serde_json::Result<()> {
        let value = Cow::Owned(serde_json::value::to_raw_value(value)?);
        match self.0.iter_mut().rev().find(|(known, _)| known == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((Cow::Owned(name.to_owned()), value)),
        }
        Ok(())
    }

    /// Takes a name away.
    pub(crate) fn remove(&mut self, name: &str) {
        self.0.retain(|(known, _)| known != name);
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(Name(name)) = map.next_key()? {
                    let value: &'de RawValue = map.next_value()?;
                    members.push((name, Cow::Borrowed(value)));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Object)
    }
}

/// A name that is borrowed where it has no escapes.
struct Name<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Name<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl<'de> Visitor<'de> for Text {
            type Value = Name<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }

            fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Name(Cow::Borrowed(text)))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Name(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(Text)
    }
}

impl Serialize for Members<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn what_is_not_touched_keeps_its_text_and_order() {
        let text = r#"{"z":1.50,"a":[ 1e400 ],"\u0063":{"y":1,"x":2},"n":123456789012345678901234567890}"#;
        let mut members = Members::parse(text).unwrap();
        assert_eq!(
            serde_json::to_string(&members).unwrap(),
            r#"{"z":1.50,"a":[ 1e400 ],"c":{"y":1,"x":2},"n":123456789012345678901234567890}"#
        );
        members.set("timeout", &json!(120_000)).unwrap();
        members.set("z", &json!(2)).unwrap();
        members.remove("a");
        members.remove("n");
        assert_eq!(serde_json::to_string(&members).unwrap(), r#"{"z":2,"c":{"y":1,"x":2},"timeout":120000}"#);
    }

    proptest! {
        #[test]
        fn as_a_map_it_is_what_a_reader_of_json_sees(pairs in prop::collection::vec((".{0,4}", ".{0,8}"), 0..6)) {
            let text = serde_json::to_string(&pairs.iter().cloned().collect::<std::collections::BTreeMap<_, _>>()).unwrap();
            let expected: Map<String, Value> = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(Members::parse(&text).unwrap().to_map().unwrap(), expected.clone());
            prop_assert_eq!(Members::parse_owned(&text).unwrap().to_map().unwrap(), expected);
        }
    }
}
