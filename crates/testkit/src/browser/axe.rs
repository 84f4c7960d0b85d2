//! axe-core: a page must not have a single violation.

use std::path::Path;

use serde_json::Value;

use super::BrowserPage;

/// Lists the violations, one per line, with their places.
const RUN: &str = "axe.run(document).then((results) => results.violations.flatMap((violation) =>
    violation.nodes.map((node) => `${violation.id}: ${node.html}\\n${node.failureSummary}`)))";

impl BrowserPage<'_> {
    /// Checks the page as it is, dark and light.
    pub fn check_accessibility(&self) {
        let file = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../target/npm/node_modules/axe-core/axe.min.js");
        let axe = std::fs::read_to_string(file);
        let axe = axe.expect("axe-core is missing: run `cargo xtask test`, which installs it");
        self.eval(&format!("{axe}; 0"));
        for scheme in ["dark", "light"] {
            // Colours that are still changing have no contrast yet.
            self.set_media(&[
                ("prefers-color-scheme", scheme),
                ("prefers-reduced-motion", "reduce"),
            ]);
            self.wait_until("document.getAnimations().every((one) => one.playState !== 'running')");
            let violations = self.eval(RUN);
            let violations: Vec<&str> =
                violations.as_array().expect("a list").iter().filter_map(Value::as_str).collect();
            let page = self.path();
            assert!(violations.is_empty(), "{page}, {scheme}:\n{}", violations.join("\n\n"));
        }
    }
}
