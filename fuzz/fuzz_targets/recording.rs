//! `cargo +nightly fuzz run recording`: see `nuggets_sim::fuzz::recording`.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| nuggets_sim::fuzz::recording(data));
