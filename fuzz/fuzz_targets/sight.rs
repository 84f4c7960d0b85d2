//! `cargo +nightly fuzz run sight`: see `nuggets_sim::fuzz::sight`.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| nuggets_sim::fuzz::sight(data));
