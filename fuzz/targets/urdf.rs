#![no_main]

#[path = "../readers.rs"]
#[allow(dead_code, reason = "each target has its own reader")]
mod readers;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| readers::urdf(bytes));
