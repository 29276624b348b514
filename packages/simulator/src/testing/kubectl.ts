import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processEnvironment, requireTool } from "@cloudwright/platform";

/** The exit code and output of a kubectl command. */
export interface KubectlRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs kubectl with one kubeconfig and its own cache. */
export interface Kubectl {
  /** Runs a command line. Words are separated by single spaces; there is no quoting. */
  run(command: string, input?: string): Promise<KubectlRun>;
  /** Runs a command and returns its output. Throws if the command fails. */
  ok(command: string, input?: string): Promise<string>;
  /** Starts a long-running command and yields its output line by line. */
  follow(command: string): { lines: AsyncIterable<string>; stop(): void };
  /** Returns a kubectl for another kubeconfig. */
  as(kubeconfig: string): Promise<Kubectl>;
  close(): Promise<void>;
}

/** The kubectl program on this machine, or the reason why it is missing. */
export const kubectlTool = requireTool("kubectl");

/** Creates a kubectl for the cluster in a kubeconfig. */
export async function createKubectl(kubeconfig: string): Promise<Kubectl> {
  const home = await mkdtemp(join(tmpdir(), "kubectl-"));
  const path = join(home, "config");
  await writeFile(path, kubeconfig, { mode: 0o600 });
  const others: Kubectl[] = [];
  const env = { ...processEnvironment, HOME: home, KUBECONFIG: path };
  const start = (command: string) => spawn(kubectlTool.found ? kubectlTool.path : "kubectl", command.split(" "), { env });

  const kubectl: Kubectl = {
    run: (command, input) =>
      new Promise((resolve, reject) => {
        const child = start(command);
        let [stdout, stderr] = ["", ""];
        child.stdout.on("data", (data: Buffer) => (stdout += data.toString()));
        child.stderr.on("data", (data: Buffer) => (stderr += data.toString()));
        child.on("error", reject);
        child.on("close", (code) => resolve({ code, stdout, stderr }));
        child.stdin.end(input ?? "");
      }),
    async ok(command, input) {
      const { code, stdout, stderr } = await kubectl.run(command, input);
      if (code !== 0) throw new Error(`kubectl ${command} exited with ${code}: ${stderr}${stdout}`);
      return stdout;
    },
    follow(command) {
      const child = start(command);
      async function* lines(): AsyncGenerator<string> {
        let rest = "";
        for await (const data of child.stdout as AsyncIterable<Buffer>) {
          const parts = (rest + data.toString()).split("\n");
          rest = parts.pop() ?? "";
          yield* parts;
        }
      }
      return { lines: lines(), stop: () => void child.kill() };
    },
    async as(other) {
      const made = await createKubectl(other);
      others.push(made);
      return made;
    },
    async close() {
      for (const other of others) await other.close();
      await rm(home, { recursive: true, force: true });
    },
  };
  return kubectl;
}
