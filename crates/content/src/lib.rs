//! Blocks that say where they belong.
//!
//! Every block that Seatrial writes carries a header (run, file, offset, generation, writer) and a
//! body that is a function of that header. So a reader that expects a certain header knows every
//! byte. A reader that knows nothing can still separate a valid block from one that is zero, stale,
//! torn, misplaced, foreign or corrupt. `docs/content-format.md` has the byte layout and the
//! reasons.
//!
//! * [`Stamp`] fills buffers and checks them; this is the fast path.
//! * [`classify`] names the damage of a block that failed the check.
//! * [`ExtentList`] joins findings into extents.
//! * [`Ballot`] finds out what a file of unknown origin claims to be.

mod ballot;
mod block_size;
mod body;
mod classify;
mod dissect;
mod extents;
mod finding;
mod header;
mod mix;
mod stamp;

pub use ballot::Ballot;
pub use block_size::{BLOCK_BYTES_MAX, BLOCK_BYTES_MIN, block_bytes_for, is_block_size};
pub use classify::{Expectation, classify, classify_unknown};
pub use dissect::{Piece, Source};
pub use extents::{Extent, ExtentList};
pub use finding::{Class, Finding};
pub use header::{HEADER_BYTES, Header, HeaderError};
pub use mix::SplitMix64;
pub use stamp::{Stamp, file_id};
