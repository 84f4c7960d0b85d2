//! `cargo +nightly fuzz run recording`: see `nuggets_fuzzed::recording`.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| nuggets_fuzzed::recording(data));
