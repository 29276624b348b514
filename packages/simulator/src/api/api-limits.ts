import { defaultConnectionLimits, type ConnectionLimits } from "../http/limit-connections.ts";
import type { DeliveryLimits } from "../http/deliver.ts";
import type { ByteLimits } from "@cloudwright/platform";
import type { StrangerLimits } from "./strangers.ts";
import type { TurnLimits } from "./tenant-turns.ts";

/** Limits that keep one tenant or unauthenticated client from slowing down others. */
export interface ApiLimits extends ConnectionLimits {
  readonly bodyBytes: number;
  /** Maximum body size of a request without a credential. */
  readonly strangerBytes: number;
  readonly strangers: StrangerLimits;
  /** Maximum number of concurrent requests from one tenant, including requests that wait for their turn. */
  readonly requests: number;
  /** Maximum number of concurrent requests from all tenants of one holder. */
  readonly requestsPerHolder: number;
  readonly turns: TurnLimits;
  readonly bodies: ByteLimits;
  /** Time within which a client must send its whole request. */
  readonly requestMs: number;
  readonly delivery: DeliveryLimits;
}

export const defaultLimits: ApiLimits = {
  ...defaultConnectionLimits,
  bodyBytes: 1_048_576,
  strangerBytes: 16_384,
  strangers: { perSecond: 50, burst: 500 },
  requests: 100,
  requestsPerHolder: 300,
  turns: { running: 4, perTenant: 2 },
  bodies: { perHolder: 8 * 1024 * 1024, total: 128 * 1024 * 1024 },
  requestMs: 30_000,
  delivery: { idleMs: 60_000, bytesPerSecond: 64 * 1024 },
};
