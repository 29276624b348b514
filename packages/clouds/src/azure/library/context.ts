import { systemClock } from "@cloudwright/platform/clock";
import type { LibraryClock } from "../../library/call-options.ts";
import { createAzureApi, type AzureApi } from "../api.ts";
import { createChannel, type ChannelOptions, type Send } from "../channel.ts";
import { createCredentialSource, type CredentialSource } from "../credentials.ts";
import { toLibraryFault } from "../errors.ts";
import { readEndpoints, readLibraryAccess, type AzureLibraryOptions } from "./options.ts";

/** The state that the library's modules share: the API, credentials, the clock and the factory's options. */
export interface AzureContext {
  readonly options: Pick<AzureLibraryOptions, "subscriptionId" | "resourceGroup" | "tags"> & {
    /** In Azure's own spelling, such as `eastus`. */
    readonly location: string;
  };
  readonly clock: LibraryClock;
  readonly source: CredentialSource;
  readonly api: AzureApi;
  /** Sends requests without a token, for links that carry their own signature. */
  readonly sendAnonymously: Send;
}

/** Tag that records the token of the call that created a resource, so that a repeated call finds the existing resource. */
export const tokenTag = "cloudwright:token";

/** Creates the shared context. Sends no requests and loads no SDK. */
export function createAzureContext(options: AzureLibraryOptions): AzureContext {
  const {
    subscriptionId,
    resourceGroup,
    tags,
    clock = systemClock,
    budget,
    maxAttempts = 4,
    caPem,
    federatedTokenFile,
  } = options;
  const endpoints = readEndpoints(options);
  const access = readLibraryAccess(options, clock);
  const location = spellLocation(options.location);
  const ca = caPem === undefined ? {} : { caPem };
  const source = createCredentialSource(
    { clock, openAccess: async () => access },
    { endpoints, ...ca, ...(federatedTokenFile === undefined ? {} : { federatedTokenFile }) },
  );
  const channel: ChannelOptions = { maxAttempts, ...ca, ...(budget === undefined ? {} : { budget }) };
  return {
    options: { subscriptionId, resourceGroup, location, ...(tags === undefined ? {} : { tags }) },
    clock,
    source,
    api: createAzureApi(source, {
      ...channel,
      region: location,
      endpoints,
      clock,
      getSubscription: async () => subscriptionId,
      toFault: toLibraryFault,
    }),
    sendAnonymously: createChannel(undefined, "", channel),
  };
}

/** Returns a location's name for one of its display names, such as `eastus` for `East US`. */
export function spellLocation(location: string): string {
  return location.toLowerCase().replaceAll(/\s/g, "");
}
