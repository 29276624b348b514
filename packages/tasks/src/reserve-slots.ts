import type { Database } from "@cloudwright/store";
import type { Lane } from "./task.ts";

/** The properties of a leased task that matter for reservations. */
export interface SlotUse {
  readonly project: string;
  readonly lane: Lane;
  readonly agent_uid: string;
  readonly lease_token: string;
  readonly stopping: boolean;
}

/**
 * Slots of an agent that one project must leave to all other projects. Without a reservation, a project whose task was interrupted would
 * take the slot back as soon as the project that got it is between two tasks.
 */
export interface Reservation {
  readonly agent_uid: string;
  readonly lane: Lane;
  /** The project that must leave the slots to others. */
  readonly project: string;
  /** Number of slots in the agent's lane that are reserved for other projects, including those that they already use. */
  readonly slots: number;
}

/** A reservation in the database, with the time since its last use. */
export interface StoredReservation extends Reservation {
  readonly idle_seconds: number;
}

/** Reserved slots are released after they have been unused for this long. The SQL function `lease_tasks` uses the same duration. */
const reservedSeconds = 120;

/**
 * Returns the reservations for the interrupted tasks. Each covers the slots that other projects use now and those that become free for
 * them.
 */
export function planReservations(
  victims: readonly SlotUse[],
  running: readonly SlotUse[],
  soonFree: ReadonlySet<string>,
): Reservation[] {
  const freed = new Set([...soonFree, ...victims.map(({ lease_token }) => lease_token)]);
  return victims.map(({ agent_uid, lane, project }) => {
    const slots = running.filter((task) => task.agent_uid === agent_uid && task.lane === lane);
    const left = slots.filter((task) => task.project !== project || freed.has(task.lease_token));
    return { agent_uid, lane, project, slots: left.length };
  });
}

/** What to do with a stored reservation: keep it as it is, renew it (`touch`), or shrink it. */
export type ReservationChange = "keep" | "touch" | { readonly slots: number };

/**
 * Decides what happens to a reservation. The reservation is considered used while other projects have at least as many tasks as it has
 * slots, or while an interrupted task of its own project is stopping. After `reservedSeconds` without use, it shrinks to the slots that
 * other projects use.
 */
export function changeReservation(reservation: StoredReservation, running: readonly SlotUse[]): ReservationChange {
  const { agent_uid, lane, project, slots, idle_seconds } = reservation;
  const uses = running.filter((task) => task.agent_uid === agent_uid && task.lane === lane);
  const others = uses.filter((task) => task.project !== project).length;
  if (others >= slots || uses.some((task) => task.project === project && task.stopping)) return "touch";
  return idle_seconds < reservedSeconds ? "keep" : { slots: others };
}

/** Renews the reservations that are in use. Shrinks or deletes those that have been unused for too long. */
export async function refreshReservations(database: Database, running: readonly SlotUse[]): Promise<void> {
  for (const stored of await listReservations(database)) {
    const change = changeReservation(stored, running);
    if (change === "touch") await touch(database, stored);
    else if (change !== "keep") await shrink(database, stored, change.slots);
  }
}

async function listReservations(database: Database): Promise<StoredReservation[]> {
  const text = `select agent_uid, lane, project, slots, extract(epoch from clock_timestamp() - used_at)::float8 as idle_seconds from slot_reservation`;
  return (await database.query<StoredReservation>({ name: "list-reservations", text, values: [] })).rows;
}

export async function reserveSlots(database: Database, { agent_uid, lane, project, slots }: Reservation): Promise<void> {
  const text = `insert into slot_reservation as r (agent_uid, lane, project, slots) values ($1, $2, $3, $4)
    on conflict (agent_uid, lane, project) do update set slots = greatest(r.slots, excluded.slots), used_at = excluded.used_at`;
  await database.query({ name: "reserve-slots", text, values: [agent_uid, lane, project, slots] });
}

/** Deletes the reservations that limit a project in a lane. */
export async function releaseSlots(database: Database, { project, lane }: Pick<Reservation, "project" | "lane">): Promise<void> {
  const text = "delete from slot_reservation where project = $1 and lane = $2";
  await database.query({ name: "release-slots", text, values: [project, lane] });
}

async function touch(database: Database, { agent_uid, lane, project }: Reservation): Promise<void> {
  const text = "update slot_reservation set used_at = clock_timestamp() where agent_uid = $1 and lane = $2 and project = $3";
  await database.query({ name: "touch-reservation", text, values: [agent_uid, lane, project] });
}

/** Shrinks or deletes a reservation, unless another server has renewed or enlarged it in the meantime. */
async function shrink(
  database: Database,
  { agent_uid, lane, project, slots: before }: Reservation,
  slots: number,
): Promise<void> {
  const where = `agent_uid = $1 and lane = $2 and project = $3 and slots = $4 and used_at < clock_timestamp() - make_interval(secs => $5)`;
  const values = [agent_uid, lane, project, before, reservedSeconds - 1];
  if (slots === 0) {
    await database.query({ name: "delete-reservation", text: `delete from slot_reservation where ${where}`, values });
    return;
  }
  const text = `update slot_reservation set slots = $6, used_at = clock_timestamp() where ${where}`;
  await database.query({ name: "shrink-reservation", text, values: [...values, slots] });
}
