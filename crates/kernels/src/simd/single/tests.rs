//! What instruction sets do on their own is what all of them do.

use super::{SINGLES, SinglePack, Singles};
use crate::simd::{Lanes, Simd, Task};

struct Sums<'a>(&'a [SinglePack; 8]);

impl Task for Sums<'_> {
    type Output = [f32; 8];

    #[inline(always)]
    fn run<V: Lanes>(self) -> [f32; 8] {
        let mut vectors = [V::Single::broadcast(0.0); 8];
        for (vector, pack) in vectors.iter_mut().zip(self.0) {
            *vector = V::Single::load(pack);
        }
        let mut sums = [0.0; 8];
        V::Single::sums(&vectors, &mut sums);
        sums
    }
}

#[test]
fn lanes_are_added_in_one_order_on_every_instruction_set() {
    // Of magnitudes so different that another order gives other bits.
    let number = |at: usize| ((at * at + 3) as f32).sin() * (-((at * 7 % 23) as f32)).exp2();
    let packs =
        std::array::from_fn(|r| SinglePack(std::array::from_fn(|lane| number(r * SINGLES + lane))));
    for simd in Simd::available() {
        let expected = packs.each_ref().map(|pack| pack.sum().to_bits());
        assert_eq!(simd.run(Sums(&packs)).map(f32::to_bits), expected, "{}", simd.name());
    }
}
