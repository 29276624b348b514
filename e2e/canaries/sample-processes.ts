import { systemClock } from "@cloudwright/platform";
import { readdir, readFile } from "node:fs/promises";
import { findCanaries } from "./search.ts";

/** Secrets that the sampler found in processes on this machine. */
export interface ProcessesSeen {
  /** Findings such as `password in argv of node` or `password in environ of terraform`. */
  readonly found: ReadonlySet<string>;
  /** State endpoint passwords found in the environment of Terraform processes. */
  readonly statePasswords: ReadonlySet<string>;
}

/** A running sampler. Its sets grow until it is stopped. */
export interface ProcessSampler extends ProcessesSeen {
  stop(): Promise<void>;
}

const lookEveryMs = 15;

// An agent starts each program through a shell. The shell waits until the agent has recorded the program, and then replaces itself with the
// program.
function nameProcess([program = "", , , gate, gated = ""]: readonly string[]): string {
  const name = (path: string): string => path.split("/").at(-1) ?? "";
  return name(program) === "sh" && gate === "gate" ? name(gated) : name(program);
}

/** Samples the command lines and environments of all processes until `stop` is called. Linux only. */
export function sampleProcesses(canaries: ReadonlyMap<string, string>): ProcessSampler {
  const found = new Set<string>();
  const statePasswords = new Set<string>();
  const names = new Map<string, string>();
  const stopping = new AbortController();
  const look = async (pid: string): Promise<void> => {
    const read = (file: string): Promise<string> => readFile(`/proc/${pid}/${file}`, "latin1").catch(() => "");
    // The environment must be read first. A process whose environment was readable still has a command line, unless it has just exited.
    const environ = await read("environ");
    const argv = await read("cmdline");
    const name = argv === "" ? names.get(pid) : nameProcess(argv.split("\0"));
    if (name === undefined) return;
    names.set(pid, name);
    for (const each of findCanaries(canaries, `argv of ${name}`, argv)) found.add(each);
    for (const each of findCanaries(canaries, `environ of ${name}`, environ)) found.add(each);
    const password = /(?:^|\0)TF_HTTP_PASSWORD=([^\0]+)/.exec(environ)?.[1];
    if (password !== undefined) statePasswords.add(password);
  };
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await Promise.all((await readdir("/proc")).filter((entry) => /^\d+$/.test(entry)).map(look));
      await systemClock.sleep(lookEveryMs);
    }
  };
  const running = run();
  return {
    found,
    statePasswords,
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
