import type { ServerHttp2Session } from "node:http2";
import { checkDefinition } from "../provider/check-definition.ts";
import { createProviderService, type ProviderOptions } from "../provider/provider-service.ts";
import type { ProviderDefinition } from "../provider/definition.ts";
import type { ProviderHost } from "../provider/scope.ts";
import { listenGrpc } from "../wire/grpc-server.ts";
import { listAddresses } from "./provider-address.ts";
import { createSocketDirectory } from "./socket-directory.ts";

/** Options for providers that run in this process for one tenant. */
export interface ResidentOptions extends Omit<ProviderOptions, "definition"> {
  /** The providers, keyed by source address. */
  readonly providers: Readonly<Record<string, ProviderDefinition>>;
  /** The directory in which the socket directories are created. */
  readonly directory: string;
}

/** Running providers, and the environment variables that make Terraform use them. */
export interface ResidentProvider {
  readonly environment: { readonly TF_REATTACH_PROVIDERS: string };
  /** How to connect to the running providers, keyed by provider address, for callers that build Terraform's environment themselves. */
  readonly reattach: Readonly<
    Record<string, { readonly pid: number; readonly socket: string; readonly protocolVersion: number }>
  >;
  close(): Promise<void>;
}

/**
 * Serves providers on separate sockets, in directories that only this user can enter. The socket determines the tenant, so no
 * configuration can reach another tenant's cloud.
 */
export async function startResidentProvider({ providers, directory, ...options }: ResidentOptions): Promise<ResidentProvider> {
  const told: Record<string, object> = {};
  const reattach: Record<string, ResidentProvider["reattach"][string]> = {};
  const closers: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(closers.splice(0).map((closeOne) => closeOne()));
  };
  try {
    for (const [address, definition] of Object.entries(providers)) {
      const addresses = listAddresses(address);
      // Resident providers may come from plug-ins, so their definitions are checked. Bundled providers are part of the product and need no
      // check.
      checkDefinition(definition);
      // Ignores Terraform's shutdown request, because the request must not end the shared process.
      const service = createProviderService({ ...options, definition }, { createHost, onShutdown: () => {} });
      const { socket, remove } = await createSocketDirectory(directory);
      closers.push(remove);
      const server = await listenGrpc(service, { socket });
      closers[closers.length - 1] = () => server.close().then(remove);
      // With `Test`, Terraform leaves the provider process running. Without it, Terraform 1.11 panics.
      const how = {
        Protocol: "grpc",
        ProtocolVersion: 6,
        Pid: process.pid,
        Test: true,
        Addr: { Network: "unix", String: socket },
      };
      for (const each of addresses) {
        told[each] = how;
        reattach[each] = { pid: process.pid, socket, protocolVersion: 6 };
      }
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { environment: { TF_REATTACH_PROVIDERS: JSON.stringify(told) }, reattach, close };
}

// In a shared process, a simulated crash only drops the connection, and the provider must not print anything.
function createHost(session: ServerHttp2Session): ProviderHost {
  return { crash: () => session.destroy(), print: () => {}, complain: () => {} };
}
