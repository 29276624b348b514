import type { Json, JsonObject } from "@cloudwright/contract";
import type {
  CloudRecord,
  CountedFault,
  SimulatedFault,
  SimulatedFaultControl,
  RecordKey,
  ValueMap,
} from "@cloudwright/simulator";
import type { AdminCalls } from "./admin-calls.ts";

/** The cloud of a simulated account. Tests inspect it and inject faults into it through the public API. */
export interface SimulatedCloud {
  /** Returns the resources of one type, or all resources, ordered by type and id. */
  list(type?: string): Promise<readonly CloudRecord[]>;
  /** Changes resource attributes without Terraform's knowledge. Null removes an attribute. */
  change(key: RecordKey, attributes: ValueMap): Promise<void>;
  /** Deletes a resource without Terraform's knowledge. */
  remove(key: RecordKey): Promise<void>;
  readonly faults: Pick<SimulatedFaultControl, "add" | "clear" | "list">;
}

/** Opens the cloud of an account. Calls `calls` before each request, because the server's address may have changed after a restart. */
export function openSimulatedCloud(calls: () => AdminCalls, account = "/v1/projects/default/accounts/sim"): SimulatedCloud {
  const ask = async (method: string, verb: string, body?: Json): Promise<JsonObject> => {
    const response = await calls().send(method, `${account}/simulation/${verb}`, body);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${verb}: ${response.status} ${text}`);
    return JSON.parse(text) as JsonObject;
  };
  const listAll = async (what: string, query: Readonly<Record<string, string>> = {}): Promise<JsonObject[]> => {
    const items: JsonObject[] = [];
    for (let pageToken = ""; ;) {
      const page = await ask("GET", `${what}?${new URLSearchParams({ ...query, pageSize: "1000", pageToken }).toString()}`);
      items.push(...((page["items"] ?? []) as JsonObject[]));
      pageToken = (page["nextPageToken"] ?? "") as string;
      if (pageToken === "") return items;
    }
  };
  return {
    list: async (type) => (await listAll("records", type === undefined ? {} : { type })).map(readRecord),
    change: async ({ type, id }, attributes) => void (await ask("POST", "drift", { type, id, attributes } as Json)),
    remove: async ({ type, id }) => void (await ask("POST", "remove", { type, id })),
    faults: {
      async add(...faults) {
        for (const fault of faults) await ask("POST", "fail", renderFault(fault));
      },
      clear: async () => void (await ask("POST", "clear", {})),
      list: async () => (await listAll("faults")).map(readFault),
    },
  };
}

function readRecord({ type, id, attributes }: JsonObject): CloudRecord {
  return { type, id, attributes: attributes ?? {} } as unknown as CloudRecord;
}

// The account is part of the URL, so the body omits the tenant. JSON drops the undefined value.
function renderFault(fault: SimulatedFault): Json {
  return { ...fault, tenant: undefined } as unknown as JsonObject;
}

function readFault({ operation, type, kind, message, delayMs, afterEffect, deaf, nth, times, seen }: JsonObject): CountedFault {
  const fault = { operation, type, kind, message, delayMs, afterEffect, deaf, nth, times };
  const said = Object.entries(fault).filter(([, value]) => value !== undefined && value !== "" && value !== false && value !== 0);
  return { fault: Object.fromEntries(said) as unknown as SimulatedFault, seen: (seen ?? 0) as number };
}
