//! Encodes the numbers of rows for a summary: distinct, ascending, 4 bytes each, big-endian.

/// Ascending numbers.
#[derive(Debug, Default)]
pub struct NumberList {
    numbers: Vec<u32>,
}

impl NumberList {
    /// Reads the stored form.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self { numbers: bytes.as_chunks::<4>().0.iter().map(|number| u32::from_be_bytes(*number)).collect() }
    }

    /// Returns the stored form.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.numbers.iter().flat_map(|number| number.to_be_bytes()).collect()
    }

    /// Returns the numbers as a JSON array.
    pub fn to_json(&self) -> String {
        let numbers: Vec<String> = self.numbers.iter().map(u32::to_string).collect();
        format!("[{}]", numbers.join(","))
    }

    /// Adds a number; returns whether it is new. A number that does not fit 4 bytes is an error.
    pub fn add(&mut self, number: i64) -> rusqlite::Result<bool> {
        let number =
            u32::try_from(number).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(0, number))?;
        Ok(self.insert(number))
    }

    /// Adds all numbers of another list; returns whether one is new.
    pub fn add_all(&mut self, other: &Self) -> bool {
        let before = self.count();
        for number in &other.numbers {
            self.insert(*number);
        }
        self.count() > before
    }

    /// Returns how many numbers the list has.
    pub fn count(&self) -> usize {
        self.numbers.len()
    }

    fn insert(&mut self, number: u32) -> bool {
        match self.numbers.binary_search(&number) {
            Ok(_) => false,
            Err(at) => {
                self.numbers.insert(at, number);
                true
            }
        }
    }
}
