import { Secret } from "@cloudwright/platform";
import { applyChange, findIn, listIn, type RecordTable } from "../inventory/record-table.ts";
import type { WireAct } from "../inventory/wire-connection.ts";
import type { WireOptions } from "../inventory/wire-sender.ts";
import { createMemoryFaults } from "../simulated-faults/memory-faults.ts";
import type { SimulatedFaultControl, Operation } from "../simulated-faults/simulated-fault.ts";

/** A batch request that the fake control plane received. */
export interface SentBatch {
  readonly tenant: string;
  readonly authorization: string;
  readonly request?: string;
  readonly acts: readonly WireAct[];
}

/** An in-memory fake of the control plane's simulator endpoint, for tests of its clients. It accepts any credentials. */
export interface FakeControlPlane {
  readonly options: WireOptions;
  readonly faults: SimulatedFaultControl;
  readonly sent: SentBatch[];
  /** Failures for the next requests, one entry per request: an error status, or a connection lost before or after processing. */
  readonly troubles: (number | "lost before" | "lost after")[];
  advance(ms: number): void;
}

/**
 * Creates a fake control plane with its own clock, so that retries take no real time. Its lists have pages of two records. If `hasPages`
 * is false, the fake returns whole lists, like the control plane of an earlier release.
 */
export function createFakeControlPlane({ hasPages = true }: { readonly hasPages?: boolean } = {}): FakeControlPlane {
  const tables = new Map<string, RecordTable>();
  const answered = new Map<string, unknown[]>();
  const sent: SentBatch[] = [];
  const troubles: FakeControlPlane["troubles"] = [];
  const faults = createMemoryFaults();

  const perform = async (tenant: string, act: WireAct): Promise<unknown> => {
    const table = tables.get(tenant) ?? new Map();
    tables.set(tenant, table);
    if (act.do === "find") return findIn(table, act) ?? null;
    if (act.do === "list") {
      const { after } = act;
      const all = listIn(table, act.type);
      if (after === undefined || !hasPages) return all;
      const rest = all.filter(({ type, id }) => type > after.type || (type === after.type && id > after.id));
      return { items: rest.slice(0, 2), more: rest.length > 2 };
    }
    if (act.do === "delete") return applyChange(table, { kind: "delete", key: act });
    if (act.do === "take") {
      const { type, operation } = act;
      return (await faults.take({ tenant, operation: operation as Operation, ...(type === undefined ? {} : { type }) })) ?? null;
    }
    const { do: kind, ...record } = act as Extract<WireAct, { do: "create" | "put" }>;
    return applyChange(table, { kind, record });
  };

  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const tenant = decodeURIComponent(
      /^\/v1\/simulator\/([^/]*)\/batch$/.exec(new URL(request.url).pathname)?.[1] ?? "no tenant",
    );
    const body = (await request.json()) as Pick<SentBatch, "request" | "acts">;
    sent.push({ tenant, authorization: request.headers.get("authorization") ?? "", ...body });
    const trouble = troubles.shift();
    if (trouble === "lost before") throw new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } });
    if (typeof trouble === "number") return Response.json({ code: "api.trouble" }, { status: trouble });
    const known = answered.get(body.request ?? "");
    const answers: unknown[] = [];
    for (const act of known === undefined ? body.acts : []) answers.push(await perform(tenant, act));
    if (body.request !== undefined && known === undefined) answered.set(body.request, answers);
    if (trouble === "lost after") throw new TypeError("fetch failed", { cause: { code: "ECONNRESET" } });
    return Response.json({ answers: known ?? answers, faults: (await faults.list()).length > 0 });
  };

  let nowMs = Date.UTC(2026, 0, 1);
  const clock = { now: () => nowMs, sleep: async (ms: number) => void (nowMs += ms) };
  const options = { address: "http://server/v1/states/1", username: "task", password: new Secret("cws_secret"), fetch, clock };
  return { options, faults, sent, troubles, advance: (ms) => void (nowMs += ms) };
}
