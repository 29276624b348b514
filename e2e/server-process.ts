import { processEnvironment } from "@cloudwright/platform";
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { compiledModules } from "./compiled-modules.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

export interface ServerOptions {
  readonly home: string;
  /** Additional environment variables. A value of undefined removes the variable. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** User to run the process as. Requires root. */
  readonly identity?: { readonly uid: number; readonly gid: number };
  /** Root of another copy of the repository to start the server from. */
  readonly root?: string;
  /** Program and arguments to run instead of the control plane. */
  readonly program?: readonly string[];
}

/** A control plane process with its output and exit status. */
export interface ServerProcess {
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  exit(): ServerExit | undefined;
  /** Resolves once the process has exited. */
  readonly ended: Promise<ServerExit>;
  /** Sends a signal and waits until the process has exited. */
  end(signal: NodeJS.Signals): Promise<ServerExit>;
}

/** Exit code, or the signal that ended the process. */
export interface ServerExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const running = new Set<number>();

// An aborted test run must not leave servers behind.
process.once("exit", () => {
  for (const pid of running) process.kill(pid, "SIGKILL");
});

/** Starts the control plane from its sources with the Node version of this repository. Does not wait until it is ready. */
export function spawnServer(options: ServerOptions): ServerProcess {
  const from = options.root ?? root;
  const environment: Record<string, string | undefined> = {
    PATH: processEnvironment["PATH"],
    // Periodic drift checks would add tasks at unpredictable times. Drift tests set their own interval.
    CLOUDWRIGHT_DRIFT_CHECK: "off",
    CLOUDWRIGHT_HOME: options.home,
    CLOUDWRIGHT_LISTEN: "127.0.0.1:0",
    // Few tests use the console, and the others should not have to wait for its build.
    CLOUDWRIGHT_CONSOLE: "off",
    NODE_COMPILE_CACHE: compiledModules,
    CLOUDWRIGHT_KUBERNETES_LISTEN: "127.0.0.1:0",
    CLOUDWRIGHT_SIMULATED_CLOUDS_LISTEN: "127.0.0.1:0",
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
