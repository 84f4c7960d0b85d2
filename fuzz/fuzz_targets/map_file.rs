//! `cargo +nightly fuzz run map_file`: see `nuggets_sim::fuzz::map_file`.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| nuggets_sim::fuzz::map_file(data));
