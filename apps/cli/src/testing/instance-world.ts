import { createFakeServer } from "@cloudwright/api-client/testing";
import { createFakeWorld, type FakeWorld } from "./fake-world.ts";

/** The access data that the server returns for the `web` instance. */
export interface FakeAccess {
  readonly user?: string;
  readonly hostKeys?: readonly string[];
  readonly privateKeys?: readonly string[];
  readonly simulated?: boolean;
}

type Ssh = (args: readonly string[]) => number | undefined | Promise<number | undefined>;

/**
 * Creates a world with a server that gives access to the `web` instance. A function replaces the `ssh` program. The world records changes
 * to `web`.
 */
export function createInstanceWorld(access: FakeAccess, ssh: Ssh): FakeWorld & { readonly patches: readonly unknown[] } {
  const server = createFakeServer();
  const patches: unknown[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    if (url.endsWith("/instances/web:ssh")) return Response.json({ address: "10.0.0.4", user: "ubuntu", ...access });
    if (!url.endsWith("/instances/web") || init?.method !== "PATCH") return server.fetch(input, init);
    patches.push(JSON.parse(typeof init.body === "string" ? init.body : "null"));
    return Response.json({ metadata: { name: "web", uid: "u", resourceVersion: "1" }, spec: {} });
  };
  const run = (program: string, args: readonly string[]): ReturnType<Ssh> => (program === "ssh" ? ssh(args) : 127);
  return { ...createFakeWorld({ server: { ...server, fetch }, run }), patches };
}
