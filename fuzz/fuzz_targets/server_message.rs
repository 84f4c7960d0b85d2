//! `cargo +nightly fuzz run server_message`: see `nuggets_sim::fuzz::server_message`.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| nuggets_sim::fuzz::server_message(data));
