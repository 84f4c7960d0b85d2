//! `cargo +nightly fuzz run server_message`: see `nuggets_fuzzed::server_message`.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| nuggets_fuzzed::server_message(data));
