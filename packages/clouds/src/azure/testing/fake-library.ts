import type { CloudLibrary } from "../../library/library.ts";
import { createAzure, type AzureLibraryOptions } from "../create-azure.ts";
import { createFakeResourceManager, type FakeResourceManager } from "./fake-resource-manager.ts";
import { createAccessToken, fakeRegion, fakeSubscription, startFakeAzure, type FakeAzure } from "./fake-azure.ts";

/** The library, connected to a fake subscription. Its clock moves only when the library waits. */
export interface FakeLibrary {
  readonly fake: FakeAzure;
  /** The cloud's state. `reset` empties it. */
  readonly cloud: () => FakeResourceManager;
  readonly azure: CloudLibrary;
  open(options?: Partial<AzureLibraryOptions>): CloudLibrary;
  /** Removes all resources and recorded requests. */
  reset(): void;
  /** Write requests since the last reset, as `METHOD type/name`. */
  listWrites(): string[];
  close(): Promise<void>;
}

export const fakeGroup = "my-rg";
export const groupId = `/subscriptions/${fakeSubscription}/resourceGroups/${fakeGroup}`;
export const clusterId = (name: string, group = fakeGroup): string =>
  `/subscriptions/${fakeSubscription}/resourceGroups/${group}/providers/Microsoft.ContainerService/managedClusters/${name}`;
export const machineId = (name: string): string => `${groupId}/providers/Microsoft.Compute/virtualMachines/${name}`;
export const subnetId = `${groupId}/providers/Microsoft.Network/virtualNetworks/net/subnets/nodes`;

export async function startFakeLibrary(openssl: string): Promise<FakeLibrary> {
  const fake = await startFakeAzure(openssl);
  let cloud = createFakeResourceManager(fake);
  fake.answer(cloud.answer);
  let nowMs = Date.UTC(2026, 0, 1);
  const clock = {
    now: () => nowMs,
    async sleep(ms: number, signal?: AbortSignal) {
      signal?.throwIfAborted();
      nowMs += ms;
      await new Promise((resolve) => setImmediate(resolve));
      signal?.throwIfAborted();
    },
  };
  const open = (options: Partial<AzureLibraryOptions> = {}): CloudLibrary =>
    createAzure({
      subscriptionId: fakeSubscription,
      resourceGroup: fakeGroup,
      location: fakeRegion,
      accessToken: createAccessToken("arm"),
      endpoints: {
        resourceManager: fake.endpoints["AZURE_RESOURCE_MANAGER_ENDPOINT"] ?? "",
        authority: fake.endpoints["AZURE_AUTHORITY_HOST"] ?? "",
      },
      clock,
      ...options,
    });
  let from = 0;
  return {
    fake,
    cloud: () => cloud,
    azure: open(),
    open,
    reset() {
      fake.resources.clear();
      cloud = createFakeResourceManager(fake);
      fake.answer(cloud.answer);
      from = fake.seen.length;
    },
    listWrites: () =>
      fake.seen
        .slice(from)
        .filter(({ method }) => method !== "GET")
        .map(({ method, path }) => `${method} ${path.split("/").slice(-2).join("/")}`),
    close: () => fake.close(),
  };
}
