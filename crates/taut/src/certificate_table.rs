//! A certificate as lines of text.

use bounds::{BoundRow, Quantity, Side};

use crate::{Certificate, fixed};

/// The bounds as a table for people, quantity by quantity, each in its own units (log|K| and
/// yᵀK⁻¹y, before the factor −½ of the log marginal likelihood), and the bracket they make.
///
/// Below the rows of each quantity stands its exact value where it is known.
#[must_use]
pub fn table_lines(certificate: &Certificate) -> Vec<String> {
    let mut lines = vec![format!(
        "{:<10} {:<22} {:<6} {:>18} {:>12} {:>9}",
        "quantity", "bound", "side", "value", "slack", "seconds"
    )];
    for quantity in [Quantity::LogDet, Quantity::Quad] {
        let of_quantity = certificate.rows.iter().filter(|row| row.quantity == quantity);
        lines.extend(of_quantity.map(line));
        if let Some(exact) = &certificate.exact {
            let value = match quantity {
                Quantity::LogDet => exact.log_det,
                Quantity::Quad => exact.quad,
            };
            let (name, value) = (quantity.to_string(), fixed(value, 6));
            lines.push(format!("{name:<10} {:<22} {:<6} {value:>18}", "exact", ""));
        }
    }
    lines.push(String::new());
    lines.extend(bracket_lines(certificate));
    lines
}

fn line(row: &BoundRow) -> String {
    let side = match row.side {
        Side::Lower => "lower",
        Side::Upper => "upper",
    };
    let start = format!("{:<10} {:<22} {side:<6}", row.quantity.to_string(), row.name);
    match (row.value, &row.skipped) {
        (Some(value), _) => {
            let slack = row.slack.map_or("unknown".to_owned(), |slack| fixed(slack, 4));
            format!("{start} {:>18} {slack:>12} {:>9.3}", fixed(value, 6), row.seconds)
        }
        (None, Some(reason)) => format!("{start} skipped: {reason}"),
        (None, None) => start,
    }
}

fn bracket_lines(certificate: &Certificate) -> Vec<String> {
    let bracket = &certificate.bracket;
    let exact = certificate
        .exact
        .map_or(String::new(), |exact| format!(" (exact {})", fixed(exact.lml, 4)));
    let winners = |winners: Option<bounds::Winners>| {
        winners.map_or("no bound".to_owned(), |w| format!("{} and {}", w.quad, w.logdet))
    };
    let end = |value: f64| {
        if value.is_finite() { fixed(value, 4) } else { "unknown".to_owned() }
    };
    vec![
        format!(
            "{} <= log marginal likelihood <= {} nats{exact}",
            end(bracket.lower),
            end(bracket.upper)
        ),
        format!(
            "width {}: {} from the quadratic term, {} from the log-determinant ({:.1e} of it for rounding)",
            end(bracket.width()),
            end(bracket.slack.quad),
            end(bracket.slack.logdet),
            bracket.rounding
        ),
        format!(
            "lower end from {}, upper end from {}",
            winners(bracket.lower_bounds),
            winners(bracket.upper_bounds)
        ),
        format!(
            "conjugate gradients: {} solves, {} steps, {} stopped early",
            certificate.cg.solves, certificate.cg.steps_total, certificate.cg.capped
        ),
    ]
}
