//! Eight numbers at a time: what the processor offers, chosen when the program runs.
//!
//! Inner loops are written once, generic over [`Lanes`], as a [`Task`]; [`Simd::run`] compiles
//! each for every instruction set and enters the one the processor has. All of the crate's
//! `unsafe` is in this module.

use std::sync::OnceLock;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod lanes;
mod pack;
mod portable;
mod single;
mod vector;

pub use lanes::Lanes;
pub use pack::{LANES, Pack, Square};
pub use single::{SINGLES, SinglePack, SingleSquare, Singles};
pub use vector::Vector;

/// An instruction set, and the processor is known to have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Simd(Level);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// An inner loop, generic over the vector type it runs with.
///
/// `run` and everything it calls on vectors must be `#[inline(always)]`: that is what compiles
/// them with the instructions of [`Simd::run`].
pub trait Task {
    /// What it computes.
    type Output;

    /// Does the work.
    fn run<V: Lanes>(self) -> Self::Output;
}

impl Simd {
    /// The widest instruction set of this processor, or the one that the environment variable
    /// `TAUT_SIMD` names (`portable`, `avx2`, `avx512`) if the processor has it.
    #[must_use]
    pub fn detect() -> Self {
        static DETECTED: OnceLock<Simd> = OnceLock::new();
        *DETECTED.get_or_init(|| {
            let (all, named) = (Self::available(), std::env::var("TAUT_SIMD").ok());
            let wanted = all.iter().find(|simd| Some(simd.name()) == named.as_deref());
            *wanted.unwrap_or(&all[all.len() - 1])
        })
    }

    /// All instruction sets this processor has, the narrowest first.
    #[must_use]
    pub fn available() -> Vec<Self> {
        #[cfg_attr(not(target_arch = "x86_64"), allow(unused_mut))]
        let mut all = vec![Self(Level::Portable)];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                all.push(Self(Level::Avx2));
            }
            let has_avx512 = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("fma");
            if has_avx512 {
                all.push(Self(Level::Avx512));
            }
        }
        all
    }

    /// Its name in `TAUT_SIMD` and in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
            Level::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => "avx512",
        }
    }

    /// Runs a task with this instruction set.
    pub fn run<T: Task>(self, task: T) -> T::Output {
        match self.0 {
            Level::Portable => task.run::<portable::Portable>(),
            // SAFETY: a value of this level is made only by `available`, which has found avx2
            // and fma on this processor.
            #[cfg(target_arch = "x86_64")]
            #[allow(unsafe_code)]
            Level::Avx2 => unsafe { run_avx2(task) },
            // SAFETY: a value of this level is made only by `available`, which has found all of
            // the features `run_avx512` names on this processor.
            #[cfg(target_arch = "x86_64")]
            #[allow(unsafe_code)]
            Level::Avx512 => unsafe { run_avx512(task) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn run_avx2<T: Task>(task: T) -> T::Output {
    task.run::<avx2::Avx2>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,fma")]
fn run_avx512<T: Task>(task: T) -> T::Output {
    task.run::<avx512::Avx512>()
}
