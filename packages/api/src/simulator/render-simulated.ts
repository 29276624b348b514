import type { Json, JsonObject } from "@cloudwright/contract";
import {
  countSimulatedFaults,
  countSimulatedRecords,
  findSimulatedConditions,
  type SimulatedFaultRow,
  type SimulatedRecordRow,
} from "@cloudwright/store";
import type { Answer } from "../calls/answer.ts";
import type { ApiDeps } from "../deps.ts";
import { maskSecrets } from "./mask-secrets.ts";
import type { SimulatedAccount } from "./require-simulated.ts";

/** Marks every response as simulated, so that nobody mistakes it for data from a real cloud. */
const simulated = { simulated: true } as const;

/** Default speed: simulated operations run 1000 times as fast as real ones. */
const standardSpeed = 1000;

/** The stored settings of a simulated cloud. */
interface Conditions {
  /** Real time divided by simulated time. */
  readonly timeScale?: number;
  readonly lagMs?: number;
  readonly throttle?: { readonly perSecond: number; readonly burst: number };
  readonly quotas?: Readonly<Record<string, number>>;
}

export async function renderCloud({ pool }: Pick<ApiDeps, "pool">, account: SimulatedAccount): Promise<Answer> {
  const { project, name, uid } = account;
  const { timeScale, lagMs = 0, throttle, quotas = {} } = (await findSimulatedConditions(pool, uid)) as Conditions;
  const conditions: JsonObject = {
    speed: timeScale === undefined ? standardSpeed : Math.round(1 / timeScale),
    lagMs,
    callsPerSecond: throttle?.perSecond ?? 0,
    burst: throttle?.burst ?? 0,
    quotas,
  };
  const records = await countSimulatedRecords(pool, uid);
  const faults = await countSimulatedFaults(pool, uid);
  const cloud = { project, account: name, accountUid: uid, ...simulated, conditions, records, faults };
  return { body: JSON.stringify(cloud) };
}

export function renderRecord({ type, id, attributes, changed_at }: SimulatedRecordRow): JsonObject {
  return { type, id, attributes: maskSecrets(JSON.parse(attributes) as Json), changedAt: changed_at.toISOString(), ...simulated };
}

export function renderFault(row: SimulatedFaultRow): JsonObject {
  const { uid, operation, type, nth, times, seen, created_at, actor } = row;
  const { kind, message = "", delayMs = 0, afterEffect = false, deaf = false } = row.mishap as Record<string, Json>;
  const state = seen < nth + times - 1 ? "PLANNED" : "DONE";
  const what = { uid, operation, type, kind: kind ?? "", message, delayMs, afterEffect, deaf };
  return { ...what, nth, times, seen, state, createdAt: created_at.toISOString(), actor, ...simulated };
}

export function renderPage(items: readonly JsonObject[], nextPageToken: string): Answer {
  return { body: JSON.stringify({ items, nextPageToken, ...simulated }) };
}
