//! The JSON of chosen house rules: one field for each row of the table, such as `{"gold": 100, "steal": true}`.

use std::collections::BTreeMap;

use nuggets_game::{HouseRule, RuleChoices};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};
use serde_json::Value;

/// Returns the name of the JSON field of a rule.
pub(crate) fn field(rule: HouseRule) -> String {
    rule.entry().name.replace('-', "_")
}

pub(crate) fn serialize<S: Serializer>(
    choices: &RuleChoices,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let chosen = HouseRule::ALL.into_iter().filter_map(|rule| {
        let value = choices.get(rule)?;
        let is_switch = rule.entry().range.is_none();
        Some((field(rule), if is_switch { Value::Bool(true) } else { value.into() }))
    });
    serializer.collect_map(chosen)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<RuleChoices, D::Error> {
    let mut choices = RuleChoices::default();
    for (name, value) in BTreeMap::<String, Value>::deserialize(deserializer)? {
        let found = HouseRule::ALL.into_iter().find(|rule| field(*rule) == name);
        let rule = found.ok_or_else(|| D::Error::custom(unknown(&name)))?;
        choices.set(rule, chosen(rule, &value).map_err(D::Error::custom)?);
    }
    Ok(choices)
}

fn chosen(rule: HouseRule, value: &Value) -> Result<Option<u32>, String> {
    let is_switch = rule.entry().range.is_none();
    match value {
        Value::Null => Ok(None),
        Value::Bool(is_on) if is_switch => Ok(is_on.then_some(1)),
        _ if is_switch => Err(format!("{} must be true or false, not {value}", field(rule))),
        _ => {
            let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
            number
                .map(Some)
                .ok_or_else(|| format!("{} must be a whole number, not {value}", field(rule)))
        }
    }
}

fn unknown(name: &str) -> String {
    let known = HouseRule::ALL.map(field).join(", ");
    format!("there is no house rule {name}: known are {known}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<RuleChoices, String> {
        deserialize(&mut serde_json::Deserializer::from_str(json)).map_err(|why| why.to_string())
    }

    #[test]
    fn choices_are_read_as_they_were_written() {
        let choices =
            RuleChoices::default().with(HouseRule::Gold, 9).with(HouseRule::DropOnQuit, 1);
        let written = serialize(&choices, serde_json::value::Serializer).unwrap();
        assert_eq!(written.to_string(), r#"{"drop_on_quit":true,"gold":9}"#);
        assert_eq!(read(&written.to_string()), Ok(choices));
        assert_eq!(read(r#"{"gold":null,"steal":false}"#), Ok(RuleChoices::default()));
    }

    #[test]
    fn wrong_names_and_values_are_named() {
        for (json, reason) in [
            (r#"{"golds":9}"#, "no house rule golds: known are gold, min_piles"),
            (r#"{"gold":true}"#, "gold must be a whole number, not true"),
            (r#"{"gold":-1}"#, "gold must be a whole number, not -1"),
            (r#"{"steal":1}"#, "steal must be true or false, not 1"),
        ] {
            let error = read(json).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }
}
