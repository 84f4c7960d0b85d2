//! `cargo +nightly fuzz run client_message`: see `nuggets_sim::fuzz::client_message`.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| nuggets_sim::fuzz::client_message(data));
