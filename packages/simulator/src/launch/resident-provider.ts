import type { ServerHttp2Session } from "node:http2";
import { checkDefinition } from "../provider/check-definition.ts";
import { createProviderService, type ProviderOptions } from "../provider/provider-service.ts";
import type { ProviderDefinition } from "../provider/definition.ts";
import type { ProviderHost } from "../provider/scope.ts";
import { listenGrpc } from "../wire/grpc-server.ts";
import { listAddresses } from "./provider-address.ts";
import { createSocketDirectory } from "./socket-directory.ts";

/** Providers that live in this process, for one tenant. */
export interface ResidentOptions extends Omit<ProviderOptions, "definition"> {
  /** Which provider answers for which address, such as `registry.terraform.io/hashicorp/aws`. */
  readonly providers: Readonly<Record<string, ProviderDefinition>>;
  /** Where the sockets' own directories are made. */
  readonly directory: string;
}

/** Running providers and what Terraform has to be told to use them. */
export interface ResidentProvider {
  readonly environment: { readonly TF_REATTACH_PROVIDERS: string };
  /** The same by address, for whoever writes Terraform's environment itself. */
  readonly reattach: Readonly<
    Record<string, { readonly pid: number; readonly socket: string; readonly protocolVersion: number }>
  >;
  close(): Promise<void>;
}

/**
 * Serves providers on sockets of their own in directories that only this user can enter. The socket is the tenant: whoever was given
 * another's environment sees another's cloud, and nothing in a configuration can change that.
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
      // A Terraform that is done with its plug-in must not end the process of all.
      // Those of the bundle, which Terraform starts and waits for, are the product's own.
      checkDefinition(definition);
      const service = createProviderService({ ...options, definition }, { createHost, onShutdown: () => {} });
      const { socket, remove } = await createSocketDirectory(directory);
      closers.push(remove);
      const server = await listenGrpc(service, { socket });
      closers[closers.length - 1] = () => server.close().then(remove);
      // Test makes Terraform leave the process alone; with false, version 1.11 ends in a panic.
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

// In a process that others live in, a crash is the loss of the connection, and the output is not the provider's to spoil.
function createHost(session: ServerHttp2Session): ProviderHost {
  return { crash: () => session.destroy(), print: () => {}, complain: () => {} };
}
