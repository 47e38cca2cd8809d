//! Kernel expressions: `matern32`, `se[A,B] + periodic[A] * (linear + constant)`.
//!
//! ```text
//! sum     = product ('+' product)*
//! product = factor ('*' factor)*
//! factor  = '(' sum ')' | leaf ('[' column (',' column)* ']')?
//! ```
//!
//! Every parameter starts at 1; stationary kernels have one lengthscale per column, `linear` one
//! variance per column.

use kernels::{KernelSpec, StationarySpec};
use winnow::ModalResult;
use winnow::ascii::{alphanumeric1, multispace0};
use winnow::combinator::{alt, cut_err, delimited, opt, preceded, repeat, separated, terminated};
use winnow::error::{ContextError, StrContext, StrContextValue};
use winnow::prelude::*;
use winnow::token::{one_of, take_till};

/// What is wrong with a kernel expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KernelExprError {
    /// The text is not an expression.
    #[error(
        "kernel expression `{text}` cannot be read at character {position}, before `{rest}`: {expected}"
    )]
    Syntax {
        /// The whole expression.
        text: String,
        /// One-based character.
        position: usize,
        /// What stands there.
        rest: String,
        /// What could stand there.
        expected: String,
    },
    /// No kernel of that name.
    #[error("no kernel is called `{name}`: choose from {}", LEAVES.join(", "))]
    UnknownKernel {
        /// The name given.
        name: String,
    },
    /// No input column of that name.
    #[error(
        "kernel expression names the column `{column}`, which is no input: the inputs are {known}"
    )]
    UnknownColumn {
        /// The name given.
        column: String,
        /// The input columns.
        known: String,
    },
}

/// Names of the leaves an expression can use.
pub const LEAVES: [&str; 9] =
    ["se", "matern12", "matern32", "matern52", "rq", "periodic", "linear", "constant", "white"];

/// Reads an expression over the input columns `features`.
///
/// A column that was one-hot encoded is named by its own name, which stands for all its levels, or
/// by one level's (`color=red`).
///
/// # Errors
/// [`KernelExprError`].
pub fn parse_kernel(text: &str, features: &[String]) -> Result<KernelSpec, KernelExprError> {
    if let Some(offset) = too_deep(text) {
        return Err(syntax(text, offset, format!("at most {MAX_DEPTH} parentheses can be nested")));
    }
    let tree = terminated(sum, multispace0).parse(text).map_err(|error| {
        let expected = error.inner().to_string().replace('\n', ", ");
        let general = "kernels are joined by + and *, columns stand in [ ] after a kernel";
        let expected = if expected.is_empty() { general.to_owned() } else { expected };
        syntax(text, error.offset(), expected)
    })?;
    tree.build(features)
}

/// Deeper nesting would exhaust the stack before it made sense.
const MAX_DEPTH: usize = 64;

/// Where parentheses are nested too deeply.
fn too_deep(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut deeper = |symbol: char| {
        match symbol {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > MAX_DEPTH
    };
    text.char_indices().find(|&(_, symbol)| deeper(symbol)).map(|(offset, _)| offset)
}

fn syntax(text: &str, offset: usize, expected: String) -> KernelExprError {
    let rest = shortened(&text[offset..], 20);
    KernelExprError::Syntax {
        text: shortened(text, 80),
        position: text[..offset].chars().count() + 1,
        rest: if rest.is_empty() { "the end".to_owned() } else { rest },
        expected,
    }
}

fn shortened(text: &str, most: usize) -> String {
    let mut short: String = text.chars().take(most).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

#[derive(Debug)]
enum Tree {
    Sum(Vec<Tree>),
    Product(Vec<Tree>),
    Leaf { name: String, columns: Option<Vec<String>> },
}

fn sum(input: &mut &str) -> ModalResult<Tree> {
    joined(product, '+').map(|terms| join(terms, Tree::Sum)).parse_next(input)
}

fn product(input: &mut &str) -> ModalResult<Tree> {
    joined(factor, '*').map(|terms| join(terms, Tree::Product)).parse_next(input)
}

/// One item or several; behind a sign there must be another.
fn joined<'s, P>(
    item: fn(&mut &'s str) -> ModalResult<P>,
    sign: char,
) -> impl ModalParser<&'s str, Vec<P>, ContextError> {
    (item, repeat(0.., preceded(symbol(sign), cut_err(item)))).map(
        |(first, mut rest): (P, Vec<P>)| {
            rest.insert(0, first);
            rest
        },
    )
}

fn join(mut terms: Vec<Tree>, combine: fn(Vec<Tree>) -> Tree) -> Tree {
    if terms.len() == 1 { terms.remove(0) } else { combine(terms) }
}

fn factor(input: &mut &str) -> ModalResult<Tree> {
    let group = delimited(symbol('('), sum, cut_err(symbol(')')));
    alt((group, leaf)).context(expected("a kernel's name or (")).parse_next(input)
}

fn leaf(input: &mut &str) -> ModalResult<Tree> {
    let name = preceded(multispace0, name);
    let columns = delimited(
        symbol('['),
        separated(1.., column, symbol(',')),
        cut_err(symbol(']')).context(expected("] after the columns")),
    );
    (name, opt(columns)).map(|(name, columns)| Tree::Leaf { name, columns }).parse_next(input)
}

fn name(input: &mut &str) -> ModalResult<String> {
    let part = alt((alphanumeric1.void(), one_of(['-', '_']).void()));
    repeat::<_, _, (), _, _>(1.., part).take().map(str::to_owned).parse_next(input)
}

fn column(input: &mut &str) -> ModalResult<String> {
    take_till(1.., [',', ']']).map(|text: &str| text.trim().to_owned()).parse_next(input)
}

fn symbol<'s>(symbol: char) -> impl ModalParser<&'s str, char, ContextError> {
    preceded(multispace0, symbol)
}

fn expected(text: &'static str) -> StrContext {
    StrContext::Expected(StrContextValue::Description(text))
}

impl Tree {
    fn build(self, features: &[String]) -> Result<KernelSpec, KernelExprError> {
        match self {
            Self::Sum(terms) => Ok(KernelSpec::Sum { terms: build_all(terms, features)? }),
            Self::Product(terms) => Ok(KernelSpec::Product { terms: build_all(terms, features)? }),
            Self::Leaf { name, columns } => {
                let dims = columns.map(|columns| resolve(&columns, features)).transpose()?;
                build_leaf(&name, dims, features.len())
            }
        }
    }
}

fn build_all(terms: Vec<Tree>, features: &[String]) -> Result<Vec<KernelSpec>, KernelExprError> {
    terms.into_iter().map(|term| term.build(features)).collect()
}

/// Positions of the named columns; the name of a one-hot encoded column stands for all its levels.
fn resolve(columns: &[String], features: &[String]) -> Result<Vec<usize>, KernelExprError> {
    let mut dims = Vec::new();
    for column in columns {
        let level = |feature: &&String| {
            feature.strip_prefix(column.as_str()).is_some_and(|rest| rest.starts_with('='))
        };
        let exact = features.iter().position(|feature| feature == column);
        let levels = features.iter().enumerate().filter(|(_, feature)| level(feature));
        let found: Vec<usize> = match exact {
            Some(dim) => vec![dim],
            None => levels.map(|(dim, _)| dim).collect(),
        };
        if found.is_empty() {
            let (column, known) = (column.clone(), features.join(", "));
            return Err(KernelExprError::UnknownColumn { column, known });
        }
        dims.extend(found);
    }
    Ok(dims)
}

fn build_leaf(
    name: &str,
    active_dims: Option<Vec<usize>>,
    n_features: usize,
) -> Result<KernelSpec, KernelExprError> {
    let ones = vec![1.0; active_dims.as_ref().map_or(n_features, Vec::len)];
    let stationary = |active_dims: Option<Vec<usize>>| StationarySpec {
        lengthscales: ones.clone(),
        variance: 1.0,
        active_dims,
    };
    Ok(match name {
        "se" | "squared-exponential" => KernelSpec::SquaredExponential(stationary(active_dims)),
        "matern12" => KernelSpec::Matern12(stationary(active_dims)),
        "matern32" => KernelSpec::Matern32(stationary(active_dims)),
        "matern52" => KernelSpec::Matern52(stationary(active_dims)),
        "rq" => KernelSpec::RationalQuadratic {
            lengthscales: ones,
            variance: 1.0,
            alpha: 1.0,
            active_dims,
        },
        "periodic" => {
            KernelSpec::Periodic { lengthscales: ones, variance: 1.0, period: 1.0, active_dims }
        }
        "linear" => KernelSpec::Linear { variances: ones, active_dims },
        "constant" => KernelSpec::Constant { variance: 1.0 },
        "white" => KernelSpec::White { variance: 1.0 },
        other => return Err(KernelExprError::UnknownKernel { name: other.to_owned() }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn features() -> Vec<String> {
        ["A", "B", "wind speed", "colour=red", "colour=blue"].map(str::to_owned).to_vec()
    }

    fn spec(text: &str) -> KernelSpec {
        parse_kernel(text, &features()).expect(text)
    }

    fn refusal(text: &str) -> String {
        parse_kernel(text, &features()).expect_err(text).to_string()
    }

    #[test]
    fn a_leaf_has_one_lengthscale_per_column() {
        let KernelSpec::Matern32(leaf) = spec(" matern32 ") else { panic!("a leaf") };
        assert_eq!(leaf.lengthscales, vec![1.0; 5]);
        let KernelSpec::SquaredExponential(leaf) = spec("squared-exponential[wind speed,A]") else {
            panic!("a leaf")
        };
        assert_eq!(leaf.active_dims, Some(vec![2, 0]));
        assert_eq!(leaf.lengthscales, vec![1.0; 2]);
    }

    #[test]
    fn products_bind_tighter_than_sums() {
        let KernelSpec::Sum { terms } = spec("se+rq * (linear + constant)+ white") else {
            panic!("a sum")
        };
        assert_eq!(terms.len(), 3);
        let KernelSpec::Product { terms: factors } = &terms[1] else { panic!("a product") };
        assert!(matches!(&factors[1], KernelSpec::Sum { terms } if terms.len() == 2));
    }

    #[test]
    fn a_one_hot_column_stands_for_its_levels() {
        let KernelSpec::Linear { active_dims, .. } = spec("linear[colour]") else { panic!("leaf") };
        assert_eq!(active_dims, Some(vec![3, 4]));
        let KernelSpec::Linear { active_dims, .. } = spec("linear[colour=blue]") else {
            panic!("leaf")
        };
        assert_eq!(active_dims, Some(vec![4]));
    }

    #[test]
    fn every_leaf_name_is_understood() {
        for leaf in LEAVES {
            assert!(spec(leaf).build().is_ok(), "{leaf}");
        }
    }

    #[test]
    fn refusals_say_where_and_what() {
        assert!(refusal("se +").contains("character 5, before `the end`"), "{}", refusal("se +"));
        assert!(refusal("se*").contains("character 4"), "{}", refusal("se*"));
        assert!(refusal("se + )").contains("a kernel's name or ("), "{}", refusal("se + )"));
        assert!(refusal("(se").contains("cannot be read"));
        assert!(refusal("se[A").contains("] after the columns"), "{}", refusal("se[A"));
        assert!(refusal("se rq").contains("before `rq`"), "{}", refusal("se rq"));
        assert!(refusal("").contains("cannot be read"));
        let deep = "(".repeat(100_000);
        assert!(refusal(&deep).contains("at most 64"), "{}", refusal(&deep));
        assert!(refusal(&deep).len() < 300);
        assert!(refusal("gauss").contains("no kernel is called `gauss`"));
        assert!(refusal("se[C]").contains("names the column `C`"));
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,40}") {
            let _ = parse_kernel(&text, &features());
        }
    }
}
