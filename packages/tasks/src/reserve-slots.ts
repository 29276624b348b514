import type { Database } from "@cloudwright/store";
import type { Lane } from "./task.ts";

/** A leased task, as far as it matters for reservations. */
export interface SlotUse {
  readonly project: string;
  readonly lane: Lane;
  readonly agent_uid: string;
  readonly lease_token: string;
  readonly stopping: boolean;
}

/**
 * Slots of an agent that a project leaves to all other projects. Without it, a project whose task was interrupted would take the slot back
 * as soon as the other project is between two tasks.
 */
export interface Reservation {
  readonly agent_uid: string;
  readonly lane: Lane;
  /** The project that leaves the slots to others. */
  readonly project: string;
  /** Number of tasks that other projects may have on the agent's lane before `project` gets a further slot. */
  readonly slots: number;
}

/** A stored reservation. */
export interface StoredReservation extends Reservation {
  readonly idle_seconds: number;
}

/** Reserved slots that are not used for this long are released. The function `lease_tasks` uses the same duration. */
const reservedSeconds = 120;

/** Returns the reservations that follow from interruptions: what other projects use now, and the slots that become free for them. */
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

/** What to do with a stored reservation. */
export type ReservationChange = "keep" | "touch" | { readonly slots: number };

/**
 * Decides what becomes of a reservation. It is used while other projects have as many tasks as it has slots, or while an interrupted task is
 * stopping. When it was not used for some time, it shrinks to the slots that are in use.
 */
export function changeReservation(reservation: StoredReservation, running: readonly SlotUse[]): ReservationChange {
  const { agent_uid, lane, project, slots, idle_seconds } = reservation;
  const uses = running.filter((task) => task.agent_uid === agent_uid && task.lane === lane);
  const others = uses.filter((task) => task.project !== project).length;
  if (others >= slots || uses.some((task) => task.project === project && task.stopping)) return "touch";
  return idle_seconds < reservedSeconds ? "keep" : { slots: others };
}

/** Renews the reservations that are used and shrinks or deletes the others. */
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

/** Deletes the reservations that a project has to respect in a lane. */
export async function releaseSlots(database: Database, { project, lane }: Pick<Reservation, "project" | "lane">): Promise<void> {
  const text = "delete from slot_reservation where project = $1 and lane = $2";
  await database.query({ name: "release-slots", text, values: [project, lane] });
}

async function touch(database: Database, { agent_uid, lane, project }: Reservation): Promise<void> {
  const text = "update slot_reservation set used_at = clock_timestamp() where agent_uid = $1 and lane = $2 and project = $3";
  await database.query({ name: "touch-reservation", text, values: [agent_uid, lane, project] });
}

/** Changes nothing if another server renewed or enlarged the reservation in the meantime. */
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
