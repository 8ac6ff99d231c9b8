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
    /// Holds every value once there are more than `N`, and behind them what stood there before: a place is there already
    /// for what comes next.
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
        let values = if self.len <= N { self.inline.get(..self.len) } else { self.heap.get(..self.len) };
        values.unwrap_or(&[])
    }

    #[inline]
    pub(crate) fn as_mut_slice(&mut self) -> &mut [T] {
        let values =
            if self.len <= N { self.inline.get_mut(..self.len) } else { self.heap.get_mut(..self.len) };
        values.unwrap_or(&mut [])
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
        if let Some(slot) = self.slot() {
            *slot = value;
        }
    }

    /// Adds a value whose content is left open. It is always there.
    #[inline]
    pub(crate) fn slot(&mut self) -> Option<&mut T> {
        let index = self.len;
        if index >= N {
            self.use_heap(index + 1);
        }
        self.len += 1;
        if index < N { self.inline.get_mut(index) } else { self.heap.get_mut(index) }
    }

    /// Makes sure that the values stand on the heap, and that there are `len` places.
    #[inline]
    fn use_heap(&mut self, len: usize) {
        if (N > 0 && self.len <= N) || len > self.heap.len() {
            self.prepare_heap(len);
        }
    }

    #[inline(never)]
    fn prepare_heap(&mut self, len: usize) {
        if len > self.heap.len() {
            self.heap.resize(len.max(4) * 2, T::BLANK);
        }
        if self.len <= N
            && let Some(slots) = self.heap.first_chunk_mut::<N>()
        {
            *slots = self.inline;
        }
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
            self.use_heap(len);
            for (slot, value) in self.heap.get_mut(self.len..len).unwrap_or(&mut []).iter_mut().zip(values) {
                *slot = value;
            }
        }
        self.len = len;
    }

    #[inline(never)]
    fn extend_heap(&mut self, values: &[T]) {
        let len = self.len + values.len();
        self.use_heap(len);
        if let Some(slots) = self.heap.get_mut(self.len..len) {
            slots.copy_from_slice(values);
        }
        self.len = len;
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
        if self.len > N && len <= N {
            self.return_inline(len);
        }
        self.len = len;
    }

    #[inline(never)]
    fn return_inline(&mut self, len: usize) {
        for (slot, value) in self.inline.iter_mut().zip(&self.heap).take(len) {
            *slot = *value;
        }
    }

    #[inline]
    pub(crate) fn clear(&mut self) {
        self.len = 0;
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

    fn adds_as_a_vector_does<const N: usize>() {
        for len in 0..9 {
            for added in 0..9 {
                let mut expected: Vec<u32> = (0..len).collect();
                let (mut by_slice, mut by_iterator) = (Arena::<u32, N>::NEW, Arena::<u32, N>::NEW);
                for &value in &expected {
                    by_slice.push(value);
                    by_iterator.push(value);
                }
                let values: Vec<u32> = (100..100 + added).collect();
                by_slice.extend(&values);
                by_iterator.extend_from(values.iter().copied());
                expected.extend(values);
                assert_eq!(by_slice.as_slice(), expected);
                assert_eq!(by_iterator.as_slice(), expected);
            }
        }
    }

    #[test]
    fn values_are_kept_wherever_adding_more_crosses_the_inline_size() {
        adds_as_a_vector_does::<0>();
        adds_as_a_vector_does::<1>();
        adds_as_a_vector_does::<4>();
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
