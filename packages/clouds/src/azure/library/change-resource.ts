import type { WaitOptions } from "../../library/call-options.ts";
import { createCloudFault, isCloudFault } from "../../library/errors.ts";
import { waitFor } from "../../library/wait-for.ts";
import { readClusterStatus } from "../statuses.ts";
import type { AzureContext } from "./context.ts";

/** A resource whose current state Azure returned. */
export interface ReadResource {
  readonly eTag?: string;
  readonly properties?: {
    readonly eTag?: string;
    readonly provisioningState?: string;
    readonly powerState?: { readonly code?: string };
  };
}

export interface ResourceChange<Resource> {
  /** How messages refer to the resource. */
  readonly what: string;
  readonly read: () => Promise<Resource>;
  /** Returns the new body, or undefined if no change is needed. */
  readonly render: (current: Resource) => object | undefined;
  readonly send: (body: object, headers: Readonly<Record<string, string>>) => Promise<unknown>;
}

/**
 * Reads a cluster or agent pool, changes some fields and sends it back with its ETag, so that a concurrent change is never overwritten.
 * Starts over after a concurrent change, and waits while Azure is processing another change.
 */
export async function changeResource<Resource extends ReadResource>(
  { clock }: AzureContext,
  { signal, timeoutMs }: WaitOptions & { readonly timeoutMs: number },
  { what, read, render, send }: ResourceChange<Resource>,
): Promise<void> {
  await waitFor(clock, {
    cloud: "azure",
    timeoutMs,
    signal,
    describe: (last) => `${what} is still ${last?.nativeStatus ?? "being changed"}`,
    async read() {
      const current = await read();
      const { properties } = current;
      const observed = readClusterStatus(properties?.provisioningState, properties?.powerState?.code);
      if (observed.status === "deleting" || observed.status === "stopped")
        throw createCloudFault(`${what} is ${observed.nativeStatus} and cannot be changed`, {
          cloud: "azure",
          category: "conflict",
        });
      if (observed.status !== "running" && observed.status !== "failed") return { ...observed, isDone: false };
      const body = render(current);
      if (body === undefined) return { ...observed, isDone: true };
      const eTag = current.eTag ?? properties?.eTag;
      try {
        await send(body, eTag === undefined ? {} : { "if-match": eTag });
      } catch (error) {
        if (isCloudFault(error, "conflict")) return { ...observed, isDone: false };
        throw error;
      }
      return { ...observed, isDone: true };
    },
    isDone: ({ isDone }) => isDone,
  });
}

/** Fields that Azure fills in and does not accept in requests. */
const readOnly = {
  resource: ["id", "name", "type", "systemData", "eTag"],
  cluster: [
    "provisioningState",
    "maxAgentPools",
    "currentKubernetesVersion",
    "fqdn",
    "privateFQDN",
    "azurePortalFQDN",
    "resourceUID",
    "status",
  ],
  pool: ["eTag", "currentOrchestratorVersion", "nodeImageVersion", "provisioningState", "status"],
} as const;

/** Returns a copy of a cluster that can be sent back. */
export function toClusterBody(cluster: object, changed: Readonly<Record<string, unknown>>): object {
  const { properties = {}, ...rest } = cluster as { readonly properties?: Readonly<Record<string, unknown>> };
  const profiles = (changed["agentPoolProfiles"] ?? properties["agentPoolProfiles"] ?? []) as readonly object[];
  return {
    ...without(rest, readOnly.resource),
    properties: {
      ...without(properties, readOnly.cluster),
      ...changed,
      agentPoolProfiles: profiles.map((profile) => without(profile, readOnly.pool)),
    },
  };
}

/** Returns a copy of an agent pool that can be sent back. */
export function toPoolBody(pool: object, changed: Readonly<Record<string, unknown>>): object {
  const { properties = {} } = pool as { readonly properties?: Readonly<Record<string, unknown>> };
  return { properties: { ...without(properties, readOnly.pool), ...changed } };
}

function without(fields: object, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}
