import { processEnvironment } from "@cloudwright/platform";
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Dozens of servers and agents are started from the same sources: compiled once, each costs half the processor time. */
const compiled = fileURLToPath(new URL("../node_modules/.cache/compiled", import.meta.url));

/** How a control plane is started. */
export interface ServerOptions {
  readonly home: string;
  /** Variables beside the home and the address; undefined takes one away. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Start it as somebody else; only for root. */
  readonly identity?: { readonly uid: number; readonly gid: number };
  /** Another copy of the repository. */
  readonly root?: string;
  /** Another program than the control plane, with its arguments. */
  readonly program?: readonly string[];
}

/** A control plane as its operator sees it: a process, what it prints, how it ended. */
export interface ServerProcess {
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  exit(): ServerExit | undefined;
  /** Resolves when it is over. */
  readonly ended: Promise<ServerExit>;
  /** Sends a signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<ServerExit>;
}

/** How a process ended. */
export interface ServerExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const running = new Set<number>();

// A suite that is cut off must not leave servers behind.
process.once("exit", () => {
  for (const pid of running) process.kill(pid, "SIGKILL");
});

/** Starts the control plane from its sources with Node 24 of this repository; nothing is waited for. */
export function spawnServer(options: ServerOptions): ServerProcess {
  const from = options.root ?? root;
  const environment: Record<string, string | undefined> = {
    PATH: processEnvironment["PATH"],
    CLOUDWRIGHT_HOME: options.home,
    CLOUDWRIGHT_LISTEN: "127.0.0.1:0",
    // Few stories look at it, and none should wait while it is built.
    CLOUDWRIGHT_CONSOLE: "off",
    NODE_COMPILE_CACHE: compiled,
    CLOUDWRIGHT_KUBERNETES_LISTEN: "127.0.0.1:0",
    ...options.environment,
  };
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined));
  const [program, ...args] = options.program ?? ["apps/control-plane/src/main.ts"];
  const child = spawn(`${from}/node_modules/.bin/node`, [`${from}/${program}`, ...args], {
    cwd: from,
    env: set,
    stdio: ["ignore", "pipe", "pipe"],
    ...options.identity,
  });
  const { pid } = child;
  if (pid === undefined) throw new Error("the server's process could not be started");
  running.add(pid);
  const printed = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (printed.stderr += text));
  let exit: ServerExit | undefined;
  const ended = new Promise<ServerExit>((resolve) => {
    child.once("close", (code, signal) => {
      running.delete(pid);
      exit = { code, signal };
      resolve(exit);
    });
  });
  return {
    pid,
    stdout: () => printed.stdout,
    stderr: () => printed.stderr,
    exit: () => exit,
    ended,
    async end(signal) {
      child.kill(signal);
      return ended;
    },
  };
}
