//! Every order of steps of two and three actors, with a crash, a jump of the clock or a damaged record in between.
//!
//! The world below is small: one path, one lock, one record, a clock that ticks. But what the actors run is the crate's own
//! `Operation`. All states that can be reached are visited once; in each of them the laws are checked.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests may stop at the first surprise"
)]

use collision_lease::*;
use std::collections::HashSet;
use std::hash::BuildHasher;
use std::sync::Arc;
use std::time::Duration;

/// Times of the model, in ticks of a millisecond: small, so that all of their relations occur within few states.
const LIMITS: Limits = Limits {
    heartbeat: Duration::from_millis(1),
    stale: Duration::from_millis(2),
    corrupt_grace: Duration::from_millis(2),
};
/// After so many grants the lock file can keep no more, which every actor must survive: else the world would have no end.
const MOST_GRANTS: u64 = 3;
/// A clock well after zero, so that there is room for jumping back.
const START: u64 = 1_000;

#[derive(Clone, Copy, Debug)]
struct Plan {
    actors: usize,
    ticks: u64,
    crashes: u8,
    /// How often somebody overwrites the record with garbage.
    damage: u8,
    /// How often the wall clock jumps (back by 500, then forward by 1000).
    jumps: u8,
    /// Whether the actors see each other's processes, or sit in different pid namespaces.
    strangers: bool,
    /// The known wrong protocol: steps happen without the operation lock.
    without_lock: bool,
    /// The known wrong probe: a dead holder's pid was given to somebody else, and counts as alive.
    pid_only: bool,
}

/// What one actor is doing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Actor {
    alive: bool,
    /// The generation that it was granted, as far as it knows.
    believes: Option<u64>,
    operation: Option<(Operation<Full>, Request<Full>)>,
    /// Whether it is inside a commit's write: the claim was found to stand, the lock is held.
    writing: bool,
    /// Which kind the running operation is.
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Acquire,
    Renew,
    Commit,
    Release,
}

/// The only failure in the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Full;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct World {
    wall: u64,
    boot: u64,
    ticks_left: u64,
    crashes_left: u8,
    damage_left: u8,
    jumps_left: u8,
    lock: Option<usize>,
    generation: u64,
    record: Option<(Record, WallTime)>,
    actors: Vec<Actor>,
}

#[derive(Clone, Copy, Debug)]
enum Move {
    Begin(usize, Kind),
    Step(usize),
    /// The disk is full at this step.
    FailFull(usize),
    Crash(usize),
    Tick,
    Jump,
    Damage,
}

struct Model {
    plan: Plan,
    owners: Vec<Arc<Owner>>,
    path: CanonicalPath,
}

impl Model {
    fn new(plan: Plan) -> Self {
        let owner = |number: usize| {
            let process = Process {
                start: Some(number as u64),
                boot: Some("boot".into()),
                pid_namespace: Some(if plan.strangers { number as u64 } else { 0 }),
                ..Process::with_pid(Pid::new(100 + i64::try_from(number).unwrap()).unwrap())
            };
            let token = OwnerToken::parse(&format!("{number:032x}")).unwrap();
            Arc::new(Owner { token, session: SessionId::new("s"), process })
        };
        let path = CanonicalPath::resolve("/nowhere".as_ref()).unwrap();
        // One more owner than actors: the one who comes afterwards.
        Self { plan, owners: (0..=plan.actors).map(owner).collect(), path }
    }

    fn start(&self) -> World {
        let idle =
            Actor { alive: true, believes: None, operation: None, writing: false, kind: Kind::Acquire };
        World {
            wall: START,
            boot: START,
            ticks_left: self.plan.ticks,
            crashes_left: self.plan.crashes,
            damage_left: self.plan.damage,
            jumps_left: self.plan.jumps,
            lock: None,
            generation: 0,
            record: None,
            actors: vec![idle; self.plan.actors],
        }
    }

    fn reading(world: &World) -> Reading {
        Reading { wall: WallTime(world.wall), boot: BootTime(world.boot), awake: world.boot }
    }

    fn moves(&self, world: &World) -> Vec<Move> {
        let mut moves = Vec::new();
        for (number, actor) in world.actors.iter().enumerate().filter(|(_, actor)| actor.alive) {
            match &actor.operation {
                None => {
                    moves.push(Move::Begin(number, Kind::Acquire));
                    if actor.believes.is_some() {
                        moves.extend(
                            [Kind::Renew, Kind::Commit, Kind::Release].map(|kind| Move::Begin(number, kind)),
                        );
                    }
                }
                Some((_, Request::Lock)) if world.lock.is_some() && !self.plan.without_lock => {}
                Some((_, request)) => {
                    moves.push(Move::Step(number));
                    if matches!(request, Request::Publish(..) | Request::NextGeneration(_)) {
                        moves.push(Move::FailFull(number));
                    }
                }
            }
            if world.crashes_left > 0 {
                moves.push(Move::Crash(number));
            }
        }
        if world.ticks_left > 0 {
            moves.push(Move::Tick);
        }
        if world.jumps_left > 0 {
            moves.push(Move::Jump);
        }
        // A program that heeds no lock could strike within an operation too; then nothing can be promised.
        if world.damage_left > 0 && world.record.is_some() && world.lock.is_none() {
            moves.push(Move::Damage);
        }
        moves
    }

    /// Makes a move, and says which law it breaks.
    fn make(&self, world: &mut World, next: Move) -> Result<(), String> {
        match next {
            Move::Tick => {
                world.ticks_left -= 1;
                world.wall += 1;
                world.boot += 1;
            }
            Move::Jump => {
                world.wall =
                    if world.jumps_left.is_multiple_of(2) { world.wall + 1_000 } else { world.wall - 500 };
                world.jumps_left -= 1;
            }
            Move::Damage => {
                world.damage_left -= 1;
                world.record = Some((Record::Corrupt { reason: "damaged", pid: None }, WallTime(world.wall)));
            }
            Move::Crash(number) => {
                world.crashes_left -= 1;
                let actor = &mut world.actors[number];
                *actor = Actor {
                    alive: false,
                    believes: None,
                    operation: None,
                    writing: false,
                    kind: Kind::Acquire,
                };
                if world.lock == Some(number) {
                    world.lock = None;
                }
            }
            Move::Begin(number, kind) => self.begin(world, number, kind),
            Move::Step(number) => self.step(world, number)?,
            Move::FailFull(number) => {
                Self::reply(world, number, Reply::Failed { error: Full, full: true });
            }
        }
        Self::at_most_one_writes(world)
    }

    fn begin(&self, world: &mut World, number: usize, kind: Kind) {
        let me = Arc::clone(&self.owners[number]);
        let actor = &mut world.actors[number];
        let generation = actor.believes.unwrap_or(0);
        let operation = match kind {
            Kind::Acquire => {
                Operation::acquire(me, self.path.clone(), LIMITS, None).granted_before(actor.believes)
            }
            Kind::Renew => Operation::renew(me, generation),
            Kind::Commit => Operation::check(me, generation),
            Kind::Release => Operation::release(me, generation),
        };
        let first = operation.start();
        actor.operation = Some((operation, first));
        actor.kind = kind;
    }

    fn step(&self, world: &mut World, number: usize) -> Result<(), String> {
        let Some((_, request)) = world.actors[number].operation.clone() else { return Ok(()) };
        let before = world.record.clone();
        let reply = match request {
            Request::Lock => {
                world.lock = Some(number);
                Reply::Done
            }
            Request::Unlock => {
                Self::settle(world, number)?;
                if world.lock == Some(number) {
                    world.lock = None;
                }
                Reply::Done
            }
            Request::Read => Reply::Found(Box::new(match &world.record {
                None => Found::Nothing,
                Some((record, modified)) => Found::Record { record: record.clone(), modified: *modified },
            })),
            Request::Probe(process, _) => Reply::Process(self.probe(world, number, &process)),
            Request::NextGeneration(_) if world.generation >= MOST_GRANTS => {
                Reply::Failed { error: Full, full: false }
            }
            Request::NextGeneration(above) => {
                world.generation = world.generation.max(above) + 1;
                Reply::Generation(world.generation)
            }
            Request::Quarantine => {
                let corrupt = matches!(before, Some((Record::Corrupt { .. }, _)));
                if !corrupt && !self.plan.without_lock {
                    return Err("something other than a corrupt record went into quarantine".into());
                }
                Reply::Done
            }
            Request::Publish(claim, how) => {
                self.publish(world, number, &claim, how)?;
                Reply::Done
            }
            Request::Touch => {
                if let Some((_, modified)) = &mut world.record {
                    *modified = WallTime(world.wall);
                }
                Reply::Done
            }
            Request::Remove => {
                if !self.is_of(world, number) {
                    return Err(format!("actor {number} removed a claim that is not its own"));
                }
                world.record = None;
                Reply::Done
            }
            // The write lasts from the request until now: see `reply`.
            Request::Work => Reply::Done,
            Request::Finish(_) => {
                world.actors[number].operation = None;
                return Ok(());
            }
        };
        Self::reply(world, number, reply);
        Ok(())
    }

    fn reply(world: &mut World, number: usize, reply: Reply<Full>) {
        let now = Self::reading(world);
        let actor = &mut world.actors[number];
        if let Some((operation, request)) = &mut actor.operation {
            *request = operation.step(reply, now);
            actor.writing = matches!(request, Request::Work);
        }
    }

    fn probe(&self, world: &World, observer: usize, process: &Process) -> ProcessState {
        let holder = self.owners.iter().position(|owner| owner.process.pid == process.pid);
        let alive = holder.is_some_and(|number| world.actors.get(number).is_some_and(|actor| actor.alive));
        if self.plan.pid_only {
            return ProcessState::Alive;
        }
        let facts =
            Facts { entry: if alive { Entry::Running } else { Entry::Nothing }, start: process.start };
        judge_process(process, &self.owners[observer].process, facts)
    }

    fn is_of(&self, world: &World, number: usize) -> bool {
        matches!(&world.record, Some((Record::Claim(claim), _)) if claim.belongs_to(&self.owners[number]))
    }

    fn publish(&self, world: &mut World, number: usize, claim: &Claim, how: Publish) -> Result<(), String> {
        let kind = world.actors[number].kind;
        match (&world.record, how) {
            (Some(_), Publish::New) => {
                return Err("a claim was published over another as if there were none".into());
            }
            (Some((Record::Claim(old), _)), Publish::InPlace) if old.belongs_to(&self.owners[number]) => {
                if claim.generation < old.generation {
                    return Err("a generation fell back".into());
                }
            }
            (Some((Record::Claim(old), modified)), Publish::InPlace) => {
                if kind != Kind::Acquire {
                    return Err(format!("{kind:?} of actor {number} overwrote the claim of another"));
                }
                self.may_take_over(world, number, old, *modified)?;
                // The newcomer after the end starts counting anew; see `can_be_acquired`.
                if claim.generation <= old.generation && number < self.plan.actors {
                    return Err("a later grant has no larger generation".into());
                }
            }
            (None, Publish::InPlace) => return Err("a claim that was gone was brought back".into()),
            (Some((Record::Corrupt { .. }, modified)), Publish::InPlace) => {
                if WallTime(world.wall).since(*modified) <= LIMITS.corrupt_grace {
                    return Err("a corrupt record was replaced within its grace".into());
                }
            }
            (Some((Record::Newer { .. }, _)), _) => return Err("a newer record was replaced".into()),
            (None, Publish::New) => {}
        }
        world.record = Some((Record::Claim(Box::new(claim.clone())), WallTime(world.wall)));
        Ok(())
    }

    /// The seed's table, once more, from the world's point of view instead of the observer's.
    fn may_take_over(
        &self,
        world: &World,
        number: usize,
        old: &Claim,
        modified: WallTime,
    ) -> Result<(), String> {
        let holder = self.owners.iter().position(|owner| old.belongs_to(owner)).unwrap_or(usize::MAX);
        let alive = world.actors.get(holder).is_some_and(|actor| actor.alive);
        let silent = world.boot - old.heartbeat.boot.map_or(0, |at| at.0);
        // A heartbeat that found the disk full only moved the modification time, which a jump of the wall clock blurs.
        let untouched = if self.plan.jumps > 0 { silent } else { world.wall.saturating_sub(modified.0) };
        let stale = silent.min(untouched) > u64::try_from(LIMITS.stale.as_millis()).unwrap();
        if alive && !(self.plan.strangers && stale) {
            return Err(format!("actor {number} took the path from actor {holder}, which lives"));
        }
        Ok(())
    }

    /// What an actor knows changes while it still holds the lock, as in `LeaseSet`.
    fn settle(world: &mut World, number: usize) -> Result<(), String> {
        let actor = &mut world.actors[number];
        let outcome = actor.operation.as_ref().and_then(|(operation, _)| operation.settled());
        match outcome {
            Some(Outcome::Granted { claim, .. } | Outcome::Held { claim }) => {
                actor.believes = Some(claim.generation);
            }
            Some(Outcome::Released | Outcome::Lost(_)) => actor.believes = None,
            Some(Outcome::Conflict(_) | Outcome::Wait { .. } | Outcome::Failed(Full)) => {}
            other => return Err(format!("an outcome that nobody asked for: {other:?}")),
        }
        Ok(())
    }

    /// At any moment at most one actor is between the check of its claim and the end of its write.
    fn at_most_one_writes(world: &World) -> Result<(), String> {
        let writers = world.actors.iter().filter(|actor| actor.writing).count();
        if writers > 1 { Err(format!("{writers} actors write at once")) } else { Ok(()) }
    }

    /// Laws of a state: who holds, and that nobody has to wait for the dead.
    fn check(&self, world: &World) -> Result<(), String> {
        let believers = world.actors.iter().filter(|actor| actor.alive && actor.believes.is_some()).count();
        // Two may believe in a lease only if one was taken for gone by its silence, or lost its record to damage.
        if believers > 1 && !self.plan.strangers && self.plan.damage == 0 {
            return Err(format!("{believers} actors hold the path"));
        }
        let all_dead = world.actors.iter().all(|actor| !actor.alive);
        if all_dead { self.can_be_acquired(world) } else { Ok(()) }
    }

    /// Once everybody is dead, a newcomer gets the path: at once, or after the longest of the limits.
    fn can_be_acquired(&self, world: &World) -> Result<(), String> {
        let mut world = world.clone();
        let newcomer = world.actors.len();
        world.generation = 0;
        world.actors.push(Actor {
            alive: true,
            believes: None,
            operation: None,
            writing: false,
            kind: Kind::Acquire,
        });
        // Longer than the wall clock can be behind a modification time of before its jump.
        for wait in [0, 3, 2_000] {
            world.wall += wait;
            world.boot += wait;
            self.begin(&mut world, newcomer, Kind::Acquire);
            while world.actors[newcomer].operation.is_some() {
                self.step(&mut world, newcomer)?;
            }
            if world.actors[newcomer].believes.is_some() {
                return Ok(());
            }
            let dead_and_seen = matches!(&world.record, Some((Record::Claim(_), _))) && !self.plan.strangers;
            if dead_and_seen {
                return Err("a dead holder was not taken over at once".into());
            }
        }
        Err("the path is stuck".into())
    }
}

/// Visits every state that can be reached. Returns how many, or the first broken law with the way to it.
fn explore(plan: Plan) -> Result<usize, String> {
    let model = Model::new(plan);
    let hasher = std::hash::BuildHasherDefault::<std::hash::DefaultHasher>::default();
    // A 64-bit digest stands for a state: the states themselves would fill gigabytes. That two of ten million states share
    // one, so that the second is skipped, happens in one of 300,000 runs.
    let digest = |world: &World| hasher.hash_one(world);
    let start = model.start();
    let mut visited = HashSet::from([digest(&start)]);
    let mut open = vec![start];
    while let Some(world) = open.pop() {
        let context = |law: String| format!("{law}\nin {world:#?}");
        model.check(&world).map_err(context)?;
        for next in model.moves(&world) {
            let mut after = world.clone();
            model.make(&mut after, next).map_err(|law| format!("{law}\nby {next:?} in {world:#?}"))?;
            if visited.insert(digest(&after)) {
                open.push(after);
            }
        }
    }
    Ok(visited.len())
}

/// The whole of it takes half a minute optimised and several without; a shorter clock gives most of it in a tenth of that.
/// Set `COLLISION_LEASE_EXPLORE_ALL` for the whole.
fn ticks(all: u64) -> u64 {
    if std::env::var_os("COLLISION_LEASE_EXPLORE_ALL").is_some() { all } else { all - 1 }
}

const PLAN: Plan = Plan {
    actors: 2,
    ticks: 3,
    crashes: 2,
    damage: 0,
    jumps: 0,
    strangers: false,
    without_lock: false,
    pid_only: false,
};

fn must_hold(name: &str, plan: Plan) -> usize {
    let states = explore(plan).unwrap_or_else(|law| panic!("{name}: {law}"));
    println!("{name}: {states} states, no law broken");
    states
}

fn must_break(name: &str, plan: Plan, expected: &str) {
    let law = explore(plan).expect_err("the wrong protocol went unnoticed");
    let first = law.lines().next().unwrap_or_default().to_owned();
    println!("{name}: caught: {first}");
    assert!(first.contains(expected), "{first}");
}

#[test]
fn two_actors_see_each_other() {
    assert!(must_hold("two actors", PLAN) > 1_000);
}

#[test]
fn two_actors_in_different_pid_namespaces() {
    must_hold("two strangers", Plan { strangers: true, ticks: 3, crashes: 1, ..PLAN });
}

#[test]
fn two_actors_and_a_jumping_wall_clock() {
    must_hold("two strangers, clock jumps", Plan { strangers: true, jumps: 2, ticks: ticks(3), ..PLAN });
}

#[test]
fn two_actors_and_a_damaged_record() {
    must_hold("two actors, damage", Plan { damage: 1, ticks: ticks(3), ..PLAN });
    must_hold("two strangers, damage", Plan { damage: 1, ticks: ticks(3), strangers: true, ..PLAN });
}

#[test]
fn three_actors_see_each_other() {
    must_hold("three actors", Plan { actors: 3, ticks: 1, crashes: 3, ..PLAN });
}

#[test]
fn three_actors_in_different_pid_namespaces() {
    must_hold("three strangers", Plan { actors: 3, ticks: ticks(3), crashes: 1, strangers: true, ..PLAN });
}

#[test]
fn without_the_operation_lock_two_get_in() {
    must_break("no lock", Plan { without_lock: true, crashes: 1, ..PLAN }, "");
}

#[test]
fn with_the_pid_alone_a_path_stays_stuck() {
    must_break("pid only", Plan { pid_only: true, ..PLAN }, "dead holder was not taken over");
}
