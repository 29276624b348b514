import { Secret, systemClock, type Clock } from "@cloudwright/platform";
import { createApiIdentity } from "../../../api/identity.ts";
import { startApiHost, type ApiHost, type ApiHostOptions } from "../../../api/start-api-host.ts";
import { defaultConditions, type Conditions } from "../../../cloud/conditions.ts";
import type { Inventory } from "../../../inventory/inventory.ts";
import { createMemoryInventory } from "../../../inventory/memory-inventory.ts";
import { createMemoryFaults } from "../../../simulated-faults/memory-faults.ts";
import type { SimulatedFaultControl } from "../../../simulated-faults/simulated-fault.ts";
import { defaultProject } from "../../place.ts";
import { accountOf, issueToken } from "../credentials.ts";

/** A response from the API. */
export interface GcpReply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** The reasons in an error response. */
  readonly reasons: readonly string[];
}

/** Sends requests as one caller. */
export type GcpClient = (method: string, path: string, body?: unknown) => Promise<GcpReply>;

/** A simulated Google Cloud API. */
export interface GcpUnderTest {
  readonly host: ApiHost;
  readonly inventory: Inventory;
  readonly faults: SimulatedFaultControl;
  /** Returns a tenant's access token without creating a service account key, because creating one is slow. */
  tokenOf(tenant: string): Promise<string>;
  /** Returns a client for paths such as `/v1/projects/acme-1/locations/-/clusters`. */
  connect(token: string): GcpClient;
  /** Advances simulated time for operations in progress. Tokens are not affected. */
  advance(ms: number): void;
  /** Moves the cloud's clock, including the clock that tokens are checked against. */
  shift(ms: number): void;
  /** Throws if an internal error occurred. */
  close(): Promise<void>;
}

/** Starts a simulated Google Cloud API. Operations take as long as in the real cloud unless the conditions specify otherwise. */
export async function openGcp(options: Partial<ApiHostOptions> = {}): Promise<GcpUnderTest> {
  let shiftMs = 0;
  let advancedMs = 0;
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + shiftMs + advancedMs };
  const conditions: Conditions = {
    ...defaultConditions,
    timeScale: 1,
    get clockSkewMs() {
      return -advancedMs;
    },
  };
  const inventory = options.inventory ?? createMemoryInventory();
  const faults = createMemoryFaults();
  const troubles: string[] = [];
  const secret = new Secret("test");
  const host = await startApiHost({
    inventory,
    faults,
    clock,
    secret,
    listen: { port: 0 },
    conditions,
    onTrouble: (message) => troubles.push(message),
    ...options,
  });
  return {
    host,
    inventory,
    faults,
    async tokenOf(tenant) {
      const identity = createApiIdentity({ secret, inventory, clock });
      const owner = { tenant, email: accountOf(tenant, defaultProject) };
      return (await issueToken(identity, owner, clock.now() - advancedMs + 3_600_000)).token;
    },
    connect: (token) => (method, path, body) => send(host.address + path, method, token, body),
    advance: (ms) => void (advancedMs += ms),
    shift: (ms) => void (shiftMs += ms),
    async close() {
      await host.close();
      if (troubles.length > 0) throw new Error(troubles.join("\n"));
    },
  };
}

async function send(url: string, method: string, token: string, body: unknown): Promise<GcpReply> {
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const parsed = (await response.json()) as GcpReply["body"] & {
    readonly error?: { readonly errors?: readonly { readonly reason: string }[] };
  };
  return { status: response.status, body: parsed, reasons: (parsed.error?.errors ?? []).map(({ reason }) => reason) };
}
