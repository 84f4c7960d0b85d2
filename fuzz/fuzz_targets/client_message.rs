//! `cargo +nightly fuzz run client_message`: see `nuggets_fuzzed::client_message`.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| nuggets_fuzzed::client_message(data));
