import type { CloudName } from "@cloudwright/contract/clouds";
import { createAws } from "./aws/create-aws.ts";
import { renderInstanceUserData } from "./aws/parts/instance-user-data.ts";
import { createAwsParts } from "./aws/parts/parts.ts";
import { createAwsProvider } from "./aws/provider.ts";
import { createAzure } from "./azure/create-azure.ts";
import { renderInstanceUserData as renderAzureUserData } from "./azure/parts/instance-user-data.ts";
import { createAzureParts } from "./azure/parts/parts.ts";
import { createAzureProvider } from "./azure/provider.ts";
import type { CloudProvider, DirectAccess, DirectRun, LibraryRun, ProviderOptions } from "./cloud-provider.ts";
import { createGcp } from "./gcp/create-gcp.ts";
import { renderInstanceUserData as renderGcpUserData } from "./gcp/parts/instance-user-data.ts";
import { createGcpParts } from "./gcp/parts/parts.ts";
import type { CloudLibrary } from "./library/library.ts";
import { createGcpProvider } from "./gcp/provider.ts";
import { createLocalProvider } from "./local/provider.ts";
import { renderLocalUserData } from "./local/user-data.ts";
import type { InstanceStart, InstanceUserData } from "./library/instance-start.ts";
import { notImplemented } from "./not-implemented.ts";

const registry: Readonly<Record<CloudName, (options: ProviderOptions) => CloudProvider>> = {
  aws: createAwsProvider,
  gcp: createGcpProvider,
  azure: createAzureProvider,
  local: createLocalProvider,
};

/** Creates the provider for a cloud's real accounts. SDKs are loaded on first use. */
export function createProvider(cloud: CloudName, options: ProviderOptions = { endpoints: {} }): CloudProvider {
  return registry[cloud](options);
}

/** Options for a cloud's client library, as returned by a credential issuer. */
type PartsOptions = Readonly<Record<string, unknown>> & DirectRun;

const parts: Readonly<Partial<Record<CloudName, (options: PartsOptions) => Omit<DirectAccess, "close"> & { close(): void }>>> = {
  aws: (options) => createAwsParts(options as unknown as Parameters<typeof createAwsParts>[0]),
  gcp: (options) => ({
    ...createGcpParts(options as unknown as Parameters<typeof createGcpParts>[0]),
    close: () => undefined,
  }),
  azure: (options) => createAzureParts(options as unknown as Parameters<typeof createAzureParts>[0]),
};

const libraries: Readonly<Partial<Record<CloudName, (options: never) => CloudLibrary>>> = {
  aws: createAws,
  gcp: createGcp,
  azure: createAzure,
};

/** Opens a cloud's library with the options that a credential issuer returned. Throws if the cloud has no library. */
export function createLibrary(cloud: CloudName, options: Readonly<Record<string, unknown>> & LibraryRun): CloudLibrary {
  const create = libraries[cloud];
  if (create === undefined) throw notImplemented(cloud, "library");
  return create(options as never);
}

/** Returns whether the platform can build clusters in a cloud without Terraform. */
export function hasParts(cloud: CloudName): boolean {
  return parts[cloud] !== undefined;
}

/** Creates a cloud's parts with the options of its client library. Throws if the platform cannot use the cloud without Terraform. */
export function createParts(cloud: CloudName, options: PartsOptions): DirectAccess {
  const create = parts[cloud];
  if (create === undefined) throw notImplemented(cloud, "direct");
  const { parts: opened, close } = create(options);
  return { parts: opened, close: async () => close() };
}

const userData: Readonly<Partial<Record<CloudName, (start: InstanceStart) => InstanceUserData>>> = {
  aws: renderInstanceUserData,
  gcp: renderGcpUserData,
  azure: renderAzureUserData,
  local: renderLocalUserData,
};

/**
 * Renders the data that an instance reads when it starts for the first time. Throws if the platform cannot build instances in the cloud.
 */
export function renderUserData(cloud: CloudName, start: InstanceStart): InstanceUserData {
  const render = userData[cloud];
  if (render === undefined) throw notImplemented(cloud, "direct");
  return render(start);
}
