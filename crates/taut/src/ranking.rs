//! Models compared by what is proven of them.

/// An order of models by their log marginal likelihoods, of which only brackets are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranking {
    /// The models by lower end, the highest first; those that come first stay first where ends are
    /// equal.
    pub order: Vec<usize>,
    /// Whether the first is proven to be the best: its lower end is above every other's upper end.
    pub best_is_certain: bool,
    /// Whether the whole order is proven: no two brackets overlap.
    pub is_certain: bool,
}

impl Ranking {
    /// Ranks models of which each has its log marginal likelihood in `[lower, upper]`; an end that is
    /// not known is infinite.
    ///
    /// ```
    /// use taut::Ranking;
    ///
    /// let ranking = Ranking::new(&[(-9.0, -7.5), (-5.0, -1.0), (-8.0, -7.0)]);
    /// assert_eq!(ranking.order, [1, 2, 0]);
    /// assert!(ranking.best_is_certain && !ranking.is_certain);
    /// ```
    #[must_use]
    pub fn new(brackets: &[(f64, f64)]) -> Self {
        let mut order: Vec<usize> = (0..brackets.len()).collect();
        order.sort_by(|a, b| brackets[*b].0.total_cmp(&brackets[*a].0));
        let above = |place: usize| {
            let lower = brackets[order[place]].0;
            order[place + 1..].iter().all(|other| brackets[*other].1 < lower)
        };
        let best_is_certain = !order.is_empty() && above(0);
        let is_certain = (0..order.len()).all(above);
        Self { order, best_is_certain, is_certain }
    }
}
