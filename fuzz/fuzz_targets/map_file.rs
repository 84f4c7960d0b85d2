//! `cargo +nightly fuzz run map_file`: see `nuggets_fuzzed::map_file`.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| nuggets_fuzzed::map_file(data));
