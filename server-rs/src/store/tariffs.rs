//! Remembers which prices apply to a model, so that its name is compared with the rules once (rule PRI-02).
//!
//! Belongs to the writer. Invariant: at most `TUNING.tariffs` names are remembered, since clients choose them.

use std::sync::Arc;

use hashbrown::HashMap;

use crate::contract::TUNING;
use crate::prices::{Prices, Tariff, tariff_of};

/// The tariffs of the models that events had, by model and service tier.
#[derive(Debug, Default)]
pub struct Tariffs {
    prices: Option<Arc<Prices>>,
    known: HashMap<String, HashMap<String, Option<Arc<Tariff>>>>,
    count: usize,
}

impl Tariffs {
    /// Creates tariffs of these prices; without prices no model has one.
    pub fn new(prices: Option<Arc<Prices>>) -> Self {
        Self { prices, ..Self::default() }
    }

    /// Returns the prices that apply to a model in a service tier.
    pub fn of(&mut self, model: &str, service_tier: Option<&str>) -> Option<Arc<Tariff>> {
        let prices = self.prices.as_ref()?;
        let tier = service_tier.unwrap_or_default();
        if let Some(tariff) = self.known.get(model).and_then(|tiers| tiers.get(tier)) {
            return tariff.clone();
        }
        let tariff = tariff_of(prices, model, service_tier);
        if self.count >= TUNING.tariffs {
            self.known.clear();
            self.count = 0;
        }
        self.count += 1;
        self.known.entry(model.to_owned()).or_default().insert(tier.to_owned(), tariff.clone());
        tariff
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prices::{PriceList, built_in_prices, parse_prices};

    #[test]
    fn the_number_of_remembered_names_is_bounded() {
        let file = r#"{"date":"2026-02-28","models":{"a*":{"input":1}}}"#;
        let prices = Prices { file: parse_prices(file).ok(), built_in: PriceList::default() };
        let mut tariffs = Tariffs::new(Some(Arc::new(prices)));
        for number in 0..3 * TUNING.tariffs {
            assert!(tariffs.of(&format!("a{number}"), None).is_some());
            assert!(tariffs.of(&format!("b{number}"), Some("batch")).is_none());
            assert!(tariffs.count <= TUNING.tariffs && tariffs.known.len() <= TUNING.tariffs);
        }
    }

    #[test]
    fn a_service_tier_is_remembered_apart() {
        let mut tariffs = Tariffs::new(Some(Arc::new(Prices { file: None, built_in: built_in_prices() })));
        for _ in 0..2 {
            assert!(tariffs.of("claude-opus-5", None).is_some());
            assert!(tariffs.of("claude-opus-5", Some("fast")).is_some());
            assert!(tariffs.of("claude-opus-5", Some("scale")).is_none());
        }
    }

    #[test]
    fn no_model_has_a_tariff_without_prices() {
        assert!(Tariffs::new(None).of("claude-opus-5", None).is_none());
    }
}
