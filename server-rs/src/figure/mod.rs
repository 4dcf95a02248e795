//! The figures that are summed up over events, as the contract describes them (`contract/figures.json`).
//!
//! Sums are arrays by figure. Of each table the generated lists say which figures it keeps, in the order of its columns.

/// Table of figures, generated from the file.
mod table;

pub use table::{Figure, Member, NUMBERS, SERIES, Sums, WORDS, add_call, add_event, add_step, measure};

/// Returns the sums of no event.
pub fn no_sums() -> Sums {
    [0; Figure::COUNT]
}

/// Returns those sums that are in this list.
pub fn pick<const N: usize>(sums: &Sums, figures: &[Figure; N]) -> [i64; N] {
    figures.map(|figure| sums[figure as usize])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::LIMITS;
    use crate::field::Field;

    #[test]
    fn a_figure_is_taken_over_its_events_alone() {
        let figures =
            measure(|field| (field == Field::TokensIn).then_some(7), |_, word| word == "error", Some(5));
        let over = |add: fn(&mut Sums, &Sums)| {
            let mut sums = no_sums();
            add(&mut sums, &figures);
            [
                Figure::EventCount,
                Figure::CallCount,
                Figure::ErrorCount,
                Figure::TokensIn,
                Figure::DurationCount,
            ]
            .map(|figure| sums[figure as usize])
        };
        assert_eq!(over(add_event), [1, 0, 1, 7, 0]);
        assert_eq!(over(add_call), [1, 1, 1, 7, 0]);
        assert_eq!(over(add_step), [1, 0, 0, 0, 0]);
    }

    #[test]
    fn tokens_have_no_price_in_an_event_without_a_cost() {
        let unpriced = |cost: Option<i64>, computed: Option<i64>, tokens: i64| {
            let number = |field| if field == Field::CostUsd { cost } else { Some(tokens) };
            measure(number, |_, _| false, computed)[Figure::UnpricedTokens as usize]
        };
        assert_eq!(unpriced(None, None, 7), 28);
        assert_eq!(unpriced(Some(0), None, 7), 0);
        assert_eq!(unpriced(None, Some(0), 7), 0);
        let most = LIMITS.max_integer.cast_signed();
        assert_eq!(unpriced(None, None, most), most);
    }

    #[test]
    fn a_sum_stops_at_the_largest_integer() {
        let mut sums = [i64::MAX; Figure::COUNT];
        add_call(&mut sums, &[1; Figure::COUNT]);
        assert_eq!(sums, [i64::MAX; Figure::COUNT]);
    }
}
