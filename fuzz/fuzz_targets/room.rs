//! `cargo +nightly fuzz run room`: see `nuggets_fuzzed::room`.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| nuggets_fuzzed::room(data));
