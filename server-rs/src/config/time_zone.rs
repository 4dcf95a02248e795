//! Finds the time zone of the machine (rule PRO-23).

use std::fs::{read_link, read_to_string};

use crate::zones::{UTC, Zone, find_zone};

/// A link to the data of the zone, on Linux and macOS.
const LINK: &str = "/etc/localtime";
/// A file with the name, which Debian also has.
const FILE: &str = "/etc/timezone";
/// In a path to the data of a zone, this precedes the name.
const FOLDER: &str = "zoneinfo/";

/// The time zone of a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MachineZone {
    pub(super) zone: Zone,
    /// The first name that no zone has, if any.
    pub(super) unknown: Option<String>,
}

/// Returns the zone of the variable `TZ`, else of the system, else UTC.
pub(super) fn machine_zone(variable: Option<&str>) -> MachineZone {
    let sources: [&dyn Fn() -> Option<String>; 3] = [
        &|| name_in(variable?.trim_start_matches(':')),
        &|| name_in(&read_link(LINK).ok()?.to_string_lossy()),
        &|| name_in(read_to_string(FILE).ok()?.trim()),
    ];
    first_zone(sources.iter().map(|source| source()))
}

/// Returns the zone of the first name that has one.
fn first_zone(names: impl Iterator<Item = Option<String>>) -> MachineZone {
    let mut unknown = None;
    for name in names.flatten() {
        if let Some(zone) = find_zone(&name) {
            return MachineZone { zone, unknown };
        }
        unknown = unknown.or(Some(name));
    }
    MachineZone { zone: find_zone(UTC).expect("zones.json has it"), unknown }
}

/// Returns a name, also that of a path to the data of a zone. Another path has none.
fn name_in(text: &str) -> Option<String> {
    let name = match text.split_once(FOLDER) {
        Some((_, name)) => name,
        None if text.starts_with('/') => "",
        None => text,
    };
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone_of(names: [Option<&str>; 3]) -> (String, Option<String>) {
        let found = first_zone(names.iter().map(|name| name.map(str::to_owned)));
        (found.zone.name, found.unknown)
    }

    #[test]
    fn the_first_known_name_is_the_zone_and_the_first_unknown_one_is_reported() {
        let unknown = |name: &str| Some(name.to_owned());
        assert_eq!(zone_of([Some("Asia/Kolkata"), Some("UTC"), None]), ("Asia/Kolkata".to_owned(), None));
        assert_eq!(zone_of([None, None, Some("Asia/Tokyo")]), ("Asia/Tokyo".to_owned(), None));
        assert_eq!(
            zone_of([Some("EST5EDT4"), Some("Mars/Phobos"), Some("Asia/Tokyo")]),
            ("Asia/Tokyo".to_owned(), unknown("EST5EDT4"))
        );
        assert_eq!(zone_of([None, Some("Mars/Phobos"), None]), (UTC.to_owned(), unknown("Mars/Phobos")));
        assert_eq!(zone_of([None; 3]), (UTC.to_owned(), None));
    }

    #[test]
    fn a_path_to_the_data_of_a_zone_has_its_name() {
        for (text, name) in [
            ("Europe/Berlin", Some("Europe/Berlin")),
            ("/usr/share/zoneinfo/Europe/Berlin", Some("Europe/Berlin")),
            ("/var/db/timezone/zoneinfo/Etc/UTC", Some("Etc/UTC")),
            ("../usr/share/zoneinfo/UTC", Some("UTC")),
            ("/etc/localtime", None),
            ("/usr/share/zoneinfo/", None),
            ("", None),
        ] {
            assert_eq!(name_in(text).as_deref(), name, "{text}");
        }
    }

    #[test]
    fn the_variable_precedes_the_system() {
        for text in ["Asia/Kathmandu", ":Asia/Kathmandu", ":/usr/share/zoneinfo/Asia/Kathmandu"] {
            let MachineZone { zone, unknown } = machine_zone(Some(text));
            assert_eq!((zone.name.as_str(), unknown), ("Asia/Kathmandu", None), "{text}");
        }
        assert_eq!(machine_zone(Some("")), machine_zone(None));
    }
}
