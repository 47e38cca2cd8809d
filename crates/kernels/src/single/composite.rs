//! Kernels in single precision that are made of others, or of nothing.

use super::{PreparedSingle, SingleStrip};
use crate::simd::{SINGLES, SinglePack, SingleSquare};

/// The same value everywhere.
#[derive(Debug)]
pub(crate) struct SingleLevel(pub(crate) f32);

impl PreparedSingle for SingleLevel {
    fn fill(&self, _strip: &SingleStrip, k: &mut [SingleSquare]) {
        k.fill([SinglePack([self.0; SINGLES]); SINGLES]);
    }
}

/// Terms combined entry by entry.
#[derive(Debug)]
pub(crate) struct SingleTerms {
    pub(crate) terms: Vec<Box<dyn PreparedSingle>>,
    pub(crate) combine: fn(f32, f32) -> f32,
}

impl PreparedSingle for SingleTerms {
    fn fill(&self, strip: &SingleStrip, k: &mut [SingleSquare]) {
        let Some((first, others)) = self.terms.split_first() else { return };
        first.fill(strip, k);
        let mut values = vec![[SinglePack::ZERO; SINGLES]; k.len()];
        for term in others {
            term.fill(strip, &mut values);
            let entries = k.as_flattened_mut().iter_mut().zip(values.as_flattened());
            for (entry, value) in entries.flat_map(|(k, value)| k.0.iter_mut().zip(value.0)) {
                *entry = (self.combine)(*entry, value);
            }
        }
    }
}
