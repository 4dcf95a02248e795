//! Generated from `contract/figures.json` by `pnpm contract:update`: the table of figures.

use crate::contract::LIMITS;
use crate::field::Field;

/// The sums of some events, or the figures of one, by figure.
pub type Sums = [i64; Figure::COUNT];

/// A member of a response that shows a figure.
#[derive(Debug, Clone, Copy)]
pub struct Member {
    /// Its name in the response.
    pub name: &'static str,
    /// What a stored sum is divided by; costs are stored in nano-dollars.
    pub divisor: f64,
}

/// The figures, in the order of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the figure of its name")]
pub enum Figure {
    EventCount,
    CallCount,
    ErrorCount,
    DurationCount,
    DurationMs,
    TokensIn,
    TokensOut,
    CacheReadTokens,
    CacheWriteTokens,
    CostUsd,
    ComputedCostUsd,
    UnpricedTokens,
}

impl Figure {
    /// Number of figures.
    pub const COUNT: usize = 12;

    /// The figures of a session, in the order of its columns.
    pub const OF_SESSIONS: [Figure; 9] = [
        Figure::EventCount,
        Figure::ErrorCount,
        Figure::TokensIn,
        Figure::TokensOut,
        Figure::CacheReadTokens,
        Figure::CacheWriteTokens,
        Figure::CostUsd,
        Figure::ComputedCostUsd,
        Figure::UnpricedTokens,
    ];

    /// The figures of the statistics, in the order of their columns.
    pub const OF_STATS: [Figure; 10] = [
        Figure::EventCount,
        Figure::CallCount,
        Figure::ErrorCount,
        Figure::DurationCount,
        Figure::DurationMs,
        Figure::TokensIn,
        Figure::TokensOut,
        Figure::CostUsd,
        Figure::ComputedCostUsd,
        Figure::UnpricedTokens,
    ];

    /// Those of a session that every group writes.
    pub const USUAL_OF_SESSIONS: [Figure; 7] = [
        Figure::EventCount,
        Figure::ErrorCount,
        Figure::TokensIn,
        Figure::TokensOut,
        Figure::CacheReadTokens,
        Figure::CacheWriteTokens,
        Figure::CostUsd,
    ];

    /// Those of the statistics that every group writes.
    pub const USUAL_OF_STATS: [Figure; 8] = [
        Figure::EventCount,
        Figure::CallCount,
        Figure::ErrorCount,
        Figure::DurationCount,
        Figure::DurationMs,
        Figure::TokensIn,
        Figure::TokensOut,
        Figure::CostUsd,
    ];

    /// Those of a session that few events raise.
    pub const RARE_OF_SESSIONS: [Figure; 2] = [Figure::ComputedCostUsd, Figure::UnpricedTokens];

    /// Those of the statistics that few events raise.
    pub const RARE_OF_STATS: [Figure; 2] = [Figure::ComputedCostUsd, Figure::UnpricedTokens];
}

/// The fields whose numbers the figures need, in the order of `select_event_figures.sql`.
pub const NUMBERS: [Field; 6] = [
    Field::DurationMs,
    Field::TokensIn,
    Field::TokensOut,
    Field::CacheReadTokens,
    Field::CacheWriteTokens,
    Field::CostUsd,
];

/// The words that figures ask for.
pub const WORDS: [(Field, &str); 1] = [(Field::Status, "error")];

/// The members of a line of a series, in their order (rule SER-01).
pub const SERIES: [Member; 9] = [
    Member { name: "event_count", divisor: 1.0 },
    Member { name: "error_count", divisor: 1.0 },
    Member { name: "duration_count", divisor: 1.0 },
    Member { name: "duration_ms", divisor: 1.0 },
    Member { name: "tokens_in", divisor: 1.0 },
    Member { name: "tokens_out", divisor: 1.0 },
    Member { name: "cost_usd", divisor: 1e9 },
    Member { name: "computed_cost_usd", divisor: 1e9 },
    Member { name: "unpriced_tokens", divisor: 1.0 },
];

/// Returns the figures of one event, which has these numbers, words and computed cost. A call counts in the sums of its
/// tool alone.
#[inline]
pub fn measure(
    number: impl Fn(Field) -> Option<i64>,
    has_word: impl Fn(Field, &'static str) -> bool,
    computed_cost: Option<i64>,
) -> Sums {
    [
        1,
        1,
        i64::from(has_word(Field::Status, "error")),
        i64::from(number(Field::DurationMs).is_some()),
        number(Field::DurationMs).unwrap_or(0),
        number(Field::TokensIn).unwrap_or(0),
        number(Field::TokensOut).unwrap_or(0),
        number(Field::CacheReadTokens).unwrap_or(0),
        number(Field::CacheWriteTokens).unwrap_or(0),
        number(Field::CostUsd).unwrap_or(0),
        computed_cost.unwrap_or(0),
        if number(Field::CostUsd).is_some() || computed_cost.is_some() {
            0
        } else {
            total([
                number(Field::TokensIn),
                number(Field::TokensOut),
                number(Field::CacheReadTokens),
                number(Field::CacheWriteTokens),
            ])
        },
    ]
}

/// Adds the figures of an event to a sum that is not of a tool.
#[inline]
pub fn add_event(sums: &mut Sums, figures: &Sums) {
    add(sums, figures, Figure::EventCount);
    add(sums, figures, Figure::ErrorCount);
    add(sums, figures, Figure::DurationCount);
    add(sums, figures, Figure::DurationMs);
    add(sums, figures, Figure::TokensIn);
    add(sums, figures, Figure::TokensOut);
    add(sums, figures, Figure::CacheReadTokens);
    add(sums, figures, Figure::CacheWriteTokens);
    add(sums, figures, Figure::CostUsd);
    add(sums, figures, Figure::ComputedCostUsd);
    add(sums, figures, Figure::UnpricedTokens);
}

/// Adds the figures of a call to a sum of its tool.
#[inline]
pub fn add_call(sums: &mut Sums, figures: &Sums) {
    add(sums, figures, Figure::EventCount);
    add(sums, figures, Figure::CallCount);
    add(sums, figures, Figure::ErrorCount);
    add(sums, figures, Figure::DurationCount);
    add(sums, figures, Figure::DurationMs);
    add(sums, figures, Figure::TokensIn);
    add(sums, figures, Figure::TokensOut);
    add(sums, figures, Figure::CacheReadTokens);
    add(sums, figures, Figure::CacheWriteTokens);
    add(sums, figures, Figure::CostUsd);
    add(sums, figures, Figure::ComputedCostUsd);
    add(sums, figures, Figure::UnpricedTokens);
}

/// Adds the figures of a step to a sum of its tool.
#[inline]
pub fn add_step(sums: &mut Sums, figures: &Sums) {
    add(sums, figures, Figure::EventCount);
}

/// Returns the sum of numbers of one event; it stops at the largest number of an event.
fn total<const N: usize>(numbers: [Option<i64>; N]) -> i64 {
    let sum = numbers.into_iter().flatten().fold(0, i64::saturating_add);
    sum.min(LIMITS.max_integer.cast_signed())
}

/// Adds one figure. A sum stops at the largest integer instead of wrapping (rule STA-06).
#[inline]
fn add(sums: &mut Sums, figures: &Sums, figure: Figure) {
    let at = figure as usize;
    sums[at] = sums[at].saturating_add(figures[at]);
}
