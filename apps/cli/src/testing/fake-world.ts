import { createFakeServer, type FakeServer } from "@cloudwright/api-client/testing";
import { createManualClock } from "@cloudwright/platform/clock";
import { runCli } from "../run.ts";
import type { World } from "../world.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

/** The output and exit code of a command. */
export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** An in-memory world with a fake server. Only the home directory is real. */
export interface FakeWorld {
  readonly world: World;
  readonly server: FakeServer;
  readonly home: string;
  readonly clock: ReturnType<typeof createManualClock>;
  run(...args: string[]): Promise<Outcome>;
  /** Starts a command without waiting for it to finish. */
  start(...args: string[]): { readonly done: Promise<Outcome>; out(): string; err(): string };
  interrupt(): void;
}

interface Options {
  readonly environment?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Lines that the user types on the terminal. */
  readonly typed?: readonly string[];
  /** Acts as the editor. Returns false to simulate a failure. */
  readonly edit?: (file: string) => boolean;
  /** Simulates a program. Returns its exit code, or undefined if there is no such program. */
  readonly run?: (program: string, args: readonly string[]) => number | undefined | Promise<number | undefined>;
  readonly server?: FakeServer;
}

export function createFakeWorld(options: Options = {}): FakeWorld {
  const server = options.server ?? createFakeServer();
  const home = createTemporaryFolder();
  const clock = createManualClock();
  const interrupt = new AbortController();
  const typed = [...(options.typed ?? [])];
  const isTTY = options.typed !== undefined;
  const base = {
    environment: { CLOUDWRIGHT_SERVER: "http://server", CLOUDWRIGHT_API_KEY: server.key, ...options.environment },
    home,
    version: "1.2.3",
    stdin: { isTTY, readAll: async () => options.stdin ?? "", readLine: async () => typed.shift() ?? "" },
    fetch: server.fetch,
    clock,
    signal: interrupt.signal,
    run: async (program: string, args: readonly string[]) => options.run?.(program, args),
    edit: async (_command: string, file: string) => options.edit?.(file) ?? true,
  };
  const start: FakeWorld["start"] = (...args) => {
    let out = "";
    let err = "";
    const world = {
      ...base,
      stdout: { isTTY, write: (text: string) => void (out += text) },
      stderr: { isTTY, write: (text: string) => void (err += text) },
    };
    const done = runCli(args, world).then((code) => ({ code, out, err }));
    return { done, out: () => out, err: () => err };
  };
  const silent = { isTTY, write: () => undefined };
  return {
    world: { ...base, stdout: silent, stderr: silent },
    server,
    home,
    clock,
    start,
    run: (...args) => start(...args).done,
    interrupt: () => interrupt.abort(new Error("interrupted")),
  };
}
