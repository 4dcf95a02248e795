//! Reads sums of events by bucket of time and by name (rules SER-01 to SER-06).
//!
//! They come from the stored sums of quarters of an hour where those suffice, else from rows, under the budget of a
//! page. Invariant: which of the two depends on the request alone. Over 250 lines because both kinds of sums make the
//! same lines.

use std::collections::BTreeMap;

use rusqlite::{Connection, Row, named_params};

use crate::contract::LIMITS;
use crate::contract::vocabulary::event_type;
use crate::field::Field;
use crate::figure::SERIES;
use crate::queries;
use crate::render::Reached;
use crate::render::durations::{Durations, add_durations, merge_durations};
use crate::render::series::{Line, Series, Sums};
use crate::store::event_search::search_sums;
use crate::store::names::find_name;
use crate::store::query::{EventFilter, known_name};
use crate::store::series_filter::{SeriesFilter, has_sums, is_of_calls, names_of};
use crate::store::stats::ALL_TIME;
use crate::timestamp::is_in_range;

/// The sums of a name in a bucket. The name is 0 for events that are not divided, or for all other names.
struct Cell {
    name: i64,
    bucket: i64,
    sums: Sums,
}

/// The durations of each name, when they are wanted.
type DurationsByName = Option<BTreeMap<i64, Durations>>;

/// Reads a series, as of one state of the file.
pub fn read_series(connection: &Connection, filter: &SeriesFilter) -> rusqlite::Result<Series> {
    let _transaction = connection.unchecked_transaction()?;
    let (bucket, zone) = (filter.bucket, &filter.zone);
    let or_asked = |rounded: i64, asked: i64| if is_in_range(rounded) { rounded } else { asked };
    let asked = filter.events.since.map(|since| or_asked(bucket.start(zone, since), since));
    let until = filter.events.until.map(|until| or_asked(bucket.end(zone, until - 1), until));
    let units = units_of(connection, filter, until)?;
    let since = units.first().copied().max(asked);
    let mut cells = Vec::new();
    let mut durations: DurationsByName = filter.with_durations.then(BTreeMap::new);
    let mut reached = Reached { next: None, scanned_to: 0 };
    if !units.is_empty() {
        let events = EventFilter { since, until, ..filter.events.clone() };
        let filter = SeriesFilter { events, ..filter.clone() };
        if has_sums(&filter) {
            stored_sums(connection, &filter, &units, &mut cells)?;
        } else {
            reached = sums_of_rows(connection, &filter, &mut cells, &mut durations)?;
        }
    }
    let (buckets, lines) = lines_of(connection, cells, durations.as_ref())?;
    Ok(Series {
        bucket: bucket.word(),
        tz: zone.name.clone(),
        by: filter.by.map(Field::name),
        buckets,
        lines,
        reached,
        since,
        until,
    })
}

/// Returns the beginnings of the newest units of time with sums, oldest first (rule SER-02).
fn units_of(
    connection: &Connection,
    filter: &SeriesFilter,
    until: Option<i64>,
) -> rusqlite::Result<Vec<i64>> {
    let ((unit, most), zone) = (filter.bucket.units(), &filter.zone);
    let mut select = connection.prepare_cached(queries::SELECT_QUARTER_BEFORE)?;
    let (mut units, mut below) = (Vec::new(), until.unwrap_or(ALL_TIME * 1000));
    while units.len() < usize::try_from(most).unwrap_or(usize::MAX) {
        // A quarter that begins before the bound may end after it, in a series of minutes alone.
        let quarter: Option<i64> = select.query_row([(below + 999).div_euclid(1000)], |row| row.get(0))?;
        let Some(quarter) = quarter else { break };
        below = unit.start(zone, quarter * 1000);
        units.push(below);
    }
    units.reverse();
    Ok(units)
}

/// Adds the stored sums of these buckets.
fn stored_sums(
    connection: &Connection,
    filter: &SeriesFilter,
    buckets: &[i64],
    cells: &mut Vec<Cell>,
) -> rusqlite::Result<()> {
    let text_of = |wanted: Field| names_of(filter).find(|(kind, _)| *kind == wanted).map(|(_, text)| &**text);
    let Some(agent_type) = known_name(connection, Field::AgentType, text_of(Field::AgentType))? else {
        return Ok(());
    };
    let (calls, by_agent) = (is_of_calls(filter), filter.by == Some(Field::AgentType));
    let wanted = buckets.iter().filter(|bucket| filter.events.since.is_none_or(|since| **bucket >= since));
    let ranges =
        wanted.map(|bucket| (*bucket, bucket / 1000, filter.bucket.end(&filter.zone, *bucket) / 1000));
    let ranges: Vec<_> = ranges.collect();
    let (Some((_, first, _)), Some((.., last))) = (ranges.first(), ranges.last()) else { return Ok(()) };
    let mut add = |row: &Row<'_>, bucket: i64, own: Option<i64>| -> rusqlite::Result<()> {
        let sums = sums_of(row, 1)?;
        if sums[0] > 0.0 {
            let name = own.map_or_else(|| row.get(0), Ok)?;
            cells.push(Cell { name, bucket, sums });
        }
        Ok(())
    };
    let of_name = names_of(filter).find(|(kind, _)| *kind != Field::AgentType);
    let divided = filter.by.filter(|kind| *kind != Field::AgentType);
    if let (None, Some(kind)) = (of_name, divided) {
        let kind = kind.name();
        let mut statement = connection.prepare_cached(queries::SELECT_SERIES_NAMES)?;
        let values = named_params! {
            ":since": first, ":until": last, ":agent_type": agent_type, ":calls": calls, ":kind": kind,
            ":limit": i64::try_from(LIMITS.series_names).unwrap_or(i64::MAX),
        };
        let names = statement.query_map(values, |row| row.get::<_, i64>(0))?;
        let names = names.map(|name| Ok(name?.to_string())).collect::<rusqlite::Result<Vec<_>>>()?;
        let names = format!("[{}]", names.join(","));
        let mut statement = connection.prepare_cached(queries::SELECT_SERIES_SUMS_BY_NAME)?;
        for (bucket, since, until) in &ranges {
            let mut rows = statement.query(named_params! {
                ":since": since, ":until": until, ":agent_type": agent_type, ":calls": calls, ":kind": kind,
                ":names": names,
            })?;
            while let Some(row) = rows.next()? {
                add(row, *bucket, None)?;
            }
        }
        return Ok(());
    }
    let name = match of_name {
        None => 0,
        Some((kind, text)) => match find_name(connection, *kind, text)? {
            None => return Ok(()),
            Some(name) => name,
        },
    };
    let mut statement = connection.prepare_cached(queries::SELECT_SERIES_SUMS)?;
    for (bucket, since, until) in &ranges {
        let mut rows = statement.query(named_params! {
            ":since": since, ":until": until, ":agent_type": agent_type, ":calls": calls,
            ":by_agent": by_agent, ":name": name,
        })?;
        while let Some(row) = rows.next()? {
            add(row, *bucket, divided.map(|_| name))?;
        }
    }
    Ok(())
}

/// Adds the sums of rows, newest first, as far as the budget of a page goes (rule GET-12).
fn sums_of_rows(
    connection: &Connection,
    filter: &SeriesFilter,
    cells: &mut Vec<Cell>,
    durations: &mut DurationsByName,
) -> rusqlite::Result<Reached> {
    let ms = filter.bucket.part_ms();
    let by = Field::NAME_KINDS.iter().position(|kind| Some(*kind) == filter.by).map_or(0, |place| place + 1);
    let by = i64::try_from(by).unwrap_or_default();
    let step = if is_of_calls(filter) {
        find_name(connection, Field::EventType, event_type::PLAN_STEP)?
    } else {
        None
    };
    search_sums(
        connection,
        &[(":bucket_ms", &ms), (":by", &by), (":step", &step), (":durations", &durations.is_some())],
        &filter.events,
        &mut |row| {
            // An event without a value is in no line.
            if let Some(name) = row.get(2)? {
                let bucket = filter.bucket.start(&filter.zone, row.get(1)?);
                cells.push(Cell { name, bucket, sums: sums_of(row, 3)? });
                if let (Some(durations), Some(list)) = (&mut *durations, row.get_ref(LIST)?.as_str_or_null()?)
                {
                    add_durations(durations.entry(name).or_default(), list);
                }
            }
            Ok(true)
        },
    )
}

/// The column with the list of durations, behind the bounds and the sums.
const LIST: usize = 3 + SERIES.len();

/// Returns the sums of a row, whose first is in this column.
fn sums_of(row: &Row<'_>, first: usize) -> rusqlite::Result<Sums> {
    let mut sums = Sums::default();
    for (at, sum) in sums.iter_mut().enumerate() {
        *sum = row.get(first + at)?;
    }
    Ok(sums)
}

/// Returns the buckets, oldest first, and a line for each name: the names with most events, then all others.
fn lines_of(
    connection: &Connection,
    mut cells: Vec<Cell>,
    durations: Option<&BTreeMap<i64, Durations>>,
) -> rusqlite::Result<(Vec<i64>, Vec<Line>)> {
    let mut buckets: Vec<i64> = cells.iter().map(|cell| cell.bucket).collect();
    buckets.sort_unstable();
    buckets.dedup();
    cells.sort_by_key(|cell| cell.name);
    let mut lines = Vec::new();
    let mut others = vec![Sums::default(); buckets.len()];
    let mut has_others = false;
    let mut other_names = vec![0];
    for of_name in cells.chunk_by(|one, other| one.name == other.name) {
        let id = of_name.first().map_or(0, |cell| cell.name);
        if id == 0 {
            has_others = true;
            add_cells(&mut others, &buckets, of_name);
            continue;
        }
        let name: String =
            connection.prepare_cached(queries::SELECT_NAME_TEXT)?.query_row([id], |row| row.get(0))?;
        let count: f64 = of_name.iter().map(|cell| cell.sums[0]).sum();
        lines.push((count, name, id, of_name));
    }
    lines.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    for (_, _, id, of_name) in lines.iter().skip(LIMITS.series_names) {
        has_others = true;
        other_names.push(*id);
        add_cells(&mut others, &buckets, of_name);
    }
    lines.truncate(LIMITS.series_names);
    let of_names = |names: &[i64]| durations.map(|durations| durations_of_all(durations, names));
    let named = lines.into_iter().map(|(_, name, id, of_name)| {
        let mut sums = vec![Sums::default(); buckets.len()];
        add_cells(&mut sums, &buckets, of_name);
        Line { name: Some(name), sums, durations: of_names(&[id]) }
    });
    let rest = has_others.then(|| Line { name: None, sums: others, durations: of_names(&other_names) });
    let lines = named.chain(rest).collect();
    Ok((buckets, lines))
}

/// Returns the durations of these names together.
fn durations_of_all(durations: &BTreeMap<i64, Durations>, names: &[i64]) -> Durations {
    let mut all = Durations::new();
    for of_name in names.iter().filter_map(|name| durations.get(name)) {
        merge_durations(&mut all, of_name);
    }
    all
}

/// Adds cells to the sums of their buckets.
fn add_cells(sums: &mut [Sums], buckets: &[i64], cells: &[Cell]) {
    for cell in cells {
        if let Some(of_bucket) = buckets.binary_search(&cell.bucket).ok().and_then(|at| sums.get_mut(at)) {
            for (sum, more) in of_bucket.iter_mut().zip(cell.sums) {
                *sum += more;
            }
        }
    }
}
