//! NumPy's `default_rng(seed).permutation(n)`: its seeding (SeedSequence), generator (PCG64) and bounded integers (masked), so that splits
//! made there can be made again.

const MULTIPLIER: u128 = 0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645;

struct Pcg64 {
    state: u128,
    increment: u128,
    /// The upper half of a number whose lower half was used.
    left: Option<u32>,
}

/// Hashes 32 bits with a constant that moves on.
fn hash(value: u32, constant: &mut u32, multiplier: u32) -> u32 {
    let value = value ^ *constant;
    *constant = constant.wrapping_mul(multiplier);
    let value = value.wrapping_mul(*constant);
    value ^ (value >> 16)
}

/// The first 32-bit words that a seed gives.
fn seed_words(seed: u32) -> [u32; 8] {
    let mut constant = 0x43b0_d7e5;
    let mut pool = [seed, 0, 0, 0].map(|word| hash(word, &mut constant, 0x931e_8875));
    for from in 0..4 {
        for to in (0..4).filter(|to| *to != from) {
            let y = hash(pool[from], &mut constant, 0x931e_8875);
            let mixed =
                pool[to].wrapping_mul(0xca01_f9dd).wrapping_sub(y.wrapping_mul(0x4973_f715));
            pool[to] = mixed ^ (mixed >> 16);
        }
    }
    let mut constant = 0x8b51_f9dd;
    std::array::from_fn(|at| hash(pool[at % 4], &mut constant, 0x58f3_8ded))
}

impl Pcg64 {
    fn new(seed: u32) -> Self {
        let words = seed_words(seed);
        let half = |at: usize| u128::from(words[at]) | u128::from(words[at + 1]) << 32;
        let [start, stream] = [0, 4].map(|at| half(at) << 64 | half(at + 2));
        let mut made = Self { state: 0, increment: stream << 1 | 1, left: None };
        made.step();
        made.state = made.state.wrapping_add(start);
        made.step();
        made
    }

    fn step(&mut self) {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(self.increment);
    }

    fn next_u32(&mut self) -> u32 {
        if let Some(left) = self.left.take() {
            return left;
        }
        self.step();
        let folded = (self.state >> 64) as u64 ^ self.state as u64;
        let number = folded.rotate_right((self.state >> 122) as u32);
        self.left = Some((number >> 32) as u32);
        number as u32
    }

    /// A number from 0 to `last`, each as likely: the first that fits of those with as many bits.
    fn up_to(&mut self, last: u32) -> usize {
        let mask = u32::MAX >> last.leading_zeros();
        loop {
            let number = self.next_u32() & mask;
            if number <= last {
                return number as usize;
            }
        }
    }
}

/// `numpy.random.default_rng(seed).permutation(n)`.
pub(crate) fn permutation(seed: u32, n: usize) -> Vec<usize> {
    let mut generator = Pcg64::new(seed);
    let mut order: Vec<usize> = (0..n).collect();
    for at in (1..n).rev() {
        order.swap(at, generator.up_to(at as u32));
    }
    order
}
