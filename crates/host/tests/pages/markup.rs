//! A minimal parser of markup to check pages: tags with their attributes, and the text inside.

use std::collections::BTreeSet;

/// A start tag.
#[derive(Clone, Debug)]
pub(crate) struct Tag {
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, String)>,
    /// The offset of the start, in bytes.
    pub(crate) at: usize,
    /// The offset of the end, in bytes.
    pub(crate) end: usize,
}

impl Tag {
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        self.attributes.iter().find(|(name, _)| name == key).map(|(_, value)| &**value)
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }
}

/// Returns all start tags in order. Panics if an attribute has no quotes or a stray quote.
pub(crate) fn tags(page: &str) -> Vec<Tag> {
    let mut tags = Vec::new();
    let mut rest = 0;
    while let Some(found) = page[rest..].find('<') {
        let at = rest + found;
        rest = at + 1;
        if page[rest..].starts_with(|c: char| c.is_ascii_alphabetic()) {
            let tag = read_tag(page, at);
            rest = tag.end;
            tags.push(tag);
        }
    }
    tags
}

fn read_tag(page: &str, at: usize) -> Tag {
    let mut place = at + 1;
    let name = take_word(page, &mut place);
    let mut attributes = Vec::new();
    loop {
        place += page[place..].len() - page[place..].trim_start().len();
        if page[place..].starts_with('>') {
            return Tag { name, attributes, at, end: place + 1 };
        }
        let key = take_word(page, &mut place);
        assert!(
            !key.is_empty(),
            "no attribute at {:?}",
            &page[place..].chars().take(40).collect::<String>()
        );
        let mut value = String::new();
        if let Some(quoted) = page[place..].strip_prefix("=\"") {
            let length = quoted.find('"').expect("a closing quote");
            quoted[..length].clone_into(&mut value);
            place += length + 3;
        }
        attributes.push((key, value));
    }
}

fn take_word(page: &str, place: &mut usize) -> String {
    let length = page[*place..]
        .find(|c: char| c.is_whitespace() || "=>\"".contains(c))
        .expect("a complete tag");
    let word = page[*place..*place + length].to_owned();
    *place += length;
    word
}

/// Returns the offsets of the controls inside labels.
pub(crate) fn controls_inside_labels(page: &str) -> BTreeSet<usize> {
    let all = tags(page);
    let labels = all.iter().filter(|tag| tag.name == "label");
    let spans =
        labels.map(|tag| tag.end..tag.end + page[tag.end..].find("</label>").expect("an end"));
    spans
        .flat_map(|span| all.iter().map(|tag| tag.at).filter(move |at| span.contains(at)))
        .collect()
}

/// Returns every element with one of these names, and the text inside it.
pub(crate) fn texts(page: &str, names: &[&str]) -> Vec<(Tag, String)> {
    let wanted = tags(page).into_iter().filter(|tag| names.contains(&&*tag.name));
    wanted
        .map(|tag| {
            let end = page[tag.end..].find(&format!("</{}>", tag.name)).expect("an end");
            let inside = &page[tag.end..tag.end + end];
            let text =
                inside.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text));
            let text = text.collect::<String>();
            (tag, text)
        })
        .collect()
}
