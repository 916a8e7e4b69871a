//! Finding files by name and size in the directories of a task, as `pfind` of IO500 does.

use rustix::io::Errno;
use seatrial_measure::{
    Bytes, Control, Kind, Meter, Nanoseconds, OperationError, Subject, boottime_ns,
};

use super::calls::{self, Listing};
use super::{Names, pattern};
use crate::pacer::deadline_ns;

/// What a task looks for, and until when.
struct Search<'a> {
    name_pattern: &'a [u8],
    /// The beginning of the names of the task's items. In a shared directory, every task leaves
    /// the items of the others to them.
    prefix: String,
    deadline_ns: Nanoseconds,
    control: &'a Control,
}

impl Search<'_> {
    fn is_over(&self, meter: &Meter<'_>) -> bool {
        self.control.must_stop() || meter.result.ended_ns >= self.deadline_ns
    }
}

impl Names {
    /// Lists every directory of the task. Each entry is an operation, which includes a look at the
    /// size of the file if its name matches. The first one of a directory includes the listing.
    pub(super) fn find(
        &mut self,
        name_pattern: &str,
        control: &Control,
        meter: &mut Meter<'_>,
    ) -> Result<(), OperationError> {
        let search = Search {
            name_pattern: name_pattern.as_bytes(),
            prefix: self.paths.prefix(),
            deadline_ns: deadline_ns(&self.job, meter.result.started_ns),
            control,
        };
        let mut listing = Listing::default();
        while let Some(leaf) = self.order.next() {
            if search.is_over(meter) || !self.find_in(leaf, &search, &mut listing, meter)? {
                return Ok(());
            }
        }
        meter.result.is_through = true;
        Ok(())
    }

    /// Goes through one directory. Returns false when there was no time for all of it.
    fn find_in(
        &mut self,
        leaf: u64,
        search: &Search<'_>,
        listing: &mut Listing,
        meter: &mut Meter<'_>,
    ) -> Result<bool, OperationError> {
        let directory = self.paths.leaf(leaf).to_owned();
        let directory_name = self.paths.leaf_name(leaf).to_owned();
        let mut begun_ns = boottime_ns();
        meter.begin(begun_ns);
        if let Err(errno) = calls::list(&directory, Some(&mut *listing)) {
            self.take_error(leaf, errno, meter)?;
            return Ok(true);
        }
        let own = listing
            .names()
            .filter(|name| name.starts_with(search.prefix.as_bytes()));
        for name in own {
            if search.is_over(meter) {
                return Ok(false);
            }
            let text = String::from_utf8_lossy(name);
            let found = pattern::matches(search.name_pattern, name)
                .then(|| calls::stat(&format!("{directory}/{text}")));
            let ended_ns = boottime_ns();
            match found {
                None => meter.complete(Kind::Find, begun_ns, ended_ns, Bytes(0)),
                Some(Ok(attributes)) => {
                    meter.complete(Kind::Find, begun_ns, ended_ns, Bytes(0));
                    if let Some(check) = &mut self.check {
                        let name = format!("{directory_name}/{text}");
                        check.audit.check_item(&name, &attributes);
                    }
                }
                Some(Err(Errno::NOENT)) if self.check.is_some() => {
                    let name = format!("{directory_name}/{text}");
                    self.note_gone(leaf, &name, ended_ns, meter);
                }
                Some(Err(errno)) => self.take_error(leaf, errno, meter)?,
            }
            // The comparison is outside the time of the next operation.
            begun_ns = boottime_ns();
        }
        if let Some(check) = &mut self.check {
            check.audit.check_listing(&directory_name, leaf, listing);
        }
        Ok(true)
    }

    /// Notes that a listed item does not exist. The task continues.
    fn note_gone(&mut self, leaf: u64, name: &str, ended_ns: Nanoseconds, meter: &mut Meter<'_>) {
        if let Some(check) = &mut self.check {
            check.audit.note_missing(name);
        }
        let error = OperationError {
            operation: Kind::Find.name(),
            errno: Errno::NOENT,
            offset: leaf,
            file: Some(name.to_owned()),
        };
        meter.pass_over(error, ended_ns);
    }

    /// Counts an error in directory `leaf`, and returns it if it ends the task.
    fn take_error(
        &self,
        leaf: u64,
        errno: Errno,
        meter: &mut Meter<'_>,
    ) -> Result<(), OperationError> {
        let ended_ns = boottime_ns();
        let subject = Subject {
            kind: Kind::Find,
            file_index: self.task,
            generation: self.job.generation,
            offset: leaf,
            length_bytes: Bytes(0),
            settles_log: false,
        };
        let error = meter.fail(&subject, errno, ended_ns);
        if self.job.goes_on_after(errno) {
            meter.go_on(error, ended_ns);
            return Ok(());
        }
        Err(error)
    }
}
