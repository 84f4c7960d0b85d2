//! `cargo +nightly fuzz run room`: see `nuggets_sim::fuzz::room`.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| nuggets_sim::fuzz::room(data));
