//! The two times a lease knows: boot time decides, wall time is shown.

use std::fmt;
use std::sync::Mutex;
use std::time::Duration;

/// A moment on the wall clock, in milliseconds since the Unix epoch.
///
/// For people, for file modification times, and for records that carry nothing better: it may jump.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WallTime(
    /// Milliseconds since the Unix epoch.
    pub u64,
);

/// A moment on the boot-time clock, in milliseconds since the machine started, suspended time included.
///
/// Comparable only within one boot and one time namespace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BootTime(
    /// Milliseconds since the machine started.
    pub u64,
);

macro_rules! moment {
    ($name:ident) => {
        impl $name {
            /// Returns how long ago `earlier` was; zero if it lies ahead.
            #[must_use]
            pub fn since(self, earlier: Self) -> Duration {
                Duration::from_millis(self.0.saturating_sub(earlier.0))
            }
        }
    };
}
moment!(WallTime);
moment!(BootTime);

/// All clocks, read at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Reading {
    /// The wall clock.
    pub wall: WallTime,
    /// The boot-time clock, which runs on while the machine sleeps.
    pub boot: BootTime,
    /// Milliseconds for which the machine was awake: [`boot`](Self::boot) without the time it slept.
    pub awake: u64,
}

impl Reading {
    /// Returns for how long the machine has slept since it started.
    #[must_use]
    pub fn slept(&self) -> Duration {
        Duration::from_millis(self.boot.0.saturating_sub(self.awake))
    }
}

/// Where the time comes from.
pub trait Clock: Send + Sync + fmt::Debug {
    /// Reads all clocks.
    fn read(&self) -> Reading;
}

/// The machine's own clocks. A reading costs three system calls that never leave user space (about 0.2 µs).
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn read(&self) -> Reading {
        use rustix::time::{ClockId, clock_gettime};
        let read = |id| {
            let time = clock_gettime(id);
            let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
            let millis = u64::try_from(time.tv_nsec).unwrap_or(0) / 1_000_000;
            seconds.saturating_mul(1000).saturating_add(millis)
        };
        #[cfg(target_os = "linux")]
        let boot = ClockId::Boottime;
        // Elsewhere the monotonic clock is the one that runs through sleep (macOS), or there is none.
        #[cfg(not(target_os = "linux"))]
        let boot = ClockId::Monotonic;
        // The awake clock first: sleep that falls between the two readings then shows as sleep, not as its reverse.
        let awake = read(ClockId::Monotonic);
        Reading { wall: WallTime(read(ClockId::Realtime)), boot: BootTime(read(boot)), awake }
    }
}

/// A clock that stands still until it is told to move: for tests, here and in hosts.
///
/// ```
/// use collision_lease::{Clock, ManualClock};
/// use std::time::Duration;
///
/// let clock = ManualClock::default();
/// let before = clock.read();
/// clock.advance(Duration::from_secs(5));
/// clock.sleep(Duration::from_secs(60));
/// let after = clock.read();
/// assert_eq!(after.boot.since(before.boot), Duration::from_secs(65));
/// assert_eq!(after.slept(), Duration::from_secs(60));
/// ```
#[derive(Debug)]
pub struct ManualClock(Mutex<Reading>);

impl Default for ManualClock {
    /// A clock one day after boot, in the year 2026.
    fn default() -> Self {
        const DAY: u64 = 86_400_000;
        Self::at(Reading { wall: WallTime(1_780_000_000_000), boot: BootTime(DAY), awake: DAY })
    }
}

impl ManualClock {
    /// A clock that shows `reading`.
    #[must_use]
    pub fn at(reading: Reading) -> Self {
        Self(Mutex::new(reading))
    }

    /// Lets time pass on all clocks.
    pub fn advance(&self, by: Duration) {
        self.change(|reading| {
            reading.wall.0 += millis(by);
            reading.boot.0 += millis(by);
            reading.awake += millis(by);
        });
    }

    /// Lets time pass while the machine sleeps: the awake clock stands still.
    pub fn sleep(&self, for_: Duration) {
        self.change(|reading| {
            reading.wall.0 += millis(for_);
            reading.boot.0 += millis(for_);
        });
    }

    /// Sets the wall clock, as a person or a time server does.
    pub fn set_wall(&self, wall: WallTime) {
        self.change(|reading| reading.wall = wall);
    }

    fn change(&self, change: impl FnOnce(&mut Reading)) {
        change(&mut self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
    }
}

impl Clock for ManualClock {
    fn read(&self) -> Reading {
        *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Whole milliseconds of a duration; what does not fit is the longest time there is.
pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
