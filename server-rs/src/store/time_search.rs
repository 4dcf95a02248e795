//! Visits events in the order of their times (rule GET-15).
//!
//! Rows that are not late have ascending times in the order of their ids, so a search by ids finds them in order. An index
//! has the late rows. This module merges the two. Invariant: every row before the returned place was visited, or does not
//! match.

use rusqlite::fallible_streaming_iterator::FallibleStreamingIterator;
use rusqlite::{Connection, OptionalExtension, Row, Rows, params};

use crate::contract::LIMITS;
use crate::field::COLUMNS;
use crate::queries;
use crate::render::Place;
use crate::store::event_search::{Named, Wanted, metadata_bytes, search_rows};
use crate::store::query::{EventFilter, NO_BOUND, Order, signed};
use crate::timestamp::parse_timestamp;

/// Where a page by time begins or ends. Of rows that are not late, those of one time are found by their id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeCursor {
    /// Of the last row that was visited, or of a bound of the search.
    pub place: Place,
    /// Whether the place is that of a late row.
    pub is_late: bool,
}

impl TimeCursor {
    /// Reads the text of a cursor.
    pub fn parse(text: &str) -> Option<Self> {
        let (place, is_late) = text.strip_suffix(LATE_SUFFIX).map_or((text, false), |place| (place, true));
        Some(Self { place: Place::parse(place)?, is_late })
    }
}

const LATE_SUFFIX: &str = ".late";

impl std::fmt::Display for TimeCursor {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}{}", self.place, if self.is_late { LATE_SUFFIX } else { "" })
    }
}

/// A callback for each row.
type Visit<'a> = &'a mut dyn FnMut(&Row<'_>) -> rusqlite::Result<()>;

/// Visits up to `limit` events after a cursor. Returns the cursor of the next page; `None` at the end.
pub fn list_by_time(
    connection: &Connection,
    filter: &EventFilter,
    limit: u64,
    from: Option<TimeCursor>,
    visit: Visit<'_>,
) -> rusqlite::Result<Option<TimeCursor>> {
    // All statements see one state of the file.
    let _transaction =
        if connection.is_autocommit() { Some(connection.unchecked_transaction()?) } else { None };
    let Some(wanted) = Wanted::find(connection, filter)? else {
        return Ok(None);
    };
    let is_newest_first = filter.order == Order::NewestFirst;
    let outermost = Place { time: if is_newest_first { NO_BOUND } else { -NO_BOUND }, number: NO_BOUND };
    let start = from.map_or(outermost, |from| from.place);
    let late_bound = late_bound(connection, filter, start)?;
    let mut statement = connection.prepare_cached(match filter.order {
        Order::NewestFirst => queries::SELECT_LATE_EVENTS_NEWEST,
        Order::OldestFirst => queries::SELECT_LATE_EVENTS_OLDEST,
    })?;
    statement.clear_bindings();
    // Both ends are exclusive, so the last late row that the page looks at is inside.
    let far = late_bound
        .map(|bound| Place { number: bound.number + if is_newest_first { -1 } else { 1 }, ..bound });
    let far = far.unwrap_or(Place { time: -outermost.time, number: NO_BOUND });
    let (above, below) = if is_newest_first { (far, start) } else { (start, far) };
    let rows_limit = signed(limit.saturating_add(1));
    let own: [Named<'_>; 6] = [
        (":above_time", &above.time),
        (":above", &above.number),
        (":below_time", &below.time),
        (":below", &below.number),
        (":limit", &rows_limit),
        (":in_metadata", &true),
    ];
    let values: Vec<Named<'_>> = own.into_iter().chain(wanted.parameters(filter)).collect();
    let mut late = statement.query(&*values)?;
    late.next()?;
    let mut page = Page { limit, bytes: LIMITS.page_bytes, last: None, is_full: false, visit };
    let mut is_bounded = false;
    let reached = search_rows(connection, &rows_in_order(filter, from), &mut |row| {
        let place = place_of(row)?;
        page.late_before(&mut late, place, filter.order)?;
        is_bounded = late_bound.is_some_and(|bound| !is_before(place, bound, filter.order));
        Ok(!is_bounded && page.row(row, place, false)?)
    })?;
    if page.is_full {
        return Ok(page.last);
    }
    let in_order_bound = match reached.next {
        Some(next) if !is_bounded => bound_of(connection, filter, start, next)?,
        _ => None,
    };
    let late_bound = late_bound.map(|place| TimeCursor { place, is_late: true });
    let end = match (late_bound, in_order_bound) {
        (Some(late), Some(other)) if is_before(late.place, other.place, filter.order) => Some(late),
        (late, other) => other.or(late),
    };
    // Every late row up to the end belongs to the page.
    let last = end.map_or(Place { time: -outermost.time, number: NO_BOUND }, |end| end.place);
    page.late_before(&mut late, last, filter.order)?;
    Ok(if page.is_full { page.last } else { end })
}

/// The part of the page that is visited.
struct Page<'a> {
    limit: u64,
    bytes: usize,
    last: Option<TimeCursor>,
    /// Whether a row did not fit.
    is_full: bool,
    visit: Visit<'a>,
}

impl Page<'_> {
    /// Visits a row, if the page has room for it and for every row before it. Returns whether it had.
    fn row(&mut self, row: &Row<'_>, place: Place, is_late: bool) -> rusqlite::Result<bool> {
        let bytes = metadata_bytes(row)?;
        self.is_full |= self.limit == 0 || (bytes > self.bytes && self.last.is_some());
        if self.is_full {
            return Ok(false);
        }
        self.limit -= 1;
        self.bytes = self.bytes.saturating_sub(bytes);
        self.last = Some(TimeCursor { place, is_late });
        (self.visit)(row)?;
        Ok(true)
    }

    /// Visits the late rows up to a place, which is that of another row or the end of the page.
    fn late_before(&mut self, late: &mut Rows<'_>, end: Place, order: Order) -> rusqlite::Result<()> {
        while !self.is_full
            && let Some(row) = late.get()
        {
            let place = place_of(row)?;
            if place != end && !is_before(place, end, order) {
                break;
            }
            if self.row(row, place, true)? {
                late.next()?;
            }
        }
        Ok(())
    }
}

/// Returns whether a place comes before another one in a page.
fn is_before(place: Place, other: Place, order: Order) -> bool {
    if order == Order::NewestFirst { place > other } else { place < other }
}

/// Returns the filter of the rows that are not late and come after a cursor.
fn rows_in_order(filter: &EventFilter, from: Option<TimeCursor>) -> EventFilter {
    let mut rows = EventFilter { late: Some(false), ..filter.clone() };
    let Some(TimeCursor { place: Place { time, number }, is_late }) = from else {
        return rows;
    };
    match filter.order {
        Order::NewestFirst => {
            // A late row follows the rows of its time.
            rows.below = number;
            rows.until = Some(rows.until.map_or(time + 1, |until| until.min(time + 1)));
        }
        Order::OldestFirst => {
            let since = if is_late { time + 1 } else { time };
            rows.above = if is_late { 0 } else { number };
            rows.since = Some(rows.since.map_or(since, |asked| asked.max(since)));
        }
    }
    rows
}

/// Returns the place of the last late row that a page looks at; `None` when it looks at all of them.
fn late_bound(
    connection: &Connection,
    filter: &EventFilter,
    start: Place,
) -> rusqlite::Result<Option<Place>> {
    let most = signed(LIMITS.page_blocks) * LIMITS.event_block_rows;
    let (sql, end) = match filter.order {
        Order::NewestFirst => (queries::SELECT_LATE_BOUND_NEWEST, filter.since),
        Order::OldestFirst => (queries::SELECT_LATE_BOUND_OLDEST, filter.until),
    };
    connection
        .prepare_cached(sql)?
        .query_row(params![start.time, start.number, end, most], |row| {
            Ok(Place { time: row.get(0)?, number: row.get(1)? })
        })
        .optional()
}

/// Returns the place that no row has which the search by ids left out; `None` when it left out none.
fn bound_of(
    connection: &Connection,
    filter: &EventFilter,
    start: Place,
    next: i64,
) -> rusqlite::Result<Option<TimeCursor>> {
    let (sql, block) = match filter.order {
        Order::NewestFirst => (queries::SELECT_TIME_BEFORE, (next - 1) / LIMITS.event_block_rows),
        Order::OldestFirst => (queries::SELECT_TIME_AFTER, (next + 1) / LIMITS.event_block_rows),
    };
    let time: Option<i64> =
        connection.prepare_cached(sql)?.query_row([block], |row| row.get(0)).optional()?;
    Ok(time.map(|time| {
        let time = match filter.order {
            Order::NewestFirst => time.min(start.time),
            Order::OldestFirst => time.max(start.time),
        };
        TimeCursor { place: Place { time, number: next }, is_late: false }
    }))
}

/// The column `time` of `events_readable`.
const TIME: usize = {
    let mut at = 0;
    while !matches!(COLUMNS[at].name.as_bytes(), b"time") {
        at += 1;
    }
    at
};

/// Returns the place of a row of `events_readable`.
fn place_of(row: &Row<'_>) -> rusqlite::Result<Place> {
    let time = row.get_ref(TIME)?.as_str()?;
    Ok(Place { time: parse_timestamp(time).unwrap_or_default(), number: row.get(0)? })
}
