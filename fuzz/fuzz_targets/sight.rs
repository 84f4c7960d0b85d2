//! `cargo +nightly fuzz run sight`: see `nuggets_fuzzed::sight`.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| nuggets_fuzzed::sight(data));
