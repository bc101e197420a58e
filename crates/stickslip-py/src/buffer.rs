//! Memory that Python reads without a copy.

// The buffer protocol is a C interface: a pointer is handed over, and this object is kept alive while anybody reads it. It is the
// only unsafe code of the crate, and it is written by CPython's own PyBuffer_FillInfo.
#![allow(unsafe_code)]

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::c_int;

/// Bytes that cannot be changed, owned by a table of a trajectory: `numpy.frombuffer` sees them as they are.
#[pyclass(frozen, module = "stickslip._core")]
pub(crate) struct Buffer {
    bytes: arrow_buffer::Buffer,
}

impl Buffer {
    pub(crate) const fn new(bytes: arrow_buffer::Buffer) -> Self {
        Self { bytes }
    }
}

#[pymethods]
impl Buffer {
    fn __len__(&self) -> usize {
        self.bytes.len()
    }

    /// # Safety
    /// Called by the interpreter, with a view that is its own.
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        if view.is_null() {
            return Err(PyBufferError::new_err("there is no view to fill"));
        }
        let bytes = slf.get().bytes.as_slice();
        let Ok(length) = ffi::Py_ssize_t::try_from(bytes.len()) else {
            return Err(PyBufferError::new_err("too long for a buffer"));
        };
        // SAFETY: the view is valid; the bytes are owned by this object, never move and never change, and the view takes a reference
        // to it. They are announced as read-only, so that nobody writes through the pointer.
        let filled = unsafe {
            let pointer = bytes.as_ptr().cast_mut().cast();
            ffi::PyBuffer_FillInfo(view, slf.as_ptr(), pointer, length, 1, flags)
        };
        if filled == 0 {
            Ok(())
        } else {
            Err(PyErr::fetch(slf.py()))
        }
    }
}
