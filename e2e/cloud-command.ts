import { processEnvironment } from "@cloudwright/platform";
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

export interface CommandOptions {
  readonly home: string;
  readonly stdin?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Command to run. Default: the launcher in this repository. */
  readonly command?: readonly string[];
}

export interface CommandOutcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface RunningCommand {
  readonly done: Promise<CommandOutcome>;
  out(): string;
  err(): string;
  signal(name: NodeJS.Signals): void;
}

/** Starts `cloud` with the launcher in this repository, as a user with this home directory would. */
export function startCloud(options: CommandOptions, ...args: string[]): RunningCommand {
  const [file = "", ...before] = options.command ?? [`${root}/node_modules/.bin/node`, `${root}/apps/cli/bin/cloud.js`];
  const child = spawn(file, [...before, ...args], {
    env: { PATH: processEnvironment["PATH"], HOME: options.home, CLOUDWRIGHT_HOME: options.home, ...options.environment },
    stdio: "pipe",
  });
  const printed = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed.out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (printed.err += text));
  child.stdin.on("error", () => undefined).end(options.stdin ?? "");
  const done = new Promise<CommandOutcome>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, ...printed }));
  });
  return { done, out: () => printed.out, err: () => printed.err, signal: (name) => void child.kill(name) };
}

/** Runs `cloud` and waits until it exits. */
export function runCloud(options: CommandOptions, ...args: string[]): Promise<CommandOutcome> {
  return startCloud(options, ...args).done;
}
