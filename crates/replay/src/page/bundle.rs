//! The ES modules of a page as one script, for a page that must work without a server. Each module becomes a function
//! of its own, so names can't collide.

/// A module: its file name and its text.
pub(super) type Module<'a> = (&'a str, &'a str);

/// Joins modules, of which each imports only from those before it, into the text of one script.
///
/// It supports the syntax that the modules of `web/` use: `import { a, b as c } from "./file.js";` at the start of a
/// line, and `export` before a function, a class or a constant. It panics on anything else, which a test notices.
pub(super) fn bundle(modules: &[Module<'_>]) -> String {
    let mut script = String::from("\"use strict\";\n");
    for (index, (name, text)) in modules.iter().enumerate() {
        script.push_str(&enclose(name, text, &modules[..index]));
    }
    script
}

fn enclose(name: &str, text: &str, before: &[Module<'_>]) -> String {
    let (imports, body) = take_imports(text, before);
    let (body, exports) = take_exports(&body);
    let exports = exports.join(", ");
    let variable = variable(name);
    format!("const {variable} = (() => {{\n{imports}{body}return {{ {exports} }};\n}})();\n")
}

/// The variable that holds the exports of a module.
fn variable(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric();
    let plain: String = name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    format!("module_{plain}")
}

/// The imports as constants, and the text without them.
fn take_imports(text: &str, before: &[Module<'_>]) -> (String, String) {
    let mut imports = String::new();
    let mut body = String::new();
    let mut rest = text;
    while let Some(start) = line_that_starts_with(rest, "import ") {
        let (import, after) =
            rest[start..].split_once(';').expect("an import ends with a semicolon");
        body.push_str(&rest[..start]);
        imports.push_str(&constant(import, before));
        rest = after.strip_prefix('\n').unwrap_or(after);
    }
    body.push_str(rest);
    (imports, body)
}

/// `import { a, b as c } from "./file.js"` as `const { a, b: c } = module_file_js;`
fn constant(import: &str, before: &[Module<'_>]) -> String {
    let parts = import.strip_prefix("import {").and_then(|rest| rest.split_once("} from \"./"));
    let (names, file) = parts.unwrap_or_else(|| panic!("'{import}' is no import of names"));
    let file = file.trim_end_matches('"');
    assert!(before.iter().any(|(name, _)| *name == file), "'{file}' must come before it is used");
    format!("const {{{}}} = {};\n", names.replace(" as ", ": "), variable(file))
}

/// The text without the word `export`, and the exported names.
fn take_exports(text: &str) -> (String, Vec<&str>) {
    let mut exports = vec![];
    let mut body = String::new();
    let mut rest = text;
    while let Some(start) = line_that_starts_with(rest, "export ") {
        let exported = rest[start..].trim_start_matches("export ");
        exports.push(exported_name(exported));
        body.push_str(&rest[..start]);
        rest = exported;
    }
    body.push_str(rest);
    (body, exports)
}

fn exported_name(exported: &str) -> &str {
    let exported = exported.trim_start_matches("async ");
    let words = ["function ", "class ", "const "];
    let name = words.iter().find_map(|word| exported.strip_prefix(word));
    let name = name.unwrap_or_else(|| panic!("'{}' is no export by name", first_line(exported)));
    let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(name.len());
    &name[..end]
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

fn line_that_starts_with(text: &str, word: &str) -> Option<usize> {
    if text.starts_with(word) {
        return Some(0);
    }
    text.find(&format!("\n{word}")).map(|newline| newline + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_become_functions_that_hand_on_what_they_export() {
        let one = "const hidden = 1;\nexport const LIMIT = hidden;\nexport class Box {}\n";
        let two = "// Uses it.\nimport {\n  LIMIT,\n  Box as B,\n} from \"./one.js\";\n\nexport function go() {}\n";
        let expected = "\"use strict\";\n\
            const module_one_js = (() => {\n\
            const hidden = 1;\nconst LIMIT = hidden;\nclass Box {}\nreturn { LIMIT, Box };\n})();\n\
            const module_two_js = (() => {\n\
            const {\n  LIMIT,\n  Box: B,\n} = module_one_js;\n// Uses it.\n\nfunction go() {}\nreturn { go };\n})();\n";
        assert_eq!(bundle(&[("one.js", one), ("two.js", two)]), expected);
    }

    #[test]
    #[should_panic(expected = "'two.js' must come before it is used")]
    fn a_module_must_come_before_its_users() {
        bundle(&[("one.js", "import { go } from \"./two.js\";\n"), ("two.js", "")]);
    }
}
