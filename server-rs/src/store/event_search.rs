//! Searches events in steps of bounded cost (rule GET-12).
//!
//! Spans that lack a wanted name are skipped, then blocks that lack one. The rows of the other blocks decide. Invariant:
//! where a search stops depends on the stored rows and the filter alone, so both servers stop at the same id. Over 250
//! lines because the levels of a search share its state.

use rusqlite::types::Value;
use rusqlite::{CachedStatement, Connection, Row, ToSql, params};

use crate::contract::LIMITS;
use crate::field::Field;
use crate::queries;
use crate::render::Reached;
use crate::store::cost::is_empty;
use crate::store::names::find_name;
use crate::store::query::{EventFilter, Order, newest_revision, signed};
use crate::store::sealed_texts::find_sealed_block;
use crate::store::sessions::find_session;
use crate::store::text_search::{TextSearch, find_text};

/// The columns of the rows that a search visits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Columns {
    /// Those of the view `events_readable`.
    Readable,
    /// The stored ones, in the order of a row.
    Stored,
}

/// A callback for each row, which returns whether the search goes on.
pub type VisitRow<'a> = &'a mut dyn FnMut(&Row<'_>) -> rusqlite::Result<bool>;

/// Visits up to `limit` events, until `visit` returns `false` or the budget of a page is used up.
pub fn search_events(
    connection: &Connection,
    columns: Columns,
    filter: &EventFilter,
    limit: u64,
    visit: VisitRow<'_>,
) -> rusqlite::Result<Reached> {
    let bounds = PageBounds { rows: limit, bytes: LIMITS.page_bytes };
    search(connection, rows_statement(columns, filter.order), &[], filter, bounds, visit)
}

/// Visits rows as they are shown, until `visit` returns `false` or as many blocks were searched as a page may.
pub fn search_rows(
    connection: &Connection,
    filter: &EventFilter,
    visit: VisitRow<'_>,
) -> rusqlite::Result<Reached> {
    let bounds = PageBounds { rows: LIMITS.max_integer, bytes: usize::MAX };
    search(connection, rows_statement(Columns::Readable, filter.order), &[], filter, bounds, visit)
}

/// Visits the sums of events, newest first, which `select_series_rows.sql` makes of the rows of each block. `values`
/// are its own parameters.
pub fn search_sums(
    connection: &Connection,
    values: &[Named<'_>],
    filter: &EventFilter,
    visit: VisitRow<'_>,
) -> rusqlite::Result<Reached> {
    let bounds = PageBounds { rows: LIMITS.max_integer, bytes: usize::MAX };
    search(connection, queries::SELECT_SERIES_ROWS, values, filter, bounds, visit)
}

/// What a page may have: a number of rows, and bytes of stored metadata unless it has one row only (rule GET-14).
#[derive(Debug, Clone, Copy)]
struct PageBounds {
    rows: u64,
    bytes: usize,
}

fn search(
    connection: &Connection,
    sql: &str,
    values: &[Named<'_>],
    filter: &EventFilter,
    left: PageBounds,
    visit: VisitRow<'_>,
) -> rusqlite::Result<Reached> {
    // All statements of a search see one state of the file.
    let _transaction =
        if connection.is_autocommit() { Some(connection.unchecked_transaction()?) } else { None };
    let next = match Wanted::find(connection, filter)? {
        None => None,
        Some(wanted) => {
            let rows = connection.prepare_cached(sql)?;
            let mut search = Search {
                connection,
                filter,
                wanted,
                rows,
                values,
                left,
                left_search: LIMITS.page_search_bytes,
                in_metadata: true,
                last: 0,
                visit,
            };
            if is_empty(filter) { search.rows(filter.above, filter.below)? } else { search.spans()? }
        }
    };
    let scanned_to = match (next, filter.order) {
        (Some(next), _) => next,
        (None, Order::NewestFirst) => filter.above,
        (None, Order::OldestFirst) => filter.above.max(newest_revision(connection)?.min(filter.below - 1)),
    };
    Ok(Reached { next, scanned_to })
}

/// Visits a page of rows as they are shown.
pub fn list_events(
    connection: &Connection,
    filter: &EventFilter,
    limit: u64,
    mut visit: impl FnMut(&Row<'_>) -> rusqlite::Result<()>,
) -> rusqlite::Result<Reached> {
    search_events(connection, Columns::Readable, filter, limit, &mut |row| visit(row).map(|()| true))
}

/// A parameter and its value.
pub type Named<'a> = (&'a str, &'a dyn ToSql);

/// The values that a filter compares with columns.
pub(super) struct Wanted {
    session: Option<i64>,
    fields: Vec<(Field, Value)>,
    text: Option<TextSearch>,
}

impl Wanted {
    /// Looks up name ids, the session and the names that contain a text; `None` when no event has one of them.
    pub(super) fn find(connection: &Connection, filter: &EventFilter) -> rusqlite::Result<Option<Self>> {
        let session = match &filter.session_id {
            None => None,
            Some(session_id) => match find_session(connection, session_id)? {
                None => return Ok(None),
                found => found,
            },
        };
        let mut fields = Vec::with_capacity(filter.fields.len());
        for (field, text) in &filter.fields {
            let value = if field.spec().is_dictionary {
                let Some(id) = find_name(connection, *field, text)? else { return Ok(None) };
                Value::Integer(id)
            } else {
                Value::Text(text.clone())
            };
            fields.push((*field, value));
        }
        let find = |text| find_text(connection, text, filter.searches_whole);
        let text = filter.text.as_deref().map(find).transpose()?;
        Ok(Some(Self { session, fields, text }))
    }

    /// Returns the parameters of the statements for rows, except their bounds.
    pub(super) fn parameters<'a>(&'a self, filter: &'a EventFilter) -> impl Iterator<Item = Named<'a>> {
        let EventFilter { since, until, late, .. } = filter;
        let own: [Named<'a>; 4] =
            [(":since", since), (":until", until), (":late", late), (":session", &self.session)];
        let fields = self.fields.iter().map(|(field, value)| (field.parameter(), value as &dyn ToSql));
        own.into_iter().chain(fields).chain(self.text.iter().flat_map(TextSearch::parameters))
    }

    /// Returns the parameters of the wanted names.
    fn names(&self) -> impl Iterator<Item = Named<'_>> {
        self.fields
            .iter()
            .filter(|(field, _)| field.spec().is_dictionary)
            .map(|(field, value)| (field.parameter(), value as &dyn ToSql))
    }
}

/// What a search knows of a block before it reads its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sealed {
    /// The block is not sealed, or is not searched whole.
    Unknown,
    /// A row may have the text.
    MayHave,
    /// The id of an event may have the text, and nothing else.
    OnlyIds,
    /// No row has the text.
    HasNone,
}

/// A search in progress. Each method returns the cursor that continues the search, or `None` when it may go on.
struct Search<'a> {
    connection: &'a Connection,
    filter: &'a EventFilter,
    wanted: Wanted,
    rows: CachedStatement<'a>,
    /// The parameters of the statement that are not those of a filter.
    values: &'a [Named<'a>],
    /// The rows that may still follow.
    left: PageBounds,
    /// Bytes of metadata that may still be searched for a text. The row that exceeds them is searched whole.
    left_search: i64,
    /// Whether metadata can have the text.
    in_metadata: bool,
    /// The id of the last visited row; 0 before the first one.
    last: i64,
    visit: VisitRow<'a>,
}

impl Search<'_> {
    /// Searches the spans that can have matching rows.
    fn spans(&mut self) -> rusqlite::Result<Option<i64>> {
        let (above, below) = self.bounds()?;
        if below - above < 2 {
            return Ok(None);
        }
        let span_rows = LIMITS.event_span_blocks * LIMITS.event_block_rows;
        let whole = ((above + 1) / span_rows, (below - 1) / span_rows);
        // A bounded number of summaries is read, so the search continues at `rest` when more follow.
        let (first, last, rest) = match self.filter.order {
            Order::NewestFirst => {
                let first = whole.0.max(whole.1 - LIMITS.page_span_summaries + 1);
                (first, whole.1, (first > whole.0).then_some(first * span_rows))
            }
            Order::OldestFirst => {
                let last = whole.1.min(whole.0 + LIMITS.page_span_summaries - 1);
                (whole.0, last, (last < whole.1).then_some((last + 1) * span_rows - 1))
            }
        };
        let mut statement = self.connection.prepare_cached(match self.filter.order {
            Order::NewestFirst => queries::SELECT_EVENT_SPANS_NEWEST,
            Order::OldestFirst => queries::SELECT_EVENT_SPANS_OLDEST,
        })?;
        statement.clear_bindings();
        let EventFilter { since, until, late, .. } = self.filter;
        let mut values: Vec<Named<'_>> =
            vec![(":first", &first), (":last", &last), (":since", since), (":until", until), (":late", late)];
        values.extend(self.wanted.names());
        let mut spans = statement.query(&*values)?;
        drop(values);
        let (mut left_spans, mut left_blocks) = (LIMITS.page_spans, LIMITS.page_blocks);
        while let Some(span) = spans.next()? {
            let span: i64 = span.get(0)?;
            if left_spans == 0 {
                return Ok(Some(self.before(span * span_rows, span_rows, above, below)));
            }
            left_spans -= 1;
            let within = (above.max(span * span_rows - 1), below.min((span + 1) * span_rows));
            if let Some(next) = self.blocks(within, &mut left_blocks)? {
                return Ok(Some(next));
            }
        }
        Ok(rest)
    }

    /// Searches the blocks between two ids that can have matching rows.
    fn blocks(&mut self, (above, below): (i64, i64), left: &mut u64) -> rusqlite::Result<Option<i64>> {
        let mut statement = self.connection.prepare_cached(match self.filter.order {
            Order::NewestFirst => queries::SELECT_EVENT_BLOCKS_NEWEST,
            Order::OldestFirst => queries::SELECT_EVENT_BLOCKS_OLDEST,
        })?;
        statement.clear_bindings();
        let block_rows = LIMITS.event_block_rows;
        let (first, last) = ((above + 1) / block_rows, (below - 1) / block_rows);
        let EventFilter { since, until, late, .. } = self.filter;
        let own: [Named<'_>; 6] = [
            (":first", &first),
            (":last", &last),
            (":since", since),
            (":until", until),
            (":late", late),
            (":session", &self.wanted.session),
        ];
        let mut values: Vec<Named<'_>> = own.into();
        values.extend(self.wanted.names());
        let mut blocks = statement.query(&*values)?;
        drop(values);
        while let Some(block) = blocks.next()? {
            let block: i64 = block.get(0)?;
            if *left == 0 || self.left_search <= 0 {
                return Ok(Some(self.before(block * block_rows, block_rows, above, below)));
            }
            *left -= 1;
            let within = (above.max(block * block_rows - 1), below.min((block + 1) * block_rows));
            let end = if let Some(whole) = self.wanted.text.as_ref().map(|text| text.whole) {
                let sealed = self.sealed(block, within)?;
                if sealed == Sealed::HasNone {
                    continue;
                }
                self.in_metadata = sealed != Sealed::OnlyIds;
                if sealed == Sealed::Unknown { self.search_end(within, whole)? } else { None }
            } else {
                None
            };
            let (above, below) = match (end, self.filter.order) {
                (None, _) => within,
                (Some(end), Order::NewestFirst) => (end - 1, within.1),
                (Some(end), Order::OldestFirst) => (within.0, end + 1),
            };
            let next = self.rows(above, below)?.or(end);
            if next.is_some() {
                return Ok(next);
            }
        }
        Ok(None)
    }

    /// Takes the metadata of a sealed block from the bytes that may be searched, unless they end in it, and asks its filter.
    fn sealed(&mut self, block: i64, (above, below): (i64, i64)) -> rusqlite::Result<Sealed> {
        let first = block * LIMITS.event_block_rows;
        if above >= first || below < first + LIMITS.event_block_rows {
            return Ok(Sealed::Unknown);
        }
        let Some(text) = &self.wanted.text else { return Ok(Sealed::Unknown) };
        let Some(sealed) = find_sealed_block(self.connection, block)? else { return Ok(Sealed::Unknown) };
        let is_whole = text.whole.is_some() && sealed.has_whole;
        if is_whole || sealed.metadata_bytes >= self.left_search {
            return Ok(Sealed::Unknown);
        }
        self.left_search -= sealed.metadata_bytes;
        Ok(match text.may_be_in(&sealed.filter) {
            true => Sealed::MayHave,
            // The filter has no UUIDs, since those of a block would fill it.
            false if text.uuid.is_some() => Sealed::OnlyIds,
            false => Sealed::HasNone,
        })
    }

    /// Takes the metadata between two ids from the bytes that may be searched. Returns the last row to search, unless
    /// all may be searched (rule GET-13).
    fn search_end(
        &mut self,
        (above, below): (i64, i64),
        whole: Option<i64>,
    ) -> rusqlite::Result<Option<i64>> {
        let mut lengths = self.connection.prepare_cached(queries::SELECT_METADATA_LENGTHS)?;
        let rows = lengths.query_map(params![above, below, whole], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let mut rows = rows.collect::<rusqlite::Result<Vec<(i64, i64)>>>()?;
        if self.filter.order == Order::OldestFirst {
            rows.reverse();
        }
        while let Some((id, bytes)) = rows.pop() {
            self.left_search -= bytes;
            if self.left_search <= 0 && !rows.is_empty() {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// Visits the matching rows between two ids.
    fn rows(&mut self, above: i64, below: i64) -> rusqlite::Result<Option<i64>> {
        // One more row than the page has shows whether more follow.
        let limit = signed(self.left.rows.saturating_add(1));
        let mut values: Vec<Named<'_>> = vec![
            (":above", &above),
            (":below", &below),
            (":limit", &limit),
            (":in_metadata", &self.in_metadata),
        ];
        values.extend(self.wanted.parameters(self.filter));
        values.extend(self.values);
        self.rows.clear_bindings();
        let mut rows = self.rows.query(&*values)?;
        while let Some(row) = rows.next()? {
            let bytes = metadata_bytes(row)?;
            if self.left.rows == 0 || (bytes > self.left.bytes && self.last != 0) {
                return Ok(Some(self.last));
            }
            self.left = PageBounds { rows: self.left.rows - 1, bytes: self.left.bytes.saturating_sub(bytes) };
            self.last = row.get(0)?;
            if !(self.visit)(row)? {
                return Ok(Some(self.last));
            }
        }
        Ok(None)
    }

    /// Returns the ids between which all matching rows are, both exclusive.
    fn bounds(&self) -> rusqlite::Result<(i64, i64)> {
        let EventFilter { above, below, since, until, .. } = self.filter;
        let session = &self.wanted.session;
        let (above, below): (Named<'_>, Named<'_>) = ((":above", above), (":below", below));
        let values = [above, below, (":since", since), (":until", until), (":session", session)];
        let mut statement = self.connection.prepare_cached(queries::SELECT_EVENT_BOUNDS)?;
        statement.query_row(&values[..], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// Returns the cursor whose page begins with these ids, which were not searched.
    fn before(&self, first: i64, count: i64, above: i64, below: i64) -> i64 {
        match self.filter.order {
            Order::NewestFirst => below.min(first + count),
            Order::OldestFirst => above.max(first - 1),
        }
    }
}

/// Returns the stored bytes of a row's metadata, the last column of each statement; 0 for sums.
pub(super) fn metadata_bytes(row: &Row<'_>) -> rusqlite::Result<usize> {
    let last = row.as_ref().column_count() - 1;
    Ok(row.get_ref(last)?.as_bytes().map_or(0, <[u8]>::len))
}

fn rows_statement(columns: Columns, order: Order) -> &'static str {
    match (columns, order) {
        (Columns::Readable, Order::NewestFirst) => queries::SELECT_EVENTS_NEWEST,
        (Columns::Readable, Order::OldestFirst) => queries::SELECT_EVENTS_OLDEST,
        (Columns::Stored, Order::NewestFirst) => queries::SELECT_EVENT_COLUMNS_NEWEST,
        (Columns::Stored, Order::OldestFirst) => queries::SELECT_EVENT_COLUMNS_OLDEST,
    }
}
