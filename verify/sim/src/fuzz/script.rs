//! Fuzz input read as instructions, byte by byte. The caller decides what they mean.

/// The bytes that are left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FuzzBytes<'a> {
    rest: &'a [u8],
}

impl<'a> FuzzBytes<'a> {
    pub(crate) fn new(rest: &'a [u8]) -> Self {
        Self { rest }
    }

    /// Takes the next byte; none at the end.
    pub(crate) fn next(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    /// Takes the next byte; 0 at the end.
    pub(crate) fn byte(&mut self) -> u8 {
        self.next().unwrap_or(0)
    }

    /// Takes the next byte modulo `bound`.
    pub(crate) fn below(&mut self, bound: u8) -> u8 {
        self.byte() % bound
    }

    /// Picks one of these by the next byte.
    pub(crate) fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[usize::from(self.byte()) % choices.len()]
    }

    /// Takes the next `count` bytes, or fewer at the end.
    pub(crate) fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.rest.split_at(count.min(self.rest.len()));
        self.rest = rest;
        taken
    }
}
