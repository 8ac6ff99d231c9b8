//! Growable storage that begins on the stack.
//!
//! A guard reads one short command line before each tool call, so the usual analysis must not pay for a dozen
//! allocations. An [`Arena`] holds its first `N` values inline and moves to the heap when they do not suffice; a
//! reused one keeps its heap storage.

use alloc::vec::Vec;
use core::ops::Range;

/// A value that stands where none was put yet; a constant, so that a new arena is copied in large pieces.
pub(crate) trait Blank: Copy {
    const BLANK: Self;
}

impl Blank for &str {
    const BLANK: Self = "";
}

/// A vector of plain values, the first `N` of them inline.
#[derive(Clone, Debug)]
pub(crate) struct Arena<T, const N: usize> {
    inline: [T; N],
    len: usize,
    /// Holds every value once there are more than `N`.
    heap: Vec<T>,
}

impl<T: Blank, const N: usize> Default for Arena<T, N> {
    fn default() -> Self {
        Self::NEW
    }
}

impl<T: Blank, const N: usize> Arena<T, N> {
    /// An empty one.
    pub(crate) const NEW: Self = Self { inline: [T::BLANK; N], len: 0, heap: Vec::new() };

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// INVARIANT: the values live in `heap` exactly when `len > N`.
    #[inline]
    pub(crate) fn as_slice(&self) -> &[T] {
        if self.len <= N { self.inline.get(..self.len).unwrap_or(&[]) } else { self.heap.as_slice() }
    }

    #[inline]
    pub(crate) fn as_mut_slice(&mut self) -> &mut [T] {
        if self.len <= N {
            self.inline.get_mut(..self.len).unwrap_or(&mut [])
        } else {
            self.heap.as_mut_slice()
        }
    }

    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<T> {
        self.as_slice().get(index).copied()
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        self.as_mut_slice().get_mut(index)
    }

    #[inline]
    pub(crate) fn push(&mut self, value: T) {
        if let Some(slot) = self.inline.get_mut(self.len) {
            *slot = value;
            self.len += 1;
        } else if self.len > N && self.heap.len() < self.heap.capacity() {
            self.heap.push(value);
            self.len += 1;
        } else {
            self.push_to_heap(value);
        }
    }

    #[inline(never)]
    fn push_to_heap(&mut self, value: T) {
        if self.len == N {
            self.heap.clear();
            self.heap.extend_from_slice(&self.inline);
        }
        self.heap.push(value);
        self.len += 1;
    }

    /// Adds all of `values`.
    #[inline]
    pub(crate) fn extend(&mut self, values: &[T]) {
        let len = self.len + values.len();
        if let Some(slots) = self.inline.get_mut(self.len..len) {
            // Almost always one or two values: cheaper than a call.
            for (slot, value) in slots.iter_mut().zip(values) {
                *slot = *value;
            }
            self.len = len;
        } else {
            self.extend_heap(values);
        }
    }

    /// Adds all of `values`.
    #[inline]
    pub(crate) fn extend_from(&mut self, values: impl ExactSizeIterator<Item = T>) {
        let len = self.len + values.len();
        if let Some(slots) = self.inline.get_mut(self.len..len) {
            for (slot, value) in slots.iter_mut().zip(values) {
                *slot = value;
            }
        } else {
            if self.len <= N {
                self.heap.clear();
                self.heap.extend_from_slice(self.inline.get(..self.len).unwrap_or(&[]));
            }
            self.heap.extend(values);
        }
        self.len = len;
    }

    #[inline(never)]
    fn extend_heap(&mut self, values: &[T]) {
        if self.len <= N {
            self.heap.clear();
            self.heap.extend_from_slice(self.inline.get(..self.len).unwrap_or(&[]));
        }
        self.heap.extend_from_slice(values);
        self.len += values.len();
    }

    /// Adds copies of the values of a range; of those that are there.
    pub(crate) fn extend_within(&mut self, range: Range<usize>) {
        for at in range {
            let Some(value) = self.get(at) else { return };
            self.push(value);
        }
    }

    /// Drops the values from `len` on.
    #[inline]
    pub(crate) fn truncate(&mut self, len: usize) {
        if len >= self.len {
            return;
        }
        if self.len > N {
            self.truncate_heap(len);
        }
        self.len = len;
    }

    #[inline(never)]
    fn truncate_heap(&mut self, len: usize) {
        if len <= N {
            for (slot, value) in self.inline.iter_mut().zip(self.heap.iter()).take(len) {
                *slot = *value;
            }
            self.heap.clear();
        } else {
            self.heap.truncate(len);
        }
    }

    #[inline]
    pub(crate) fn clear(&mut self) {
        self.len = 0;
        self.heap.clear();
    }

    #[inline]
    pub(crate) fn last(&self) -> Option<T> {
        self.as_slice().last().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::{Arena, Blank};
    use alloc::vec::Vec;

    impl Blank for u32 {
        const BLANK: Self = 0;
    }

    #[test]
    fn crossing_the_inline_size_both_ways_keeps_the_values() {
        let mut arena = Arena::<u32, 3>::default();
        for value in 0..7 {
            arena.push(value);
            assert_eq!(arena.as_slice(), (0..=value).collect::<Vec<_>>());
        }
        for len in (0..7).rev() {
            arena.truncate(len);
            assert_eq!(arena.as_slice(), (0..len as u32).collect::<Vec<_>>());
        }
        for value in 10..15 {
            arena.push(value);
        }
        assert_eq!(arena.as_slice(), [10, 11, 12, 13, 14]);
        arena.truncate(3);
        assert_eq!(arena.as_slice(), [10, 11, 12]);
    }
}
