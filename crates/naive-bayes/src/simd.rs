//! Loops compiled for the instruction sets a processor may have, the best one chosen at run time.
//!
//! Every loop adds its numbers in an order that the code fixes, lane by lane, so that the bits are the same for all instruction sets.

pub(crate) use pulp::NullaryFnOnce as Kernel;

/// Runs a kernel, whose `call` and all that it calls must be `#[inline(always)]`.
pub(crate) fn run<K: Kernel>(kernel: K) -> K::Output {
    pulp::Arch::new().dispatch(kernel)
}

/// Numbers handled together.
pub(crate) const LANES: usize = 4;
